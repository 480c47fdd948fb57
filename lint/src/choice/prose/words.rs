//! Which words matter to the grammar. Each word of every description is looked up once; most are in no list, and are compared with none.

use std::collections::BTreeMap;
use std::sync::OnceLock;

use crate::choice::table::{Hash, Table};

/// Some rule asks for the word.
pub(super) const ASKED: u16 = 1;
/// It holds sentences together, in any case.
pub(super) const GRAMMAR: u16 = 1 << 1;
/// The same, written in lower case only: `Default` and `ANY` are values.
pub(super) const LOWER_GRAMMAR: u16 = 1 << 2;

/// It may begin what says that a value is free.
pub(super) const OPENS: u16 = 1 << 3;
/// It may begin what says that the values are elsewhere.
pub(super) const ANNOUNCES: u16 = 1 << 4;
/// It may begin what says that one text holds several values.
pub(super) const SEPARATES: u16 = 1 << 5;

/// It says that a list is all: "allowed", "valid".
pub(super) const ADJECTIVE: u16 = 1 << 6;
/// It stands for values: "options", "types".
pub(super) const NOUN: u16 = 1 << 7;
/// It has values of its own inside of a text that is open.
pub(super) const OTHER: u16 = 1 << 8;
/// It takes back that a list is all.
pub(super) const DOUBT: u16 = 1 << 9;

static TABLE: OnceLock<Table<u16>> = OnceLock::new();

/// The class of a word; 0 for one that nobody asks for.
pub(super) fn class(word: &str) -> u16 {
    if word.len() > LONGEST {
        return 0;
    }
    let table = TABLE.get_or_init(load);
    table.get(Hash::new(b'w').word(word)).unwrap_or(0)
}

fn load() -> Table<u16> {
    let all = [
        (GRAMMAR, ALWAYS),
        (LOWER_GRAMMAR, LOWER),
        (ASKED, ASKED_FOR),
        (ADJECTIVE, ADJECTIVES),
        (NOUN, NOUNS),
        (OTHER, OTHERS),
        (DOUBT, DOUBTS),
        (OPENS, OPENING),
        (ANNOUNCES, ANNOUNCING),
        (SEPARATES, SEPARATING),
    ];
    let mut classes: BTreeMap<&str, u16> = BTreeMap::new();
    for (class, words) in all {
        for word in words.split(' ') {
            *classes.entry(word).or_default() |= class | ASKED;
        }
    }
    let hashed = classes
        .into_iter()
        .map(|(word, class)| (Hash::new(b'w').word(word), class));
    Table::fill(hashed.collect())
}

const LONGEST: usize = 16;

const ALWAYS: &str = "a an the this that these those it its is are be was will can may must should if when where which what of to for from \
    with without by as at on in and or not you your we our they their has have do";
const LOWER: &str = "does using use only following other others etc e.g i.e then than but so set see also one each any whether how more \
    example please note optional required must either default value values options";

/// The words of all lists of `cues` and `lists`; a test holds them together.
const ASKED_FOR: &str = "acceptable accepted accepts actions additional additionally algorithms alias aliases allowable allowed and/or \
    another arbitrary attributes available base-64 base64 beta between bitmask blank cannot case case-insensitive \
    categories character characters check choice choices code codes columns combination combined comma-delimited \
    comma-separated complete could cron currently custom defaults defined delimited depending depends deprecated digits \
    documentation e.g. eg eligible empty endpoint entries enum enumerated enumeration equal etc. events examples except \
    expression expressions extensions field fields files filter filters find fixed form format formats free full \
    functions future get given headers here hyphen i.e. iana iata image images include includes including insensitive \
    instance instead internal intervals iso-8601 iso8601 key keywords kinds known languages legacy legal levels like \
    limited list listed look many means methods mime minus mode models modes multiple name names needed needs newer null \
    o obtained octet oder older oneof operator operators option or/and orders otherwise ou output parameter parameters \
    periods permissible permitted placeholders plan policies possibilities possible precede preceded predefined prefix \
    prefixed prepend present previously properties protocols provided query range ranges ranging recognized refer \
    regardless omitted varies replacing ex typical typically id ids regex regexp regions regular reserved respectively retrieve returned roles rrule scopes search searchable \
    separate separated seperated settings several shall similar sizes some sort sortable space-delimited space-separated \
    special specified specifies specify state states status statuses strategies string such suffix sum supplied \
    supported supports syntax text three-letter tokens two-letter type types und unit units unless user-defined valid \
    until since during under before after within today now suffixed mandatory depend host driver server operating pour all allows \
    found formatted optional variables versions whenever whose wildcard wildcards y pass choose else number count amount maximum minimum \
    max min least most limit starting starts index position times retry retries items results rows pages page seconds minutes \
    hours days bytes pixels percent degrees first last ±";

const OTHERS: &str = "filters operators operator units unit prefix prefixed suffix suffixed characters character extensions placeholders variables \
    wildcards tokens parameters properties attributes fields columns functions keywords image images sortable searchable \
    files headers octet digits sum bitmask";

const ADJECTIVES: &str = "allowed valid supported possible accepted permitted available acceptable allowable legal permissible accepts supports \
    recognized eligible enumerated known predefined";

const NOUNS: &str = "value values option options choice choices type types mode modes status statuses state states formats format levels \
    kinds enum enumeration actions methods codes entries settings languages models versions categories roles scopes \
    parameter possibilities regions protocols algorithms orders events policies strategies intervals periods sizes";

const DOUBTS: &str = "also additionally additional custom deprecated case-insensitive insensitive case combination multiple prefix prefixed \
    suffix hyphen minus unless depends depending other others another any future currently etc e.g e.g. example examples \
    wildcard range between null empty blank prepend preceded precede separate separated comma-separated alias aliases except \
    include includes including instead limited legacy beta older newer regex plan such like ± several many may or/and \
    previously reserved internal will respectively whose if when regardless where otherwise not some few most common commonly typical typically usually mostly popular";

const OPENING: &str = "opaque csrf nonce between regex regexp rrule cron iso8601 iso-8601 wildcard wildcards base64 base-64 iata iana two-letter \
    three-letter mime output any arbitrary free range ranges ranging followed from depend depends depending supported regular filter sort query search additional replacing such like e.g e.g. eg example";
const ANNOUNCING: &str = "iso bcp allowed valid supported possible accepted permitted available acceptable allowable legal permissible accepts \
    supports recognized eligible enumerated known predefined list one fixed";
const SEPARATING: &str = "comma-separated comma-delimited space-separated space-delimited separated delimited seperated combination \
    combined one";

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_word_that_a_rule_asks_for_has_a_class() {
        let rules = [
            include_str!("cues.rs"),
            include_str!("lists.rs"),
            include_str!("lists/pairs.rs"),
            include_str!("numbers.rs"),
            include_str!("../prose.rs"),
        ];
        let mut count = 0;
        for text in rules {
            let code: Vec<&str> = text
                .lines()
                .filter(|line| !line.trim_start().starts_with("//"))
                .collect();
            let text = code.join("\n").replace("\\\n", " ");
            for piece in text.split('"').skip(1).step_by(2) {
                let words = piece.split_whitespace();
                let plain = |word: &str| {
                    word.bytes()
                        .all(|b| b.is_ascii_lowercase() || b == b'-' || b == b'.' || b == b'/')
                };
                if !piece
                    .chars()
                    .all(|c| c.is_ascii_lowercase() || " -./".contains(c))
                    || piece.len() < 2
                {
                    continue;
                }
                for word in words.filter(|word| {
                    plain(word) && word.len() > 1 && word.bytes().any(|b| b.is_ascii_lowercase())
                }) {
                    count += 1;
                    assert!(class(word) != 0 || NOT_ASKED.contains(&word), "{word}");
                }
            }
        }
        assert!(count > 200, "{count}");
    }

    /// Compared with values or with plain text, and not with tokens.
    const NOT_ASKED: &[&str] = &[
        "ies",
        "es",
        "less",
        "greater",
        "path",
        "slugs",
        "sid",
        "username",
        "usernames",
        "uuid",
        "slug",
        "email",
        "number",
        "uuids",
        "guids",
        "identifiers",
        "received",
        "response",
        "previous",
        "earlier",
        "minlength",
        "maxlength",
        "encoding",
        "minimum",
        "maximum",
        "pattern",
    ];
}
