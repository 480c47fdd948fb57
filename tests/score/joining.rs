//! Documents that describe one API are scored as one.

use aon_lint::Settings;
use aon_lint::score::{Dimension, Join, score_documents};
use aon_manifest::Document;

const OPENAPI: &str = "
openapi: 3.1.0
info: { title: Orders, version: 1.0.0, x-aon-api: orders }
externalDocs: { url: 'https://docs.example.com/orders' }
paths:
  /orders:
    get:
      operationId: listOrders
      parameters:
        - { name: state, in: query, schema: { type: string, enum: [open, closed], default: open } }
      responses:
        '200': { description: OK }
        '422':
          description: Wrong state
          content:
            application/problem+json:
              example: { type: 'pspace://problem/bad_state', code: bad_state, valid_values: { state: [open, closed] } }
";
const TOOLS: &str = r#"{"x-aon-api": "orders", "tools": [{"name": "list_orders", "inputSchema": {"type": "object",
  "properties": {"state": {"type": "string", "enum": ["open", "closed"], "default": "open"}}}}]}"#;
const CARD: &str = r#"{"name": "Orders agent", "x-aon-api": "orders", "protocolVersion": "1.0", "capabilities": {}, "skills":
  [{"id": "list-orders", "name": "List orders", "description": "Lists orders", "tags": []}]}"#;

#[test]
fn an_openapi_file_a_tool_list_and_a_card_add_up_to_parity() {
    let alone = super::scored(&[("orders.yaml", OPENAPI)]);
    assert_eq!(alone[0].level(Dimension::D5), Some(0));
    assert_eq!(
        alone[0].level(Dimension::D1),
        Some(3),
        "no agent can reach it yet"
    );
    let two = super::scored(&[("orders.yaml", OPENAPI), ("tools.json", TOOLS)]);
    assert_eq!(two.len(), 1);
    assert_eq!(two[0].level(Dimension::D5), Some(1));
    let three = super::scored(&[
        ("orders.yaml", OPENAPI),
        ("tools.json", TOOLS),
        ("card.json", CARD),
    ]);
    assert_eq!(three.len(), 1);
    assert_eq!(
        three[0].level(Dimension::D5),
        Some(4),
        "{:?}",
        three[0].missing(Dimension::D5)
    );
    assert_eq!(
        three[0].level(Dimension::D1),
        Some(4),
        "{:?}",
        three[0].missing(Dimension::D1)
    );
    assert_eq!(three[0].files, ["orders.yaml", "tools.json", "card.json"]);
    assert_eq!(three[0].operations, 1);
}

#[test]
fn the_order_of_files_does_not_matter() {
    let files = [
        ("orders.yaml", OPENAPI),
        ("tools.json", TOOLS),
        ("card.json", CARD),
    ];
    let wanted = super::scored(&files);
    for turn in [[0, 2, 1], [1, 0, 2], [1, 2, 0], [2, 0, 1], [2, 1, 0]] {
        let turned: Vec<_> = turn.iter().map(|at| files[*at]).collect();
        assert_eq!(super::scored(&turned), wanted, "{turn:?}");
    }
}

#[test]
fn what_a_tool_list_lacks_is_not_on_that_surface() {
    let promised = OPENAPI.replace(
        "operationId: listOrders",
        "operationId: listOrders\n      x-aon-mcp: { expose: true, tool: list_orders }",
    );
    let alone = super::only("orders.yaml", &promised);
    assert_eq!(alone.level(Dimension::D5), Some(1));
    let other = TOOLS.replace("list_orders", "count_orders");
    let api = &super::scored(&[("orders.yaml", &promised), ("tools.json", &other)])[0];
    assert_eq!(api.operations, 2, "the tool is another operation");
    let all = super::scored(&[
        ("orders.yaml", &promised),
        ("tools.json", &other),
        ("card.json", CARD),
    ]);
    assert_eq!(all[0].level(Dimension::D5), Some(2));
    assert!(
        all[0]
            .missing(Dimension::D5)
            .unwrap()
            .what
            .contains("not on MCP")
    );
}

#[test]
fn inputs_that_differ_are_not_equal_content() {
    let other = TOOLS.replace("\"state\"", "\"phase\"");
    let api = &super::scored(&[
        ("orders.yaml", OPENAPI),
        ("tools.json", &other),
        ("card.json", CARD),
    ])[0];
    assert_eq!(api.level(Dimension::D5), Some(3));
    assert!(
        api.missing(Dimension::D5)
            .unwrap()
            .what
            .contains("different inputs")
    );
}

#[test]
fn a_group_of_the_configuration_joins_what_states_no_slug() {
    let tools = TOOLS.replace("\"x-aon-api\": \"orders\", ", "");
    let documents = [
        Document::from_text("api/orders.yaml", OPENAPI),
        Document::from_text("mcp/orders.json", &tools),
    ];
    let apart = score_documents(&documents, &Join::default(), &Settings::default());
    assert_eq!(apart.len(), 2);
    let join = Join::default().with_group("shop", ["api/orders.yaml", "mcp/*.json"]);
    let together = score_documents(&documents, &join, &Settings::default());
    assert_eq!(together.len(), 1);
    assert_eq!(
        (together[0].slug.as_str(), together[0].level(Dimension::D5)),
        ("shop", Some(1))
    );
}

#[test]
fn titles_and_file_names_join_nothing() {
    let text = "{\"tools\": [{\"name\": \"a\", \"inputSchema\": {}}]}";
    assert_eq!(
        super::scored(&[("one/tools.json", text), ("two/tools.json", text)]).len(),
        2
    );
}

#[test]
fn two_versions_of_a_manifest_are_two_states_of_it() {
    let manifest = |version: &str| {
        format!(
            "slug: parcels\nversion: {version}\noperations:\n  - {{ id: list, method: GET, path: /parcels }}\n"
        )
    };
    let files = [
        ("old.aon.yaml", manifest("1.0.0")),
        ("new.aon.yaml", manifest("2.0.0")),
    ];
    let files: Vec<_> = files
        .iter()
        .map(|(name, text)| (*name, text.as_str()))
        .collect();
    assert_eq!(super::scored(&files).len(), 2);
}
