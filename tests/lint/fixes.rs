//! `--fix`: nothing outside the edit changes, and a second run changes nothing.

use crate::program::{BAD, Folder};

/// A document, what `--fix` makes of one line of it, and that line.
struct Case {
    name: &'static str,
    file: &'static str,
    text: &'static str,
    /// Every changed place: what was there, what is there now.
    edits: &'static [(&'static str, &'static str)],
}

const CASES: &[Case] = &[
    Case {
        name: "yaml with comments and quotes",
        file: "a.aon.yaml",
        text: "# top\noperations: # all of them\n  - id: 'a'   # quoted\n    parameters:\n      - name: \"width\"\n        type: string # text\n        description: 'Must be one of narrow or wide.'\n\n      # the end\n      - { name: id, type: integer }   \n",
        edits: &[(
            "        type: string # text\n",
            "        type: string # text\n        enum: [narrow, wide]\n",
        )],
    },
    Case {
        name: "flow style",
        file: "a.aon.yaml",
        text: "operations:\n  - id: a\n    parameters: [{name: width, type: string, description: 'Must be one of narrow or wide.'}, {name: id, type: integer}]\n",
        edits: &[(
            "name: width, type: string,",
            "name: width, type: string, enum: [narrow, wide],",
        )],
    },
    Case {
        name: "block scalar",
        file: "a.aon.yaml",
        text: "operations:\n  - id: a\n    parameters:\n      - name: width\n        type: string\n        description: |\n          Must be one of narrow or wide.\n\n      - name: id\n        type: integer\n",
        edits: &[(
            "        type: string\n",
            "        type: string\n        enum: [narrow, wide]\n",
        )],
    },
    Case {
        name: "crlf",
        file: "a.aon.yaml",
        text: "operations:\r\n  - id: a\r\n    parameters:\r\n      - name: width\r\n        type: string\r\n        description: Must be one of narrow or wide.\r\n      - name: id\r\n        type: integer\r\n",
        edits: &[(
            "        type: string\r\n",
            "        type: string\r\n        enum: [narrow, wide]\r\n",
        )],
    },
    Case {
        name: "anchors",
        file: "a.aon.yaml",
        text: "operations:\n  - id: a\n    parameters:\n      - &width\n        name: width\n        type: string\n        description: Must be one of narrow or wide.\n  - id: b\n    parameters:\n      - *width\n",
        edits: &[(
            "        type: string\n",
            "        type: string\n        enum: [narrow, wide]\n",
        )],
    },
    Case {
        name: "json with tabs",
        file: "a.json",
        text: "{\n\t\"openapi\": \"3.1.0\",\n\t\"paths\": { \"/a\": { \"get\": {\n\t\t\"parameters\": [\n\t\t\t{ \"name\": \"width\", \"in\": \"query\",\n\t\t\t  \"schema\": { \"type\":\"string\" },  \"description\": \"Must be one of narrow or wide.\" }\n\t\t]\n\t} } }\n}\n",
        edits: &[(
            "{ \"type\":\"string\" }",
            "{ \"type\":\"string\",\"enum\":[\"narrow\",\"wide\"] }",
        )],
    },
    Case {
        name: "one line of json without a line break at the end",
        file: "tools.json",
        text: "{\"tools\":[{\"name\":\"a\",\"inputSchema\":{\"type\":\"object\",\"properties\":{\"width\":{\"type\":\"string\",\"description\":\"Must be one of narrow or wide.\"}}}}]}",
        edits: &[(
            "{\"type\":\"string\",\"description\"",
            "{\"type\":\"string\",\"enum\":[\"narrow\",\"wide\"],\"description\"",
        )],
    },
    Case {
        name: "numbers, and a value that may be null",
        file: "a.json",
        text: "{\"openapi\": \"3.1.0\", \"paths\": {\"/a\": {\"get\": {\"parameters\": [\n{\"name\": \"rate\", \"in\": \"query\", \"description\": \"Must be one of 1, 2 or 5.5.\", \"schema\": {\"type\": \"number\"}},\n{\"name\": \"width\", \"in\": \"query\", \"description\": \"Must be one of narrow or wide.\", \"schema\": {\"type\": \"string\", \"nullable\": true}}]}}}}",
        edits: &[
            (
                "{\"type\": \"number\"}",
                "{\"type\": \"number\", \"enum\": [1, 2, 5.5]}",
            ),
            (
                "{\"type\": \"string\", ",
                "{\"type\": \"string\", \"enum\": [\"narrow\", \"wide\", null], ",
            ),
        ],
    },
    Case {
        name: "branches of constants become an enum",
        file: "a.aon.yaml",
        text: "operations:\n  - id: a\n    parameters:\n      - name: width\n        type: string\n        oneOf:\n          - const: narrow\n          - const: wide\n        # here\n        required: true # yes\n",
        edits: &[(
            "        oneOf:\n          - const: narrow\n          - const: wide\n",
            "        enum: [narrow, wide]\n",
        )],
    },
];

#[test]
fn only_the_edit_changes_and_only_once() {
    for case in CASES {
        let folder = Folder::new("fix", &[(case.file, case.text)]);
        let run = folder.lint(&["--fix", case.file]);
        let mut wanted = case.text.to_owned();
        for (before, after) in case.edits {
            assert_eq!(wanted.matches(before).count(), 1, "{}", case.name);
            wanted = wanted.replace(before, after);
        }
        let fixed = folder.read(case.file);
        assert_eq!(fixed, wanted, "{}: {}{}", case.name, run.out, run.err);
        let found = folder.found(&["--fix", case.file]);
        assert_eq!(folder.read(case.file), wanted, "{}, second time", case.name);
        let left: Vec<_> = found.iter().filter(|f| f.contains("choice")).collect();
        assert!(left.is_empty(), "{}: {left:?}", case.name);
    }
    aon_tests::place::say(&format!("count: documents repaired {}", CASES.len()));
}

#[test]
fn a_reference_into_another_file_is_repaired_there() {
    let main = "openapi: 3.1.0\npaths:\n  /a:\n    get:\n      parameters:\n        - $ref: 'shared/width.yaml#/width'\n";
    let shared = "# shared\nwidth:\n  name: width\n  in: query\n  description: Must be one of narrow or wide.\n  schema:\n    type: string # text\n";
    let folder = Folder::new(
        "fix-many",
        &[("a.yaml", main), ("shared/width.yaml", shared)],
    );
    let run = folder.lint(&["--fix", "a.yaml"]);
    assert_eq!(folder.read("a.yaml"), main);
    assert_eq!(
        folder.read("shared/width.yaml"),
        shared.replace(
            "    type: string # text\n",
            "    type: string # text\n    enum: [narrow, wide]\n"
        ),
        "{}{}",
        run.out,
        run.err
    );
    let after = folder.read("shared/width.yaml");
    folder.lint(&["--fix", "a.yaml"]);
    assert_eq!(folder.read("shared/width.yaml"), after);
}

/// What a repair adds, behind the type.
fn repaired(text: &str) -> String {
    text.replace(
        "type: string\n",
        "type: string\n        enum: [narrow, wide]\n",
    )
}

#[test]
fn a_difference_is_shown_and_nothing_written() {
    let folder = Folder::new("diff", &[("a.aon.yaml", BAD)]);
    let run = folder.lint(&["--diff", "a.aon.yaml"]);
    assert_eq!(run.code, 1);
    assert_eq!(folder.read("a.aon.yaml"), BAD);
    assert!(
        run.out.contains("+        enum: [narrow, wide]\n"),
        "{}",
        run.out
    );
    assert_eq!(
        run.out.matches("\n+").count(),
        2,
        "a heading and one line: {}",
        run.out
    );
    folder.lint(&["--fix", "a.aon.yaml"]);
    let run = folder.lint(&["--diff", "a.aon.yaml"]);
    assert_eq!((run.code, run.out.as_str()), (0, ""), "{}", run.err);
}

#[test]
fn a_comment_inside_the_edit_is_not_lost_without_asking() {
    let text = "operations:\n  - id: a\n    parameters:\n      - name: width\n        type: string\n        oneOf:\n          - const: narrow # for phones\n          - const: wide\n";
    let folder = Folder::new("remark", &[("a.aon.yaml", text)]);
    folder.lint(&["--fix", "a.aon.yaml"]);
    assert_eq!(folder.read("a.aon.yaml"), text);
}

#[test]
fn what_needs_a_look_is_repaired_only_when_asked() {
    // Likely, not certain: the text does not say that these are all.
    let text = BAD.replace(
        "Must be one of narrow or wide.",
        "\"The width: 'narrow' or 'wide'\"",
    );
    let folder = Folder::new("unsafe", &[("a.aon.yaml", &text)]);
    folder.lint(&["--fix", "a.aon.yaml"]);
    assert_eq!(folder.read("a.aon.yaml"), text);
    let run = folder.lint(&["--unsafe-fixes", "a.aon.yaml"]);
    assert_eq!(run.code, 0, "{}{}", run.out, run.err);
    assert_eq!(folder.read("a.aon.yaml"), repaired(&text));
}

#[test]
fn what_several_share_is_not_changed_for_one_of_them() {
    let head = "openapi: 3.1.0\ninfo: {title: t, version: '1'}\n";
    let paths = "paths:\n  /a:\n    get:\n      operationId: a\n      responses: {'200': {description: ok}}\n      parameters:\n";
    let width = "name: width, description: Must be one of narrow or wide.";
    let order = "name: order, description: Must be one of asc or desc.";
    for (what, text) in [
        (
            "a merge key",
            format!(
                "{head}x: &x {{in: query, schema: {{type: string}}}}\n{paths}        - {{<<: *x, {width}}}\n        - {{<<: *x, {order}}}\n"
            ),
        ),
        (
            "an alias",
            format!(
                "{head}{paths}        - {{in: query, {width}, schema: &s {{type: string}}}}\n        - {{in: query, {order}, schema: *s}}\n"
            ),
        ),
        (
            "words beside a reference",
            format!(
                "{head}{paths}        - {{$ref: '#/components/parameters/P', description: Must be one of narrow or wide.}}\ncomponents: {{parameters: {{P: {{name: p, in: query, schema: {{type: string}}}}}}}}\n"
            ),
        ),
    ] {
        let folder = Folder::new("shared", &[("a.yaml", &text)]);
        let found = folder.found(&["--fix", "--unsafe-fixes"]);
        assert!(!found.is_empty(), "{what}");
        assert_eq!(folder.read("a.yaml"), text, "{what}");
    }
    // A native parameter has its type beside its name, and merges it all the same.
    let text = "x: &x {type: string}\noperations:\n  - id: a\n    parameters:\n      - <<: *x\n        name: width\n        description: Must be one of narrow or wide.\n      - <<: *x\n        name: note\n";
    let folder = Folder::new("shared-native", &[("a.aon.yaml", text)]);
    assert!(folder.found(&["--fix"]).is_empty());
    let fixed = folder.read("a.aon.yaml");
    assert!(
        fixed.contains("        enum: [narrow, wide]\n        name: width\n"),
        "{fixed}"
    );
    assert!(fixed.starts_with("x: &x {type: string}\n"), "{fixed}");
}
