//! JSON Schema 2020-12: all types and all problems of an API in one document.

use super::{Options, Target};
use crate::file::GeneratedFile;
use crate::ir::Api;
use crate::json::Tree;
use crate::schema::{self, Schemas};

/// Writes `schema.json`. Each type is in `$defs` under its name; a problem is `<Name>Problem`, any of them is `Problem`.
#[derive(Clone, Copy, Debug, Default)]
#[expect(clippy::exhaustive_structs, reason = "it has nothing to configure")]
pub struct JsonSchema;

impl Target for JsonSchema {
    fn name(&self) -> &'static str {
        "json-schema"
    }

    fn emit(&self, api: &Api, options: &Options) -> Vec<GeneratedFile> {
        let schemas = Schemas::new(api, "#/$defs/");
        let mut definitions: Vec<(String, Tree)> = api
            .types
            .iter()
            .map(|definition| {
                (
                    schema::key(&definition.name),
                    schemas.definition(definition),
                )
            })
            .collect();
        let taken: Vec<String> = definitions.iter().map(|(name, _)| name.clone()).collect();
        // A type of the document may be called like a problem; problems step aside.
        let free = |wish: String| {
            if taken.contains(&wish) {
                format!("{wish}_")
            } else {
                wish
            }
        };
        let mut known = Vec::new();
        for problem in &api.problems {
            let name = free(schema::key(&format!("{}Problem", problem.variant)));
            let mut json = schema::problem(Some(&problem.record), "docs_url");
            json.set("examples", Tree::Array(vec![problem.example.clone()]));
            known.push(Tree::object([(
                "$ref",
                Tree::from(format!("#/$defs/{name}")),
            )]));
            definitions.push((name, json));
        }
        definitions.push((
            free("ProblemDetails".to_owned()),
            schema::problem(None, "docs_url"),
        ));
        let mut json = Tree::object([(
            "$schema",
            Tree::from("https://json-schema.org/draft/2020-12/schema"),
        )]);
        json.set("$comment", options.stamp(self.name(), api));
        json.set("title", &api.title);
        json.set_text("description", &api.description);
        if !known.is_empty() {
            definitions.push((
                free("AnyProblem".to_owned()),
                Tree::object([("oneOf", Tree::Array(known))]),
            ));
        }
        json.set("$defs", Tree::Object(definitions));
        vec![GeneratedFile::new("schema.json", json.to_pretty())]
    }
}
