//! The lenient reader ([P2]): what is good is kept, what is not is left out and named.
//!
//! [P2]: https://github.com/aon-rs/aon/blob/main/docs/contract.md#p2

use std::borrow::Cow;
use std::fmt;

use serde::de::{Deserialize, Deserializer};

use crate::details::Inner;
use crate::ids::is_request_id;
use crate::json::Tree;
use crate::json::scan::{self, Scan, ScanError};
use crate::{Code, ProblemDetails, Remediation, SkillId, Status, ToolName, UriRef, ValidValues};

/// The longest problem that is read, in bytes.
pub const MAX_PROBLEM: usize = 1 << 20;

/// The most members at the top of one.
const MAX_MEMBERS: usize = 512;

/// A problem as read, and what had to be left out of it.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Reading {
    /// What was good.
    pub problem: ProblemDetails,
    /// What was treated as absent, and why: one sentence each.
    pub ignored: Vec<String>,
}

impl ProblemDetails {
    /// Reads a problem from JSON, leniently (RFC 9457 section 3.1): a member of the wrong type is absent, an unknown
    /// one is kept.
    ///
    /// # Examples
    ///
    /// ```
    /// use aon_core::ProblemDetails;
    ///
    /// let read = ProblemDetails::read(br#"{"status":"oops","title":"Out of credit","balance":30}"#)?;
    /// assert_eq!(read.problem.to_string(), r#"{"title":"Out of credit","balance":30}"#);
    /// assert_eq!(read.ignored, ["status must be a whole number from 400 to 599"]);
    /// # Ok::<(), aon_core::ReadProblemError>(())
    /// ```
    ///
    /// # Errors
    ///
    /// When it is not a JSON object, or over the limits.
    pub fn read(json: &[u8]) -> Result<Reading, ReadProblemError> {
        if json.len() > MAX_PROBLEM {
            return Err(ReadProblemError::TooLarge {
                bytes: json.len(),
                limit: MAX_PROBLEM,
            });
        }
        let json = json.strip_prefix(b"\xef\xbb\xbf").unwrap_or(json);
        let text = std::str::from_utf8(json)
            .map_err(|error| ReadProblemError::syntax(json, error.valid_up_to(), "UTF-8"))?;
        let mut ignored = Vec::new();
        let mut inner = Inner::default();
        let mut count = 0_usize;
        scan::document(text, |name, scan| {
            count += 1;
            if count > MAX_MEMBERS {
                return scan.raw().map(|_| ());
            }
            inner.take(name, scan, &mut ignored)
        })
        .map_err(|error| ReadProblemError::syntax(json, error.at, error.expected))?;
        if count > MAX_MEMBERS {
            return Err(ReadProblemError::TooManyMembers { limit: MAX_MEMBERS });
        }
        let mut problem = Self::from_inner(inner);
        if !problem.settle_auto_fix() {
            ignored.push(
                "remediation.auto_fix_available promises a fix but names no action".to_owned(),
            );
        }
        Ok(Reading { problem, ignored })
    }

    /// [`ProblemDetails::read`] for a caller that does not ask what was left out.
    ///
    /// # Errors
    ///
    /// When it is not a JSON object, or over the limits.
    pub fn from_slice(json: &[u8]) -> Result<Self, ReadProblemError> {
        Self::read(json).map(|reading| reading.problem)
    }
}

/// Through any format; [`ProblemDetails::read`] is faster for JSON text and keeps every digit of large numbers.
impl<'de> Deserialize<'de> for ProblemDetails {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let tree = Tree::deserialize(deserializer)?;
        let json = serde_json::to_vec(&tree).map_err(serde::de::Error::custom)?;
        Self::from_slice(&json).map_err(serde::de::Error::custom)
    }
}

/// Why no problem could be read.
#[derive(Debug)]
#[non_exhaustive]
pub enum ReadProblemError {
    /// It is not a JSON object.
    #[non_exhaustive]
    Syntax {
        /// The line, from 1.
        line: usize,
        /// The column in bytes, from 1.
        column: usize,
        /// What was expected there.
        expected: &'static str,
    },
    /// It is longer than the limit.
    TooLarge {
        /// Its length.
        bytes: usize,
        /// The limit.
        limit: usize,
    },
    /// It has more members than the limit.
    TooManyMembers {
        /// The limit.
        limit: usize,
    },
}

impl fmt::Display for ReadProblemError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Syntax {
                line,
                column,
                expected,
            } => {
                write!(
                    f,
                    "not a JSON object: expected {expected} at line {line}, column {column}"
                )
            }
            Self::TooLarge { bytes, limit } => {
                write!(f, "problem of {bytes} bytes is over the limit of {limit}")
            }
            Self::TooManyMembers { limit } => write!(f, "problem has more than {limit} members"),
        }
    }
}

impl std::error::Error for ReadProblemError {}

impl ReadProblemError {
    fn syntax(json: &[u8], at: usize, expected: &'static str) -> Self {
        let before = json.get(..at).unwrap_or(json);
        let line = before.split(|byte| *byte == b'\n').count();
        let column = before.rsplit(|byte| *byte == b'\n').next();
        Self::Syntax {
            line,
            column: column.map_or(0, <[u8]>::len) + 1,
            expected,
        }
    }
}

impl Inner {
    /// Takes one member; of a name that stands twice the last counts, as in every JSON parser in use.
    fn take(
        &mut self,
        name: Cow<'_, str>,
        scan: &mut Scan<'_>,
        ignored: &mut Vec<String>,
    ) -> Result<(), ScanError> {
        match &*name {
            "type" => self.type_uri = parsed("type", UriRef::parse, scan, ignored)?,
            "title" => self.title = text("title", scan, ignored)?.map(Cow::Owned),
            "status" => {
                self.status = scan
                    .raw()?
                    .parse()
                    .ok()
                    .and_then(|number| Status::new(number).ok());
                if self.status.is_none() {
                    ignored.push("status must be a whole number from 400 to 599".to_owned());
                }
            }
            "detail" => self.detail = text("detail", scan, ignored)?.map(Cow::Owned),
            "instance" => self.instance = parsed("instance", UriRef::parse, scan, ignored)?,
            "code" => self.code = parsed("code", Code::parse, scan, ignored)?,
            "request_id" => {
                self.request_id = text("request_id", scan, ignored)?
                    .map(Cow::Owned)
                    .filter(|id| {
                        let good = is_request_id(id);
                        if !good {
                            ignored.push(
                                "request_id must be 1 to 128 visible ASCII characters, without quotes, `\\`, `<` and `>`"
                                    .to_owned(),
                            );
                        }
                        good
                    });
            }
            "valid_values" => {
                self.valid_values =
                    ValidValues::read(scan, &mut |note| ignored.push(note))?.unwrap_or_default();
            }
            "remediation" => {
                self.remediation = Remediation::read(scan, &mut |note| ignored.push(note))?;
            }
            "docs_url" => self.docs_url = parsed("docs_url", UriRef::parse, scan, ignored)?,
            "mcp_tool" => self.mcp_tool = parsed("mcp_tool", ToolName::parse, scan, ignored)?,
            "a2a_skill" => self.a2a_skill = parsed("a2a_skill", SkillId::parse, scan, ignored)?,
            _ => self
                .extensions
                .keep_raw(name, scan.raw()?, &mut |note| ignored.push(note)),
        }
        Ok(())
    }
}

/// The text of a string member.
fn text(
    name: &str,
    scan: &mut Scan<'_>,
    ignored: &mut Vec<String>,
) -> Result<Option<String>, ScanError> {
    let text = scan.text()?;
    if text.is_none() {
        ignored.push(format!("{name} must be a string"));
    }
    Ok(text.map(Cow::into_owned))
}

/// The same where the text has a grammar.
fn parsed<T, E: fmt::Display>(
    name: &str,
    parse: impl FnOnce(String) -> Result<T, E>,
    scan: &mut Scan<'_>,
    ignored: &mut Vec<String>,
) -> Result<Option<T>, ScanError> {
    let parsed = text(name, scan, ignored)?.map(parse).transpose();
    Ok(parsed.unwrap_or_else(|error| {
        ignored.push(format!("{name}: {error}"));
        None
    }))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(json: &str) -> Reading {
        ProblemDetails::read(json.as_bytes()).unwrap()
    }

    #[test]
    fn a_member_of_the_wrong_type_is_absent_and_named() {
        let wrong = ["5", "null", "[]", "{}", "true", "1e999"];
        for member in crate::STANDARD_MEMBERS {
            for value in wrong {
                let fits = member == "valid_values" && value == "{}";
                let read = read(&format!(r#"{{"{member}":{value},"kept_one":1}}"#));
                assert_eq!(
                    read.problem.to_string(),
                    r#"{"kept_one":1}"#,
                    "{member} {value}"
                );
                assert_eq!(
                    read.ignored.len(),
                    usize::from(!fits),
                    "{member} {value} {:?}",
                    read.ignored
                );
            }
        }
    }

    #[test]
    fn odd_statuses_are_absent() {
        for status in [
            "9999",
            "200",
            "404.0",
            "-404",
            "\"oops\"",
            "4e2",
            "99999999999999999999",
        ] {
            assert_eq!(
                read(&format!(r#"{{"status":{status}}}"#)).problem.status(),
                None,
                "{status}"
            );
        }
    }

    #[test]
    fn unknown_members_keep_their_order_and_spelling() {
        let json = r#"{"zeta":{"y":1.50,"x":[12345678901234567890123]},"alpha":null,"st-range name":1e400}"#;
        assert_eq!(read(json).problem.to_string(), json);
    }

    #[test]
    fn the_last_of_a_repeated_member_counts_and_none_is_written_twice() {
        let read = read(r#"{"title":"a","x_y":1,"title":"b","x_y":2,"\u0074itle":"c"}"#);
        assert_eq!(read.problem.to_string(), r#"{"title":"c","x_y":2}"#);
    }

    #[test]
    fn hostile_documents_end_in_a_clear_error_or_a_good_value() {
        let deep = format!(
            r#"{{"title":"t","deep":{}{}}}"#,
            "[".repeat(10_000),
            "]".repeat(10_000)
        );
        let kept = read(&deep);
        assert_eq!(kept.problem.to_string(), r#"{"title":"t"}"#);
        assert_eq!(kept.ignored, ["deep is nested deeper than 64 levels"]);

        let lone = read(r#"{"title":"\ud800","other":"\ud800 x"}"#);
        assert_eq!(lone.problem.to_string(), r#"{"other":"\ufffd x"}"#);

        for bad in [
            "",
            "[]",
            "null",
            "{",
            "{\"a\":1}x",
            "{\"title\":\"\0\"}",
            "\u{feff}",
        ] {
            assert!(ProblemDetails::read(bad.as_bytes()).is_err(), "{bad:?}");
        }
        assert!(ProblemDetails::read(b"{\"title\":\"\xff\"}").is_err());
        let large = format!(r#"{{"x":"{}"}}"#, "a".repeat(10 << 20));
        assert!(matches!(
            ProblemDetails::read(large.as_bytes()),
            Err(ReadProblemError::TooLarge { .. })
        ));
        let many: Vec<String> = (0..2000).map(|n| format!("\"m{n}\":1")).collect();
        let many = format!("{{{}}}", many.join(","));
        assert!(matches!(
            ProblemDetails::read(many.as_bytes()),
            Err(ReadProblemError::TooManyMembers { .. })
        ));
    }

    #[test]
    fn an_automatic_fix_without_an_action_is_not_believed() {
        let claim = r#"{"remediation":{"type":"switch_user","auto_fix_available":true}}"#;
        let reading = read(claim);
        assert!(!reading.problem.remediation().unwrap().auto_fix_available());
        assert_eq!(reading.ignored.len(), 1);
        let honest = claim.replace("{\"remediation\"", "{\"mcp_tool\":\"fix\",\"remediation\"");
        assert!(
            read(&honest)
                .problem
                .remediation()
                .unwrap()
                .auto_fix_available()
        );
    }

    #[test]
    fn remediation_is_read_part_by_part() {
        let reading = read(
            r#"{"remediation":{"type":"none","reason":"not_yet_implemented","message":5,"next_action":{"guide_xri":"g","x":1},"example_request":{"method":"GET"},"auto_fix_available":false,"later":[1]}}"#,
        );
        assert_eq!(
            reading.problem.to_string(),
            r#"{"remediation":{"type":"none","reason":"not_yet_implemented","next_action":{"guide_xri":"g","x":1},"auto_fix_available":false,"later":[1]}}"#
        );
        assert_eq!(reading.ignored.len(), 2, "{:?}", reading.ignored);
        for absent in [r#"{"type":"none"}"#, r#"{"type":"retry"}"#, r"{}"] {
            assert!(
                read(&format!(r#"{{"remediation":{absent}}}"#))
                    .problem
                    .remediation()
                    .is_none()
            );
        }
    }

    #[test]
    fn it_deserialises_through_a_tree_too() {
        let value = serde_json::json!({"title": "t", "status": 404, "extra_one": {"b": [1, null]}});
        let problem: ProblemDetails = serde_json::from_value(value.clone()).unwrap();
        assert_eq!(serde_json::to_value(&problem).unwrap(), value);
    }
}
