//! A request that works ([P7]). Secrets never get in.
//!
//! [P7]: https://github.com/aon-rs/aon/blob/main/docs/contract.md#p7

use std::borrow::Cow;

use crate::json::WriteObject;
use crate::json::scan::{Scan, ScanError};
use crate::{Extensions, Json, redact};

/// An example request: method, path, headers, body. Building one runs the redactor ([P7], [L9]).
///
/// # Examples
///
/// ```
/// use aon_core::{ExampleRequest, Json};
///
/// let example = ExampleRequest::new("PATCH", "/possibilities/{id}/auth")
///     .with_header("Authorization", "Bearer abc.def.ghi")
///     .with_body(Json::parse(r#"{"auth_ux":"custom"}"#)?);
/// assert_eq!(example.headers().next(), Some(("Authorization", "Bearer [redacted]")));
/// # Ok::<(), aon_core::InvalidJson>(())
/// ```
///
/// [P7]: https://github.com/aon-rs/aon/blob/main/docs/contract.md#p7
/// [L9]: https://github.com/aon-rs/aon/blob/main/docs/contract.md#l9
#[derive(Clone, Debug, PartialEq)]
pub struct ExampleRequest {
    method: Cow<'static, str>,
    path: Cow<'static, str>,
    headers: Cow<'static, [(Cow<'static, str>, Cow<'static, str>)]>,
    body: Option<Json>,
    other: Extensions,
}

impl ExampleRequest {
    /// A request without headers and body.
    pub fn new(method: impl Into<Cow<'static, str>>, path: impl Into<Cow<'static, str>>) -> Self {
        Self {
            method: clean_name(method.into()),
            path: clean(path.into()),
            headers: Cow::Borrowed(&[]),
            body: None,
            other: Extensions::NONE,
        }
    }

    #[doc(hidden)]
    pub const fn constant(
        method: &'static str,
        path: &'static str,
        headers: &'static [(Cow<'static, str>, Cow<'static, str>)],
        body: Option<&'static str>,
    ) -> Self {
        let body = match body {
            Some(text) => Some(Json::trusted(text)),
            None => None,
        };
        Self {
            method: Cow::Borrowed(method),
            path: Cow::Borrowed(path),
            headers: Cow::Borrowed(headers),
            body,
            other: Extensions::NONE,
        }
    }

    /// Adds a header; a secret value is replaced.
    #[must_use]
    pub fn with_header(
        mut self,
        name: impl Into<Cow<'static, str>>,
        value: impl Into<Cow<'static, str>>,
    ) -> Self {
        self.set_header(name.into(), value.into());
        self
    }

    fn set_header(&mut self, name: Cow<'static, str>, value: Cow<'static, str>) {
        let value = match redact::header(&name, &value) {
            Cow::Borrowed(_) => value,
            Cow::Owned(cleaned) => Cow::Owned(cleaned),
        };
        let name = clean_name(name);
        let headers = self.headers.to_mut();
        match headers
            .iter_mut()
            .find(|(kept, _)| kept.eq_ignore_ascii_case(&name))
        {
            Some(kept) => kept.1 = value,
            None => headers.push((name, value)),
        }
    }

    /// Adds a body; secrets in it are replaced.
    #[must_use]
    pub fn with_body(mut self, body: Json) -> Self {
        self.body = Some(clean_json(body));
        self
    }

    /// The method.
    pub fn method(&self) -> &str {
        &self.method
    }

    /// The path or path template.
    pub fn path(&self) -> &str {
        &self.path
    }

    /// The headers, in order.
    pub fn headers(&self) -> impl Iterator<Item = (&str, &str)> {
        self.headers.iter().map(|(name, value)| (&**name, &**value))
    }

    /// The body.
    pub const fn body(&self) -> Option<&Json> {
        self.body.as_ref()
    }

    pub(crate) fn write_members(&self, object: &mut impl WriteObject) {
        object.string("method", &self.method);
        object.string("path", &self.path);
        if !self.headers.is_empty() {
            object.object("headers", None, |headers| {
                for (name, value) in self.headers.iter() {
                    headers.string(name, value);
                }
            });
        }
        if let Some(body) = &self.body {
            object.json("body", body);
        }
        self.other.write(object);
    }

    pub(crate) fn read(
        scan: &mut Scan<'_>,
        ignored: &mut dyn FnMut(String),
    ) -> Result<Option<Self>, ScanError> {
        let (mut method, mut path) = (None, None);
        let mut read = Self::new("", "");
        let object = scan.object(|name, scan| {
            match &*name {
                "method" => method = scan.text()?.map(Cow::into_owned),
                "path" => path = scan.text()?.map(Cow::into_owned),
                "headers" => {
                    let headers = scan.object(|header, scan| {
                        match scan.text()? {
                            Some(text) => read
                                .set_header(header.into_owned().into(), text.into_owned().into()),
                            None => {
                                ignored(format!(
                                    "remediation.example_request.headers.{header} must be a string"
                                ));
                            }
                        }
                        Ok(())
                    })?;
                    if !headers {
                        ignored("remediation.example_request.headers must be an object".to_owned());
                    }
                }
                _ => match (Json::from_valid(scan.raw()?), &*name) {
                    (Ok(body), "body") => read.body = Some(clean_json(body)),
                    (Ok(other), _) => read.other.keep(name.into_owned(), other),
                    (Err(error), _) => {
                        ignored(format!("remediation.example_request.{name} is {error}"));
                    }
                },
            }
            Ok(())
        })?;
        if !object {
            ignored("remediation.example_request must be an object".to_owned());
            return Ok(None);
        }
        let (Some(method), Some(path)) = (method, path) else {
            ignored("remediation.example_request needs method and path, both strings".to_owned());
            return Ok(None);
        };
        read.method = clean_name(Cow::Owned(method));
        read.path = clean(Cow::Owned(path));
        read.other.redact();
        Ok(Some(read))
    }
}

fn clean_name(mut name: Cow<'static, str>) -> Cow<'static, str> {
    redact::clean_name(&mut name);
    name
}

fn clean(mut text: Cow<'static, str>) -> Cow<'static, str> {
    redact::clean(&mut text);
    text
}

fn clean_json(json: Json) -> Json {
    redact::member("", &json).unwrap_or(json)
}
