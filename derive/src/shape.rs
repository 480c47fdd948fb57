//! What JSON a field becomes, as far as its type as written says it.
//!
//! A macro sees names, not types: what is not a name of the standard library stays unknown, and a client takes it as anything.

use syn::{GenericArgument, PathArguments, Type, TypePath};

/// Types are looked into this far.
const DEPTH: usize = 4;

/// `boolean`, `integer`, `number`, `string`, or one of them with `[]` behind it for each list around it.
pub(crate) fn of(ty: &Type) -> Option<String> {
    shape(ty, DEPTH)
}

fn shape(ty: &Type, depth: usize) -> Option<String> {
    let depth = depth.checked_sub(1)?;
    match ty {
        Type::Reference(reference) => shape(&reference.elem, depth),
        Type::Paren(paren) => shape(&paren.elem, depth),
        Type::Group(group) => shape(&group.elem, depth),
        Type::Slice(slice) => list(&slice.elem, depth),
        Type::Array(array) => list(&array.elem, depth),
        Type::Path(path) if path.qself.is_none() => named(path, depth),
        _ => None,
    }
}

fn list(item: &Type, depth: usize) -> Option<String> {
    shape(item, depth).map(|item| item + "[]")
}

fn named(path: &TypePath, depth: usize) -> Option<String> {
    let last = path.path.segments.last()?;
    let word = match last.ident.to_string().as_str() {
        "bool" => "boolean",
        "u8" | "u16" | "u32" | "u64" | "u128" | "usize" | "i8" | "i16" | "i32" | "i64" | "i128"
        | "isize" | "NonZeroU8" | "NonZeroU16" | "NonZeroU32" | "NonZeroU64" | "NonZeroUsize" => {
            "integer"
        }
        "f32" | "f64" => "number",
        "str" | "String" | "char" => "string",
        "Option" | "Box" | "Arc" | "Rc" | "Cow" => return shape(only(&last.arguments)?, depth),
        "Vec" | "VecDeque" | "BTreeSet" | "HashSet" => return list(only(&last.arguments)?, depth),
        _ => return None,
    };
    matches!(last.arguments, PathArguments::None).then(|| word.to_owned())
}

/// The one type between angle brackets; lifetimes do not count.
fn only(arguments: &PathArguments) -> Option<&Type> {
    let PathArguments::AngleBracketed(arguments) = arguments else {
        return None;
    };
    let mut types = arguments.args.iter().filter_map(|argument| match argument {
        GenericArgument::Type(ty) => Some(ty),
        _ => None,
    });
    types.next().filter(|_| types.next().is_none())
}

#[cfg(test)]
mod tests {
    #[test]
    fn names_of_the_standard_library_say_what_they_become() {
        let cases = [
            ("u32", Some("integer")),
            ("std::num::NonZeroU8", Some("integer")),
            ("f64", Some("number")),
            ("bool", Some("boolean")),
            ("&'static str", Some("string")),
            ("Cow<'a, str>", Some("string")),
            ("Option<Box<str>>", Some("string")),
            ("Vec<String>", Some("string[]")),
            ("[[f32; 2]; 3]", Some("number[][]")),
            ("&[u8]", Some("integer[]")),
            ("T", None),
            ("chrono::DateTime<Utc>", None),
            ("HashMap<String, u8>", None),
            ("Vec<Order>", None),
            ("(u8, u8)", None),
            ("Option<Option<Option<Option<u8>>>>", None),
        ];
        for (ty, shape) in cases {
            let parsed: syn::Type = syn::parse_str(ty).unwrap();
            assert_eq!(super::of(&parsed).as_deref(), shape, "{ty}");
        }
    }
}
