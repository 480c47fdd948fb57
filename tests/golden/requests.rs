//! What generated clients send: queries in every style, forms, files and bytes; and how they read problems without a code.

use std::fs;
use std::io;
use std::process::Command;

use aon_codegen::{Options, lower};
use aon_manifest::{Document, ReadOptions};
use aon_tests::place;

use crate::build::{node, project, run, write};
use crate::cases;

#[test]
fn generated_typescript_sends_what_the_document_says() {
    let Some(tools) = place::tools("typescript", "node/node_modules/typescript") else {
        return;
    };
    let folder = project("requests-typescript");
    for file in cases::files_below(&cases::golden().join("openapi/typescript")) {
        let name = file.file_name().unwrap();
        write(&folder.join(name), &fs::read_to_string(&file).unwrap());
    }
    node::settle(&folder, &tools);
    run(&mut node::tsc(&tools, &folder, false), "tsc");
    let out = run(
        Command::new("node")
            .arg(cases::golden().join("build/requests.mjs"))
            .arg(folder.join("out")),
        "the TypeScript client",
    );
    assert_eq!(out.trim(), "requests 8");
}

#[test]
fn generated_python_sends_what_the_document_says() {
    let Some(tools) = place::tools("python", "venv/bin/python") else {
        return;
    };
    let out = run(
        Command::new(tools.join("venv/bin/python"))
            .arg(cases::golden().join("build/requests.py"))
            .arg(cases::golden().join("openapi/python")),
        "the Python client",
    );
    assert_eq!(out.trim(), "requests 8");
}

#[test]
fn swagger_is_sent_as_swagger_means_it() {
    let text = r#"{"swagger": "2.0", "info": {"title": "Shop", "version": "1"},
        "host": "shop.example", "basePath": "/v2", "schemes": ["http", "https"], "consumes": ["application/json"],
        "paths": {
            "/find": {"get": {"operationId": "find", "parameters": [
                {"name": "a", "in": "query", "type": "array", "items": {"type": "string"}},
                {"name": "b", "in": "query", "type": "array", "items": {"type": "string"}, "collectionFormat": "multi"},
                {"name": "c", "in": "query", "type": "string"}],
                "responses": {"200": {"description": "ok"}}}},
            "/form": {"post": {"operationId": "form", "parameters": [
                {"name": "note", "in": "formData", "type": "string"}],
                "responses": {"200": {"description": "ok"}}}},
            "/papers": {"post": {"operationId": "papers", "parameters": [
                {"name": "scan", "in": "formData", "type": "file"}],
                "responses": {"200": {"description": "ok", "schema": {"type": "file"}}}}}}}"#;
    let none = |_: &str| Err::<Vec<u8>, _>(io::Error::from(io::ErrorKind::NotFound));
    let options = ReadOptions::default();
    let document = Document::open("shop.json", text.to_owned(), &options, &none);
    let api = lower(&document.apis(), None, &Options::default()).unwrap();
    assert_eq!(api.servers, ["https://shop.example/v2"]);
    let media: Vec<_> = api
        .operations
        .iter()
        .map(|own| own.media_type.as_deref())
        .collect();
    let (pairs, parts) = ("application/x-www-form-urlencoded", "multipart/form-data");
    assert_eq!(media, [None, Some(pairs), Some(parts)]);
    let files: Vec<_> = api.operations.iter().map(|own| own.files(&api)).collect();
    assert_eq!(files, [vec![], vec![], vec!["scan"]]);
    let papers = &api.operations[2];
    assert!(papers.answers().0[0].is_binary());
    let request = api.operations[0]
        .request
        .and_then(|id| api.definition(id))
        .unwrap();
    let aon_codegen::ir::Shape::Object(request) = &request.shape else {
        panic!("{request:?}");
    };
    let styles: Vec<_> = request
        .fields
        .iter()
        .map(|field| field.style().word())
        .collect();
    assert_eq!(styles, [Some("comma"), None, None]);
}
