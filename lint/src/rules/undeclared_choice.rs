//! AON101.

mod args;
mod vendor;

use aon_manifest::model::{Discriminators, Input, Location as Sent, Schema, Text, Types};
use aon_manifest::{Api, Format, Kind, Node, Syntax};

use std::cell::OnceCell;

use crate::choice::{Candidate, Classifier, Evidence, Location, Verdict};
use crate::engine::{Findings, Subject};
use crate::finding::Confidence;
use crate::fix::{Fix, Safety, edits};
use crate::rule::{Check, declare_rule};

declare_rule! {
    /// A value from a closed set that is declared nowhere.
    ///
    /// ## Why
    ///
    /// A caller that cannot discover the allowed values has to guess them, and fails.
    ///
    /// ## Bad
    ///
    /// ```yaml bad
    /// operations:
    ///   - id: update_auth
    ///     parameters:
    ///       - name: auth_ux
    ///         in: body
    ///         type: string
    ///         description: Must be one of hosted or custom.
    /// ```
    ///
    /// ## Good
    ///
    /// ```yaml good
    /// operations:
    ///   - id: update_auth
    ///     parameters:
    ///       - name: auth_ux
    ///         in: body
    ///         type: string
    ///         enum: [hosted, custom]
    /// ```
    ///
    /// ## What counts
    ///
    /// `enum`, `oneOf`, `const`, `x-choices-endpoint` and `x-extensible-enum` (a set that may grow) declare the values, and so does a
    /// `oneOf` or `anyOf` with a `discriminator`, for that property of the schemas it lists. `x-enum-varnames`, `x-enumNames` and `x-ms-enum` describe an
    /// `enum` and are no substitute for one; neither is `x-enum`, which tools ignore. Alone they show that there is a set. What the
    /// server sends is not looked at: responses, and the requests of webhooks and callbacks.
    "undeclared-choice" { code: "AON101", category: Choices, stage: Stable, check: Check::Api(check) }
}

fn check<'a>(subject: &Subject<'_, 'a>, findings: &mut Findings<'a>) {
    let mut classifier = Classifier::new(
        subject.settings.names().to_vec(),
        subject.settings.open_names().to_vec(),
    );
    let named = Named::new(subject.api);
    for (input, carriers) in subject.choices() {
        if !carriers.is_empty() {
            continue;
        }
        let Some((verdict, keyword)) = named.judge(&mut classifier, input) else {
            continue;
        };
        // A hint that nobody asked for is noted, because a deferral may be about it, but not worded.
        if verdict.confidence == Confidence::Possible && !subject.settings.pedantic() {
            let hint = findings.report(input.node, String::new());
            hint.mark(input.name_node).confidence(verdict.confidence);
            continue;
        }
        let name = input.name();
        let (message, label) = wording(name, &verdict, keyword);
        findings
            .report(input.node, message)
            .mark(input.name_node)
            .label(label)
            .fix(advice(&verdict, input, subject.api.format))
            .confidence(verdict.confidence)
            .weight(verdict.probability + f32::from(u8::from(!verdict.values.is_empty())))
            .repair(repair(input, &verdict));
    }
}

/// Declares the listed values. That is safe where the text leaves no doubt that these are all.
fn repair(input: &Input<'_>, verdict: &Verdict) -> Option<Fix> {
    if verdict.values.len() < 2 && !verdict.complete || verdict.several || verdict.partial {
        return None;
    }
    let (_, array, value) = shape(input.schema);
    if verdict.evidence == Evidence::Listed && !speaks_for_all(input.description(), value.node()) {
        return None;
    }
    let edits = edits::add_enum(value.node(), &verdict.values)?;
    let safety = if verdict.complete && !array {
        Safety::Safe
    } else {
        Safety::Unsafe
    };
    Some(Fix::new("Declare the listed values", safety, edits))
}

/// Whether the words about an input speak about nothing else that shares the schema to be changed. They do where the description
/// stands at a reference, or the schema behind an alias or a merge key.
fn speaks_for_all(words: Option<Text<'_>>, schema: Node<'_>) -> bool {
    let Some(holder) = words.and_then(|words| words.node().parent()) else {
        return true;
    };
    let mut node = schema;
    while node != holder {
        let Some(parent) = node.parent().filter(|_| !has_anchor(node)) else {
            return false;
        };
        node = parent;
    }
    true
}

/// Whether a YAML anchor stands before a node.
fn has_anchor(node: Node<'_>) -> bool {
    let text = node.tree().source().text();
    let before = text.get(..node.span().start()).unwrap_or("");
    let word = before
        .trim_end()
        .rsplit([' ', '\t', '\n', ',', '[', '{'])
        .next();
    node.tree().syntax() == Syntax::Yaml && word.is_some_and(|word| word.starts_with('&'))
}

/// What an API says about values besides the inputs themselves; looked up when somebody needs to know.
pub(crate) struct Named<'s, 'a> {
    api: &'s Api<'a>,
    discriminators: OnceCell<Discriminators<'a>>,
    vendor: bool,
}

impl<'s, 'a> Named<'s, 'a> {
    pub(crate) fn new(api: &'s Api<'a>) -> Named<'s, 'a> {
        Named {
            api,
            discriminators: OnceCell::new(),
            vendor: vendor::any(api.document),
        }
    }

    /// Judges an input that is known to have no carrier. With the verdict comes the extension it was made from, if it was.
    pub(crate) fn judge(
        &self,
        classifier: &mut Classifier,
        input: &Input<'a>,
    ) -> Option<(Verdict, &'static str)> {
        let shape = shape(input.schema);
        if shape.0.contains("boolean") || shape.0.contains("object") {
            return None;
        }
        let mut verdict = classify(classifier, self.api, input, shape).map(|verdict| (verdict, ""));
        // Words that list the values say more than an extension that only names them.
        let settled = |(verdict, _): &(Verdict, _)| verdict.confidence == Confidence::Certain;
        if self.vendor && !verdict.as_ref().is_some_and(settled) && !is_server_set(input) {
            verdict = vendor::verdict(input).or(verdict);
        }
        verdict.filter(|_| !self.by_discriminator(input))
    }

    /// Whether the property tells the alternatives of a `oneOf` apart, in one of them: then the list of alternatives is its carrier.
    /// In a schema that is used by itself as well the values are nowhere.
    fn by_discriminator(&self, input: &Input<'a>) -> bool {
        let Some(owner) = input.owner() else {
            return false;
        };
        let all = self
            .discriminators
            .get_or_init(|| self.api.discriminators());
        let found = all.of(owner, input.name());
        let Some(holder) = found.and_then(|found| found.node.parent()) else {
            return false;
        };
        let holder = Schema::new(self.api.document, holder);
        ["oneOf", "anyOf"]
            .into_iter()
            .flat_map(|word| holder.branches(word))
            .any(|branch| branch.resolved() == owner.resolved())
    }
}

/// Judges one input of an API: whether its value comes from a closed set that nobody declares. None when it is open, or when
/// it has a carrier.
pub fn classify_input<'a>(
    classifier: &mut Classifier,
    api: &Api<'a>,
    input: &Input<'a>,
) -> Option<Verdict> {
    if !input.carriers().is_empty() {
        return None;
    }
    let judged = Named::new(api).judge(classifier, input)?;
    Some(judged.0)
}

/// Judges by what the input itself says, whose value or items are texts or numbers.
fn classify(
    classifier: &mut Classifier,
    api: &Api<'_>,
    input: &Input<'_>,
    (types, array, value): (Types, bool, Schema<'_>),
) -> Option<Verdict> {
    let schema = input.schema;
    let mut examples: Vec<&str> = Vec::new();
    for example in input.examples() {
        samples(example, &mut examples);
    }
    let default = schema
        .default()
        .or_else(|| value.default())
        .and_then(scalar);
    let operation = input.operation.and_then(|at| api.operations.get(at));
    let neighbours = |visit: &mut dyn FnMut(&str)| {
        if let Some(owner) = input.owner() {
            owner
                .properties()
                .for_each(|property| visit(property.name()));
        } else if let Some(operation) = operation {
            operation
                .parameters
                .iter()
                .for_each(|parameter| visit(parameter.name()));
        }
    };
    let number = |keyword: &str| value.get(keyword).and_then(Node::as_f64);
    let length = |keyword: &str| {
        let length = value.get(keyword).and_then(Node::as_i64);
        length.and_then(|length| usize::try_from(length).ok())
    };
    // FastMCP leaves the words about arguments in the description of the tool.
    let of_tool = || {
        let text = text(operation.filter(|_| api.format == Format::Mcp)?.description)?;
        args::of_argument(text, input.name())
    };
    let candidate = Candidate {
        name: input.name(),
        location: match input.location {
            Sent::Path => Location::Path,
            Sent::Query => Location::Query,
            Sent::Header | Sent::Cookie => Location::Header,
            _ => Location::Body,
        },
        min_length: length("minLength"),
        max_length: length("maxLength"),
        minimum: number("minimum"),
        maximum: number("maximum"),
        types,
        array,
        format: text(value.format()),
        pattern: text(value.pattern()),
        description: text(input.description()).or_else(of_tool),
        more: text(value.description()).filter(|more| text(input.description()) != Some(more)),
        default,
        examples: &examples,
        path: text(operation.and_then(|operation| operation.path)).unwrap_or(""),
        neighbours: &neighbours,
        untyped_is_string: api.format == Format::Native,
    };
    let verdict = classifier.classify(&candidate)?;
    (!is_server_set(input)).then_some(verdict)
}

/// Whether the server sets the value: it stands inside something marked `readOnly`.
fn is_server_set(input: &Input<'_>) -> bool {
    if input.parameter().is_some() {
        return false;
    }
    let mut node = input.node;
    loop {
        if node.is_object() && node.get("readOnly").and_then(Node::as_bool) == Some(true) {
            return true;
        }
        match node.parent() {
            Some(parent) => node = parent,
            None => return false,
        }
    }
}

/// The types that matter, whether it is an array, and the schema of the single value.
fn shape(schema: Schema<'_>) -> (Types, bool, Schema<'_>) {
    let types = effective_types(schema, 0);
    if types.contains("array") {
        return match schema.items() {
            Some(items) => (effective_types(items, 0), true, items),
            None => (Types::default(), true, schema),
        };
    }
    (types, false, schema)
}

/// The types of a schema, through `allOf`, and through `oneOf` and `anyOf` when it says none itself.
fn effective_types(schema: Schema<'_>, depth: usize) -> Types {
    let own = schema.types();
    if !own.is_empty() || depth > 4 {
        return own;
    }
    for keyword in ["allOf", "anyOf", "oneOf"] {
        let mut all = Types::default();
        for branch in schema.branches(keyword) {
            all = all.union(effective_types(branch, depth + 1));
        }
        if !all.is_empty() {
            return all;
        }
    }
    own
}

fn text(text: Option<Text<'_>>) -> Option<&str> {
    text.map(|text| text.node().text())
}

fn scalar(node: Node<'_>) -> Option<&str> {
    matches!(node.kind(), Kind::String | Kind::Number).then(|| node.text())
}

fn samples<'a>(node: Node<'a>, texts: &mut Vec<&'a str>) {
    if node.is_array() {
        texts.extend(node.items().filter_map(scalar));
    } else if node.is_object() {
        texts.push("{}");
    } else {
        texts.extend(scalar(node));
    }
}

fn wording(name: &str, verdict: &Verdict, keyword: &str) -> (String, String) {
    let nowhere = "no `enum`, `oneOf` or choices endpoint".to_owned();
    let (what, label) = match verdict.evidence {
        Evidence::Extension if verdict.values.is_empty() => (
            format!("`{name}` is an enum by its `{keyword}`, but declares no values"),
            nowhere,
        ),
        Evidence::Extension => (
            format!("`{name}` lists its values in `{keyword}`, which few tools read"),
            nowhere,
        ),
        Evidence::Listed => (
            format!(
                "`{name}` accepts only certain values ({}), but declares none",
                shown(&verdict.values, 4, "`")
            ),
            "the values are only in prose".to_owned(),
        ),
        Evidence::Announced => (
            format!("`{name}` accepts only certain values, but does not say which"),
            nowhere,
        ),
        Evidence::Pattern => (
            format!("`{name}` lists its values in a pattern instead of an `enum`"),
            "a set in disguise".to_owned(),
        ),
        Evidence::Name => (
            format!("`{name}` looks like a choice, but declares no values"),
            nowhere,
        ),
    };
    match witnesses(name, verdict) {
        Some(witnesses) => (format!("{what} ({witnesses})"), label),
        None => (what, label),
    }
}

/// Who speaks for the set, besides what the sentence says already.
fn witnesses(name: &str, verdict: &Verdict) -> Option<String> {
    let mut said = Vec::new();
    if let Some(count) = verdict.count {
        let known = match count.words {
            None if name.starts_with(|c: char| "aeioAEIO".contains(c)) => format!("an `{name}`"),
            None => format!("a `{name}`"),
            Some(_) => "an input that ends like this".to_owned(),
        };
        let declare = if count.closed == 1 {
            "declares"
        } else {
            "declare"
        };
        said.push(format!(
            "of {} public APIs with {known}, {} {declare} its values",
            count.apis, count.closed
        ));
    } else if verdict.evidence == Evidence::Name {
        said.push("by its name and description".to_owned());
    }
    if verdict.sampled {
        said.push("an example or default is one of them".to_owned());
    }
    (!said.is_empty()).then(|| said.join("; "))
}

/// The first of the values.
fn shown(values: &[String], most: usize, quote: &str) -> String {
    let all: Vec<_> = values
        .iter()
        .take(most)
        .map(|value| format!("{quote}{value}{quote}"))
        .collect();
    let more = if values.len() > most { ", …" } else { "" };
    all.join(", ") + more
}

fn advice(verdict: &Verdict, input: &Input<'_>, format: Format) -> String {
    let (types, array, _) = shape(input.schema);
    let where_to = if array { " to its items" } else { "" };
    if verdict.values.is_empty() {
        let endpoint = match format {
            Format::Native => "`choices_endpoint`",
            Format::Mcp | Format::A2a => {
                return format!("add `enum` with the allowed values{where_to}");
            }
            _ => "`x-choices-endpoint`",
        };
        return format!(
            "add `enum` with the allowed values{where_to}, or {endpoint} when they change"
        );
    }
    let written: Vec<String> = verdict
        .values
        .iter()
        .map(|value| edits::written(value, types))
        .collect();
    let values = shown(&written, 6, "");
    if verdict.several && !array {
        format!("make it an array whose items have `enum: [{values}]`")
    } else if verdict.partial {
        format!("add `enum` with all of them{where_to} (the text names {values})")
    } else {
        format!("add `enum: [{values}]`{where_to}")
    }
}
