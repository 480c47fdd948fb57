//! The types of an API as pydantic models.

use super::{docstring, text};
use crate::ir::{Api, Choice, Facets, Field, Object, Others, Shape, Type, TypeDef};
use crate::json::Json;
use crate::order;
use crate::target::one_line;
use crate::writer::{Writer, prose};

pub(super) fn emit(api: &Api, head: String) -> String {
    let mut out = Writer::new(head, "    ");
    docstring(&mut out, &["What is sent and received."]);
    out.blank();
    out.line("from __future__ import annotations");
    let order = order::by_need(api);
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
    if order.iter().any(|definition| is_class(definition)) {
        out.blank();
        out.line("import pydantic");
    }
    out.finish() + &body
}

fn is_text(choices: &[Choice]) -> bool {
    choices.iter().all(|choice| choice.value.as_str().is_some())
}

/// Whether it becomes a class of pydantic.
fn is_class(definition: &TypeDef) -> bool {
    match &definition.shape {
        Shape::Object(_) => true,
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
        Shape::Union(branches) => {
            let branches: Vec<String> = branches
                .iter()
                .map(|branch| shape(api, branch, definition))
                .collect();
            alias(
                definition,
                &format!("typing.Union[{}]", branches.join(", ")),
                out,
            );
        }
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
    if field.python != field.wire {
        parts.push(format!("alias={}", text(&field.wire)));
    }
    parts.extend(limits(&field.shape));
    let description = field.full_description();
    if !description.is_empty() {
        parts.push(format!("description={}", text(&description)));
    }
    match parts.as_slice() {
        [] => format!("{}: {annotation}", field.python),
        [only] if only == "default=None" => format!("{}: {annotation} = None", field.python),
        parts => format!(
            "{}: {annotation} = pydantic.Field({})",
            field.python,
            parts.join(", ")
        ),
    }
}

/// What pydantic can check about a value.
fn limits(shape: &Type) -> Vec<String> {
    let pick = |facets: &Facets, pairs: &[(&str, &str)]| {
        let found = pairs
            .iter()
            .filter_map(|(keyword, word)| Some(format!("{word}={}", facets.number(keyword)?)));
        found.collect::<Vec<_>>()
    };
    let bounds = [
        ("minimum", "ge"),
        ("exclusiveMinimum", "gt"),
        ("maximum", "le"),
        ("exclusiveMaximum", "lt"),
    ];
    match shape {
        Type::Integer(facets) | Type::Number(facets) => pick(facets, &bounds),
        Type::Text(facets) => pick(
            facets,
            &[("minLength", "min_length"), ("maxLength", "max_length")],
        ),
        Type::List(_, facets) => pick(
            facets,
            &[("minItems", "min_length"), ("maxItems", "max_length")],
        ),
        Type::Nullable(inner) => limits(inner),
        Type::Any | Type::Null | Type::Boolean | Type::Map(_) | Type::Named(_) => Vec::new(),
    }
}

/// A type as it is written where it is used. In a circle, names are quoted where Python looks at them at once.
fn shape(api: &Api, found: &Type, owner: &TypeDef) -> String {
    let at_once = !matches!(owner.shape, Shape::Object(_));
    match found {
        Type::Any => "typing.Any".to_owned(),
        Type::Null => "None".to_owned(),
        Type::Boolean => "bool".to_owned(),
        Type::Integer(_) => "int".to_owned(),
        Type::Number(_) => "float".to_owned(),
        Type::Text(_) => "str".to_owned(),
        Type::List(item, _) => format!("list[{}]", shape(api, item, owner)),
        Type::Map(value) => format!("dict[str, {}]", shape(api, value, owner)),
        Type::Nullable(inner) if at_once => {
            format!("typing.Optional[{}]", shape(api, inner, owner))
        }
        Type::Nullable(inner) => format!("{} | None", shape(api, inner, owner)),
        Type::Named(id) => {
            let name = api.type_name(*id);
            let circle = api.definition(*id).and_then(|definition| definition.cycle);
            if at_once && circle.is_some() && circle == owner.cycle {
                format!("\"{name}\"")
            } else {
                name.to_owned()
            }
        }
    }
}

/// Numbers, bools and mixtures. There are no literals of fractions, so these stay open.
fn literals(choices: &[Choice]) -> String {
    let is_fraction =
        |value: &Json| matches!(value, Json::Number(text) if text.contains(['.', 'e', 'E']));
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

fn literal(value: &Json) -> String {
    match value {
        Json::Bool(true) => "True".to_owned(),
        Json::Bool(false) => "False".to_owned(),
        Json::Null => "None".to_owned(),
        Json::Number(_) | Json::String(_) | Json::Array(_) | Json::Object(_) => value.to_compact(),
    }
}

fn comment(out: &mut Writer, description: &str) {
    for line in prose(description) {
        out.line(format!("#: {line}").trim_end());
    }
}
