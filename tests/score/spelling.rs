//! The native and the OpenAPI spelling of one API have the same score.

use aon_lint::score::Dimension;

/// Native, then the same as OpenAPI, then the levels both have.
const PAIRS: &[(&str, &str, [Option<u8>; 5])] = &[
    (
        "
slug: auth
operations:
  - id: update_auth
    method: PATCH
    path: /auth/{id}
    parameters:
      - { name: id, in: path, type: string, required: true }
      - { name: auth_ux, in: body, type: string }
",
        "
openapi: 3.1.0
info: { title: Auth, version: '1', x-aon-api: auth }
paths:
  /auth/{id}:
    patch:
      operationId: update_auth
      parameters:
        - { name: id, in: path, required: true, schema: { type: string } }
      requestBody:
        content: { application/json: { schema: { type: object, properties: { auth_ux: { type: string } } } } }
      responses: { '200': { description: OK } }
",
        [Some(0), Some(0), Some(0), Some(0), Some(0)],
    ),
    (
        "
slug: auth
operations:
  - id: update_auth
    method: PATCH
    path: /auth
    parameters:
      - { name: auth_ux, in: body, type: string, enum: [hosted, custom] }
    error_responses:
      - { status: 404, description: Not found }
      - { status: 422, description: Please set auth_ux to a known value }
",
        "
openapi: 3.0.3
info: { title: Auth, version: '1', x-aon-api: auth }
paths:
  /auth:
    patch:
      operationId: update_auth
      requestBody:
        content: { application/json: { schema: { type: object, properties: { auth_ux: { type: string, enum: [hosted, custom] } } } } }
      responses:
        '200': { description: OK }
        '404': { description: Not found }
        '422': { description: Please set auth_ux to a known value }
",
        [Some(2), Some(1), Some(0), Some(0), Some(0)],
    ),
    (
        "
slug: auth
docs_url: https://docs.example.com
remediation_default: { type: none, reason: not_yet_implemented }
operations:
  - id: update_auth
    method: PATCH
    path: /auth
    mcp: { expose: true, tool: update_auth }
    a2a: { skill: update_auth }
    verify: read_auth
    parameters:
      - { name: auth_ux, in: body, type: string, enum: [hosted, custom], default: hosted }
    error_responses:
      - status: 422
        code: invalid_auth_ux
        type: pspace://problem/invalid_auth_ux
        mcp_tool: update_auth
        valid_values: { auth_ux: [hosted, custom] }
        remediation:
          type: switch_user
          next_action: { endpoint_url: /auth }
          example_request: { method: PATCH, path: /auth, body: { auth_ux: custom } }
          auto_fix_available: true
        example: { code: invalid_auth_ux, valid_values: { auth_ux: [hosted, custom] } }
  - id: read_auth
    method: GET
    path: /auth
    mcp: { expose: true, tool: read_auth }
    a2a: { skill: read_auth }
    error_responses:
      - { status: 503, code: storage_down, type: 'pspace://problem/storage_down', example: { code: storage_down } }
",
        "
openapi: 3.1.0
info: { title: Auth, version: '1', x-aon-api: auth }
externalDocs: { url: 'https://docs.example.com' }
x-aon-remediation-default: { type: none, reason: not_yet_implemented }
paths:
  /auth:
    patch:
      operationId: update_auth
      x-aon-mcp: { expose: true, tool: update_auth }
      x-aon-a2a: { skill: update_auth }
      x-aon-verify: read_auth
      requestBody:
        content:
          application/json:
            schema: { type: object, properties: { auth_ux: { type: string, enum: [hosted, custom], default: hosted } } }
      responses:
        '200': { description: OK }
        '422':
          description: Wrong value
          x-aon-code: invalid_auth_ux
          x-aon-type: pspace://problem/invalid_auth_ux
          x-aon-mcp-tool: update_auth
          x-aon-valid-values: { auth_ux: [hosted, custom] }
          x-aon-remediation:
            type: switch_user
            next_action: { endpoint_url: /auth }
            example_request: { method: PATCH, path: /auth, body: { auth_ux: custom } }
            auto_fix_available: true
          content:
            application/problem+json:
              example: { code: invalid_auth_ux, valid_values: { auth_ux: [hosted, custom] } }
    get:
      operationId: read_auth
      x-aon-mcp: { expose: true, tool: read_auth }
      x-aon-a2a: { skill: read_auth }
      responses:
        '200': { description: OK }
        '503':
          description: Down
          content:
            application/problem+json:
              example: { code: storage_down, type: 'pspace://problem/storage_down' }
",
        [Some(4), Some(4), Some(4), Some(3), Some(4)],
    ),
];

#[test]
fn native_and_openapi_spell_the_same_score() {
    for (native, openapi, levels) in PAIRS {
        let (one, other) = (
            super::only("a.aon.yaml", native),
            super::only("a.yaml", openapi),
        );
        for dimension in Dimension::ALL {
            let told = (
                one.missing(*dimension).map(|missing| &missing.what),
                other.missing(*dimension).map(|missing| &missing.what),
            );
            assert_eq!(
                one.level(*dimension),
                other.level(*dimension),
                "{dimension}: {told:?}\n{native}"
            );
        }
        assert_eq!(super::levels(&one), levels, "{native}");
        assert_eq!((one.passes, one.points), (other.passes, other.points));
    }
}
