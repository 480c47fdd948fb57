//! Which names promise a secret value.

use std::sync::LazyLock;

use super::plain::{Count, at, distinct, has_any_case, is_placeholder, is_uuid, run_start, slice};

use super::words::{Words, add, hash, list};

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
    if !may_promise_by_end(key) {
        return false;
    }
    let key = key.trim_ascii();
    if key.len() < 3 {
        return key.eq_ignore_ascii_case(b"pw");
    }
    if key.eq_ignore_ascii_case(b"_auth") || foreign(key).is_some() {
        return true;
    }
    // Most names are one word in lower case.
    if key.len() <= 24 && key.iter().all(u8::is_ascii_lowercase) {
        return decides(key, b"");
    }
    let name = Name::of(key);
    let mut words = name.words();
    let mut head = words.next().unwrap_or_default();
    loop {
        let before = words.next().unwrap_or_default();
        if decides(head, before) {
            return true;
        }
        // `password_confirmation`, `secret_value`, `api_key_2`: the word before still decides.
        if before.is_empty() || !is_modifier(head) {
            return false;
        }
        head = before;
    }
}

/// The word for a password in another script that a name ends with.
pub(super) fn foreign(name: &[u8]) -> Option<&'static str> {
    const FOREIGN: &str = "contraseña Contraseña CONTRASEÑA пароль Пароль ПАРОЛЬ парола 密码 密碼 口令 密钥 \
        パスワード 暗証番号 비밀번호 암호 hasło Hasło lösenord Lösenord şifre Şifre jelszó Jelszó parolă κωδικός \
        סיסמה المرور पासवर्ड รหัสผ่าน";
    let tail = name.get(name.len().saturating_sub(24)..).unwrap_or(name);
    if tail.is_ascii() {
        return None;
    }
    let mut words = FOREIGN.split(' ');
    words.find(|word| name.ends_with(word.as_bytes()))
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
        const SCHEMES: [&[u8]; 9] = list("oauth,openid,saml,basic,bearer,digest,sha,hs,rs");
        let value = value.trim_ascii();
        if value.contains(&b' ') || is_placeholder(value) || is_uuid(value) {
            return false;
        }
        let count = Count::of(value);
        let varied = distinct(value) >= 8;
        if self == Self::Strict {
            return value.len() >= 16 && count.digits > 1 && count.letters() > 1 && varied;
        }
        let path = value.contains(&b'/') || value.contains(&b'.');
        let long = value.len() >= 20 && !path && count.letters() > 0 && varied;
        let scheme = value.len() < 12 && SCHEMES.iter().any(|name| has_any_case(value, 0, name));
        (count.digits > 0 && count.letters() > 0 && value.len() >= 6 || long) && !scheme
    }
}

/// Whether the name may hold a secret although [`sensitive`] says no.
pub(super) fn weak(key: &[u8]) -> Option<Weak> {
    if !may_promise_by_end(key) {
        return None;
    }
    let name = Name::of(key);
    // `X-Hub-Signature-256`
    let mut words = name
        .words()
        .skip_while(|word| word.iter().all(u8::is_ascii_digit));
    let head = strip_digits(words.next()?);
    let before = words.next().unwrap_or_default();
    match head {
        b"id" if before == b"session" => Some(Weak::Loose),
        b"me" if before == b"remember" => Some(Weak::Loose),
        b"key" if !PUBLIC.has(before) => Some(Weak::Strict),
        // `render_pass` is none, `become_pass` is.
        b"pass" | b"clave" => Some(Weak::Loose),
        _ if LOOSE.has(head) => Some(Weak::Loose),
        _ if STRICT.has(head) => Some(Weak::Strict),
        _ => None,
    }
}

static LOOSE: Words = Words::of(
    "sid bearer auth session sessionid sessionkey ticket sess oauth sas pat cred seed sso",
);
static STRICT: Words = Words::of("hmac signature sig sign license serial");

/// Whether a key behind these words is one of something else: `cache key`.
pub(super) fn public(before: &[u8]) -> bool {
    let mut words = before.rsplit(|byte| !byte.is_ascii_alphanumeric());
    words
        .find(|word| !word.is_empty())
        .is_some_and(|word| PUBLIC.has_any_case(word))
}

/// Whether a name says anything about a value, its own or that of a member beside it.
pub(super) fn may_promise(name: &[u8]) -> bool {
    may_promise_by_end(name) && (BESIDE.has(name) || sensitive(name) || weak(name).is_some())
}

/// Names whose value may be judged by a name beside them, and that of the members of a key.
static BESIDE: Words = Words::of("value values val default example examples const kty");

/// A quick no for most names, by their last word: nothing that is asked here about names is true of one that ends otherwise.
///
/// Knows the words that end in lower case; all other names are left to a thorough look.
pub(super) fn may_promise_by_end(name: &[u8]) -> bool {
    // The most common names: among them only that of a session says anything.
    if let [.., before, b'_' | b'-', b'i' | b'I', b'd'] | [.., before @ b'a'..=b'z', b'I', b'd'] =
        name
    {
        return matches!(before, b'n' | b'N');
    }
    let ends = &*ENDS;
    let mut word = 0;
    for (length, &byte) in name.iter().rev().enumerate() {
        let capital = byte.is_ascii_uppercase();
        if !(byte.is_ascii_lowercase() || capital && length > 0) {
            return length == 0 || !byte.is_ascii() || ends.has(word);
        }
        word = add(word, byte);
        if length + 1 == GLUED_BY && ends.has(word) {
            return true;
        }
        if capital {
            break;
        }
    }
    ends.has(word)
}

/// The last words of names that are looked at more closely, and how [`GLUED`] ones end, as bits of their hashes; few other words share
/// one.
struct Ends([u64; 64]);

static ENDS: LazyLock<Ends> = LazyLock::new(|| {
    let mut ends = Ends([0; 64]);
    for words in [&ALONE, &MODIFIER, &LOOSE, &STRICT, &BESIDE] {
        ends.note(words.text, usize::MAX);
    }
    ends.note(BEHIND, usize::MAX);
    ends.note(GLUED, GLUED_BY);
    ends
});

impl Ends {
    fn note(&mut self, text: &[u8], most: usize) {
        for word in text.split(|byte| *byte == b' ') {
            let hash = hash(word, most);
            if let Some(bits) = self.0.get_mut(hash as usize / 64 % 64) {
                *bits |= 1 << (hash % 64);
            }
        }
    }

    fn has(&self, hash: u32) -> bool {
        let bits = self.0.get(hash as usize / 64 % 64);
        bits.is_some_and(|bits| bits >> (hash % 64) & 1 == 1)
    }
}

const GLUED_BY: usize = 5;

/// Whether the name is one of the headers whose value starts with an authentication scheme.
pub(super) fn is_authorization(key: &[u8]) -> bool {
    ends_with(key, "authorization")
}

/// Whether the name is `Cookie` or `Set-Cookie`.
pub(super) fn is_cookie(key: &[u8]) -> bool {
    ends_with(key, "cookie") || ends_with(key, "cookies") || ends_with(key, "cookie2")
}

/// Whether a name ends with a word, whatever marks follow.
pub(super) fn ends_with(key: &[u8], end: &str) -> bool {
    let last = run_start(key, key.len(), 8, |byte| !byte.is_ascii_alphanumeric());
    let start = last.checked_sub(end.len());
    start.is_some_and(|start| has_any_case(key, start, end.as_bytes()))
}

/// Names that are too short to be trusted in front of a colon in prose ("first pass: parse").
pub(super) fn is_weak(key: &[u8]) -> bool {
    SHORT.has_any_case(key)
}

static SHORT: Words = Words::of("pass pin otp cvc");

/// Whether the last word of a name, and the one before it if there is one, promise a secret.
fn decides(head: &[u8], before: &[u8]) -> bool {
    let head = strip_digits(head);
    if QUESTION.has(before) && !(before == b"set" && head == b"cookie") {
        return false;
    }
    match head {
        b"token" => !COUNTING.has(before),
        b"pin" | b"pass" if before.is_empty() => true,
        _ => {
            let mut words = befores(head).split(|byte| *byte == b' ');
            let mut behind = || words.any(|known| known == before);
            ALONE.has(head) || !before.is_empty() && behind() || is_glued(head)
        }
    }
}

/// Names written without any separator: `dbpassword`, `accesstoken`.
fn is_glued(word: &[u8]) -> bool {
    if word.len() <= GLUED_BY || !ENDS.has(hash(word, GLUED_BY)) {
        return false;
    }
    let mut endings = GLUED.split(|byte| *byte == b' ');
    let Some(ending) = endings.find(|ending| word.ends_with(ending)) else {
        return false;
    };
    let rest = slice(word, 0, word.len() - ending.len());
    let cursor = rest.strip_prefix(b"next").unwrap_or(rest);
    ending != b"token" || !rest.is_empty() && !COUNTING.has(rest) && !COUNTING.has(cursor)
}

const GLUED: &[u8] = b"password passwd passphrase apikey secretkey privatekey privkey accesskey accountkey signingkey \
    encryptionkey cardnumber credentials authorization secret sessid connectionstring token";

fn is_modifier(word: &[u8]) -> bool {
    word.iter().all(u8::is_ascii_digit) || MODIFIER.has(word)
}

fn strip_digits(word: &[u8]) -> &[u8] {
    let end = run_start(word, word.len(), usize::MAX, u8::is_ascii_digit);
    slice(word, 0, end)
}

/// Words before `key` that make it a name of something else.
static PUBLIC: Words = Words::of(
    "public primary foreign partition sort cache idempotency object map message \
     translation group shard row dedup index etag storage s3 publishable site",
);

/// Last words of a name that promise a secret, whatever stands before them.
static ALONE: Words = Words::of(
    "password passwords passwd passwrd passphrase passcode pwd secret secrets credential \
     credentials apikey apikeys jwt authorization cookie cookies setcookie ssn cvv cvc otp totp \
     mnemonic jsessionid phpsessid sessid csrf xsrf connectionstring creditcard samlresponse \
     clientkeydata psk authkey requirepass masterauth storepass keypass bindpw rootpw passwort \
     kennwort senha wachtwoord motdepasse contrasena heslo mdp sshpass dbpass userpass rootpass adminpass smtppass passord adgangskode salasana lozinka \
     parola contrasenya passkey puk",
);

/// The words behind which a last word promises one. The last words stand in [`BEHIND`] as well.
#[rustfmt::skip]
fn befores(head: &[u8]) -> &'static [u8] {
    match head {
        b"tokens" => b"access refresh api auth bearer session security secret oauth csrf id jwt personal",
        b"key" | b"keys" => b"api access private secret signing encryption decryption account master auth session subscription service \
            shared application app functions storage admin hmac aes deploy webhook root wrapping apim client",
        b"code" | b"codes" => b"security recovery backup device login mfa otp totp verification authorization auth cvv cvc pass access \
            unlock",
        b"number" => b"card cc creditcard security",
        b"string" => b"connection conn",
        b"phrase" => b"pass seed recovery secret",
        b"word" => b"pass",
        b"passe" | b"acceso" | b"acesso" | b"accesso" => b"de di palavra",
        b"community" => b"snmp",
        b"card" => b"credit",
        b"security" => b"social",
        b"verifier" => b"code",
        b"assertion" | b"response" => b"client saml",
        b"signature" => b"amz goog access",
        b"auth" => b"basic",
        b"sid" => b"connect",
        b"pin" => b"card user account debit security login atm sim",
        b"pass" => b"user db smtp imap mysql postgres pg admin root ftp mail email redis proxy login account my http basic database sql api \
            mongo store auth",
        _ => b"",
    }
}

/// The last words that promise one behind certain others, and those that are asked about elsewhere.
const BEHIND: &[u8] = b"tokens key keys code codes number string phrase word passe acceso acesso accesso community card \
    security verifier assertion response signature auth sid pin pass pw id me clave token name field header param";

/// Words before `token` that make it a cursor, a count or a vocabulary entry.
static COUNTING: Words = Words::of(
    "page next continuation continue sync pagination paging cursor prev previous start starting \
     resume skip delta change progress idempotency cancel cancellation cancelation max min total \
     prompt completion input output num per cached reasoning count stop special pad eos bos unk \
     cls sep mask fencing lock design color first last unexpected syntax lexer",
);

/// Words before a secret noun that ask about it instead of holding it.
static QUESTION: Words = Words::of(
    "has is requires require needs need no without supports support allow allows accept accepts \
     use uses show hide forgot forgotten invalid missing wrong expired weak bad set",
);

/// Words after a secret noun that do not change what the value is.
static MODIFIER: Words = Words::of(
    "value values hash digest salt plain plaintext text raw base64 b64 pem encoded encrypted \
     confirm confirmation confirmed repeat again verify old new current base header string json \
     data hint",
);

/// The words of a name in lower case, with spaces between them. Of a very long name only the end is kept.
struct Name {
    buffer: [u8; 2 * Name::MOST],
    length: usize,
}

impl Name {
    const MOST: usize = 96;

    fn of(key: &[u8]) -> Self {
        let key = key
            .get(key.len().saturating_sub(Self::MOST)..)
            .unwrap_or(key);
        let mut name = Self {
            buffer: [0; 2 * Self::MOST],
            length: 0,
        };
        let mut previous = 0_u8;
        for (index, &byte) in key.iter().enumerate() {
            let joins = byte.is_ascii_alphanumeric() || byte >= 0x80;
            let hump = byte.is_ascii_uppercase()
                && (previous.is_ascii_lowercase()
                    || previous.is_ascii_digit()
                    || previous.is_ascii_uppercase() && at(key, index + 1).is_ascii_lowercase());
            previous = byte;
            if hump {
                name.push(b' ');
            }
            name.push(if joins {
                byte.to_ascii_lowercase()
            } else {
                b' '
            });
        }
        name
    }

    fn push(&mut self, byte: u8) {
        if let Some(place) = self.buffer.get_mut(self.length) {
            *place = byte;
            self.length += 1;
        }
    }

    /// The words from the last one on.
    fn words(&self) -> impl Iterator<Item = &[u8]> {
        let words = slice(&self.buffer, 0, self.length).rsplit(|byte| *byte == b' ');
        words.filter(|word| !word.is_empty())
    }
}

#[cfg(test)]
mod tests;
