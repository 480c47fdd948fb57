//! The names that frameworks give to the parts of an error. A name is compared in small letters, without `_`, `-` and a prefix
//! such as `hydra:`, so that one spelling here stands for all.

use serde_json::{Map, Value};

/// Where an error is inside another object.
pub(super) const INSIDE: &str =
    "error err detail errors fault data json response responsestatus result";
/// What holds the sentence, best first.
pub(super) const MESSAGES: &str = "message detail errordescription errormessage errorsummary description msg faultstring reason error err errors";
/// What holds the name, best first. A word of the later ones may be for people, or be about something else.
pub(super) const CODES: &str =
    "code errorcode scimtype errortype status type reason error err name";
/// The names among [`CODES`] that are always a code.
pub(super) const SURE_CODES: &str = "code errorcode scimtype errortype";
/// What lists the fields that are wrong.
pub(super) const LISTS: &str = "errors detail details message violations fielderrors validationerrors invalidparams \
    issues issue modelstate parameterviolations errordetails errormessages errorcauses formerrors messages causes fields error";
/// Members of `details` that make it hold the entries, and not be a map of fields.
pub(super) const ENTRIES: &str = "errors causes violations fieldviolations";
/// What names the field of one entry.
pub(super) const PLACES: &str = "pointer instancepath field fields fieldname param parameter property propertypath \
    attribute attr loc path target key name";
/// What an entry says.
pub(super) const SAYS: &str = "message msg detail defaultmessage errormessage errorsummary reason description diagnostics details title error issue";
/// What leads to an explanation.
pub(super) const DOCS: &str = "docsurl docurl documentationurl documentation docs moreinfo helpurl helplink help erroruri link";
/// Keys of a map of fields that mean the whole.
pub(super) const WHOLE: &str = "$ all base error errors form general nonfielderrors";
/// The part of a request that `FastAPI` and others put before the name of a field.
pub(super) const PARTS: &str = "body query path header cookie";
/// The parts of a request that Flask and others put around a map of fields.
pub(super) const AROUND: &str = "body json query querystring headers cookies";
/// Words that say that it failed, which the status does.
const EMPTY_WORDS: &str = "error errors exception fail failed failure false ko nok";
/// Members that only repeat the head of the response, or name the format.
const REPEATED: &str = "status statuscode success ok type title jsonapi jsonrpc";
/// Members that show the inside of the program, which frameworks send while somebody develops and some forget to switch off.
const INSIDES: &str = "backtrace cause debug debuginfo exception exceptionmessage exceptiontype innererror \
    innerexception sql stack stacktrace trace traces";

/// The words of such a list, in their order.
pub(super) fn words(list: &'static str) -> impl Iterator<Item = &'static str> {
    list.split(' ')
}

/// Whether a word is in the list.
pub(super) fn has(list: &'static str, word: &str) -> bool {
    words(list).any(|own| own == word)
}

/// The one spelling of a name.
pub(super) fn fold(name: &str) -> String {
    let name = name.rsplit(':').next().unwrap_or(name);
    let letters = name.chars().filter(|letter| !matches!(letter, '_' | '-'));
    letters.flat_map(char::to_lowercase).collect()
}

/// The member of that name, in whatever spelling it has.
pub(super) fn find<'a>(
    members: &'a Map<String, Value>,
    name: &str,
) -> Option<(&'a str, &'a Value)> {
    let mut all = members.iter().map(|(own, value)| (own.as_str(), value));
    members
        .get_key_value(name)
        .map(|(own, value)| (own.as_str(), value))
        .or_else(|| all.find(|(own, _)| fold(own) == name))
}

/// The text of that name, unless it is blank. `OData` writes a message with its language: `{"lang": "en", "value": "…"}`.
pub(super) fn text<'a>(members: &'a Map<String, Value>, name: &str) -> Option<(&'a str, &'a str)> {
    let (own, value) = find(members, name)?;
    let translated = || value.get("lang").and(value.get("value"))?.as_str();
    let text = value.as_str().or_else(translated)?;
    let text = text.trim();
    (!text.is_empty()).then_some((own, text))
}

pub(super) fn is_empty_word(word: &str) -> bool {
    has(EMPTY_WORDS, &word.to_ascii_lowercase())
}

/// Whether a member that was not understood may become an extension.
pub(super) fn may_be_shown(name: &str, value: &Value, beside: &Map<String, Value>) -> bool {
    let folded = fold(name);
    let of_a_trace = matches!(&*folded, "file" | "line" | "class" | "function");
    let says_nothing = match value {
        Value::Null => true,
        Value::String(text) => text.trim().is_empty(),
        Value::Array(items) => items.is_empty(),
        Value::Object(members) => members.is_empty(),
        Value::Bool(_) | Value::Number(_) => false,
    };
    let beside_one = || beside.keys().any(|own| has(INSIDES, &fold(own)));
    let hidden = has(INSIDES, &folded) || (of_a_trace && beside_one()) || shows_insides(value);
    !(says_nothing || hidden || has(REPEATED, &folded))
}

fn shows_insides(value: &Value) -> bool {
    match value {
        Value::Array(items) => items.iter().any(shows_insides),
        Value::Object(members) => members
            .iter()
            .any(|(name, value)| has(INSIDES, &fold(name)) || shows_insides(value)),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => false,
    }
}
