//! The tools of a server, as it lists them.

use std::collections::BTreeMap;

use aon_lint::{Candidate, Classifier, Confidence, Location};
use aon_manifest::model::Types;
use serde_json::Value;

/// One tool.
#[derive(Clone, Debug)]
pub(super) struct Tool {
    pub(super) schema: Value,
    pub(super) has_output_schema: bool,
    pub(super) reads_only: bool,
    /// The values that descriptions list for arguments without a declared set.
    pub(super) described: BTreeMap<String, Vec<String>>,
}

impl Tool {
    /// One with these arguments.
    pub(super) fn of(schema: Value, reads_only: bool) -> Self {
        Self {
            described: described(&schema),
            has_output_schema: false,
            reads_only,
            schema,
        }
    }

    /// The values an argument may have: those the schema declares, else those its description lists.
    pub(super) fn values(&self, pointer: &str) -> Option<Vec<String>> {
        let mut at = &self.schema;
        for token in aon::pointer::tokens(pointer) {
            at = self.resolved(at);
            at = at.get("properties")?.get(&*token)?;
        }
        let declared = self.resolved(at).get("enum").and_then(Value::as_array);
        let declared = declared.map(|values| {
            let texts = values.iter().filter_map(Value::as_str);
            texts.map(str::to_owned).collect::<Vec<_>>()
        });
        let listed = || self.described.get(pointer.strip_prefix('/')?).cloned();
        declared.filter(|values| !values.is_empty()).or_else(listed)
    }

    fn resolved<'a>(&'a self, schema: &'a Value) -> &'a Value {
        let target = schema.get("$ref").and_then(Value::as_str);
        let target = target.and_then(|name| self.schema.pointer(name.strip_prefix('#')?));
        target.unwrap_or(schema)
    }
}

/// All tools, by name.
#[derive(Debug, Default)]
pub(super) struct Tools {
    all: BTreeMap<String, Tool>,
    /// The list as the server gave it.
    pub(super) listed: Vec<Value>,
    complete: bool,
}

impl Tools {
    /// Whether the whole list is known.
    pub(super) fn is_complete(&self) -> bool {
        self.complete
    }

    /// The list is not what it was.
    pub(super) fn forget(&mut self) {
        self.complete = false;
    }

    /// Takes a page of the list; the first one starts it anew.
    pub(super) fn take(&mut self, page: &Value, first: bool) {
        if first {
            self.all.clear();
            self.listed.clear();
        }
        for tool in page
            .get("tools")
            .and_then(Value::as_array)
            .into_iter()
            .flatten()
        {
            if let Some(name) = tool.get("name").and_then(Value::as_str) {
                self.all.insert(name.to_owned(), read(tool));
                self.listed.push(tool.clone());
            }
        }
        self.complete = next_cursor(page).is_none();
    }

    /// A tool of a list that is known whole.
    pub(super) fn add(&mut self, name: &str, tool: Tool) {
        self.all.insert(name.to_owned(), tool);
        self.complete = true;
    }

    pub(super) fn get(&self, name: &str) -> Option<&Tool> {
        self.all.get(name)
    }

    pub(super) fn names(&self) -> impl Iterator<Item = &str> {
        self.all.keys().map(String::as_str)
    }

    /// The one tool that lists things and needs nothing, where a call did not find something.
    pub(super) fn lister(&self, than: &str) -> Option<&str> {
        let lists = |name: &str| {
            let words = ["list", "search", "find", "all"];
            name.split(['_', '-', '.'])
                .any(|word| words.contains(&word))
        };
        let needs_nothing = |tool: &Tool| {
            let required = tool.schema.get("required").and_then(Value::as_array);
            required.is_none_or(Vec::is_empty)
        };
        let noun = |name: &str| -> Vec<String> {
            let words = name.split(['_', '-', '.']).skip(1);
            words
                .map(|word| word.trim_end_matches('s').to_owned())
                .collect()
        };
        let wanted = noun(than);
        let mut found = self.all.iter().filter(|(name, tool)| {
            *name != than
                && lists(name)
                && needs_nothing(tool)
                && noun(name).iter().any(|word| wanted.contains(word))
        });
        let first = found.next()?;
        found.next().is_none().then_some(first.0.as_str())
    }
}

/// Where the list goes on.
pub(super) fn next_cursor(page: &Value) -> Option<&str> {
    page.get("nextCursor").and_then(Value::as_str)
}

fn read(tool: &Value) -> Tool {
    let schema = tool.get("inputSchema").cloned().unwrap_or_default();
    let reads = tool.pointer("/annotations/readOnlyHint") == Some(&Value::Bool(true));
    Tool {
        has_output_schema: tool
            .get("outputSchema")
            .is_some_and(|schema| !schema.is_null()),
        ..Tool::of(schema, reads)
    }
}

/// The values that descriptions list, by argument.
fn described(schema: &Value) -> BTreeMap<String, Vec<String>> {
    let mut described = BTreeMap::new();
    let properties = schema.get("properties").and_then(Value::as_object);
    let mut classifier = Classifier::default();
    for (name, property) in properties.into_iter().flatten() {
        if let Some(values) = listed(&mut classifier, name, property) {
            described.insert(name.clone(), values);
        }
    }
    described
}

/// The values the description of an argument lists, by the reader of the linter.
fn listed(classifier: &mut Classifier, name: &str, property: &Value) -> Option<Vec<String>> {
    let text = |key: &str| property.get(key).and_then(Value::as_str);
    let declared = ["enum", "const", "oneOf", "anyOf"]
        .iter()
        .any(|key| property.get(key).is_some());
    if declared || text("type").is_some_and(|kind| kind != "string") {
        return None;
    }
    let candidate = Candidate {
        name,
        location: Location::Body,
        types: Types::default(),
        array: false,
        format: text("format"),
        pattern: text("pattern"),
        min_length: None,
        max_length: None,
        minimum: None,
        maximum: None,
        description: text("description"),
        more: text("title"),
        default: text("default"),
        examples: &[],
        path: "",
        neighbours: &|_: &mut dyn FnMut(&str)| {},
        untyped_is_string: true,
    };
    let verdict = classifier.classify(&candidate)?;
    let sure = verdict.confidence == Confidence::Certain || (verdict.complete && !verdict.partial);
    (sure && !verdict.several && verdict.values.len() > 1).then_some(verdict.values)
}
