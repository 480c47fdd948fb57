//! What each reader makes of its format.

use aon_manifest::model::{CarrierKind, Location, Method, Reach, Status, Surface};
use aon_manifest::{Document, Format, ReadOptions};

#[test]
fn formats_are_told_apart_by_content_and_can_be_forced() {
    let cases = [
        ("a.yaml", "openapi: 3.0.3\npaths: {}", Some(Format::OpenApi)),
        ("a.json", r#"{"swagger": "2.0"}"#, Some(Format::Swagger)),
        ("a.json", r#"{"tools": []}"#, Some(Format::Mcp)),
        (
            "a.json",
            r#"{"jsonrpc": "2.0", "id": 1, "result": {"tools": [{"name": "x"}]}}"#,
            Some(Format::Mcp),
        ),
        (
            "a.json",
            r#"[{"name": "x", "inputSchema": {}}]"#,
            Some(Format::Mcp),
        ),
        (
            "a.json",
            r#"{"name": "x", "skills": [], "capabilities": {}}"#,
            Some(Format::A2a),
        ),
        (
            "a.json",
            r#"{"jsonrpc": "2.0", "result": {"name": "x", "skills": [], "protocolVersion": "0.3.0"}}"#,
            Some(Format::A2a),
        ),
        (
            "a.yaml",
            "slug: a\nversion: 1\noperations: []",
            Some(Format::Native),
        ),
        ("a.yaml", "$schema: kno@0.0.9\nid: x", Some(Format::Native)),
        ("a.kno", "title: x", Some(Format::Native)),
        ("a.aon.json", r#"{"title": "x"}"#, Some(Format::Native)),
        ("a.yaml", "type: object\nproperties: {}", None),
        ("a.json", "[1, 2]", None),
    ];
    for (name, text, expected) in cases {
        assert_eq!(Document::from_text(name, text).format(), expected, "{text}");
    }
    let options = ReadOptions::default().with_format(Format::Native);
    let document = Document::open("a.yaml", "title: x", &options, &aon_manifest::NoFiles);
    assert_eq!(document.apis().len(), 1);
}

const NATIVE: &str = r#"
$schema: kno@0.0.9
id: 01KS13QXWZF99YFC5VR2ZX3M6P
slug: possibility-auth
type: api
version: 1.2.0
visibility: public
title: Possibility auth
purpose: Configure sign-in.
taxonomy: {topics: [auth]}
self_healing_score: 4
remediation_default: {type: none, reason: not_yet_implemented}
operations:
  - id: update_auth
    method: PATCH
    path: /possibilities/{id}/auth
    summary: Change how people sign in
    parameters:
      - {name: id, in: path, type: string}
      - {name: auth_ux, in: body, type: string, required: true, default: hosted, enum: [hosted, custom], choices_endpoint: /auth/options}
    request_body:
      schema: {type: object, properties: {note: {type: string}}}
    responses:
      - {status: 200, description: Changed}
    error_responses:
      - status: 422
        code: invalid_auth_ux
        title: Invalid auth_ux
        docs_url: https://example.com/docs#auth-ux
        valid_values: {auth_ux: [hosted, custom]}
        remediation:
          type: request_scope_elevation
          next_action: {endpoint_url: '/possibilities/{id}/auth'}
          auto_fix_available: false
        example: {code: invalid_auth_ux}
      - {status: 404, code: unknown_possibility}
    mcp: {expose: true, tool: update_possibility_auth}
    a2a: {skill: possibility_auth_configuration}
    verify: read_auth
  - {id: read_auth, method: get, path: '/possibilities/{id}/auth', visibility: internal, mcp: {expose: false}}
"#;

#[test]
fn the_native_manifest_is_read_whole() {
    let document = Document::from_text("auth.aon.yaml", NATIVE);
    assert!(document.issues().is_empty());
    let apis = document.apis();
    let api = &apis[0];
    assert!(api.issues.is_empty(), "{:?}", api.issues);
    assert_eq!(api.slug(), "possibility-auth");
    assert_eq!(api.manifest_type.unwrap().as_str(), "api");
    assert_eq!(api.stated_scores[0].text(), "self_healing_score");
    assert!(api.unknown.iter().any(|key| key.text() == "taxonomy"));
    assert!(api.remediation_default.unwrap().is_none_with_reason());
    let operation = &api.operations[0];
    assert_eq!(operation.method, Some(Method::Patch));
    assert_eq!(operation.parameters[0].location, Location::Path);
    assert!(operation.parameters[0].required);
    let auth = operation.parameter("auth_ux").unwrap();
    let carriers: Vec<_> = auth.carriers().iter().map(|carrier| carrier.kind).collect();
    assert_eq!(carriers, [CarrierKind::Enum, CarrierKind::ChoicesEndpoint]);
    assert_eq!(auth.default().unwrap().text(), "hosted");
    assert_eq!(auth.anchor().pointer(), "/operations/0/parameters/1/name");
    let error = &operation.errors[0];
    assert_eq!(error.status, Some(Status::Code(422)));
    assert!(error.has_envelope());
    assert_eq!(error.valid_values.unwrap().get("auth_ux").unwrap().len(), 2);
    let remediation = error.remediation.unwrap();
    assert_eq!(
        remediation
            .next_action
            .unwrap()
            .endpoint_url
            .unwrap()
            .as_str(),
        "/possibilities/{id}/auth"
    );
    assert_eq!(remediation.auto_fix_available, Some(false));
    assert_eq!(
        operation.errors[1]
            .remediation_or(api.remediation_default)
            .unwrap()
            .kind
            .unwrap()
            .as_str(),
        "none"
    );
    assert_eq!(operation.tool_name().unwrap(), "update_possibility_auth");
    assert_eq!(
        operation.verify.unwrap().operation.unwrap().as_str(),
        "read_auth"
    );
    assert!(operation.public && !api.operations[1].public);
    assert_eq!(api.operations[1].tool_name(), None);
    assert_eq!(
        api.surfaces().iter().collect::<Vec<_>>(),
        [Surface::Rest, Surface::Mcp, Surface::A2a, Surface::Human]
    );
    assert_eq!(
        api.operation_at(Some("GET"), "/possibilities/:pid/auth")
            .unwrap()
            .name(),
        "read_auth"
    );
    assert!(
        api.operation_of_skill("possibility_auth_configuration")
            .is_some()
    );
    let inputs: Vec<_> = api
        .inputs()
        .iter()
        .map(|input| (input.name(), input.location))
        .collect();
    assert_eq!(
        inputs,
        [
            ("id", Location::Path),
            ("auth_ux", Location::Body),
            ("note", Location::Property)
        ]
    );
}

const OPENAPI: &str = r#"
openapi: 3.1.0
info: {title: Possibility auth, version: 1.2.0, x-aon-api: possibility-auth, x-aon-visibility: public}
servers: [{url: 'https://api.example.com/v1'}]
x-aon-remediation-default: {type: none, reason: not_yet_implemented}
paths:
  /possibilities/{id}/auth:
    parameters:
      - {name: id, in: path, required: true, schema: {type: string}}
      - {name: mode, in: query, schema: {type: string}}
    patch:
      operationId: update_auth
      x-aon-mcp-tool: update_possibility_auth
      x-aon-a2a: {skill: possibility_auth_configuration}
      x-aon-verify: read_auth
      parameters:
        - {name: mode, in: query, schema: {$ref: '#/components/schemas/Mode'}}
        - {name: region, in: query, x-choices-endpoint: /regions, schema: {type: string}}
      requestBody:
        content:
          application/json:
            schema:
              allOf:
                - $ref: '#/components/schemas/Auth'
                - {type: object, required: [note], properties: {note: {type: string}}}
      responses:
        '200': {description: ok, content: {application/json: {schema: {$ref: '#/components/schemas/Auth'}}}}
        '404': {$ref: '#/components/responses/Missing'}
        '422':
          description: bad
          x-aon-errors:
            - {code: invalid_auth_ux, type: 'pspace://problem/invalid_auth_ux', valid_values: {auth_ux: [hosted, custom]}}
            - {code: invalid_mode}
          content: {application/problem+json: {schema: {type: object}}}
        '429':
          description: slow down
          content:
            application/problem+json:
              examples:
                burst: {value: {type: 'pspace://problem/burst', code: burst, title: Too fast, remediation: {type: wait_for_provisioning}}}
                quota: {value: {type: 'pspace://problem/quota', code: quota}}
        default: {description: other, content: {application/json: {}}}
components:
  responses:
    Missing:
      description: missing
      x-aon-code: unknown_possibility
      content: {application/problem+json; charset=utf-8: {schema: {$ref: '#/components/schemas/Problem'}}}
  schemas:
    Mode: {type: string, enum: [fast, safe]}
    Problem: {type: object, properties: {code: {type: string}}}
    Auth:
      type: object
      required: [auth_ux]
      properties:
        auth_ux: {anyOf: [{$ref: '#/components/schemas/Ux'}, {type: 'null'}]}
        tags: {type: array, items: {type: string, enum: [a, b]}}
        either: {oneOf: [{type: string, format: uri}, {type: string, enum: [none]}]}
        made: {type: string, readOnly: true}
        self: {$ref: '#/components/schemas/Auth'}
    Ux: {oneOf: [{const: hosted, title: Hosted page}, {const: custom, description: Your own page}]}
webhooks:
  changed: {post: {requestBody: {content: {application/json: {schema: {properties: {event: {type: string}}}}}}}}
"#;

#[test]
fn openapi_is_read_whole() {
    let document = Document::from_text("auth.yaml", OPENAPI);
    assert!(document.issues().is_empty(), "{:?}", document.issues());
    let apis = document.apis();
    let api = &apis[0];
    assert_eq!(api.slug(), "possibility-auth");
    assert_eq!(api.format_version.unwrap().as_str(), "3.1.0");
    let operation = &api.operations[0];
    assert_eq!(operation.anchor.text(), "patch");
    let names: Vec<_> = operation
        .parameters
        .iter()
        .map(|parameter| parameter.name())
        .collect();
    assert_eq!(names, ["id", "mode", "region"]);
    let mode = &operation.parameter("mode").unwrap().carriers()[0];
    assert_eq!(
        (mode.kind, mode.reach),
        (CarrierKind::Enum, Reach::Inherited)
    );
    let region = &operation.parameter("region").unwrap().carriers()[0];
    assert_eq!(region.endpoint().unwrap().as_str(), "/regions");
    let errors: Vec<_> = operation
        .errors
        .iter()
        .map(|error| {
            (
                error.status.unwrap().to_string(),
                error.code.map_or("-", |code| code.as_str()),
                error.has_envelope(),
            )
        })
        .collect();
    let expected = [
        ("404", "unknown_possibility", true),
        ("422", "invalid_auth_ux", true),
        ("422", "invalid_mode", true),
        ("429", "burst", true),
        ("429", "quota", true),
        ("default", "-", false),
    ];
    assert_eq!(
        errors,
        expected.map(|(status, code, envelope)| (status.to_owned(), code, envelope))
    );
    assert_eq!(
        operation.errors[1].type_uri.unwrap().as_str(),
        "pspace://problem/invalid_auth_ux"
    );
    assert_eq!(
        operation.errors[3]
            .remediation
            .unwrap()
            .kind
            .unwrap()
            .as_str(),
        "wait_for_provisioning"
    );
    assert!(operation.errors[4].remediation.is_none());
    assert_eq!(operation.tool_name().unwrap(), "update_possibility_auth");
    assert_eq!(
        api.operation_at(None, "/v1/possibilities/7/auth")
            .unwrap()
            .name(),
        "update_auth"
    );
    let uses: Vec<_> = api
        .properties()
        .iter()
        .map(|usage| (usage.property.name(), usage.in_request, usage.in_response))
        .collect();
    assert!(uses.contains(&("auth_ux", true, true)));
    assert!(uses.contains(&("note", true, false)));
    assert!(uses.contains(&("code", false, true)));
    assert!(uses.contains(&("event", false, true)));
    let inputs = api.inputs();
    assert!(
        inputs.iter().all(|input| input.name() != "made"),
        "what only the server sets is not an input"
    );
    let input = |name: &str| inputs.iter().find(|input| input.name() == name).unwrap();
    assert!(
        input("auth_ux").is_required()
            && input("note").is_required()
            && !input("tags").is_required()
    );
    let ux = input("auth_ux").carriers();
    assert_eq!(ux.len(), 1);
    assert_eq!((ux[0].kind, ux[0].is_literal()), (CarrierKind::OneOf, true));
    let choices: Vec<_> = ux[0]
        .choices()
        .iter()
        .map(|choice| {
            (
                choice.value.text(),
                choice.label.map(|label| label.as_str()),
            )
        })
        .collect();
    assert_eq!(choices, [("hosted", Some("Hosted page")), ("custom", None)]);
    assert_eq!(input("tags").carriers()[0].reach, Reach::Items);
    let either = input("either").carriers();
    assert_eq!(
        either
            .iter()
            .map(|carrier| (carrier.kind, carrier.reach))
            .collect::<Vec<_>>(),
        [
            (CarrierKind::OneOf, Reach::Own),
            (CarrierKind::Enum, Reach::Branch)
        ]
    );
    assert!(!either[0].is_literal());
}

#[test]
fn swagger_bodies_forms_and_examples_are_read() {
    let text = r##"{
      "swagger": "2.0", "info": {"title": "Pets", "version": "1"}, "basePath": "/v2", "produces": ["application/problem+json"],
      "parameters": {"kind": {"name": "kind", "in": "query", "type": "string", "enum": ["cat"]}},
      "paths": {"/pets": {"post": {
        "parameters": [
          {"$ref": "#/parameters/kind"},
          {"name": "body", "in": "body", "required": true, "schema": {"$ref": "#/definitions/Pet"}},
          {"name": "size", "in": "formData", "type": "string"}
        ],
        "responses": {"201": {"description": "made"}, "400": {"description": "bad", "schema": {"type": "object"}, "examples": {"application/problem+json": {"code": "bad_pet"}}}}
      }}},
      "definitions": {"Pet": {"type": "object", "properties": {"state": {"type": "string"}}}}
    }"##;
    let document = Document::from_text("pets.json", text);
    let apis = document.apis();
    let operation = &apis[0].operations[0];
    assert_eq!(operation.name(), "POST /pets");
    let locations: Vec<_> = operation
        .parameters
        .iter()
        .map(|parameter| parameter.location)
        .collect();
    assert_eq!(locations, [Location::Query, Location::Form]);
    assert_eq!(operation.parameters[0].carriers().len(), 1);
    assert!(operation.request_body.as_ref().unwrap().required);
    assert!(apis[0].inputs().iter().any(|input| input.name() == "state"));
    assert_eq!(operation.errors[0].code.unwrap().as_str(), "bad_pet");
    assert!(operation.errors[0].has_envelope() && operation.errors[0].has_schema());
    assert_eq!(
        apis[0]
            .operation_at(Some("post"), "/v2/pets")
            .unwrap()
            .name(),
        "POST /pets"
    );
}

#[test]
fn tools_and_skills_are_operations() {
    let tools = r#"{"jsonrpc": "2.0", "id": 1, "result": {"tools": [
        {"name": "update_auth", "description": "d", "inputSchema": {"type": "object", "required": ["id"], "properties": {"id": {"type": "string"}, "opts": {"type": "object", "properties": {"mode": {"type": "string"}}}}},
         "_meta": {"aon/a2a_skill": "auth", "aon/errors": [{"status": 422, "code": "invalid"}]}},
        {"name": "b", "inputSchema": null}, 7
    ], "_meta": {"aon/api": "auth"}}}"#;
    let document = Document::from_text("tools.json", tools);
    let apis = document.apis();
    let api = &apis[0];
    assert_eq!(api.slug(), "auth");
    assert_eq!(api.issues.len(), 1, "{:?}", api.issues);
    assert_eq!(api.operations.len(), 2);
    let operation = &api.operations[0];
    assert_eq!(operation.skill().unwrap().as_str(), "auth");
    assert_eq!(operation.errors[0].code.unwrap().as_str(), "invalid");
    assert!(operation.parameters[0].required && !operation.parameters[1].required);
    let inputs: Vec<_> = api.inputs().iter().map(|input| input.name()).collect();
    assert_eq!(inputs, ["id", "opts", "mode"]);
    assert_eq!(
        api.surfaces().iter().collect::<Vec<_>>(),
        [Surface::Mcp, Surface::A2a]
    );

    let card = r#"{"name": "Auth agent", "description": "d", "version": "1", "url": "https://a.example", "capabilities": {},
        "supportedInterfaces": [{"url": "https://a.example", "protocolBinding": "JSONRPC", "protocolVersion": "1.0"}, {"url": "https://b.example"}],
        "skills": [{"id": "auth", "name": "Auth", "description": "d", "tags": ["x"], "x-aon-mcp-tool": "update_auth"}, "oops"]}"#;
    let document = Document::from_text("card.json", card);
    let apis = document.apis();
    assert_eq!(apis[0].slug(), "auth-agent");
    assert_eq!(apis[0].format_version.unwrap().as_str(), "1.0");
    assert_eq!(apis[0].servers.len(), 2);
    assert_eq!(apis[0].operations[0].tool_name().unwrap(), "update_auth");
    assert_eq!(apis[0].issues.len(), 1);
}

#[test]
fn wrong_shapes_are_reported_and_the_rest_is_read() {
    let text = "slug: a\nversion: 1\noperations:\n  - 7\n  - id: good\n    method: FLY\n    path: /x\n    parameters: [oops, {in: query}]\n    error_responses: [{code: x}, 500]\n  - {id: fine, method: GET, path: /y}\n";
    let document = Document::from_text("a.aon.yaml", text);
    let apis = document.apis();
    let names: Vec<_> = apis[0]
        .operations
        .iter()
        .map(|operation| operation.name())
        .collect();
    assert_eq!(names, ["good", "fine"]);
    assert_eq!(apis[0].issues.len(), 6, "{:#?}", apis[0].issues);
    for text in [
        "openapi: 3.1.0\npaths: []\ninfo: x\n",
        "openapi: 3.1.0\npaths: {/a: 7, /b: {get: 8, put: {parameters: {}, responses: []}}}\n",
        "swagger: 9\n",
        "operations: 5\nslug: a\n",
    ] {
        let document = Document::from_text("a.yaml", text);
        let apis = document.apis();
        assert!(!apis[0].issues.is_empty(), "{text}");
        let _ = apis[0].inputs();
    }
}
