//! The types of an API as zod schemas.

use std::collections::BTreeSet;

use super::{comment, key, text};
use crate::ir::{Api, Choice, Facets, Field, Others, Shape, Type, TypeDef};
use crate::json::{Tree, quote};
use crate::order;
use crate::writer::Writer;

pub(super) fn emit(api: &Api, head: String) -> String {
    let mut out = Writer::new(head, "  ");
    out.blank();
    let definitions = order::for_programs(api);
    if definitions.is_empty() {
        out.line("export {};");
        return out.finish();
    }
    out.line("import * as z from \"zod\";");
    if definitions
        .iter()
        .any(|definition| needs_runtime(definition))
    {
        out.line("import * as runtime from \"./runtime.js\";");
    }
    let loose = &loose(api);
    declare_all(api, &definitions, loose, &mut out);
    out.finish()
}

/// Which types, by name, must keep members they do not know, in order: those that a union is made of, and all inside them. The
/// first branch that fits is taken, and what the other branches know must not be lost. A member that tells the branches apart
/// leaves no choice, so there nothing is lost.
fn loose(api: &Api) -> Vec<&str> {
    let mut open: Vec<usize> = Vec::new();
    for definition in &api.types {
        if api.is_ambiguous(definition) {
            order::names_in(&definition.shape, &mut open);
        }
    }
    let mut found: BTreeSet<usize> = BTreeSet::new();
    while let Some(at) = open.pop() {
        if found.insert(at)
            && let Some(definition) = api.types.get(at)
        {
            order::names_in(&definition.shape, &mut open);
        }
    }
    // Types are sorted by name, so these are too.
    found
        .into_iter()
        .filter_map(|at| Some(api.types.get(at)?.name.as_str()))
        .collect()
}

fn declare_all(api: &Api, definitions: &[&TypeDef], loose: &[&str], out: &mut Writer) {
    out.text().reserve(definitions.len() * 1024);
    for definition in definitions {
        out.blank();
        comment(out, &[&definition.description], definition.deprecated);
        let is_loose = loose.binary_search(&definition.name.as_str()).is_ok();
        declare(api, definition, is_loose, out);
    }
}

/// Whether a type says something that zod has no word for.
fn needs_runtime(definition: &TypeDef) -> bool {
    match &definition.shape {
        Shape::Choice(_) => false,
        Shape::Object(object) => {
            object.fields.iter().any(|field| is_beyond(&field.shape))
                || matches!(&object.others, Others::Of(inner) if is_beyond(inner))
        }
        Shape::Union(parts) | Shape::All(parts) => parts.iter().any(is_beyond),
        Shape::Alias(inner) => is_beyond(inner),
    }
}

pub(super) fn is_beyond(shape: &Type) -> bool {
    match shape {
        Type::Text(facets) => shape.is_binary() || facets.text("pattern").is_some(),
        Type::List(inner, facets) => facets.get("uniqueItems").is_some() || is_beyond(inner),
        Type::Map(inner) | Type::Nullable(inner) => is_beyond(inner),
        Type::Tuple(places) => places.iter().any(is_beyond),
        Type::Any
        | Type::Null
        | Type::Boolean
        | Type::Integer(_)
        | Type::Number(_)
        | Type::Named(_) => false,
    }
}

fn declare(api: &Api, definition: &TypeDef, is_loose: bool, out: &mut Writer) {
    let name = &definition.name;
    // A type in a circle is written out: inference would have to know it before it is there. The schema is looked at when it is
    // first used, so the order inside the circle does not matter.
    let recursive = definition.cycle.is_some();
    if recursive {
        declare_type(api, definition, is_loose, out);
    }
    let line = out.begin();
    line.push_str("export const ");
    line.push_str(name);
    if recursive {
        line.push_str(": z.ZodType<");
        line.push_str(name);
        line.push_str("> = z.lazy(() => ");
    } else {
        line.push_str(" = ");
    }
    let end = if recursive { ");" } else { ";" };
    match &definition.shape {
        Shape::Choice(choices) => choice(choices, line),
        Shape::Object(object) => {
            line.push_str(match &object.others {
                Others::Forbidden => "z.strictObject({",
                Others::Unsaid if is_loose => "z.looseObject({",
                Others::Unsaid | Others::Of(_) => "z.object({",
            });
            if !object.fields.is_empty() {
                out.end_open();
                for item in &object.fields {
                    comment(out, &[&item.description], item.deprecated);
                    field(api, item, out.begin());
                    out.end();
                }
                out.close("");
            }
            let line = if object.fields.is_empty() {
                out.text()
            } else {
                out.begin()
            };
            line.push_str("})");
            if let Others::Of(inner) = &object.others {
                line.push_str(".catchall(");
                schema(api, inner, "", line);
                line.push(')');
            }
        }
        Shape::Union(branches) => {
            line.push_str("z.union([");
            out.end_open();
            for (at, branch) in branches.iter().enumerate() {
                let line = out.begin();
                match tag(definition, at) {
                    Some((property, values)) => {
                        line.push_str("z.intersection(");
                        schema(api, branch, "", line);
                        line.push_str(", z.object({ ");
                        line.push_str(&key(property));
                        line.push_str(": z.literal([");
                        for (at, value) in values.iter().enumerate() {
                            line.push_str(if at > 0 { ", " } else { "" });
                            quote(value, line);
                        }
                        line.push_str("]) }))");
                    }
                    None => schema(api, branch, "", line),
                }
                line.push(',');
                out.end();
            }
            out.close("");
            out.begin().push_str("])");
        }
        Shape::All(parts) => {
            for _ in 1..parts.len() {
                line.push_str("z.intersection(");
            }
            for (at, part) in parts.iter().enumerate() {
                line.push_str(if at > 0 { ", " } else { "" });
                schema(api, part, "", line);
                line.push_str(if at > 0 { ")" } else { "" });
            }
        }
        Shape::Alias(inner) => schema(api, inner, "", line),
    }
    out.text().push_str(end);
    out.end();
    if !recursive {
        let line = out.begin();
        line.push_str("export type ");
        line.push_str(name);
        line.push_str(" = z.infer<typeof ");
        line.push_str(name);
        line.push_str(">;");
        out.end();
    }
}

/// The member that tells a branch of a union apart, and its values for it.
fn tag(definition: &TypeDef, branch: usize) -> Option<(&str, &[String])> {
    let told = definition.discriminator.as_ref()?;
    Some((told.property.as_str(), told.values.get(branch)?))
}

fn field(api: &Api, field: &Field, out: &mut String) {
    out.push_str(&key(&field.wire));
    out.push_str(": ");
    schema(api, &field.shape, "", out);
    if !field.required {
        out.push_str(".optional()");
    }
    let description = field.description_with_default();
    if !description.is_empty() {
        out.push_str(".describe(");
        quote(&description, out);
        out.push(')');
    }
    out.push(',');
}

/// The schema of a type; names come from `scope`.
pub(super) fn schema(api: &Api, shape: &Type, scope: &str, out: &mut String) {
    match shape {
        Type::Any => out.push_str("z.unknown()"),
        Type::Null => out.push_str("z.null()"),
        Type::Boolean => out.push_str("z.boolean()"),
        Type::Integer(facets) => {
            out.push_str("z.int()");
            bounds(facets, out);
        }
        Type::Number(facets) => {
            out.push_str("z.number()");
            bounds(facets, out);
        }
        Type::Text(_) if shape.is_binary() => out.push_str("runtime.Binary"),
        Type::Text(facets) => string(facets, out),
        Type::List(item, facets) => {
            out.push_str("z.array(");
            schema(api, item, scope, out);
            out.push(')');
            calls(facets, &[("minItems", "min"), ("maxItems", "max")], out);
            if facets.get("uniqueItems").is_some() {
                out.push_str(".refine(runtime.isUnique, \"the items must differ\")");
            }
        }
        Type::Tuple(places) => {
            out.push_str("z.tuple([");
            for (at, place) in places.iter().enumerate() {
                out.push_str(if at > 0 { ", " } else { "" });
                schema(api, place, scope, out);
            }
            out.push_str("])");
        }
        Type::Map(value) => {
            out.push_str("z.record(z.string(), ");
            schema(api, value, scope, out);
            out.push(')');
        }
        Type::Nullable(inner) => {
            schema(api, inner, scope, out);
            out.push_str(".nullable()");
        }
        Type::Named(id) => {
            out.push_str(scope);
            out.push_str(api.type_name(*id));
        }
    }
}

/// A string with what zod can check about it. Formats that zod has no check for are only documentation.
fn string(facets: &Facets, out: &mut String) {
    if facets.keywords().is_empty() {
        out.push_str("z.string()");
        return;
    }
    out.push_str(match facets.text("format") {
        // Any RFC 4122 text: `z.uuid()` would refuse those with unusual version bits.
        Some("uuid") => "z.guid()",
        Some("date-time") => "z.iso.datetime({ offset: true })",
        Some("date") => "z.iso.date()",
        // What browsers take; the default of zod refuses addresses that exist.
        Some("email") => "z.email({ pattern: z.regexes.html5Email })",
        Some("uri" | "url") => "z.url()",
        Some("ipv4") => "z.ipv4()",
        Some("ipv6") => "z.ipv6()",
        _ => "z.string()",
    });
    calls(facets, &[("minLength", "min"), ("maxLength", "max")], out);
    if let Some(pattern) = facets.text("pattern") {
        out.push_str(".regex(runtime.pattern(");
        quote(pattern, out);
        out.push_str("))");
    }
}

fn bounds(facets: &Facets, out: &mut String) {
    let names = [
        ("minimum", "min"),
        ("exclusiveMinimum", "gt"),
        ("maximum", "max"),
        ("exclusiveMaximum", "lt"),
        ("multipleOf", "multipleOf"),
    ];
    calls(facets, &names, out);
}

fn calls(facets: &Facets, names: &[(&str, &str)], out: &mut String) {
    if facets.keywords().is_empty() {
        return;
    }
    for (keyword, call) in names {
        if let Some(bound) = facets.number(keyword) {
            for part in [".", call, "(", bound, ")"] {
                out.push_str(part);
            }
        }
    }
}

/// All strings: an enum. Anything else: a union of literals.
fn choice(choices: &[Choice], out: &mut String) {
    let list = |out: &mut String, before: &str, after: &str| {
        for (at, choice) in choices.iter().enumerate() {
            out.push_str(if at > 0 { ", " } else { "" });
            out.push_str(before);
            choice.value.push_compact(out);
            out.push_str(after);
        }
    };
    if choices.iter().all(|choice| choice.value.as_str().is_some()) {
        out.push_str("z.enum([");
        list(out, "", "");
        out.push_str("])");
    } else if choices.len() == 1 {
        list(out, "z.literal(", ")");
    } else {
        out.push_str("z.union([");
        list(out, "z.literal(", ")");
        out.push_str("])");
    }
}

fn literal(value: &Tree) -> String {
    value.to_compact()
}

/// The type of a recursive schema, written out.
fn declare_type(api: &Api, definition: &TypeDef, is_loose: bool, out: &mut Writer) {
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
            let is_open = match &object.others {
                Others::Unsaid => is_loose,
                Others::Forbidden => false,
                Others::Of(_) => true,
            };
            if is_open {
                // The index must fit the known fields too.
                out.line("[key: string]: unknown;");
            }
            out.close("};");
        }
        Shape::Union(branches) => {
            let branches = branches.iter().enumerate().map(|(at, branch)| {
                let found = plain(api, branch);
                let Some((property, values)) = tag(definition, at) else {
                    return found;
                };
                let values: Vec<String> = values.iter().map(|value| text(value)).collect();
                format!(
                    "({found} & {{ {}: {} }})",
                    key(property),
                    values.join(" | ")
                )
            });
            let branches: Vec<String> = branches.collect();
            out.line(format!("export type {name} = {};", branches.join(" | ")));
        }
        Shape::All(parts) => {
            let parts: Vec<String> = parts
                .iter()
                .map(|part| format!("({})", plain(api, part)))
                .collect();
            out.line(format!("export type {name} = {};", parts.join(" & ")));
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
        Type::Text(_) if shape.is_binary() => "runtime.Binary".to_owned(),
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
            | Type::Tuple(_)
            | Type::Map(_)
            | Type::Named(_) => format!("{}[]", plain(api, item)),
        },
        Type::Tuple(places) => {
            let places: Vec<String> = places.iter().map(|place| plain(api, place)).collect();
            format!("[{}]", places.join(", "))
        }
        Type::Map(value) => format!("{{ [key: string]: {} }}", plain(api, value)),
        Type::Nullable(inner) => format!("{} | null", plain(api, inner)),
        Type::Named(id) => api.type_name(*id).to_owned(),
    }
}
