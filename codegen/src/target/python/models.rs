//! The types of an API as pydantic models.

use super::{docstring, pattern, text};
use crate::ir::{Api, Choice, Facets, Field, Object, Others, Shape, Type, TypeDef};
use crate::json::Tree;
use crate::names;
use crate::order;
use crate::target::one_line;
use crate::writer::{Writer, prose};

pub(super) fn emit(api: &Api, head: String) -> String {
    let mut out = Writer::new(head, "    ");
    docstring(&mut out, &["What is sent and received."]);
    out.blank();
    out.line("from __future__ import annotations");
    let order = order::for_programs(api);
    let mut body = Writer::new(String::new(), "    ");
    for definition in &order {
        declare(api, definition, &mut body);
    }
    let circular = order
        .iter()
        .filter(|definition| definition.cycle.is_some() && is_class(definition));
    for (at, definition) in circular.enumerate() {
        if at == 0 {
            body.blank();
            body.blank();
        }
        body.line(format!("{}.model_rebuild()", definition.name));
    }
    let body = body.finish();
    let modules = ["enum", "typing"]
        .iter()
        .filter(|module| body.contains(&format!("{module}.")));
    for (at, module) in modules.enumerate() {
        if at == 0 {
            out.blank();
        }
        out.line(format!("import {module}"));
    }
    if body.contains("pydantic.") {
        out.blank();
        out.line("import pydantic");
    }
    if body.contains("runtime.") {
        out.blank();
        out.line("from . import runtime");
    }
    out.finish() + &body
}

fn is_text(choices: &[Choice]) -> bool {
    choices.iter().all(|choice| choice.value.as_str().is_some())
}

/// Whether it becomes a class of pydantic.
fn is_class(definition: &TypeDef) -> bool {
    match &definition.shape {
        Shape::Object(_) | Shape::All(_) => true,
        Shape::Union(_) | Shape::Alias(_) => definition.cycle.is_some(),
        Shape::Choice(_) => false,
    }
}

fn declare(api: &Api, definition: &TypeDef, out: &mut Writer) {
    let name = &definition.name;
    out.blank();
    out.blank();
    match &definition.shape {
        Shape::Choice(choices) if is_text(choices) => {
            out.open(format!("class {name}(str, enum.Enum):"));
            if docstring(out, &[&definition.description]) {
                out.blank();
            }
            for choice in choices {
                let words = [choice.label.as_str(), choice.description.as_str()];
                for word in words.iter().filter(|word| !word.is_empty()) {
                    out.line(format!("#: {}", one_line(word)));
                }
                out.line(format!("{} = {}", choice.member, choice.value.to_compact()));
            }
            out.close("");
        }
        Shape::Choice(choices) => {
            comment(out, &definition.description);
            out.line(format!("{name}: typing.TypeAlias = {}", literals(choices)));
        }
        Shape::Object(object) => class(api, definition, object, out),
        Shape::Union(branches) => alias(definition, &union(api, definition, branches), out),
        Shape::All(parts) => all(api, definition, parts, out),
        Shape::Alias(inner) => alias(definition, &shape(api, inner, definition), out),
    }
}

/// Another name; in a circle a model of its own, because a name cannot stand in its own definition.
fn alias(definition: &TypeDef, meaning: &str, out: &mut Writer) {
    let name = &definition.name;
    if definition.cycle.is_some() {
        out.open(format!("class {name}(pydantic.RootModel[{meaning}]):"));
        if !docstring(out, &[&definition.description]) {
            out.line("pass");
        }
        out.close("");
        return;
    }
    comment(out, &definition.description);
    out.line(format!("{name}: typing.TypeAlias = {meaning}"));
}

/// A union. Where a member tells the branches apart, it decides; trying one after the other could take the wrong one.
fn union(api: &Api, definition: &TypeDef, branches: &[Type]) -> String {
    let Some(told) = &definition.discriminator else {
        let branches: Vec<String> = branches
            .iter()
            .map(|branch| shape(api, branch, definition))
            .collect();
        return format!("typing.Union[{}]", branches.join(", "));
    };
    let tagged = branches.iter().enumerate().map(|(at, branch)| {
        format!(
            "typing.Annotated[{}, pydantic.Tag(\"{at}\")]",
            shape(api, branch, definition)
        )
    });
    let tagged: Vec<String> = tagged.collect();
    let tags = told.values.iter().enumerate().flat_map(|(at, values)| {
        values
            .iter()
            .map(move |value| format!("{}: \"{at}\"", text(value)))
    });
    let tags: Vec<String> = tags.collect();
    format!(
        "typing.Annotated[typing.Union[{}], runtime.told_by({}, {}, {{{}}})]",
        tagged.join(", "),
        text(&told.property),
        text(&names::python_field(&told.property)),
        tags.join(", ")
    )
}

/// Several types at once. The members of the first are attributes, all others are kept beside them and checked.
fn all(api: &Api, definition: &TypeDef, parts: &[Type], out: &mut Writer) {
    let base = match parts.first() {
        Some(Type::Named(id)) => api
            .definition(*id)
            .filter(|base| matches!(base.shape, Shape::Object(_)) && base.cycle.is_none()),
        _ => None,
    };
    let parent = base.map_or("pydantic.BaseModel", |base| base.name.as_str());
    out.open(format!("class {}({parent}):", definition.name));
    if docstring(out, &[&definition.description]) {
        out.blank();
    }
    out.line("model_config = pydantic.ConfigDict(extra=\"allow\", populate_by_name=True, protected_namespaces=())");
    out.blank();
    let rest: Vec<String> = parts
        .iter()
        .skip(usize::from(base.is_some()))
        .map(|part| shape(api, part, definition))
        .collect();
    out.line("@pydantic.model_validator(mode=\"before\")");
    out.line("@classmethod");
    out.open("def _all_of(cls, value: typing.Any) -> typing.Any:");
    out.line(format!("return runtime.also(value, {})", rest.join(", ")));
    out.close("");
    out.close("");
}

fn class(api: &Api, definition: &TypeDef, object: &Object, out: &mut Writer) {
    out.open(format!("class {}(pydantic.BaseModel):", definition.name));
    if docstring(out, &[&definition.description]) {
        out.blank();
    }
    let extra = match object.others {
        Others::Unsaid => "ignore",
        Others::Forbidden => "forbid",
        Others::Of(_) => "allow",
    };
    out.line(format!(
        "model_config = pydantic.ConfigDict(extra=\"{extra}\", populate_by_name=True, protected_namespaces=())"
    ));
    if let Others::Of(inner) = &object.others
        && **inner != Type::Any
    {
        // Evaluated by pydantic when the class is complete.
        out.line(format!(
            "__pydantic_extra__: dict[str, {}]",
            shape(api, inner, definition)
        ));
    }
    if !object.fields.is_empty() {
        out.blank();
    }
    for field in &object.fields {
        out.line(member(api, definition, field));
    }
    out.close("");
}

fn member(api: &Api, owner: &TypeDef, field: &Field) -> String {
    let mut annotation = shape(api, &field.shape, owner);
    let nullable = matches!(field.shape, Type::Nullable(_) | Type::Any | Type::Null);
    if !field.required && !nullable {
        annotation.push_str(" | None");
    }
    let mut parts = Vec::new();
    if !field.required {
        parts.push("default=None".to_owned());
    }
    if *field.python() != *field.wire {
        parts.push(format!("alias={}", text(&field.wire)));
    }
    let description = field.description_with_default();
    if !description.is_empty() {
        parts.push(format!("description={}", text(&description)));
    }
    match parts.as_slice() {
        [] => format!("{}: {annotation}", field.python()),
        [only] if only == "default=None" => format!("{}: {annotation} = None", field.python()),
        parts => format!(
            "{}: {annotation} = pydantic.Field({})",
            field.python(),
            parts.join(", ")
        ),
    }
}

/// A type with what pydantic can check about its values.
fn checked(plain: String, facets: &Facets, bounds: &[(&str, &str)]) -> String {
    let mut limits: Vec<String> = bounds
        .iter()
        .filter_map(|(keyword, word)| Some(format!("{word}={}", facets.number(keyword)?)))
        .collect();
    let mut checks = Vec::new();
    if !limits.is_empty() {
        checks.push(format!("pydantic.Field({})", limits.join(", ")));
        limits.clear();
    }
    match facets.text("format") {
        Some("url") if plain == "str" => checks.push("runtime.is_format(\"uri\")".to_owned()),
        Some(format @ ("uuid" | "date-time" | "date" | "email" | "uri" | "ipv4" | "ipv6"))
            if plain == "str" =>
        {
            checks.push(format!("runtime.is_format(\"{format}\")"));
        }
        _ => {}
    }
    if let Some(pattern) = facets.text("pattern") {
        checks.push(format!(
            "runtime.matches({})",
            text(&pattern::to_python(pattern))
        ));
    }
    if facets.get("uniqueItems").is_some() {
        checks.push("runtime.unique".to_owned());
    }
    if checks.is_empty() {
        return plain;
    }
    format!("typing.Annotated[{plain}, {}]", checks.join(", "))
}

const BOUNDS: [(&str, &str); 5] = [
    ("minimum", "ge"),
    ("exclusiveMinimum", "gt"),
    ("maximum", "le"),
    ("exclusiveMaximum", "lt"),
    ("multipleOf", "multiple_of"),
];

/// A type as it is written where it is used. In a circle, names are quoted where Python looks at them at once.
fn shape(api: &Api, found: &Type, owner: &TypeDef) -> String {
    let at_once = !matches!(owner.shape, Shape::Object(_));
    match found {
        Type::Any => "typing.Any".to_owned(),
        Type::Null => "None".to_owned(),
        Type::Boolean => "bool".to_owned(),
        Type::Integer(facets) => checked("int".to_owned(), facets, &BOUNDS),
        Type::Number(facets) => checked("float".to_owned(), facets, &BOUNDS),
        Type::Text(_) if found.is_binary() => "runtime.Binary".to_owned(),
        Type::Text(facets) => checked(
            "str".to_owned(),
            facets,
            &[("minLength", "min_length"), ("maxLength", "max_length")],
        ),
        Type::List(item, facets) => checked(
            format!("list[{}]", shape(api, item, owner)),
            facets,
            &[("minItems", "min_length"), ("maxItems", "max_length")],
        ),
        Type::Tuple(places) => {
            let places: Vec<String> = places
                .iter()
                .map(|place| shape(api, place, owner))
                .collect();
            format!("tuple[{}]", places.join(", "))
        }
        Type::Map(value) => format!("dict[str, {}]", shape(api, value, owner)),
        Type::Nullable(inner) if at_once => {
            format!("typing.Optional[{}]", shape(api, inner, owner))
        }
        Type::Nullable(inner) => format!("{} | None", shape(api, inner, owner)),
        Type::Named(id) => {
            let name = api.type_name(*id);
            let circle = api.definition(*id).and_then(|definition| definition.cycle);
            let later = matches!(owner.shape, Shape::All(_));
            if at_once && !later && circle.is_some() && circle == owner.cycle {
                format!("\"{name}\"")
            } else {
                name.to_owned()
            }
        }
    }
}

/// A type as other modules write it, without what is checked about its values.
pub(super) fn outside(api: &Api, found: &Type) -> String {
    match found {
        Type::Any => "typing.Any".to_owned(),
        Type::Null => "None".to_owned(),
        Type::Boolean => "bool".to_owned(),
        Type::Integer(_) => "int".to_owned(),
        Type::Number(_) => "float".to_owned(),
        Type::Text(_) if found.is_binary() => "bytes".to_owned(),
        Type::Text(_) => "str".to_owned(),
        Type::List(item, _) => format!("list[{}]", outside(api, item)),
        Type::Tuple(places) => {
            let places: Vec<String> = places.iter().map(|place| outside(api, place)).collect();
            format!("tuple[{}]", places.join(", "))
        }
        Type::Map(value) => format!("dict[str, {}]", outside(api, value)),
        Type::Nullable(inner) => format!("typing.Optional[{}]", outside(api, inner)),
        Type::Named(id) => format!("models.{}", api.type_name(*id)),
    }
}

/// Numbers, bools and mixtures. There are no literals of fractions, so these stay open.
fn literals(choices: &[Choice]) -> String {
    let is_fraction =
        |value: &Tree| matches!(value, Tree::Number(text) if text.contains(['.', 'e', 'E']));
    let (fractions, whole): (Vec<&Choice>, Vec<&Choice>) = choices
        .iter()
        .partition(|choice| is_fraction(&choice.value));
    let whole: Vec<String> = whole.iter().map(|choice| literal(&choice.value)).collect();
    match (whole.is_empty(), fractions.is_empty()) {
        (true, _) => "float".to_owned(),
        (false, true) => format!("typing.Literal[{}]", whole.join(", ")),
        (false, false) => format!("typing.Union[typing.Literal[{}], float]", whole.join(", ")),
    }
}

fn literal(value: &Tree) -> String {
    match value {
        Tree::Bool(true) => "True".to_owned(),
        Tree::Bool(false) => "False".to_owned(),
        Tree::Null => "None".to_owned(),
        Tree::Number(_) | Tree::String(_) | Tree::Array(_) | Tree::Object(_) => value.to_compact(),
    }
}

fn comment(out: &mut Writer, description: &str) {
    for line in prose(description) {
        out.line(format!("#: {line}").trim_end());
    }
}
