//! What OpenAPI 3 adds: callbacks, discriminators, schemas with addresses of their own, words beside a `$ref`.

use std::collections::BTreeMap;

use aon_manifest::model::Schema;
use aon_manifest::{Document, IssueKind, ReadOptions};

use crate::kinds;

const CALLBACKS: &str = "\
openapi: 3.0.3
info: {title: Streams, version: '1'}
paths:
  /streams:
    post:
      operationId: open
      callbacks:
        onData:
          '{$request.query.callbackUrl}/data':
            parameters:
              - {name: kind, in: query, schema: {type: string}}
            post:
              operationId: pushData
              requestBody: {content: {application/json: {schema: {$ref: '#/components/schemas/Event'}}}}
              responses: {'204': {description: taken}, '500': {description: broken}}
              callbacks: {again: {$ref: '#/components/callbacks/Done'}}
        onEnd: {$ref: '#/components/callbacks/Done'}
        x-note: {nothing: here}
  /other:
    post: {operationId: other, callbacks: {onEnd: {$ref: '#/components/callbacks/Done'}}}
  /broken:
    post: {operationId: broken, callbacks: {gone: {$ref: '#/components/callbacks/Gone'}, odd: 7}}
components:
  callbacks:
    Done: {'{$request.body#/url}': {put: {operationId: done, requestBody: {content: {application/json: {schema: {properties: {verdict: {type: string}}}}}}}}}
  schemas:
    Event: {type: object, properties: {status: {type: string}, severity: {type: string}}}
";

#[test]
fn callbacks_are_read_once_and_are_no_operations() {
    let document = Document::from_text("a.yaml", CALLBACKS);
    assert_eq!(kinds(document.issues()), [IssueKind::DanglingRef]);
    let apis = document.apis();
    let api = &apis[0];
    assert_eq!(kinds(&api.issues), [IssueKind::WrongShape]);
    assert_eq!(api.operations.len(), 3);
    let names: Vec<_> = api.callbacks.iter().map(|call| call.name()).collect();
    assert_eq!(names, ["pushData", "done"]);
    let push = &api.callbacks[0];
    assert_eq!(
        push.path.unwrap().as_str(),
        "{$request.query.callbackUrl}/data"
    );
    assert_eq!(
        push.anchor.pointer(),
        "/paths/~1streams/post/callbacks/onData/{$request.query.callbackUrl}~1data/post"
    );
    assert_eq!((push.parameters.len(), push.errors.len()), (1, 1));
    assert!(api.inputs().is_empty(), "the caller chooses none of these");
    let used: Vec<_> = api
        .properties()
        .iter()
        .map(|usage| (usage.property.name(), usage.in_request, usage.in_response))
        .collect();
    let expected = [
        ("status", false, true),
        ("severity", false, true),
        ("verdict", false, true),
    ];
    assert_eq!(used, expected);
}

#[test]
fn a_path_item_behind_a_reference_keeps_what_stands_beside_it() {
    let text = "\
openapi: 3.1.0
paths:
  /a:
    $ref: '#/components/pathItems/A'
    parameters: [{name: region, in: query, schema: {type: string}}]
    delete: {operationId: drop}
  /b:
    $ref: '#/components/pathItems/Gone'
    get: {operationId: lone}
components:
  pathItems:
    A:
      parameters: [{name: tenant, in: header, schema: {type: string}}]
      get: {operationId: list}
";
    let document = Document::from_text("a.yaml", text);
    assert_eq!(kinds(document.issues()), [IssueKind::DanglingRef]);
    let apis = document.apis();
    let read: Vec<_> = apis[0]
        .operations
        .iter()
        .map(|operation| {
            let names: Vec<_> = operation.parameters.iter().map(|own| own.name()).collect();
            format!("{} {}", operation.name(), names.join(","))
        })
        .collect();
    assert_eq!(read, ["list tenant,region", "drop tenant,region", "lone "]);
}

const PETS: &str = "\
openapi: 3.1.0
info: {title: Pets, version: '1'}
paths:
  /pets: {post: {requestBody: {content: {application/json: {schema: {$ref: '#/components/schemas/Pet'}}}}}}
components:
  schemas:
    Pet:
      oneOf: [{$ref: '#/components/schemas/Cat'}, {$ref: '#/components/schemas/Dog'}]
      discriminator: {propertyName: pet_type, mapping: {cat: '#/components/schemas/Cat', dog: Dog, bird: birds.yaml#/Bird, value: Lost}}
    Cat: {allOf: [{$ref: '#/components/schemas/Base'}]}
    Dog: {allOf: [{$ref: '#/components/schemas/Base'}]}
    Base: {type: object, properties: {pet_type: {type: string}, mode: {type: string}}}
    Shape: {discriminator: {propertyName: kind}, properties: {kind: {type: string}}}
    Circle: {allOf: [{$ref: '#/components/schemas/Shape'}, {type: object}]}
    Alone: {discriminator: {propertyName: kind}, properties: {kind: {type: string}}}
";

#[test]
fn mappings_resolve_and_name_the_values_of_their_property() {
    let files = BTreeMap::from([("birds.yaml".to_owned(), "Bird: {type: object}\n".to_owned())]);
    let document = Document::open("a.yaml", PETS, &ReadOptions::default(), &files);
    let issues = document.issues();
    assert_eq!(kinds(issues.iter().copied()), [IssueKind::DanglingRef]);
    assert!(issues[0].message().contains("`Lost`"), "{}", issues[0]);
    assert_eq!(issues[0].start().line, 9);
    let apis = document.apis();
    let api = &apis[0];
    let named = api.discriminators();
    let schema = |name: &str| -> Schema<'_> {
        let found = api
            .schemas()
            .into_iter()
            .find(|(own, _)| own.as_str() == name);
        found.unwrap().1
    };
    let values = |owner: &str, property: &str| {
        let found = named.of(schema(owner), property);
        found.map_or(Vec::new(), |found| found.values.clone())
    };
    for owner in ["Pet", "Cat", "Base"] {
        assert_eq!(
            values(owner, "pet_type"),
            ["cat", "dog", "bird", "value"],
            "{owner}"
        );
    }
    assert!(values("Base", "mode").is_empty());
    assert_eq!(values("Shape", "kind"), ["Circle"]);
    assert!(values("Alone", "kind").is_empty(), "nothing builds on it");
}

#[test]
fn the_name_alone_is_a_discriminator_of_swagger() {
    let text = "swagger: '2.0'\npaths: {}\ndefinitions:\n  Pet: {discriminator: petType, properties: {petType: {type: string}}}\n  Cat: {allOf: [{$ref: '#/definitions/Pet'}]}\n";
    let document = Document::from_text("a.yaml", text);
    assert!(document.issues().is_empty());
    let apis = document.apis();
    let pet = apis[0].schemas()[0].1;
    let named = apis[0].discriminators();
    assert_eq!(named.of(pet, "petType").unwrap().values, ["Cat"]);
}

#[test]
fn schemas_are_found_by_their_address() {
    let text = "\
openapi: 3.1.0
paths: {}
components:
  schemas:
    Whole: {$ref: 'https://a.example/schemas/pet'}
    Part: {$ref: 'https://a.example/schemas/pet#/$defs/Kind'}
    Named: {$ref: 'https://a.example/schemas/pet#kind'}
    Pet:
      $id: https://a.example/schemas/pet
      properties:
        kind: {$ref: '#/$defs/Kind'}
        same: {$ref: '#kind'}
        friend: {$ref: '#'}
        tag: {$ref: tag}
        loose: {$ref: '#/components/schemas/Loose'}
        moving: {$dynamicRef: '#kind'}
      $defs:
        Kind: {$anchor: kind, enum: [cat, dog]}
        Tag: {$id: tag, $defs: {Kind: {$anchor: kind, enum: [x]}}, properties: {kind: {$ref: '#kind'}}}
    Loose: {$id: loose, enum: [1]}
    ByName: {$ref: loose}
    Other: {$anchor: kind, enum: [other]}
    Unscoped: {$ref: '#kind'}
    Urn: {$id: 'urn:example:size', enum: [s, m]}
    ByUrn: {$ref: 'urn:example:size'}
    Lost: {$ref: 'https://a.example/schemas/other'}
";
    let document = Document::from_text("a.yaml", text);
    assert_eq!(kinds(document.issues()), [IssueKind::RefToUrl]);
    let root = document.entry().root().unwrap();
    let leads = |from: &str| -> String {
        let node = root.at(&format!("/components/schemas/{from}")).unwrap();
        document.resolve(node).unwrap().pointer()
    };
    let pet = "/components/schemas/Pet";
    let cases = [
        ("Whole", String::new()),
        ("Part", "/$defs/Kind".to_owned()),
        ("Named", "/$defs/Kind".to_owned()),
        ("Pet/properties/kind", "/$defs/Kind".to_owned()),
        ("Pet/properties/same", "/$defs/Kind".to_owned()),
        ("Pet/properties/friend", String::new()),
        ("Pet/properties/tag", "/$defs/Tag".to_owned()),
        ("Pet/properties/moving", "/$defs/Kind".to_owned()),
        (
            "Pet/$defs/Tag/properties/kind",
            "/$defs/Tag/$defs/Kind".to_owned(),
        ),
    ];
    for (from, to) in cases {
        assert_eq!(leads(from), format!("{pet}{to}"), "{from}");
    }
    assert_eq!(leads("Pet/properties/loose"), "/components/schemas/Loose");
    assert_eq!(leads("ByName"), "/components/schemas/Loose");
    assert_eq!(leads("Unscoped"), "/components/schemas/Other");
    assert_eq!(leads("ByUrn"), "/components/schemas/Urn");
}

#[test]
fn an_address_may_be_that_of_another_file() {
    let files = BTreeMap::from([(
        "size.yaml".to_owned(),
        "$id: https://a.example/size\nenum: [s, m]\n".to_owned(),
    )]);
    let text = "openapi: 3.2.0\n$self: https://a.example/api\npaths: {}\ncomponents:\n  schemas:\n    A: {$ref: 'https://a.example/size'}\n    B: {$ref: size.yaml}\n    C: {$ref: 'https://a.example/api#/components/schemas/B'}\n";
    let document = Document::open("a.yaml", text, &ReadOptions::default(), &files);
    assert!(document.issues().is_empty(), "{:?}", document.issues());
    let root = document.entry().root().unwrap();
    for name in ["A", "B", "C"] {
        let node = root.at(&format!("/components/schemas/{name}")).unwrap();
        assert!(
            document.resolve(node).unwrap().get("enum").is_some(),
            "{name}"
        );
    }
}

#[test]
fn words_beside_a_reference_win() {
    let text = "\
openapi: 3.1.0
paths:
  /a:
    get:
      parameters: [{$ref: '#/components/parameters/Mode', description: of this use}]
      requestBody: {content: {application/json: {schema: {properties: {size: {$ref: '#/components/schemas/Size', default: m, description: own}}}}}}
  /b:
    get:
      parameters: [{$ref: '#/components/parameters/Mode'}]
components:
  parameters: {Mode: {name: mode, in: query, description: in general, schema: {type: string}}}
  schemas: {Size: {type: string, default: s, description: shared, enum: [s, m]}}
";
    let document = Document::from_text("a.yaml", text);
    let apis = document.apis();
    let words: Vec<_> = apis[0]
        .inputs()
        .iter()
        .map(|input| (input.name(), input.description().unwrap().node().text()))
        .collect();
    let expected = [
        ("mode", "of this use"),
        ("mode", "in general"),
        ("size", "own"),
    ];
    assert_eq!(words, expected);
    let inputs = apis[0].inputs();
    let size = inputs.last().unwrap();
    assert_eq!(size.schema.default().unwrap().text(), "m");
    assert_eq!(size.carriers().len(), 1);
}
