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

/// Words of a promise or a permission: somebody has to give it, and nobody fills it in for them.
const CONSENTS: &str = "accept acknowledg agree approv authori confirm consent forc permission permit promis \
    sign sure terms understood waive";

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
    let mut found = known
        .into_iter()
        .filter(|name| !wanted.is_empty() && bare(name) == wanted);
    let first = found.next()?;
    found.next().is_none().then_some(first)
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
    let mut found = known
        .into_iter()
        .filter(|name| wanted.len() > 1 && meaning(name) == wanted);
    let first = found.next()?;
    found.next().is_none().then_some(first)
}

/// The words of an operation in alphabetical order: its verb by the first of those that do the same, nouns in the singular.
fn meaning(name: &str) -> Vec<String> {
    let mut words: Vec<String> = words(name)
        .into_iter()
        .map(|word| {
            let verbs = VERBS.iter().find(|verbs| verbs.contains(&word.as_str()));
            match (
                verbs.and_then(|verbs| verbs.first()),
                word.strip_suffix('s'),
            ) {
                (Some(verb), _) => format!(" {verb}"),
                (None, Some(singular)) if singular.len() > 2 && !singular.ends_with('s') => {
                    singular.to_owned()
                }
                (None, _) => word,
            }
        })
        .collect();
    words.sort();
    words
}
