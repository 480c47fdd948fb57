//! The manifests in `manifests/examples`, and the published JSON Schema they are held to.

use std::collections::BTreeMap;
use std::fs;

use aon_manifest::model::{Api, CarrierKind, Location, Surface};
use aon_manifest::{Document, Format};
use aon_tests::{golden, place};

fn examples() -> BTreeMap<String, Document> {
    let folder = place::root().join("manifests/examples");
    let mut found = BTreeMap::new();
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        let name = path.file_name().unwrap().to_string_lossy().into_owned();
        if name.ends_with(".md") {
            continue;
        }
        let text = fs::read_to_string(&path).unwrap();
        found.insert(name.clone(), Document::from_text(&name, &text));
    }
    assert!(found.len() >= 8, "only {} examples", found.len());
    found
}

#[test]
fn the_published_schema_is_what_the_types_say() {
    let schema = aon_manifest::native::json_schema();
    let text = serde_json::to_string_pretty(&schema).unwrap() + "\n";
    golden::check(
        &place::root().join("manifests/schema/aon-manifest.schema.json"),
        &text,
    );
    let required = |name: &str| schema["$defs"][name]["required"].clone();
    assert_eq!(
        schema["required"],
        serde_json::json!(["slug", "version", "operations"])
    );
    assert_eq!(required("Parameter"), serde_json::json!(["name", "in"]));
    assert_eq!(
        required("ErrorResponse"),
        serde_json::json!(["status", "code"])
    );
    assert_eq!(required("Remediation"), serde_json::json!(["type"]));
}

#[test]
fn good_examples_fit_the_schema_and_bad_ones_do_not() {
    let validator = jsonschema::validator_for(&aon_manifest::native::json_schema()).unwrap();
    let mut checked = 0;
    for (name, document) in &examples() {
        let value = document.entry().root().unwrap().to_json();
        let errors: Vec<String> = validator
            .iter_errors(&value)
            .map(|error| format!("{}: {error}", error.instance_path()))
            .collect();
        if name.contains(".before.") {
            assert!(!errors.is_empty(), "{name} should not fit");
        } else {
            assert!(errors.is_empty(), "{name}: {errors:#?}");
        }
        checked += 1;
    }
    println!("{checked} examples against the schema");
}

#[test]
fn every_example_is_read_without_an_issue() {
    for (name, document) in &examples() {
        assert!(
            document.issues().is_empty(),
            "{name}: {:?}",
            document.issues()
        );
        assert_eq!(document.format(), Some(Format::Native), "{name}");
        let apis = document.apis();
        assert_eq!(apis.len(), 1, "{name}");
        assert!(apis[0].issues.is_empty(), "{name}: {:?}", apis[0].issues);
        assert!(!apis[0].operations.is_empty(), "{name}");
        assert!(
            !apis[0].inputs().is_empty() || name.starts_with("clock"),
            "{name}"
        );
    }
}

#[test]
fn the_examples_cover_every_clause_of_the_format() {
    let documents = examples();
    let apis: Vec<Api<'_>> = documents.values().flat_map(Document::apis).collect();
    let operations = || apis.iter().flat_map(|api| &api.operations);
    let errors = || operations().flat_map(|operation| &operation.errors);
    let remediations = || {
        errors()
            .filter_map(|error| error.remediation)
            .chain(apis.iter().filter_map(|api| api.remediation_default))
    };
    let carriers: Vec<_> = apis
        .iter()
        .flat_map(|api| api.inputs())
        .flat_map(|input| input.carriers())
        .collect();
    for kind in [
        CarrierKind::Enum,
        CarrierKind::OneOf,
        CarrierKind::ChoicesEndpoint,
    ] {
        assert!(
            carriers.iter().any(|carrier| carrier.kind == kind),
            "{kind:?}"
        );
    }
    assert!(
        carriers
            .iter()
            .any(|carrier| carrier.kind == CarrierKind::OneOf && !carrier.is_literal())
    );
    for location in [
        Location::Path,
        Location::Query,
        Location::Body,
        Location::Property,
    ] {
        assert!(
            apis.iter()
                .flat_map(|api| api.inputs())
                .any(|input| input.location == location),
            "{location:?}"
        );
    }
    for kind in aon_core::RemediationType::ALL {
        assert!(
            remediations().any(|one| one.kind.is_some_and(|own| own.as_str() == kind.as_str())),
            "{kind}"
        );
    }
    for reason in aon_core::NoneReason::ALL {
        assert!(
            remediations().any(|one| one
                .reason
                .is_some_and(|own| own.as_str() == reason.as_str())),
            "{reason}"
        );
    }
    for surface in Surface::ALL {
        assert!(
            apis.iter().any(|api| api.surfaces().contains(*surface)),
            "{surface:?}"
        );
    }
    assert!(
        apis.iter().any(|api| !api.stated_scores.is_empty()),
        "a score written by hand"
    );
    assert!(
        apis.iter().any(|api| !api.visibility.is_public()),
        "an internal API"
    );
    assert!(
        apis.iter()
            .any(|api| api.unknown.iter().any(|key| key.text() == "taxonomy")),
        "blocks that are kept"
    );
    assert!(operations().any(|operation| operation.verify.is_some()));
    assert!(operations().any(|operation| operation.request_body.is_some()));
    assert!(remediations().any(|one| one.auto_fix_available == Some(true)));
    assert!(remediations().any(|one| one.example_request.is_some()));
    assert!(
        errors().any(|error| error.valid_values.is_some())
            && errors().any(|error| error.code.is_none())
    );
    let comments = documents["search.kno"].entry().comments();
    assert!(
        comments
            .iter()
            .any(|comment| comment.text.starts_with("aon-ignore: "))
    );
}

#[test]
fn next_actions_of_repaired_examples_lead_to_operations() {
    let documents = examples();
    let mut followed = 0;
    for (name, document) in documents
        .iter()
        .filter(|(name, _)| !name.contains(".before."))
    {
        let apis = document.apis();
        let api = &apis[0];
        for error in api
            .operations
            .iter()
            .flat_map(|operation| &operation.errors)
        {
            let remediation = error.remediation_or(api.remediation_default);
            let url = remediation
                .and_then(|one| one.next_action)
                .and_then(|action| action.endpoint_url);
            if let Some(url) = url {
                assert!(api.operation_at(None, &url).is_some(), "{name}: {url}");
                followed += 1;
            }
        }
        for operation in &api.operations {
            if let Some(verify) = operation.verify {
                assert!(
                    api.operation(&verify.operation.unwrap()).is_some(),
                    "{name}"
                );
            }
        }
    }
    assert!(followed > 15, "{followed}");
}
