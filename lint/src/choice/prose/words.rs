//! The words that the grammar asks for, each with the classes it belongs to. Every word of a description is looked up once; after that
//! a rule is a question about bits, and most words have none.

use std::collections::BTreeMap;
use std::sync::OnceLock;

use crate::choice::table::{Hash, Table};

macro_rules! classes {
    ($($(#[$doc:meta])* $name:ident = $words:literal;)*) => {
        #[expect(clippy::upper_case_acronyms, reason = "names of the constants below")]
        #[derive(Clone, Copy)]
        enum Place { $($name,)* }
        $($(#[$doc])* pub(in crate::choice) const $name: u64 = 1 << Place::$name as u64;)*
        const LEXICON: &[(u64, &str)] = &[$(($name, $words),)*];
    };
}

classes! {
    /// Holds sentences together, and is a value only where somebody marked it or wrote it in capitals.
    GRAMMAR = "a an the this that these those it its is are be was will can may must should if when where which what of to for from with \
        without by as at on in and or not you your we our they their has have do";
    /// The same, written in lower case only: `Default` and `ANY` are values.
    LOWER = "does using use only following other others etc e.g i.e than then but so set see also one each any whether how more example \
        please note optional required must either default value values options";
    /// Says which values are taken.
    ALLOWED = "allowed valid supported possible accepted permitted available acceptable allowable legal permissible accepts supports \
        recognized eligible enumerated known predefined";
    /// Stands for values.
    NOUN = "value values option options choice choices type types mode modes status statuses state states format formats levels kinds \
        enum enumeration actions methods codes entries settings languages models versions categories roles scopes parameter possibilities \
        regions protocols algorithms orders events policies strategies intervals periods sizes";
    /// Names the set itself.
    CALLED = "enum oneof options choices values value option choice";
    /// Leads to a list.
    IS = "are is be of following either include includes equal";
    LEADS = "use specify set by as in";
    MODAL = "must can may should could only shall";
    BE = "be equal either";
    MUST = "must";
    /// Says that the values are all.
    LAW = "allowed valid permitted accepted acceptable allowable legal permissible enum oneof";
    EITHER = "either";
    ONE = "one";
    OF = "of";
    TO = "to";
    JOINS = "or and and/or oder und ou o y";
    AND = "and und y";
    /// A list near it holds samples.
    EXAMPLE = "e.g e.g. eg ex example examples instance typical";
    /// A list behind it holds something else.
    AGAINST = "such like typically including similar fields field also formatted default defaults not cannot except than special depends \
        depending varies required optional mandatory needed some";
    /// What follows is about another place.
    CONDITION = "if when unless whenever";
    /// Has values of its own inside of a text that is open.
    OTHER = "filters operators operator units unit prefix prefixed suffix suffixed characters character extensions placeholders variables \
        wildcards tokens parameters properties attributes columns functions keywords image images sortable searchable files headers octet \
        digits sum bitmask numbers";
    /// Takes back that a list is all.
    DOUBT = "also additionally additional custom deprecated case-insensitive insensitive case combination multiple prefix prefixed suffix \
        hyphen minus unless depends depending other others another any future currently etc e.g e.g. example examples wildcard range between \
        null empty blank prepend preceded precede separate separated comma-separated alias aliases except include includes including instead \
        limited legacy beta older newer regex plan such like ± several many may or/and previously reserved internal will respectively whose if \
        when regardless where otherwise not some few most common commonly typical typically usually mostly popular";
    /// Says that there are more values.
    MORE = "etc etc. more others other any custom another";
    /// Speaks of what there is today, which may grow, of some cases only, or of each of several values.
    GROWS = "each every any both least available known recognized eligible predefined supports accepts default today now until since";
    /// At the start of a sentence it speaks of some cases only.
    SOME = "for in until since as on with during under before after within from at to by";
    /// Asks for one of several inputs.
    GIVEN = "specified provided given present required needed set supplied defined mandatory";
    /// Begins another alternative that is not a value.
    ANY = "a an any your the another other some";
    /// Says where the values are.
    ELSEWHERE = "see refer returned endpoint retrieve obtained documentation here listed get use find check look";
    /// The set as a whole.
    FULL = "full complete fixed predefined";
    SET = "list set values";
    /// Right before a sample.
    SAMPLES = "as like e.g e.g. eg example";
    LIST = "list";
    /// Says of "one of" something where it comes from.
    RETURNED = "returned listed defined provided";
    /// A registry outside of the API is not a set of it.
    REGISTRY = "iso bcp iana iata";
    /// One text holds several values.
    SEPARATED = "comma-separated comma-delimited space-separated space-delimited separated delimited seperated combination combined";
    /// Names a syntax.
    SYNTAX = "regex regexp rrule cron iso8601 iso-8601 wildcard wildcards base64 base-64 iata iana two-letter three-letter mime opaque csrf \
        nonce replacing anything";
    /// The first of two words that say that a value is free.
    PHRASE = "output any arbitrary free range ranges ranging followed regular filter cron sort query search depend depends depending additional";
    /// Anywhere beside a list it says that callers have values of their own.
    CUSTOM = "custom arbitrary user-defined";
    /// Stands for a thing and not for itself: the parts by which a thing is named, the words of a comparison.
    IDENTITY = "id ids sid name username usernames uuid slug email key number path less greater more equal and or not";
    /// Adds nothing to a list: "or an empty string", "and the default is".
    EMPTY = "empty default";
    /// What these support is not a set of the API.
    HOST = "host driver server operating";
    BETWEEN = "between from";
    /// Of texts that ask for what the caller has from elsewhere.
    HELD = "ids uuids guids identifiers slug slugs previous earlier";
    FORM = "form format";
    IN = "in";
    /// Says how long a value is, or gives one.
    DESCRIBES = "encoding minlength maxlength minimum maximum pattern note notes example";
    /// Explains a value.
    MEANS = "for means pour";
    /// Names a case and its value: "use `a` to …".
    CASE = "if when use pass choose otherwise";
    /// Stands between such a word and the value.
    FILL = "set to the a of value is it this equal specified as";
    /// Makes of a list what a value is not, or only has in it.
    NEVER = "not cannot can't never forbidden invalid disallowed prohibited reserved unsupported excluded contain contains begin begins \
        start starts end ends match matches";
    /// All that a clause needs to say which values there are.
    PLAIN = "the this which value values option options choice choices must should may can could shall is are be will equal set to as \
        one of either following these possible allowed valid permitted accepted acceptable allowable legal permissible supported only \
        available enum oneof for parameter field property argument and or";
    /// The names of the contract, which native manifests hold to whatever the counts say.
    CONTRACT = "type kind mode state status stage phase tier category severity level format policy action verdict visibility scope target \
        types kinds modes states stages phases tiers levels formats actions verdicts";
    /// Of texts in which a number is how many, and not which.
    AMOUNT = "number many count amount maximum minimum max min least most limit from between starts starting index position times retry \
        retries items results rows pages page seconds minutes hours days bytes pixels percent degrees first last so";
}

/// The classes of a word; none for most.
pub(in crate::choice) fn class(word: &str) -> u64 {
    if word.len() > LONGEST {
        return 0;
    }
    let table = TABLE.get_or_init(load);
    table.get(Hash::new(b'w').word(word)).unwrap_or(0)
}

fn load() -> Table<u64> {
    let mut classes: BTreeMap<&str, u64> = BTreeMap::new();
    for (class, words) in LEXICON {
        for word in words.split_whitespace() {
            *classes.entry(word).or_default() |= class;
        }
    }
    let hashed = classes
        .into_iter()
        .map(|(word, class)| (Hash::new(b'w').word(word), class));
    Table::fill(hashed.collect())
}

static TABLE: OnceLock<Table<u64>> = OnceLock::new();
const LONGEST: usize = 16;

/// Two words, one of each column, that say that a value is free or has a syntax of its own.
pub(super) const OPEN: &[(&str, &str)] = &[
    ("any arbitrary free", "string text value name valid form"),
    ("range ranges ranging", "from of is are between"),
    (
        "regular filter cron sort query search",
        "expression expressions syntax string query",
    ),
    ("depend depends depending", "on"),
    ("additional", "values types names"),
    ("output", "only"),
    ("followed", "by"),
];
