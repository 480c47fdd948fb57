//! The types of an API as zod schemas.

use super::{comment, key, text};
use crate::ir::{Api, Choice, Facets, Field, Object, Others, Shape, Type, TypeDef};
use crate::json::Json;
use crate::order;
use crate::writer::Writer;

pub(super) fn emit(api: &Api, head: String) -> String {
    let mut out = Writer::new(head, "  ");
    out.blank();
    if api.types.is_empty() {
        out.line("export {};");
        return out.finish();
    }
    out.line("import * as z from \"zod\";");
    for definition in order::by_need(api) {
        out.blank();
        comment(&mut out, &[&definition.description], definition.deprecated);
        declare(api, definition, &mut out);
    }
    out.finish()
}

fn declare(api: &Api, definition: &TypeDef, out: &mut Writer) {
    let name = &definition.name;
    // A type in a circle is written out: inference would have to know it before it is there. The schema is looked at when it is
    // first used, so the order inside the circle does not matter.
    let recursive = definition.cycle.is_some();
    if recursive {
        declare_type(api, definition, out);
    }
    let (start, end) = if recursive {
        (
            format!("export const {name}: z.ZodType<{name}> = z.lazy(() => "),
            ");",
        )
    } else {
        (format!("export const {name} = "), ";")
    };
    match &definition.shape {
        Shape::Choice(choices) => out.line(format!("{start}{}{end}", choice(choices))),
        Shape::Object(object) => {
            let (open, close) = brackets(api, object);
            if object.fields.is_empty() {
                out.line(format!("{start}{open}{{}}{close}{end}"));
            } else {
                out.open(format!("{start}{open}{{"));
                for item in &object.fields {
                    comment(out, &[&item.description], item.deprecated);
                    out.line(format!("{}: {},", key(&item.wire), field(api, item)));
                }
                out.close(format!("}}{close}{end}"));
            }
        }
        Shape::Union(branches) => {
            out.open(format!("{start}z.union(["));
            for branch in branches {
                out.line(format!("{},", schema(api, branch, "")));
            }
            out.close(format!("]){end}"));
        }
        Shape::Alias(inner) => out.line(format!("{start}{}{end}", schema(api, inner, ""))),
    }
    if !recursive {
        out.line(format!("export type {name} = z.infer<typeof {name}>;"));
    }
}

/// What stands around the fields of an object.
fn brackets(api: &Api, object: &Object) -> (&'static str, String) {
    match &object.others {
        Others::Unsaid => ("z.object(", ")".to_owned()),
        Others::Forbidden => ("z.strictObject(", ")".to_owned()),
        Others::Of(inner) => (
            "z.object(",
            format!(").catchall({})", schema(api, inner, "")),
        ),
    }
}

fn field(api: &Api, field: &Field) -> String {
    let mut code = schema(api, &field.shape, "");
    if !field.required {
        code.push_str(".optional()");
    }
    let description = field.full_description();
    if !description.is_empty() {
        code.push_str(".describe(");
        code.push_str(&text(&description));
        code.push(')');
    }
    code
}

/// The schema of a type; names come from `scope`.
pub(super) fn schema(api: &Api, shape: &Type, scope: &str) -> String {
    match shape {
        Type::Any => "z.unknown()".to_owned(),
        Type::Null => "z.null()".to_owned(),
        Type::Boolean => "z.boolean()".to_owned(),
        Type::Integer(facets) => format!("z.int(){}", bounds(facets)),
        Type::Number(facets) => format!("z.number(){}", bounds(facets)),
        Type::Text(facets) => format!("z.string(){}", sizes(facets, "minLength", "maxLength")),
        Type::List(item, facets) => {
            format!(
                "z.array({}){}",
                schema(api, item, scope),
                sizes(facets, "minItems", "maxItems")
            )
        }
        Type::Map(value) => format!("z.record(z.string(), {})", schema(api, value, scope)),
        Type::Nullable(inner) => format!("{}.nullable()", schema(api, inner, scope)),
        Type::Named(id) => format!("{scope}{}", api.type_name(*id)),
    }
}

/// All strings: an enum. Anything else: a union of literals.
fn choice(choices: &[Choice]) -> String {
    let values: Vec<String> = choices
        .iter()
        .map(|choice| literal(&choice.value))
        .collect();
    if choices.iter().all(|choice| choice.value.as_str().is_some()) {
        return format!("z.enum([{}])", values.join(", "));
    }
    if let [only] = values.as_slice() {
        return format!("z.literal({only})");
    }
    let literals: Vec<String> = values
        .iter()
        .map(|value| format!("z.literal({value})"))
        .collect();
    format!("z.union([{}])", literals.join(", "))
}

fn literal(value: &Json) -> String {
    value.to_compact()
}

fn bounds(facets: &Facets) -> String {
    let calls = [
        ("minimum", "min"),
        ("exclusiveMinimum", "gt"),
        ("maximum", "max"),
        ("exclusiveMaximum", "lt"),
    ];
    let mut code = String::new();
    for (keyword, call) in calls {
        if let Some(bound) = facets.number(keyword) {
            code.push_str(&[".", call, "(", bound, ")"].concat());
        }
    }
    code
}

fn sizes(facets: &Facets, least: &str, most: &str) -> String {
    let mut code = String::new();
    for (keyword, call) in [(least, "min"), (most, "max")] {
        if let Some(size) = facets.number(keyword) {
            code.push_str(&[".", call, "(", size, ")"].concat());
        }
    }
    code
}

/// The type of a recursive schema, written out.
fn declare_type(api: &Api, definition: &TypeDef, out: &mut Writer) {
    let name = &definition.name;
    match &definition.shape {
        Shape::Choice(choices) => {
            let values: Vec<String> = choices
                .iter()
                .map(|choice| literal(&choice.value))
                .collect();
            out.line(format!("export type {name} = {};", values.join(" | ")));
        }
        Shape::Object(object) => {
            out.open(format!("export type {name} = {{"));
            for field in &object.fields {
                let (mark, more) = if field.required {
                    ("", "")
                } else {
                    ("?", " | undefined")
                };
                out.line(format!(
                    "{}{mark}: {}{more};",
                    key(&field.wire),
                    plain(api, &field.shape)
                ));
            }
            if let Others::Of(_) = &object.others {
                // The index must fit the known fields too.
                out.line("[key: string]: unknown;");
            }
            out.close("};");
        }
        Shape::Union(branches) => {
            let branches: Vec<String> = branches.iter().map(|branch| plain(api, branch)).collect();
            out.line(format!("export type {name} = {};", branches.join(" | ")));
        }
        Shape::Alias(inner) => out.line(format!("export type {name} = {};", plain(api, inner))),
    }
}

fn plain(api: &Api, shape: &Type) -> String {
    match shape {
        Type::Any => "unknown".to_owned(),
        Type::Null => "null".to_owned(),
        Type::Boolean => "boolean".to_owned(),
        Type::Integer(_) | Type::Number(_) => "number".to_owned(),
        Type::Text(_) => "string".to_owned(),
        Type::List(item, _) => match **item {
            Type::Nullable(_) => format!("({})[]", plain(api, item)),
            Type::Any
            | Type::Null
            | Type::Boolean
            | Type::Integer(_)
            | Type::Number(_)
            | Type::Text(_)
            | Type::List(_, _)
            | Type::Map(_)
            | Type::Named(_) => format!("{}[]", plain(api, item)),
        },
        Type::Map(value) => format!("{{ [key: string]: {} }}", plain(api, value)),
        Type::Nullable(inner) => format!("{} | null", plain(api, inner)),
        Type::Named(id) => api.type_name(*id).to_owned(),
    }
}
