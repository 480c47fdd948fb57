//! The same thing under another name: of a field, and of an operation.

use super::forms::words;

/// Words that say what kind of value a field holds, and not which one. Units are not among them: cents are not dollars.
const KINDS: [&str; 12] = [
    "id", "ids", "time", "date", "datetime", "at", "on", "address", "number", "value", "text",
    "string",
];

/// Verbs that do the same. Ways to get rid of something differ too much to be here.
const VERBS: [&[&str]; 5] = [
    &["add", "create", "new", "make", "insert", "register"],
    &[
        "get", "fetch", "read", "show", "retrieve", "lookup", "view", "describe",
    ],
    &["list", "all", "index", "browse"],
    &["search", "find", "query"],
    &["update", "edit", "modify", "change"],
];

/// Further verbs that do the same. They are near enough only between operations of which the caller allowed one by its name.
const ACTS: [&[&str]; 5] = [
    &["send", "post"],
    &["delete", "remove", "erase", "destroy", "drop"],
    &["start", "run", "launch", "execute", "trigger"],
    &["stop", "halt", "terminate", "end"],
    &["cancel", "abort"],
];

/// Verbs that change what is there already; the first stands for those of `VERBS`.
const CHANGES: [&str; 4] = [" update", "patch", "replace", "upsert"];

/// How many of `VERBS`, from the second on, only read.
const READING: std::ops::Range<usize> = 1..4;

/// Words of a promise or a permission: somebody has to give it, and nobody fills it in for them.
const CONSENTS: &str = "accept acknowledg agree approv authori confirm consent forc permission permit promis \
    sign sure terms understood waive";

/// Words of fields that say on which version of a thing a call is based.
const VERSIONS: &str = "etag version revision rev sha hash checksum digest generation match";

/// Whether a field or a value speaks of a promise or a permission.
///
/// ```
/// use aon_core::suggest::is_consent;
///
/// assert!(is_consent("acceptTerms") && is_consent("I agree") && is_consent("confirmation"));
/// assert!(!is_consent("list") && !is_consent("inbox"));
/// ```
pub fn is_consent(text: &str) -> bool {
    let says = |word: &String| CONSENTS.split(' ').any(|start| word.starts_with(start));
    words(text).iter().any(says)
}

/// Whether a field says on which version of a thing a call is based.
///
/// ```
/// use aon_core::suggest::is_version;
///
/// assert!(is_version("etag") && is_version("lockVersion") && is_version("if_match"));
/// assert!(!is_version("revised_price") && !is_version("slot"));
/// ```
pub fn is_version(field: &str) -> bool {
    let says = |word: &String| VERSIONS.split(' ').any(|known| known == word);
    words(field).iter().any(says)
}

/// The one field of `known` that has the name `given` but for the words that tell its kind: `start` for `start_time`.
///
/// ```
/// use aon_core::suggest::field;
///
/// assert_eq!(field("start_time", ["start", "start_timezone"]), Some("start"));
/// assert_eq!(field("amount_cents", ["amount"]), None);
/// ```
pub fn field<'a>(given: &str, known: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    let bare = |name: &str| {
        let mut words = words(name);
        words.retain(|word| !KINDS.contains(&word.as_str()));
        words
    };
    let wanted = bare(given);
    one(known, |name| !wanted.is_empty() && bare(name) == wanted)
}

/// The one operation of `known` that does the same to the same thing: `create_invoice` for `add_invoice` or `invoice.create`.
///
/// ```
/// use aon_core::suggest::operation;
///
/// assert_eq!(operation("add_invoice", ["create_invoice", "void_invoice"]), Some("create_invoice"));
/// assert_eq!(operation("remove_user", ["erase_user", "deactivate_user"]), None);
/// ```
pub fn operation<'a>(given: &str, known: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    let wanted = meaning(given);
    one(known, |name| wanted.len() > 1 && meaning(name) == wanted)
}

/// The one operation of `known` that does the same, where the caller allowed those of `known` by their names: `post_message` for
/// `send_message`.
///
/// ```
/// use aon_core::suggest::allowed_operation;
///
/// assert_eq!(allowed_operation("send_message", ["post_message"]), Some("post_message"));
/// assert_eq!(allowed_operation("approve_invoice", ["void_invoice"]), None);
/// ```
pub fn allowed_operation<'a>(
    given: &str,
    known: impl IntoIterator<Item = &'a str>,
) -> Option<&'a str> {
    let acts = |name: &str| {
        let words = meaning(name).into_iter();
        let mut words: Vec<_> = words
            .map(|word| first_of(&ACTS, &word).unwrap_or(word))
            .collect();
        words.sort();
        words
    };
    let wanted = acts(given);
    one(known, |name| wanted.len() > 1 && acts(name) == wanted)
}

/// Whether an operation changes what `given` would make.
///
/// ```
/// use aon_core::suggest::changes;
///
/// assert!(changes("create_lead", "update_lead") && changes("create_topic", "patch_topic"));
/// assert!(!changes("create_lead", "update_contact") && !changes("capture_intent", "confirm_intent"));
/// ```
pub fn changes(given: &str, target: &str) -> bool {
    let (verbs, things) = halves(given);
    let (changes, others): (Vec<_>, Vec<_>) = meaning(target)
        .into_iter()
        .partition(|word| CHANGES.contains(&word.as_str()));
    verbs == [" add"] && changes.len() == 1 && others == things
}

/// The one operation of `known`, which only read, that reads what `given` would: the same things, or more or fewer words for them.
///
/// ```
/// use aon_core::suggest::reading;
///
/// assert_eq!(reading("list_hosts", ["list_all_hosts", "list_networks"]), Some("list_all_hosts"));
/// assert_eq!(reading("get_weather_forecast", ["forecast", "get_alerts"]), Some("forecast"));
/// assert_eq!(reading("approve_invoice", ["get_invoice"]), None);
/// ```
pub fn reading<'a>(given: &str, known: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    let (verbs, wanted) = halves(given);
    let reads = |verb: &String| {
        let mut groups = VERBS.get(READING).unwrap_or_default().iter();
        groups.any(|group| group.first() == Some(&verb.trim()))
    };
    if wanted.is_empty() || !verbs.iter().all(reads) {
        return None;
    }
    let near = |name: &str| {
        let things = halves(name).1;
        let shared = things.iter().filter(|thing| wanted.contains(thing)).count();
        let more = things.len() - shared;
        let told = shared == wanted.len() || (!verbs.is_empty() && more == 0);
        (told && shared > 0).then_some((usize::MAX - shared, more))
    };
    let mut found: Vec<_> = known
        .into_iter()
        .filter_map(|name| Some((near(name)?, name)))
        .collect();
    found.sort_unstable();
    match found.as_slice() {
        [(_, only)] => Some(only),
        [(first, name), (second, _), ..] if first < second => Some(name),
        _ => None,
    }
}

/// The operations of `known` that a path speaks of: `verify_email` and `/email/verify`, `get_preview` and `/v1/previews/{id}`.
///
/// ```
/// use aon_core::suggest::at_path;
///
/// assert_eq!(at_path("/email/verify", &["verify_email", "send_email"]), ["verify_email"]);
/// assert_eq!(at_path("/v2/orders/{id}", &["get_order", "close_order"]), ["get_order"]);
/// ```
pub fn at_path<'a>(path: &str, known: &[&'a str]) -> Vec<&'a str> {
    let is_version = |segment: &str| {
        segment.strip_prefix('v').is_some_and(|number| {
            !number.is_empty() && number.bytes().all(|digit| digit.is_ascii_digit())
        })
    };
    let kept = |versions: bool| {
        let segments = path
            .split('/')
            .filter(|segment| !segment.starts_with('{') && (versions || !is_version(segment)));
        segments.collect::<Vec<_>>().join("/")
    };
    let (exact, bare) = (kept(true), kept(false));
    let names = |told: &dyn Fn(&str) -> bool| -> Vec<&'a str> {
        known.iter().copied().filter(|name| told(name)).collect()
    };
    let same = |path: &str| {
        let wanted = meaning(path);
        names(&|name| !wanted.is_empty() && meaning(name) == wanted)
    };
    let things = |path: &str| {
        let wanted = halves(path);
        names(&|name| wanted.0.is_empty() && !wanted.1.is_empty() && halves(name).1 == wanted.1)
    };
    [same(&exact), same(&bare), things(&exact), things(&bare)]
        .into_iter()
        .find(|found| !found.is_empty())
        .unwrap_or_default()
}

/// A name without the name of the server that some clients put in front: `github.create_issue`, `mcp__github__create_issue`.
pub fn without_namespace(name: &str) -> &str {
    let last = name.rsplit(['.', '/', ':']).next().unwrap_or(name);
    last.rsplit("__").next().unwrap_or(last)
}

/// The one field of `known` for which `given` is short, or which is short for `given`: `lat` and `latitude`. Two words are not short
/// for one: cents are not dollars.
///
/// ```
/// use aon_core::suggest::shortened;
///
/// assert_eq!(shortened("lat", ["latitude", "longitude"]), Some("latitude"));
/// assert_eq!(shortened("amount_cents", ["amount"]), None);
/// ```
pub fn shortened<'a>(given: &str, known: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    let given = words(given);
    one(known, |name| {
        match (given.as_slice(), words(name).as_slice()) {
            ([given], [name]) => {
                let (short, long) = if given.len() < name.len() {
                    (given, name)
                } else {
                    (name, given)
                };
                short.len() > 2 && long.starts_with(short)
            }
            _ => false,
        }
    })
}

fn one<'a>(
    known: impl IntoIterator<Item = &'a str>,
    mut fits: impl FnMut(&str) -> bool,
) -> Option<&'a str> {
    let mut found = known.into_iter().filter(|name| fits(name));
    let first = found.next()?;
    found.next().is_none().then_some(first)
}

/// The verbs of an operation that are known, and its other words.
fn halves(name: &str) -> (Vec<String>, Vec<String>) {
    meaning(name)
        .into_iter()
        .partition(|word| word.starts_with(' '))
}

/// The words of an operation in alphabetical order: its verb by the first of those that do the same, nouns in the singular.
fn meaning(name: &str) -> Vec<String> {
    let words = words(name).into_iter().map(|word| {
        let singular = word.strip_suffix('s');
        let singular = singular.filter(|noun| noun.len() > 2 && !noun.ends_with('s'));
        first_of(&VERBS, &word).unwrap_or_else(|| singular.unwrap_or(&word).to_owned())
    });
    let mut words: Vec<_> = words.collect();
    words.sort();
    words
}

/// The first of the verbs that do the same as a word, marked as a verb.
fn first_of(verbs: &[&[&str]], word: &str) -> Option<String> {
    let verbs = verbs.iter().find(|verbs| verbs.contains(&word))?;
    verbs.first().map(|verb| format!(" {verb}"))
}
