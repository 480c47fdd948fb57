//! Which names promise a secret value.

/// Whether a member, header or parameter of this name holds a secret.
///
/// The name is cut into words at separators and at camel case, and the last words decide: `clientSecret` and
/// `X-Api-Key` name secrets, `token_type` and `password_policy` name something about them. Page tokens, token
/// counts, `public_key`, `primary_key`, `idempotency_key` and `session_id` are not secrets; `pin`, `pass` and
/// `token` on their own are.
///
/// ```
/// use aon_core::redact::sensitive_key;
///
/// assert!(sensitive_key("X-Api-Key") && sensitive_key("refreshToken") && sensitive_key("db_password"));
/// assert!(!sensitive_key("token_type") && !sensitive_key("next_page_token") && !sensitive_key("author"));
/// ```
pub fn sensitive_key(key: &str) -> bool {
    sensitive(key.as_bytes())
}

/// [`sensitive_key`] on bytes, for the scanner.
pub(super) fn sensitive(key: &[u8]) -> bool {
    let key = key.trim_ascii();
    if key.len() < 3 {
        return key.eq_ignore_ascii_case(b"pw");
    }
    if key.eq_ignore_ascii_case(b"_auth") {
        return true;
    }
    // Most names are one word in lower case.
    if key.len() <= 24 && key.iter().all(u8::is_ascii_lowercase) {
        return decides(key, b"", 1);
    }
    let words = Words::split(key);
    let mut count = words.count;
    loop {
        if count > 0 && decides(words.get(count - 1), words.before(count), count) {
            return true;
        }
        // `password_confirmation`, `secret_value`, `api_key_2`: the word before still decides.
        if count < 2 || !is_modifier(words.get(count - 1)) {
            return false;
        }
        count -= 1;
    }
}

/// A name that may hold a secret or something harmless: then the value decides.
#[derive(Clone, Copy, PartialEq)]
pub(super) enum Weak {
    /// Often harmless, such as `key`: only what looks drawn at random is hidden.
    Strict,
    /// Seldom harmless, such as `session_id`: what is neither a word nor a number is hidden.
    Loose,
}

impl Weak {
    /// Whether a value behind the name is hidden. An UUID is an id, and stays.
    pub(super) fn hides(self, value: &[u8]) -> bool {
        const SCHEMES: [&[u8]; 9] = [
            b"oauth", b"openid", b"saml", b"basic", b"bearer", b"digest", b"sha", b"hs", b"rs",
        ];
        let value = value.trim_ascii();
        let digits = value.iter().filter(|byte| byte.is_ascii_digit()).count();
        let letters = value
            .iter()
            .filter(|byte| byte.is_ascii_alphabetic())
            .count();
        let scheme = || {
            let named = |name: &&[u8]| super::plain::has_any_case(value, 0, name);
            value.len() < 12 && SCHEMES.iter().any(named)
        };
        if value.contains(&b' ')
            || super::plain::is_placeholder(value)
            || super::hint::is_uuid(value)
        {
            return false;
        }
        match self {
            Self::Loose => {
                let long = value.len() >= 20 && !value.contains(&b'/') && !value.contains(&b'.');
                let random = digits > 0 && letters > 0 && value.len() >= 6;
                let long = long && letters > 0 && super::hint::distinct(value) >= 8;
                (random || long) && !scheme()
            }
            Self::Strict => {
                value.len() >= 16 && digits > 1 && letters > 1 && super::hint::distinct(value) >= 8
            }
        }
    }
}

/// Whether the name may hold a secret although [`sensitive`] says no.
pub(super) fn weak(key: &[u8]) -> Option<Weak> {
    // All of them end in one of these letters, but for a number.
    let last = key.iter().rfind(|byte| !byte.is_ascii_digit())?;
    if !matches!(
        last | 0x20,
        b'd' | b'r' | b'h' | b'n' | b't' | b'y' | b'c' | b'e' | b'g' | b'l'
    ) {
        return None;
    }
    let words = Words::split(key.trim_ascii());
    let count = words.count;
    let head = strip_digits(words.get(count.checked_sub(1)?));
    let before = words.before(count);
    match head {
        b"sid" | b"bearer" | b"auth" | b"session" | b"sessionid" | b"sessionkey" | b"ticket" => {
            Some(Weak::Loose)
        }
        b"id" if before == b"session" => Some(Weak::Loose),
        b"key" if !is_public(before) => Some(Weak::Strict),
        b"hmac" | b"signature" | b"sig" | b"license" | b"serial" => Some(Weak::Strict),
        _ => None,
    }
}

/// Whether a name says anything about a value, its own or that of a member beside it.
pub(super) fn may_promise(name: &[u8]) -> bool {
    matches!(
        name,
        b"value" | b"values" | b"val" | b"default" | b"example" | b"examples" | b"const" | b"kty"
    ) || sensitive(name)
        || weak(name).is_some()
}

/// Words before `key` that make it a name of something else.
fn is_public(word: &[u8]) -> bool {
    matches!(
        word,
        b"public"
            | b"primary"
            | b"foreign"
            | b"partition"
            | b"sort"
            | b"cache"
            | b"idempotency"
            | b"object"
            | b"map"
            | b"routing"
            | b"message"
            | b"translation"
            | b"group"
            | b"shard"
            | b"row"
            | b"dedup"
            | b"index"
            | b"etag"
            | b"storage"
            | b"s3"
            | b"publishable"
            | b"site"
    )
}

/// Whether the name is one of the headers whose value starts with an authentication scheme.
pub(super) fn is_authorization(key: &[u8]) -> bool {
    let words = Words::split(key.trim_ascii());
    words.count > 0 && words.get(words.count - 1).ends_with(b"authorization")
}

/// Whether the name is `Cookie` or `Set-Cookie`.
pub(super) fn is_cookie(key: &[u8]) -> bool {
    let words = Words::split(key.trim_ascii());
    words.count > 0
        && matches!(
            words.get(words.count - 1),
            b"cookie" | b"cookie2" | b"cookies" | b"setcookie"
        )
}

/// Names that are too short to be trusted in front of a colon in prose ("first pass: parse").
pub(super) fn is_weak(key: &[u8]) -> bool {
    [&b"pass"[..], b"pin", b"otp", b"cvc"]
        .iter()
        .any(|weak| key.eq_ignore_ascii_case(weak))
}

/// Whether the last of `count` words, and the one before it, promise a secret.
fn decides(head: &[u8], before: &[u8], count: usize) -> bool {
    let head = strip_digits(head);
    if is_question(before) && !(before == b"set" && head == b"cookie") {
        return false;
    }
    match head {
        b"password" | b"passwords" | b"passwd" | b"passwrd" | b"passphrase" | b"passcode"
        | b"pwd" | b"secret" | b"secrets" | b"credential" | b"credentials" | b"apikey"
        | b"apikeys" | b"jwt" | b"authorization" | b"cookie" | b"cookies" | b"setcookie"
        | b"ssn" | b"cvv" | b"cvc" | b"otp" | b"totp" | b"mnemonic" | b"jsessionid"
        | b"phpsessid" | b"sessid" | b"csrf" | b"xsrf" | b"connectionstring" | b"creditcard"
        | b"samlresponse" | b"clientkeydata" | b"psk" | b"authkey" | b"requirepass"
        | b"storepass" | b"keypass" | b"bindpw" | b"rootpw" => true,
        b"token" => !is_counting(before),
        b"tokens" => matches!(
            before,
            b"access"
                | b"refresh"
                | b"api"
                | b"auth"
                | b"bearer"
                | b"session"
                | b"security"
                | b"secret"
                | b"oauth"
                | b"csrf"
                | b"id"
                | b"jwt"
                | b"personal"
        ),
        b"key" | b"keys" => matches!(
            before,
            b"api"
                | b"access"
                | b"private"
                | b"secret"
                | b"signing"
                | b"encryption"
                | b"decryption"
                | b"account"
                | b"master"
                | b"auth"
                | b"session"
                | b"subscription"
                | b"service"
                | b"shared"
                | b"application"
                | b"app"
                | b"functions"
                | b"storage"
                | b"admin"
                | b"hmac"
                | b"aes"
                | b"deploy"
                | b"webhook"
                | b"root"
                | b"wrapping"
                | b"apim"
        ),
        b"code" | b"codes" => matches!(
            before,
            b"security"
                | b"recovery"
                | b"backup"
                | b"device"
                | b"login"
                | b"mfa"
                | b"otp"
                | b"totp"
                | b"verification"
                | b"authorization"
                | b"auth"
                | b"cvv"
                | b"cvc"
        ),
        b"number" => matches!(before, b"card" | b"cc" | b"creditcard" | b"security"),
        b"string" => matches!(before, b"connection" | b"conn"),
        b"phrase" => matches!(before, b"pass" | b"seed" | b"recovery" | b"secret"),
        b"word" => before == b"pass",
        b"card" => before == b"credit",
        b"security" => before == b"social",
        b"verifier" => before == b"code",
        b"assertion" => matches!(before, b"client" | b"saml"),
        b"response" => before == b"saml",
        b"signature" => matches!(before, b"amz" | b"goog" | b"access"),
        b"auth" => before == b"basic",
        b"sid" => before == b"connect",
        b"pin" => {
            count == 1
                || matches!(
                    before,
                    b"card"
                        | b"user"
                        | b"account"
                        | b"debit"
                        | b"security"
                        | b"login"
                        | b"atm"
                        | b"sim"
                )
        }
        b"pass" => {
            count == 1
                || matches!(
                    before,
                    b"user"
                        | b"db"
                        | b"smtp"
                        | b"imap"
                        | b"mysql"
                        | b"postgres"
                        | b"pg"
                        | b"admin"
                        | b"root"
                        | b"ftp"
                        | b"mail"
                        | b"email"
                        | b"redis"
                        | b"proxy"
                        | b"login"
                        | b"account"
                        | b"my"
                        | b"http"
                        | b"basic"
                        | b"database"
                        | b"sql"
                        | b"api"
                        | b"mongo"
                        | b"store"
                        | b"auth"
                )
        }
        _ => glued(head),
    }
}

/// Names written without any separator: `dbpassword`, `accesstoken`.
fn glued(word: &[u8]) -> bool {
    const ENDINGS: [&[u8]; 16] = [
        b"password",
        b"passwd",
        b"passphrase",
        b"apikey",
        b"secretkey",
        b"privatekey",
        b"accesskey",
        b"accountkey",
        b"signingkey",
        b"encryptionkey",
        b"cardnumber",
        b"credentials",
        b"authorization",
        b"secret",
        b"sessid",
        b"connectionstring",
    ];
    if ENDINGS.iter().any(|ending| word.ends_with(ending)) {
        return true;
    }
    match word.strip_suffix(b"token") {
        Some(rest) => {
            !rest.is_empty()
                && !is_counting(rest)
                && !is_counting(rest.strip_prefix(b"next").unwrap_or(rest))
        }
        None => false,
    }
}

/// Words before `token` that make it a cursor, a count or a vocabulary entry.
fn is_counting(word: &[u8]) -> bool {
    matches!(
        word,
        b"page"
            | b"next"
            | b"continuation"
            | b"continue"
            | b"sync"
            | b"pagination"
            | b"paging"
            | b"cursor"
            | b"prev"
            | b"previous"
            | b"start"
            | b"starting"
            | b"resume"
            | b"skip"
            | b"delta"
            | b"change"
            | b"progress"
            | b"idempotency"
            | b"cancel"
            | b"cancellation"
            | b"cancelation"
            | b"max"
            | b"min"
            | b"total"
            | b"prompt"
            | b"completion"
            | b"input"
            | b"output"
            | b"num"
            | b"per"
            | b"cached"
            | b"reasoning"
            | b"count"
            | b"stop"
            | b"special"
            | b"pad"
            | b"eos"
            | b"bos"
            | b"unk"
            | b"cls"
            | b"sep"
            | b"mask"
            | b"fencing"
            | b"lock"
            | b"design"
            | b"color"
            | b"first"
            | b"last"
            | b"unexpected"
            | b"syntax"
            | b"lexer"
    )
}

/// Words before a secret noun that ask about it instead of holding it.
fn is_question(word: &[u8]) -> bool {
    matches!(
        word,
        b"has"
            | b"is"
            | b"requires"
            | b"require"
            | b"needs"
            | b"need"
            | b"no"
            | b"without"
            | b"supports"
            | b"support"
            | b"allow"
            | b"allows"
            | b"accept"
            | b"accepts"
            | b"use"
            | b"uses"
            | b"show"
            | b"hide"
            | b"forgot"
            | b"forgotten"
            | b"invalid"
            | b"missing"
            | b"wrong"
            | b"expired"
            | b"weak"
            | b"bad"
            | b"set"
    )
}

/// Words after a secret noun that do not change what the value is.
fn is_modifier(word: &[u8]) -> bool {
    word.iter().all(u8::is_ascii_digit)
        || matches!(
            word,
            b"value"
                | b"values"
                | b"hash"
                | b"digest"
                | b"salt"
                | b"plain"
                | b"plaintext"
                | b"text"
                | b"raw"
                | b"base64"
                | b"b64"
                | b"pem"
                | b"encoded"
                | b"encrypted"
                | b"confirm"
                | b"confirmation"
                | b"confirmed"
                | b"repeat"
                | b"again"
                | b"verify"
                | b"old"
                | b"new"
                | b"current"
                | b"base"
                | b"header"
                | b"string"
                | b"json"
                | b"data"
        )
}

fn strip_digits(word: &[u8]) -> &[u8] {
    let end = word
        .iter()
        .rposition(|byte| !byte.is_ascii_digit())
        .map_or(word.len(), |last| last + 1);
    word.get(..end).unwrap_or(word)
}

/// The lower-case words of a name, without allocating. Of a very long name only the end is kept.
struct Words {
    buffer: [u8; Words::BYTES],
    bounds: [(u8, u8); Words::COUNT],
    count: usize,
}

impl Words {
    const BYTES: usize = 96;
    const COUNT: usize = 16;

    fn split(key: &[u8]) -> Self {
        let key = key
            .get(key.len().saturating_sub(Self::BYTES)..)
            .unwrap_or(key);
        let mut buffer = [0; Self::BYTES];
        let mut words = Self {
            buffer,
            bounds: [(0, 0); Self::COUNT],
            count: 0,
        };
        let mut open: Option<usize> = None;
        let mut previous = 0_u8;
        for (index, (&byte, slot)) in key.iter().zip(&mut buffer).enumerate() {
            *slot = byte.to_ascii_lowercase();
            let joins = byte.is_ascii_alphanumeric() || byte >= 0x80;
            let hump = byte.is_ascii_uppercase()
                && (previous.is_ascii_lowercase()
                    || previous.is_ascii_digit()
                    || (previous.is_ascii_uppercase()
                        && key.get(index + 1).is_some_and(u8::is_ascii_lowercase)));
            previous = byte;
            if let Some(start) = open
                && (!joins || hump)
            {
                words.push(start, index);
                open = None;
            }
            if joins && open.is_none() {
                open = Some(index);
            }
        }
        if let Some(start) = open {
            words.push(start, key.len());
        }
        words.buffer = buffer;
        words
    }

    fn push(&mut self, start: usize, end: usize) {
        if self.count == Self::COUNT {
            self.bounds.rotate_left(1);
            self.count -= 1;
        }
        if let Some(slot) = self.bounds.get_mut(self.count) {
            // Both fit: the buffer is shorter than 256 bytes.
            *slot = (
                u8::try_from(start).unwrap_or(0),
                u8::try_from(end).unwrap_or(0),
            );
            self.count += 1;
        }
    }

    /// The word before the last of `count`.
    fn before(&self, count: usize) -> &[u8] {
        count.checked_sub(2).map_or(b"", |index| self.get(index))
    }

    fn get(&self, index: usize) -> &[u8] {
        let (start, end) = self.bounds.get(index).copied().unwrap_or((0, 0));
        self.buffer
            .get(usize::from(start)..usize::from(end))
            .unwrap_or_default()
    }
}

#[cfg(test)]
mod tests;
