//! What changed between two catalogs, and whom it breaks.

use std::collections::BTreeMap;
use std::fmt;

use aon::catalog::{Catalog, Record};
use serde::Serialize;
use serde_json::Value;

/// Whom a change reaches.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Impact {
    /// Callers that worked stop working.
    Breaking,
    /// Callers may use something new.
    Additive,
    /// Only people notice.
    Cosmetic,
}

impl fmt::Display for Impact {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Breaking => "breaking",
            Self::Additive => "additive",
            Self::Cosmetic => "cosmetic",
        })
    }
}

/// One change.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub(crate) struct Change {
    /// Whom it reaches.
    pub(crate) impact: Impact,
    /// The code it is about.
    pub(crate) code: String,
    /// What changed, in one sentence.
    pub(crate) what: String,
}

impl fmt::Display for Change {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}: {}", self.impact, self.code, self.what)
    }
}

/// Compares two catalogs: breaking changes first, then by code.
///
/// Breaking: a code is gone, its status, type or remediation changed, an action, an allowed value, an extension or retry
/// advice was taken away. Additive: something new; a program that declares a code itself which came with an adapter
/// before. Cosmetic: words and links.
pub(crate) fn diff(old: &Catalog, new: &Catalog) -> Vec<Change> {
    let mut changes = Changes(Vec::new());
    let (old, new) = (by_code(old), by_code(new));
    for (code, before) in &old {
        match new.get(code) {
            Some(after) => changes.record(before, after),
            None => changes.push(Impact::Breaking, code, "the code is gone".to_owned()),
        }
    }
    for (code, after) in &new {
        if !old.contains_key(code) {
            changes.push(
                Impact::Additive,
                code,
                format!("new, status {}", after.status),
            );
        }
    }
    changes
        .0
        .sort_by(|a, b| (a.impact, &a.code).cmp(&(b.impact, &b.code)));
    changes.0
}

/// The first record of each code; a second of the same code is reported by `Catalog::duplicates`.
fn by_code(catalog: &Catalog) -> BTreeMap<&str, &Record> {
    let mut records = BTreeMap::new();
    for record in &catalog.problems {
        records.entry(record.code.as_str()).or_insert(record);
    }
    records
}

struct Changes(Vec<Change>);

impl Changes {
    fn push(&mut self, impact: Impact, code: &str, what: String) {
        self.0.push(Change {
            impact,
            code: code.to_owned(),
            what,
        });
    }

    fn record(&mut self, old: &Record, new: &Record) {
        let Record {
            code,
            status,
            type_uri,
            title,
            detail,
            summary,
            valid_values,
            remediation,
            docs_url,
            mcp_tool,
            a2a_skill,
            pointers,
            retry_after,
            challenge,
            extensions,
            extension_types,
            origin,
        } = new;
        if old.status != *status {
            self.push(
                Impact::Breaking,
                code,
                format!("status changed from {} to {status}", old.status),
            );
        }
        if old.origin.is_built_in() && !origin.is_built_in() {
            // The adapter still answers as it did; what is new is that the program does too.
            let what = "the program declares it itself now".to_owned();
            self.push(Impact::Additive, code, what);
            return;
        }
        if old.type_uri != *type_uri {
            self.push(
                Impact::Breaking,
                code,
                format!("type changed from {} to {type_uri}", old.type_uri),
            );
        }
        self.values(code, &old.valid_values, valid_values);
        self.remediation(code, old.remediation.as_ref(), remediation.as_ref());
        self.action(
            code,
            "mcp_tool",
            old.mcp_tool.as_deref(),
            mcp_tool.as_deref(),
        );
        self.action(
            code,
            "a2a_skill",
            old.a2a_skill.as_deref(),
            a2a_skill.as_deref(),
        );
        self.list(code, "extension", &old.extensions, extensions);
        for (name, new) in extension_types {
            if let Some(old) = old.extension_types.get(name).filter(|old| *old != new) {
                let what = format!("extension {name} changed from {old} to {new}");
                self.push(Impact::Breaking, code, what);
            }
        }
        self.list(code, "pointer", &old.pointers, pointers);
        match (&old.retry_after, retry_after) {
            (Some(_), None) => self.push(
                Impact::Breaking,
                code,
                "retry advice was taken away".to_owned(),
            ),
            (None, Some(_)) => {
                self.push(Impact::Additive, code, "retry advice was added".to_owned());
            }
            (before, after) if before != after => {
                self.push(Impact::Cosmetic, code, "the retry delay changed".to_owned());
            }
            _ => {}
        }
        self.action(
            code,
            "challenge",
            old.challenge.as_deref(),
            challenge.as_deref(),
        );
        let words = [
            ("title", &old.title, title),
            ("detail", &old.detail, detail),
            ("summary", &old.summary, summary),
        ];
        for (member, before, after) in words {
            if before != after {
                self.push(Impact::Cosmetic, code, format!("{member} was reworded"));
            }
        }
        if old.docs_url != *docs_url {
            self.push(Impact::Cosmetic, code, "docs_url changed".to_owned());
        }
        if old.origin != *origin {
            self.push(
                Impact::Cosmetic,
                code,
                format!("declared in {} now", origin.type_name),
            );
        }
    }

    fn values(
        &mut self,
        code: &str,
        old: &BTreeMap<String, Option<Vec<Value>>>,
        new: &BTreeMap<String, Option<Vec<Value>>>,
    ) {
        for (field, before) in old {
            let Some(after) = new.get(field) else {
                self.push(
                    Impact::Breaking,
                    code,
                    format!("valid_values of {field} are gone"),
                );
                continue;
            };
            let (Some(before), Some(after)) = (before, after) else {
                continue;
            };
            for value in before.iter().filter(|value| !contains(after, value)) {
                self.push(
                    Impact::Breaking,
                    code,
                    format!("{field} no longer allows {}", bare(value)),
                );
            }
            for value in after.iter().filter(|value| !contains(before, value)) {
                self.push(
                    Impact::Additive,
                    code,
                    format!("{field} allows {} now", bare(value)),
                );
            }
        }
        for field in new.keys().filter(|field| !old.contains_key(*field)) {
            self.push(
                Impact::Additive,
                code,
                format!("valid_values name {field} now"),
            );
        }
    }

    fn remediation(&mut self, code: &str, old: Option<&Value>, new: Option<&Value>) {
        let (old, new) = match (old, new) {
            (Some(old), Some(new)) => (old, new),
            (Some(_), None) => {
                return self.push(Impact::Breaking, code, "the remediation is gone".to_owned());
            }
            (None, Some(_)) => {
                return self.push(Impact::Additive, code, "a remediation was added".to_owned());
            }
            (None, None) => return,
        };
        for member in ["type", "reason"] {
            if old.get(member) != new.get(member) {
                let word =
                    |value: &Value| value.get(member).map_or_else(|| "nothing".to_owned(), bare);
                self.push(
                    Impact::Breaking,
                    code,
                    format!(
                        "remediation {member} changed from {} to {}",
                        word(old),
                        word(new)
                    ),
                );
            }
        }
        for part in [
            "endpoint_xri",
            "endpoint_url",
            "required_scope",
            "guide_xri",
        ] {
            let find = |value: &Value| {
                value
                    .get("next_action")
                    .and_then(|action| action.get(part))
                    .map(bare)
            };
            let (before, after) = (find(old), find(new));
            self.action(
                code,
                &format!("next_action.{part}"),
                before.as_deref(),
                after.as_deref(),
            );
        }
        let fix = |value: &Value| value.get("auto_fix_available") == Some(&Value::Bool(true));
        match (fix(old), fix(new)) {
            (true, false) => self.push(
                Impact::Breaking,
                code,
                "the automatic fix is gone".to_owned(),
            ),
            (false, true) => self.push(
                Impact::Additive,
                code,
                "an automatic fix was added".to_owned(),
            ),
            _ => {}
        }
        if ["message", "example_request"]
            .iter()
            .any(|member| old.get(member) != new.get(member))
        {
            self.push(
                Impact::Cosmetic,
                code,
                "remediation was reworded".to_owned(),
            );
        }
    }

    fn action(&mut self, code: &str, member: &str, old: Option<&str>, new: Option<&str>) {
        match (old, new) {
            (Some(before), None) => {
                self.push(Impact::Breaking, code, format!("{member} {before} is gone"));
            }
            (None, Some(after)) => self.push(
                Impact::Additive,
                code,
                format!("{member} {after} was added"),
            ),
            (Some(before), Some(after)) if before != after => {
                self.push(
                    Impact::Breaking,
                    code,
                    format!("{member} changed from {before} to {after}"),
                );
            }
            _ => {}
        }
    }

    fn list(&mut self, code: &str, what: &str, old: &[String], new: &[String]) {
        for name in old.iter().filter(|name| !new.contains(name)) {
            self.push(Impact::Breaking, code, format!("{what} {name} is gone"));
        }
        for name in new.iter().filter(|name| !old.contains(name)) {
            self.push(Impact::Additive, code, format!("{what} {name} was added"));
        }
    }
}

/// The value itself, without its label and description.
fn plain(value: &Value) -> &Value {
    value.get("value").unwrap_or(value)
}

fn contains(values: &[Value], wanted: &Value) -> bool {
    values.iter().any(|value| plain(value) == plain(wanted))
}

fn bare(value: &Value) -> String {
    let value = plain(value);
    value
        .as_str()
        .map_or_else(|| value.to_string(), str::to_owned)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn record(edit: impl FnOnce(&mut Record)) -> Catalog {
        let mut record = Record {
            code: "quota".to_owned(),
            status: 429,
            type_uri: "acme://problem/quota".to_owned(),
            title: "Quota".to_owned(),
            valid_values: BTreeMap::from([("plan".to_owned(), Some(vec!["a".into(), "b".into()]))]),
            remediation: Some(
                serde_json::json!({"type": "switch_user", "next_action": {"guide_xri": "g"}, "auto_fix_available": true}),
            ),
            mcp_tool: Some("fix".to_owned()),
            retry_after: Some(Some(5)),
            extensions: vec!["balance".to_owned()],
            extension_types: BTreeMap::from([("balance".to_owned(), "integer".to_owned())]),
            ..Record::default()
        };
        edit(&mut record);
        Catalog::from_records([record])
    }

    #[test]
    fn each_change_has_its_impact() {
        type Edit = fn(&mut Record);
        let cases: &[(Impact, Edit)] = &[
            (Impact::Breaking, |r| r.code = "other".to_owned()),
            (Impact::Breaking, |r| r.status = 503),
            (Impact::Breaking, |r| {
                r.type_uri = "acme://problem/x".to_owned();
            }),
            (Impact::Breaking, |r| r.remediation = None),
            (Impact::Breaking, |r| {
                r.remediation = Some(
                    serde_json::json!({"type": "none", "reason": "not_yet_implemented", "auto_fix_available": false}),
                );
            }),
            (Impact::Breaking, |r| r.mcp_tool = None),
            (Impact::Breaking, |r| r.retry_after = None),
            (Impact::Breaking, |r| r.extensions.clear()),
            (Impact::Breaking, |r| {
                r.extension_types
                    .insert("balance".to_owned(), "string".to_owned());
            }),
            (Impact::Breaking, |r| {
                r.valid_values = BTreeMap::from([("plan".to_owned(), Some(vec!["a".into()]))]);
            }),
            (Impact::Additive, |r| r.a2a_skill = Some("s".to_owned())),
            (Impact::Additive, |r| r.extensions.push("more".to_owned())),
            (Impact::Additive, |r| {
                r.valid_values = BTreeMap::from([(
                    "plan".to_owned(),
                    Some(vec![
                        "b".into(),
                        serde_json::json!({"value": "a", "label": "A"}),
                        "c".into(),
                    ]),
                )]);
            }),
            (Impact::Cosmetic, |r| r.title = "Too much".to_owned()),
            (Impact::Cosmetic, |r| {
                r.docs_url = Some("https://x/y".to_owned());
            }),
            (Impact::Cosmetic, |r| r.retry_after = Some(None)),
        ];
        let old = record(|_| {});
        assert!(diff(&old, &old).is_empty());
        for (at, (impact, edit)) in cases.iter().enumerate() {
            let changes = diff(&old, &record(edit));
            assert_eq!(
                changes.first().map(|change| change.impact),
                Some(*impact),
                "case {at}: {changes:?}"
            );
        }
    }

    #[test]
    fn a_code_of_an_adapter_may_become_the_programs_own() {
        let built_in = record(|r| r.origin.package = "aon".to_owned());
        let own = record(|r| r.type_uri = "acme://problem/x".to_owned());
        let impacts = |old: &Catalog, new: &Catalog| -> Vec<Impact> {
            diff(old, new).iter().map(|change| change.impact).collect()
        };
        assert_eq!(impacts(&built_in, &own), [Impact::Additive]);
        assert_eq!(impacts(&own, &built_in).first(), Some(&Impact::Breaking));
        let other = record(|r| r.status = 400);
        assert_eq!(impacts(&built_in, &other).first(), Some(&Impact::Breaking));
        let both = Catalog::from_records(built_in.problems.into_iter().chain(own.problems.clone()));
        assert_eq!(both, own, "the program's own stands alone");
    }
}
