//! Requests over HTTP, with their parts apart.
//!
//! A tool takes its arguments as one flat object, and that is what lowering makes first. Whoever calls over HTTP wants to see what
//! goes into the path, what into the query and what into the body, and a name may stand in two of them.

use super::types::named_fields;
use crate::ir::{Facets, Field, Location, Medium, Object, Operation, Shape, Type, TypeDef, TypeId};
use crate::names::Unique;

/// The types of all requests over HTTP, each after its parts. The operations are told which is theirs.
pub(super) fn split(
    types: &[TypeDef],
    operations: &mut [Operation],
    taken: &mut Unique,
) -> Vec<TypeDef> {
    let mut found: Vec<TypeDef> = Vec::new();
    for operation in operations {
        if operation.method.is_none() || operation.path.is_none() {
            continue;
        }
        for response in &mut operation.responses {
            let medium = Medium::of(response.media_type.as_deref());
            response.value = unread(types, medium, response.body.as_ref());
        }
        let flat = operation.request.and_then(|id| types.get(id.0));
        let mut parts = parts(operation, flat);
        if operation.media_type.is_some()
            && let Some(body) = parts.iter_mut().find(|part| part.name == "body")
        {
            let own = body.whole.as_ref().map(|(own, _)| own);
            let medium = Medium::of(operation.media_type.as_deref());
            if let Some(value) = unread(types, medium, own) {
                body.fields.clear();
                body.whole = Some((value, operation.body_required));
            }
        }
        if parts
            .iter()
            .all(|part| part.fields.is_empty() && part.whole.is_none())
        {
            continue;
        }
        let plain = operation.pascal.trim_end_matches('_').to_owned();
        let mut fields = Vec::new();
        for part in parts {
            let Part {
                name,
                word,
                fields: own,
                whole,
            } = part;
            let (shape, required) = match whole {
                Some(whole) => whole,
                None if own.is_empty() => continue,
                None => {
                    let required = own.iter().any(|field| field.required);
                    let id = TypeId(types.len() + found.len());
                    found.push(definition(
                        taken.take(format!("{plain}{word}")),
                        String::new(),
                        named_fields(own),
                    ));
                    (Type::Named(id), required)
                }
            };
            let required = required || (name == "body" && operation.body_required);
            fields.push(field(name, required, shape));
        }
        let (name, description) = match flat {
            // The flat one stands in documents only, so both may have the name.
            Some(flat) => (flat.name.clone(), flat.description.clone()),
            None => (
                taken.take(format!("{plain}Request")),
                operation.title().to_owned(),
            ),
        };
        operation.parts = Some(TypeId(types.len() + found.len()));
        found.push(definition(name, description, named_fields(fields)));
    }
    found
}

/// What takes the place of a type that nobody could write or read: a client knows JSON and forms.
fn unread(types: &[TypeDef], medium: Medium, own: Option<&Type>) -> Option<Type> {
    match medium {
        Medium::Typed => None,
        Medium::Bytes => Some(Type::binary()),
        Medium::Text => {
            let is_scalar = own.is_some_and(|own| is_scalar(types, own));
            (!is_scalar).then(|| Type::Text(Facets::default()))
        }
    }
}

fn is_scalar(types: &[TypeDef], shape: &Type) -> bool {
    match shape {
        Type::Null | Type::Boolean | Type::Integer(_) | Type::Number(_) | Type::Text(_) => true,
        Type::Named(id) => match types.get(id.0).map(|definition| &definition.shape) {
            Some(Shape::Choice(_)) => true,
            Some(Shape::Alias(inner)) => {
                !matches!(inner, Type::Named(_)) && is_scalar(types, inner)
            }
            Some(Shape::Object(_) | Shape::Union(_) | Shape::All(_)) | None => false,
        },
        Type::Any | Type::List(_, _) | Type::Tuple(_) | Type::Map(_) | Type::Nullable(_) => false,
    }
}

/// One part of a request.
struct Part {
    name: &'static str,
    word: &'static str,
    fields: Vec<Field>,
    /// The type, where it is not made of fields, and whether it must be sent.
    whole: Option<(Type, bool)>,
}

fn parts(operation: &Operation, flat: Option<&TypeDef>) -> [Part; 5] {
    let part = |name, word| Part {
        name,
        word,
        fields: Vec::new(),
        whole: None,
    };
    let (mut path, mut query) = (part("path", "Path"), part("query", "Query"));
    let (mut headers, mut cookies) = (part("headers", "Headers"), part("cookies", "Cookies"));
    let mut body = part("body", "Body");
    let fields = match flat.map(|flat| &flat.shape) {
        Some(Shape::Object(object)) => object.fields.as_slice(),
        _ => &[],
    };
    for field in fields {
        let name = field.sent_as();
        let mut own = field.clone();
        own.wire = Box::from(name);
        if let Some(rare) = &mut own.rare {
            (rare.sent_as, rare.names) = (None, None);
        }
        match field.location {
            Location::Path if operation.placeholders().any(|known| known == name) => {
                own.required = true;
                path.fields.push(own);
            }
            Location::Path | Location::Query => query.fields.push(own),
            Location::Header => headers.fields.push(own),
            Location::Cookie => cookies.fields.push(own),
            Location::Body => body.fields.push(own),
            Location::WholeBody => body.whole = Some((own.shape, own.required)),
        }
    }
    if let Some(named) = &operation.body {
        let required = body.fields.iter().any(|field| field.required);
        body.whole = Some((named.clone(), required));
    }
    for name in operation.placeholders() {
        if !path.fields.iter().any(|field| *field.wire == *name) {
            path.fields
                .push(self::field(name, true, Type::Text(Facets::default())));
        }
    }
    [path, query, headers, cookies, body]
}

fn field(name: &str, required: bool, shape: Type) -> Field {
    Field {
        wire: Box::from(name),
        required,
        shape,
        description: Box::default(),
        deprecated: false,
        location: Location::Body,
        rare: None,
    }
}

fn definition(name: String, description: String, fields: Vec<Field>) -> TypeDef {
    TypeDef {
        name,
        wire: None,
        description,
        deprecated: false,
        shape: Shape::Object(Object {
            fields,
            ..Object::default()
        }),
        one_of: false,
        discriminator: None,
        cycle: None,
    }
}
