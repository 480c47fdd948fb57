//! Which names promise a secret value.

use super::words::{Words, add, hash, split_word};

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
        return decides(key, b"", 1);
    }
    let words = Split::of(key);
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
    if !may_promise_by_end(key) {
        return None;
    }
    let words = Split::of(key.trim_ascii());
    let count = words.count;
    let head = strip_digits(words.get(count.checked_sub(1)?));
    let before = words.before(count);
    match head {
        b"id" if before == b"session" => Some(Weak::Loose),
        b"key" if !PUBLIC.has(before) => Some(Weak::Strict),
        // `render_pass` is none, `become_pass` is.
        b"pass" | b"clave" => Some(Weak::Loose),
        _ if LOOSE.has(head) => Some(Weak::Loose),
        _ if STRICT.has(head) => Some(Weak::Strict),
        _ => None,
    }
}

static LOOSE: Words = Words::of("sid bearer auth session sessionid sessionkey ticket");
static STRICT: Words = Words::of("hmac signature sig license serial");

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
    let mut word = 0;
    for (length, &byte) in name.iter().rev().enumerate() {
        let capital = byte.is_ascii_uppercase();
        if !(byte.is_ascii_lowercase() || capital && length > 0) {
            return length == 0 || !byte.is_ascii() || known(&WORDS, word);
        }
        word = add(word, byte);
        if length + 1 == GLUED_BY && known(&GLUED_WORDS, word) {
            return true;
        }
        if capital {
            break;
        }
    }
    known(&WORDS, word)
}

/// A set of words as bits of their hashes; few other words share one.
type Bits = [u64; 64];

const fn slot(hash: u32) -> (usize, u32) {
    (hash as usize / 64 % 64, hash % 64)
}

fn known(bits: &Bits, hash: u32) -> bool {
    let (word, bit) = slot(hash);
    bits.get(word).is_some_and(|bits| bits >> bit & 1 == 1)
}

/// The set with the words of a text, each with no more than its last letters.
const fn with(mut bits: Bits, text: &'static [u8], most: usize) -> Bits {
    let mut rest = text;
    while !rest.is_empty() {
        let (word, after) = split_word(rest);
        let (place, bit) = slot(hash(word, most));
        bits[place] |= 1 << bit;
        rest = after;
    }
    bits
}

/// The last words of names that are looked at more closely.
static WORDS: Bits = {
    let others = b"pw id key pin pass clave token name field header param";
    let mut bits = with([0; 64], others, usize::MAX);
    let sets = [
        ALONE.text,
        MODIFIER.text,
        LOOSE.text,
        STRICT.text,
        BESIDE.text,
    ];
    let mut number = 0;
    while number < sets.len() {
        bits = with(bits, sets[number], usize::MAX);
        number += 1;
    }
    number = 0;
    while number < BEHIND.len() {
        bits = with(bits, BEHIND[number].0.text, usize::MAX);
        number += 1;
    }
    bits
};

/// How [`GLUED`] words end.
static GLUED_WORDS: Bits = with(
    with([0; 64], GLUED.as_bytes(), GLUED_BY),
    b"token",
    GLUED_BY,
);
const GLUED_BY: usize = 5;

/// Whether the name is one of the headers whose value starts with an authentication scheme.
pub(super) fn is_authorization(key: &[u8]) -> bool {
    let words = Split::of(key.trim_ascii());
    words.count > 0 && words.get(words.count - 1).ends_with(b"authorization")
}

/// Whether the name is `Cookie` or `Set-Cookie`.
pub(super) fn is_cookie(key: &[u8]) -> bool {
    let words = Split::of(key.trim_ascii());
    words.count > 0
        && matches!(
            words.get(words.count - 1),
            b"cookie" | b"cookie2" | b"cookies" | b"setcookie"
        )
}

/// Names that are too short to be trusted in front of a colon in prose ("first pass: parse").
pub(super) fn is_weak(key: &[u8]) -> bool {
    SHORT.has_any_case(key)
}

static SHORT: Words = Words::of("pass pin otp cvc");

/// Whether the last of `count` words, and the one before it, promise a secret.
fn decides(head: &[u8], before: &[u8], count: usize) -> bool {
    let head = strip_digits(head);
    if QUESTION.has(before) && !(before == b"set" && head == b"cookie") {
        return false;
    }
    match head {
        b"token" => !COUNTING.has(before),
        b"pin" | b"pass" if count == 1 => true,
        _ => {
            let hash = hash(head, usize::MAX);
            let behind = |(heads, befores): &(Words<64>, Words<64>)| {
                heads.has_hashed(head, hash) && befores.has(before)
            };
            ALONE.has_hashed(head, hash) || BEHIND.iter().any(behind) || glued(head)
        }
    }
}

/// Names written without any separator: `dbpassword`, `accesstoken`.
fn glued(word: &[u8]) -> bool {
    if !known(&GLUED_WORDS, hash(word, GLUED_BY)) {
        return false;
    }
    if GLUED
        .split(' ')
        .any(|ending| word.ends_with(ending.as_bytes()))
    {
        return true;
    }
    match word.strip_suffix(b"token") {
        Some(rest) => {
            !rest.is_empty()
                && !COUNTING.has(rest)
                && !COUNTING.has(rest.strip_prefix(b"next").unwrap_or(rest))
        }
        None => false,
    }
}

const GLUED: &str = "password passwd passphrase apikey secretkey privatekey accesskey accountkey signingkey \
    encryptionkey cardnumber credentials authorization secret sessid connectionstring";

fn is_modifier(word: &[u8]) -> bool {
    word.iter().all(u8::is_ascii_digit) || MODIFIER.has(word)
}

fn strip_digits(word: &[u8]) -> &[u8] {
    let end = word
        .iter()
        .rposition(|byte| !byte.is_ascii_digit())
        .map_or(word.len(), |last| last + 1);
    word.get(..end).unwrap_or(word)
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
     parola contrasenya",
);

/// Last words that promise one behind certain others.
static BEHIND: [(Words<64>, Words<64>); 19] = [
    (
        Words::of("tokens"),
        Words::of(
            "access refresh api auth bearer session security secret oauth csrf id jwt personal",
        ),
    ),
    (
        Words::of("key keys"),
        Words::of(
            "api access private secret signing encryption decryption account master auth session \
             subscription service shared application app functions storage admin hmac aes deploy \
             webhook root wrapping apim client",
        ),
    ),
    (
        Words::of("code codes"),
        Words::of(
            "security recovery backup device login mfa otp totp verification authorization auth \
             cvv cvc",
        ),
    ),
    (
        Words::of("number"),
        Words::of("card cc creditcard security"),
    ),
    (Words::of("string"), Words::of("connection conn")),
    (Words::of("phrase"), Words::of("pass seed recovery secret")),
    (Words::of("word"), Words::of("pass")),
    (
        Words::of("passe acceso acesso accesso"),
        Words::of("de di palavra"),
    ),
    (Words::of("community"), Words::of("snmp")),
    (Words::of("card"), Words::of("credit")),
    (Words::of("security"), Words::of("social")),
    (Words::of("verifier"), Words::of("code")),
    (Words::of("assertion"), Words::of("client saml")),
    (Words::of("response"), Words::of("saml")),
    (Words::of("signature"), Words::of("amz goog access")),
    (Words::of("auth"), Words::of("basic")),
    (Words::of("sid"), Words::of("connect")),
    (
        Words::of("pin"),
        Words::of("card user account debit security login atm sim"),
    ),
    (
        Words::of("pass"),
        Words::of(
            "user db smtp imap mysql postgres pg admin root ftp mail email redis proxy login \
             account my http basic database sql api mongo store auth",
        ),
    ),
];

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
     data",
);

/// The lower-case words of a name, without allocating. Of a very long name only the end is kept.
struct Split {
    buffer: [u8; Split::BYTES],
    bounds: [(u8, u8); Split::COUNT],
    count: usize,
}

impl Split {
    const BYTES: usize = 96;
    const COUNT: usize = 16;

    fn of(key: &[u8]) -> Self {
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
