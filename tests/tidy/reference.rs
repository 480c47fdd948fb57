//! The reference names every word the code reads, and its examples do what they say.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

use aon_lint::score::{Join, score};
use aon_lint::{Config, SETTINGS, Settings, lint};
use aon_manifest::extension::{EXTENSIONS, Place, RELATED};
use aon_manifest::{Api, Document};
use aon_tests::{place, reference};
use serde_json::Value;

/// Everything about a document that a word can change.
fn digest(text: &str) -> String {
    let document = Document::from_text("notes.yaml", text);
    let apis = document.apis();
    let api = &apis[0];
    let outcome = lint(&document, &Settings::default());
    let findings: Vec<_> = outcome
        .findings
        .iter()
        .map(|finding| finding.rule)
        .collect();
    format!(
        "{}\nfindings {findings:?}, deferred {}",
        facts(api),
        outcome.deferred
    )
}

fn facts(api: &Api<'_>) -> String {
    let operation = &api.operations[0];
    let error = operation.errors.first();
    let inputs: Vec<String> = api
        .inputs()
        .iter()
        .map(|input| {
            let carriers = input.carriers();
            let choices: Vec<_> = carriers
                .iter()
                .flat_map(|carrier| carrier.choices())
                .map(|choice| {
                    format!(
                        "{} {:?} {:?}",
                        choice.value.text(),
                        text(choice.label),
                        text(choice.description)
                    )
                })
                .collect();
            let looked_up: Vec<_> = carriers
                .iter()
                .map(|carrier| text(carrier.endpoint()))
                .collect();
            let examples: Vec<_> = input
                .schema
                .examples()
                .iter()
                .map(|node| node.text().to_owned())
                .collect();
            let types = input.schema.types();
            format!(
                "{} {choices:?} {looked_up:?} {examples:?} {types:?}",
                input.name()
            )
        })
        .collect();
    let surfaces: Vec<_> = api
        .declares()
        .iter()
        .map(|surface| surface.name())
        .collect();
    let default = api
        .remediation_default
        .map(|remediation| (text(remediation.kind), text(remediation.reason)));
    let error = error.map(|error| {
        let remediation = error
            .remediation
            .map(|remediation| (text(remediation.kind), text(remediation.message)));
        let named = [error.code, error.type_uri, error.title, error.docs_url].map(text);
        let called = [error.mcp_tool, error.a2a_skill].map(text);
        let values = error.valid_values.map(|node| node.source_text());
        format!("{named:?} {called:?} {values:?} {remediation:?}")
    });
    let verify = operation.verify.and_then(|verify| text(verify.operation));
    [
        format!(
            "{:?} {:?} {:?} {surfaces:?} {default:?}",
            text(api.slug),
            text(api.id),
            api.visibility
        ),
        format!(
            "{:?} {} webhooks, {} scores",
            text(api.docs_url),
            api.webhooks.len(),
            api.stated_scores.len()
        ),
        format!(
            "{:?} {:?} {:?} {:?} {}",
            text(operation.docs_url),
            operation.tool_name(),
            text(operation.skill()),
            verify,
            operation.public
        ),
        format!("{error:?}"),
        format!("{inputs:?}"),
    ]
    .join("\n")
}

fn text(text: Option<aon_manifest::model::Text<'_>>) -> Option<String> {
    text.map(|text| text.as_str().to_owned())
}

#[test]
fn every_extension_changes_what_is_read_at_each_of_its_places() {
    let mut tried = 0;
    let mut check = |word: &str, value: &str, on: &[Place]| {
        for place in on {
            let with = reference::word_document(word, value, *place);
            let without = with.replace(&format!("{word}: {value}\n"), "x-nothing: 1\n");
            assert_ne!(with, without, "{word} is not in its example");
            assert_ne!(
                digest(&with),
                digest(&without),
                "{word} on {place:?} says nothing:\n{with}"
            );
            tried += 1;
        }
    };
    for word in EXTENSIONS {
        check(word.vendor, word.example, word.on);
    }
    for related in RELATED {
        for word in related.words {
            check(word, related.example, related.on);
        }
    }
    place::say(&format!("count: reference {tried} words at their places"));
    assert!(tried > 35, "only {tried} were tried");
}

#[test]
fn the_reference_names_every_word_that_stands_in_the_code() {
    let page =
        fs::read_to_string(place::root().join("docs/reference/extensions.md")).expect("the page");
    let mut found = BTreeSet::new();
    for folder in ["manifests/src", "lint/src", "codegen/src"] {
        words_in(&place::root().join(folder), &mut found);
    }
    let missing: Vec<_> = found
        .iter()
        .filter(|word| !page.contains(&format!("`{word}`")))
        .collect();
    assert!(missing.is_empty(), "not in the reference: {missing:?}");
    assert!(found.len() > 25, "only {found:?}");
}

/// The literals that start like an extension, outside of tests.
fn words_in(folder: &Path, found: &mut BTreeSet<String>) {
    for entry in fs::read_dir(folder).expect("a folder of sources") {
        let path = entry.expect("an entry").path();
        if path.is_dir() {
            words_in(&path, found);
            continue;
        }
        if path.ends_with("tests.rs") || path.to_string_lossy().contains("/tests/") {
            continue;
        }
        let text = fs::read_to_string(&path).expect("a source");
        let code = text.split("#[cfg(test)]").next().unwrap_or("");
        for line in code
            .lines()
            .filter(|line| !line.trim_start().starts_with("//"))
        {
            for part in line.split("\"x-").skip(1) {
                let word = part.split('"').next().unwrap_or("");
                let plain = |c: char| c.is_ascii_alphanumeric() || c == '-';
                if word.len() > 2 && word.chars().all(plain) && !word.ends_with('-') {
                    found.insert(format!("x-{word}"));
                }
            }
        }
    }
}

#[test]
fn the_manifest_with_every_member_has_every_member_and_passes() {
    let document = Document::from_text("notes.aon.yaml", reference::EXAMPLE);
    let root = document.apis()[0].node.to_json();
    let schema = aon_manifest::native::json_schema();
    let validator = jsonschema::validator_for(&schema).expect("a schema");
    let wrong: Vec<String> = validator
        .iter_errors(&root)
        .map(|error| error.to_string())
        .collect();
    assert!(wrong.is_empty(), "{wrong:?}");
    let findings = lint(&document, &Settings::default()).findings;
    assert!(
        findings.is_empty(),
        "{:?}",
        findings
            .iter()
            .map(|finding| (&finding.message, finding.line))
            .collect::<Vec<_>>()
    );
    let scores = score(&document, &Settings::default());
    assert!(
        scores[0].passes,
        "{:?}",
        scores[0]
            .scores
            .iter()
            .map(|(_, score)| (score.level, &score.missing))
            .collect::<Vec<_>>()
    );
    let fields = reference::fields();
    for field in &fields {
        let objects = objects_of(&root, &field.object);
        assert!(!objects.is_empty(), "the example has no {}", field.object);
        assert!(
            objects
                .iter()
                .any(|object| object.get(&field.name).is_some()),
            "no {} of the example has `{}`",
            field.object,
            field.name
        );
        assert!(
            !field.says.is_empty(),
            "{}.{} says nothing",
            field.object,
            field.name
        );
    }
    place::say(&format!(
        "count: reference {} members of the manifest",
        fields.len()
    ));
    assert!(fields.len() > 60, "only {}", fields.len());
}

/// The objects of one sort in the example.
fn objects_of<'v>(root: &'v Value, object: &str) -> Vec<&'v Value> {
    let list = |parents: Vec<&'v Value>, key: &str| -> Vec<&'v Value> {
        parents
            .into_iter()
            .filter_map(|parent| parent.get(key)?.as_array())
            .flatten()
            .collect()
    };
    let member = |parents: Vec<&'v Value>, key: &str| -> Vec<&'v Value> {
        parents
            .into_iter()
            .filter_map(|parent| parent.get(key))
            .collect()
    };
    let operations = || list(vec![root], "operations");
    let errors = || list(operations(), "error_responses");
    let remediations = || {
        let mut all = member(errors(), "remediation");
        all.extend(root.get("remediation_default"));
        all
    };
    match object {
        "Manifest" => vec![root],
        "Operation" => operations(),
        "Parameter" => list(operations(), "parameters"),
        "Body" => member(operations(), "request_body"),
        "Response" => list(operations(), "responses"),
        "ErrorResponse" => errors(),
        "Remediation" => remediations(),
        "NextAction" => member(remediations(), "next_action"),
        "ExampleRequest" => member(remediations(), "example_request"),
        "Mcp" => member(operations(), "mcp"),
        "A2a" => member(operations(), "a2a"),
        other => panic!("{other} is not in the example"),
    }
}

#[test]
fn every_setting_is_read_and_a_misspelt_one_is_refused() {
    let mut tried = 0;
    for setting in SETTINGS {
        let table = match setting.table.strip_suffix("[]") {
            Some(list) => format!("[[{list}]]\nrules = [\"undeclared-choice\"]\n"),
            None => format!("[{}]\n", setting.table),
        };
        let table = if setting.key == "rules" {
            "[[ignore]]\n".to_owned()
        } else {
            table
        };
        let text = format!("{table}{}\n", setting.example);
        let read = Config::parse(&text);
        assert!(read.is_ok(), "{text}: {:?}", read.err());
        assert!(Join::from_toml(&text).is_ok(), "{text}");
        tried += 1;
        if setting.key.starts_with('<') {
            continue;
        }
        let misspelt = text.replacen(
            setting.example,
            &setting
                .example
                .replacen(setting.key, &format!("{}z", setting.key), 1),
            1,
        );
        let refused = Config::parse(&misspelt).expect_err(&misspelt).to_string();
        assert!(
            refused.contains(&format!("did you mean `{}`?", setting.key)),
            "{refused}"
        );
    }
    place::say(&format!("count: reference {tried} settings"));
    assert!(tried > 12);
}

#[test]
fn the_file_of_the_reference_is_read_whole() {
    let page =
        fs::read_to_string(place::root().join("docs/reference/aon-toml.md")).expect("the page");
    let mut whole = String::new();
    let mut inside = false;
    for line in page.lines() {
        match line {
            "```toml" => inside = true,
            "```" => inside = false,
            _ if inside => {
                whole.push_str(line);
                whole.push('\n');
            }
            _ => {}
        }
    }
    let config = Config::parse(&whole).expect("the file");
    assert!(config.includes("apis/a.yaml") && !config.includes("vendor/a.yaml"));
    let settings = config.settings(None);
    assert!(settings.strict() && settings.pedantic() && settings.is_rest_only("legacy/a.yaml"));
    assert!(whole.contains("[gen]") && whole.contains("[gen.names]"));
}

#[test]
fn the_settings_of_code_generation_change_what_is_generated() {
    let folder = std::env::temp_dir().join(format!("aon-reference-{}", std::process::id()));
    fs::create_dir_all(&folder).expect("a folder for the test");
    let mut settings = String::new();
    for setting in aon_cli::GENERATE_SETTINGS {
        settings.push_str(&format!("[{}]\n{}\n", setting.table, setting.example));
    }
    fs::write(folder.join("aon.toml"), settings).expect("the settings");
    fs::write(
        folder.join("pets.aon.yaml"),
        "slug: pets\nversion: '1'\noperations:\n  - id: listPets\n    method: GET\n    path: /pets\n    parameters:\n      - { name: mode, in: query, type: string, enum: [a, b], default: a }\n",
    )
    .expect("the manifest");
    let output = std::process::Command::new(env!("CARGO_BIN_EXE_aon-under-test"))
        .args([
            "gen",
            "--target",
            "typescript",
            "--out",
            "out",
            "pets.aon.yaml",
        ])
        .current_dir(&folder)
        .output()
        .expect("the program starts");
    let mut written = String::new();
    read_all(&folder.join("out"), &mut written);
    fs::remove_dir_all(&folder).expect("the folder goes");
    let errors = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{errors}");
    assert!(written.contains("Copyright the pet shop."), "{written}");
    assert!(written.contains("AllPets"), "{written}");
}

fn read_all(folder: &Path, text: &mut String) {
    for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
        let path = entry.path();
        if path.is_dir() {
            read_all(&path, text);
        } else {
            text.push_str(&fs::read_to_string(&path).unwrap_or_default());
        }
    }
}
