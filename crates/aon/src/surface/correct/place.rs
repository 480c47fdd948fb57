//! A place in JSON text: a JSON Pointer (RFC 6901) taken apart.

use aon_core::json::ObjectWriter;

use super::raw;

/// Reference tokens, unescaped.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Place(Vec<String>);

impl Place {
    /// A pointer, with or without the `#` of its URI form.
    pub(super) fn parse(pointer: &str) -> Self {
        let pointer = aon_core::pointer::of_fragment(pointer);
        Self(
            pointer
                .split('/')
                .skip(1)
                .map(|token| token.replace("~1", "/").replace("~0", "~"))
                .collect(),
        )
    }

    /// Where a field of `valid_values` is in the arguments: every place that is there.
    ///
    /// A pointer is what it says. A name is looked for among the pointers the problem names, then at the top, then
    /// as a dotted path.
    pub(super) fn of_field(field: &str, named: &[Self], arguments: &str) -> Vec<Self> {
        let there = |place: &Self| place.value(arguments).is_some();
        if field.starts_with('/') {
            let place = Self::parse(field);
            if there(&place) {
                return vec![place];
            }
        }
        let mut places: Vec<Self> = named
            .iter()
            .filter(|place| place.ends_with(field))
            .filter(|place| there(place))
            .cloned()
            .collect();
        places.dedup();
        if !places.is_empty() {
            return places;
        }
        let top = Self(vec![field.to_owned()]);
        if there(&top) {
            return vec![top];
        }
        let dotted = Self(field.split('.').map(str::to_owned).collect());
        if dotted.0.len() > 1 && there(&dotted) {
            return vec![dotted];
        }
        Vec::new()
    }

    pub(super) fn item(&self, at: usize) -> Self {
        let mut tokens = self.0.clone();
        tokens.push(at.to_string());
        Self(tokens)
    }

    pub(super) fn is_root(&self) -> bool {
        self.0.is_empty()
    }

    /// Whether correcting this place answers what is said about `pointer`: one lies on the way to the other, or both
    /// name the same field of differently wrapped arguments.
    pub(super) fn covers(&self, pointer: &Self) -> bool {
        let shared = self
            .0
            .iter()
            .zip(&pointer.0)
            .all(|(mine, other)| mine == other);
        shared || self.field() == pointer.field()
    }

    pub(super) fn to_pointer(&self) -> String {
        let mut pointer = String::new();
        for token in &self.0 {
            pointer.push('/');
            pointer.push_str(&token.replace('~', "~0").replace('/', "~1"));
        }
        pointer
    }

    /// The text of the value at this place.
    pub(super) fn value<'a>(&self, json: &'a str) -> Option<&'a str> {
        let mut at = json;
        for token in &self.0 {
            at = match at.as_bytes().first()? {
                b'{' => raw::member(at, token)?,
                b'[' => raw::items(at)?.get(index(token)?).copied()?,
                _ => return None,
            };
        }
        Some(at)
    }

    /// The text with the value at this place replaced by other JSON.
    pub(super) fn replace(&self, json: &str, value: &str) -> Option<String> {
        let mut out = Vec::with_capacity(json.len() + value.len());
        replace(json, &self.0, value, &mut out)?;
        String::from_utf8(out).ok()
    }

    /// The last token that is a name: `/scopes/1` is about `scopes`.
    fn field(&self) -> Option<&str> {
        self.0
            .iter()
            .map(String::as_str)
            .rev()
            .find(|token| index(token).is_none())
    }

    fn ends_with(&self, field: &str) -> bool {
        if field.starts_with('/') {
            return self.to_pointer() == field;
        }
        self.field() == Some(field) || self.0.join(".") == field
    }
}

fn replace(json: &str, path: &[String], value: &str, out: &mut Vec<u8>) -> Option<()> {
    let Some((token, rest)) = path.split_first() else {
        out.extend_from_slice(value.as_bytes());
        return Some(());
    };
    if let Some(members) = raw::members(json) {
        let last = members.iter().rposition(|(name, _)| name == token)?;
        let mut object = ObjectWriter::begin(out);
        for (at, (name, member)) in members.iter().enumerate() {
            if at == last {
                replace(member, rest, value, object.key(name))?;
            } else {
                object.raw(name, member);
            }
        }
        object.end();
        return Some(());
    }
    let items: Vec<&str> = raw::items(json)?;
    let wanted = index(token)?;
    items.get(wanted)?;
    out.push(b'[');
    for (at, item) in items.iter().enumerate() {
        if at > 0 {
            out.push(b',');
        }
        if at == wanted {
            replace(item, rest, value, out)?;
        } else {
            out.extend_from_slice(item.as_bytes());
        }
    }
    out.push(b']');
    Some(())
}

/// An array index as RFC 6901 writes it: no sign, no leading zero.
fn index(token: &str) -> Option<usize> {
    let plain =
        token.bytes().all(|b| b.is_ascii_digit()) && (token == "0" || !token.starts_with('0'));
    plain.then(|| token.parse().ok()).flatten()
}
