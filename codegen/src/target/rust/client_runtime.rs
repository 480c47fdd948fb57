
/// Calls the API. It is cheap to clone, and clones share their connections.
#[derive(Clone, Debug)]
pub struct Client {
    base_url: String,
    http: ::reqwest::Client,
    headers: ::reqwest::header::HeaderMap,
}

impl Client {
    /// A client for the API at this address.
    pub fn new(base_url: impl Into<String>) -> Self {
        Self {
            base_url: base_url.into(),
            http: ::reqwest::Client::new(),
            headers: ::reqwest::header::HeaderMap::new(),
        }
    }

    /// Uses a client of reqwest with settings of its own: time-outs, proxies, certificates.
    #[must_use]
    pub fn with_http(mut self, http: ::reqwest::Client) -> Self {
        self.http = http;
        self
    }

    /// Sends a header with every call, such as `authorization`.
    #[must_use]
    pub fn with_header(
        mut self,
        name: ::reqwest::header::HeaderName,
        value: ::reqwest::header::HeaderValue,
    ) -> Self {
        self.headers.insert(name, value);
        self
    }

    async fn send<R, T>(&self, call: &Call, request: Option<&R>) -> Result<T, Error>
    where
        R: ::serde::Serialize,
        T: ::serde::de::DeserializeOwned,
    {
        let (status, bytes) = self.answer(call, request).await?;
        let found = if bytes.is_empty() {
            ::serde_json::from_str("null")
        } else {
            ::serde_json::from_slice(&bytes).or_else(|error| {
                // Not JSON: a plain text is a text.
                let text =
                    ::serde_json::Value::String(String::from_utf8_lossy(&bytes).into_owned());
                ::serde_json::from_value(text).map_err(|_| error)
            })
        };
        found.map_err(|error| Error::Answer {
            status,
            reason: error.to_string(),
        })
    }

    async fn send_for_bytes<R: ::serde::Serialize>(
        &self,
        call: &Call,
        request: Option<&R>,
    ) -> Result<Vec<u8>, Error> {
        self.answer(call, request).await.map(|(_, bytes)| bytes)
    }

    /// The status and the body of an answer that is not an error.
    async fn answer<R: ::serde::Serialize>(
        &self,
        call: &Call,
        request: Option<&R>,
    ) -> Result<(u16, Vec<u8>), Error> {
        let parts =
            ::serde_json::to_value(request).map_err(|error| Error::Request(error.to_string()))?;
        let url = call.url(&self.base_url, &parts)?;
        let method = ::reqwest::Method::from_bytes(call.method.as_bytes())
            .map_err(|error| Error::Request(error.to_string()))?;
        let mut sending = self.http.request(method, url).headers(self.headers.clone());
        sending = sending.header(
            "accept",
            "application/json, application/problem+json;q=0.9, */*;q=0.1",
        );
        for (name, value) in members(&parts["headers"]) {
            sending = sending.header(name, plain(value));
        }
        let cookies: Vec<String> = members(&parts["cookies"])
            .map(|(name, value)| format!("{name}={}", escaped(&plain(value))))
            .collect();
        if !cookies.is_empty() {
            sending = sending.header("cookie", cookies.join("; "));
        }
        if let Some(body) = parts.get("body").filter(|body| !body.is_null()) {
            let (media, bytes) = call.body(body);
            sending = sending.header("content-type", media).body(bytes);
        }
        let response = sending.send().await.map_err(Error::Http)?;
        let status = response.status().as_u16();
        let bytes = response.bytes().await.map_err(Error::Http)?;
        if status >= 400 {
            return Err(Error::problem(status, &bytes));
        }
        Ok((status, bytes.to_vec()))
    }
}

/// Why a call has no value.
#[derive(Debug)]
#[non_exhaustive]
pub enum Error {
    /// The server answered with a problem.
    Problem(Box<super::problems::ClientProblem>),
    /// There was no answer.
    Http(::reqwest::Error),
    /// The answer is not an error, and not what the API promises either.
    Answer {
        /// The status of the answer.
        status: u16,
        /// What does not fit.
        reason: String,
    },
    /// The request cannot be sent as it is.
    Request(String),
}

impl Error {
    /// The problem, if that is what it is.
    pub fn as_problem(&self) -> Option<&super::problems::ClientProblem> {
        match self {
            Self::Problem(problem) => Some(problem),
            Self::Http(_) | Self::Answer { .. } | Self::Request(_) => None,
        }
    }

    fn problem(status: u16, body: &[u8]) -> Self {
        use ::aon::surface::Surface as _;
        let rest = ::aon::surface::rest::Rest::default();
        let said = || String::from_utf8_lossy(body).into_owned();
        let mut members = match ::serde_json::from_slice(body) {
            Ok(::serde_json::Value::Object(members)) => members,
            // A server that does not speak RFC 9457 still said something.
            _ => ::serde_json::Map::from_iter([("detail".to_owned(), said().into())]),
        };
        let detail = members.get("detail");
        if !detail.is_some_and(::serde_json::Value::is_string) {
            // Where most servers write the sentence.
            let names = ["message", "error_description", "error", "msg"];
            let said = names.iter().find_map(|name| members.get(*name)?.as_str());
            if let Some(said) = said.map(str::to_owned) {
                members.insert("detail".to_owned(), said.into());
            }
        }
        // What the body does not say, the status line does.
        let status_said = members.get("status");
        if !status_said.is_some_and(::serde_json::Value::is_number) {
            members.insert("status".to_owned(), status.into());
        }
        let found = rest.recover(::serde_json::Value::Object(members).to_string().as_bytes());
        match found {
            Ok(problem) => Self::Problem(Box::new(problem.into())),
            Err(error) => Self::Answer {
                status,
                reason: error.to_string(),
            },
        }
    }
}

impl ::std::fmt::Display for Error {
    fn fmt(&self, f: &mut ::std::fmt::Formatter<'_>) -> ::std::fmt::Result {
        match self {
            Self::Problem(problem) => problem.fmt(f),
            Self::Http(error) => write!(f, "there was no answer: {error}"),
            Self::Answer { status, reason } => {
                write!(
                    f,
                    "the answer (status {status}) is not what the API promises: {reason}"
                )
            }
            Self::Request(reason) => write!(f, "the request cannot be sent: {reason}"),
        }
    }
}

impl ::std::error::Error for Error {
    fn source(&self) -> Option<&(dyn ::std::error::Error + 'static)> {
        match self {
            Self::Problem(problem) => Some(problem),
            Self::Http(error) => Some(error),
            Self::Answer { .. } | Self::Request(_) => None,
        }
    }
}

/// Where an operation is and how its parts are written.
struct Call {
    method: &'static str,
    path: &'static str,
    media: &'static str,
    styles: &'static [(&'static str, &'static str)],
    /// The members of a form that are bytes; the empty name is the body itself.
    files: &'static [&'static str],
}

impl Call {
    fn url(&self, base: &str, parts: &::serde_json::Value) -> Result<String, Error> {
        let mut url = base.trim_end_matches('/').to_owned();
        if !self.path.starts_with('/') {
            url.push('/');
        }
        let mut rest = self.path;
        while let Some((before, after)) = rest.split_once('{') {
            let (name, after) = after.split_once('}').unwrap_or((after, ""));
            let value = plain(&parts["path"][name]);
            // An empty part, `.` and `..` would lead to another path.
            if matches!(value.as_str(), "" | "." | "..") {
                return Err(Error::Request(format!(
                    "{name} in the path must not be {value:?}"
                )));
            }
            url.push_str(before);
            url.push_str(&escaped(&value));
            rest = after;
        }
        url.push_str(rest);
        let query = pairs(&parts["query"], self.styles);
        if !query.is_empty() {
            url.push('?');
            url.push_str(&encoded(&query));
        }
        Ok(url)
    }

    /// The media type and the bytes of a body.
    fn body(&self, body: &::serde_json::Value) -> (String, Vec<u8>) {
        let kind = self.media.split(';').next().unwrap_or(self.media);
        let kind = kind.trim().to_ascii_lowercase();
        if kind.starts_with("multipart/") && body.is_object() {
            let mut styles = self.styles.to_vec();
            // An object is one part, as JSON.
            let objects = members(body).filter(|(_, value)| value.is_object());
            styles.extend(objects.map(|(name, _)| (name.as_str(), "json")));
            return form(&kind, &pairs(body, &styles), self.files);
        }
        let bytes = match body {
            _ if kind == "application/x-www-form-urlencoded" && body.is_object() => {
                encoded(&pairs(body, self.styles)).into_bytes()
            }
            ::serde_json::Value::String(text) if self.files.contains(&"") => bytes_of(text),
            ::serde_json::Value::String(text) if !kind.ends_with("json") => {
                text.clone().into_bytes()
            }
            _ => body.to_string().into_bytes(),
        };
        (self.media.to_owned(), bytes)
    }
}

/// The members of an object that are there.
fn members(value: &::serde_json::Value) -> impl Iterator<Item = (&String, &::serde_json::Value)> {
    let all = value.as_object().into_iter().flatten();
    all.filter(|(_, value)| !value.is_null())
}

fn pairs(values: &::serde_json::Value, styles: &[(&str, &str)]) -> Vec<(String, String)> {
    let mut found = Vec::new();
    for (name, value) in members(values) {
        let style = styles.iter().find(|(own, _)| own == name);
        let style = style.map_or("", |(_, style)| style);
        let gap = match style {
            "comma" => Some(","),
            "space" => Some(" "),
            "pipe" => Some("|"),
            "tab" => Some("\t"),
            _ => None,
        };
        match (value, gap) {
            _ if style == "json" => found.push((name.clone(), value.to_string())),
            (::serde_json::Value::Array(items), Some(gap)) => {
                let items: Vec<String> = items.iter().map(plain).collect();
                if !items.is_empty() {
                    found.push((name.clone(), items.join(gap)));
                }
            }
            (::serde_json::Value::Array(items), None) => {
                found.extend(items.iter().map(|item| (name.clone(), plain(item))));
            }
            (::serde_json::Value::Object(inner), Some(gap)) => {
                let parts = inner.iter().map(|(key, value)| [key.clone(), plain(value)]);
                let parts: Vec<String> = parts.flatten().collect();
                if !parts.is_empty() {
                    found.push((name.clone(), parts.join(gap)));
                }
            }
            (::serde_json::Value::Object(inner), None) => {
                for (key, value) in inner {
                    let key = match style {
                        "deep" => format!("{name}[{key}]"),
                        _ => key.clone(),
                    };
                    found.push((key, plain(value)));
                }
            }
            _ => found.push((name.clone(), plain(value))),
        }
    }
    found
}

fn encoded(pairs: &[(String, String)]) -> String {
    let pairs: Vec<String> = pairs
        .iter()
        .map(|(name, value)| format!("{}={}", escaped(name), escaped(value)))
        .collect();
    pairs.join("&")
}

fn escaped(text: &str) -> String {
    use ::std::fmt::Write as _;
    let mut out = String::with_capacity(text.len());
    for byte in text.bytes() {
        if byte.is_ascii_alphanumeric() || b"-._~".contains(&byte) {
            out.push(char::from(byte));
        } else {
            let _: ::std::fmt::Result = write!(out, "%{byte:02X}");
        }
    }
    out
}

fn plain(value: &::serde_json::Value) -> String {
    match value {
        ::serde_json::Value::Null => String::new(),
        ::serde_json::Value::String(text) => text.clone(),
        ::serde_json::Value::Array(items) => {
            let items: Vec<String> = items.iter().map(plain).collect();
            items.join(",")
        }
        other => other.to_string(),
    }
}

/// Bytes that were written as characters.
fn bytes_of(text: &str) -> Vec<u8> {
    let bytes = text.chars().map(|byte| u8::try_from(byte).unwrap_or(b'?'));
    bytes.collect()
}

/// A form with parts, at a boundary that is in no value. A server takes a part for a file when the part has the name of one.
fn form(kind: &str, pairs: &[(String, String)], files: &[&str]) -> (String, Vec<u8>) {
    let mut boundary = String::from("aon-part");
    while pairs.iter().any(|(_, value)| value.contains(&boundary)) {
        boundary.push_str("-more");
    }
    let mut form = Vec::new();
    for (own, value) in pairs {
        let name = own.replace('"', "%22").replace(['\r', '\n'], " ");
        let head = format!("--{boundary}\r\nContent-Disposition: form-data; name=\"{name}\"");
        form.extend(head.into_bytes());
        if files.contains(&own.as_str()) {
            let more =
                format!("; filename=\"{name}\"\r\nContent-Type: application/octet-stream\r\n\r\n");
            form.extend(more.into_bytes());
            form.extend(bytes_of(value));
        } else {
            form.extend(b"\r\n\r\n");
            form.extend(value.as_bytes());
        }
        form.extend(b"\r\n");
    }
    form.extend(format!("--{boundary}--\r\n").into_bytes());
    (format!("{kind}; boundary={boundary}"), form)
}
