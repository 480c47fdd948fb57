//! `aon gen` on a disk: what it writes, what it refuses, and what it leaves alone.

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};

use aon_tests::place;

use crate::run::{Run, aon_as_nobody, aon_in, in_shell};

const MANIFEST: &str = "slug: pets
operations:
  - id: add_pet
    method: POST
    path: /pets
    parameters: [{ name: kind, in: body, type: string, enum: [cat, dog] }]
    error_responses: [{ status: 422, code: not_a_pet, docs_url: 'https://pets.example/docs/pets#kind' }]
";

/// A folder of its own, with a manifest in it.
fn folder(name: &str) -> PathBuf {
    let folder = std::env::temp_dir().join(format!("aon-gen-{}-{name}", std::process::id()));
    let _ = fs::remove_dir_all(&folder);
    fs::create_dir_all(&folder).unwrap();
    fs::write(folder.join("pets.aon.yaml"), MANIFEST).unwrap();
    folder
}

fn generate(folder: &Path, args: &[&str]) -> Run {
    let mut all = vec!["gen", "--out", "out", "--target"];
    all.extend_from_slice(args);
    aon_in(folder, &all, b"")
}

#[test]
fn every_target_writes_into_its_folder_and_is_current_afterwards() {
    let folder = folder("all");
    let run = generate(&folder, &["all", "pets.aon.yaml"]);
    assert_eq!(run.code, 0, "{}", run.err);
    let expected = [
        "rust/api.rs",
        "typescript/index.ts",
        "python/__init__.py",
        "openapi/openapi.json",
        "mcp/tools.json",
        "a2a/agent-card.json",
        "json-schema/schema.json",
        "docs/index.html",
        "docs/problems/not_a_pet.html",
        "docs/docs/pets/index.html",
    ];
    for file in expected {
        assert!(folder.join("out").join(file).is_file(), "{file}");
    }
    let page = fs::read_to_string(folder.join("out/docs/docs/pets/index.html")).unwrap();
    assert!(
        page.contains("id=\"kind\"") && page.contains("pspace.mcp.error.v1"),
        "{page}"
    );
    assert_eq!(
        generate(&folder, &["all", "pets.aon.yaml", "--check"]).code,
        0
    );
    let again = generate(&folder, &["all", "pets.aon.yaml"]);
    assert!(
        again.err.starts_with("0 written, 0 removed"),
        "{}",
        again.err
    );
    let left: Vec<_> = fs::read_dir(folder.join("out"))
        .unwrap()
        .map(|entry| entry.unwrap().file_name())
        .collect();
    assert_eq!(left.len(), 10, "{left:?}");
}

#[test]
fn drift_is_named_and_shown_and_then_written() {
    let folder = folder("drift");
    assert_eq!(generate(&folder, &["mcp,docs", "pets.aon.yaml"]).code, 0);
    let changed = MANIFEST
        .replace("[cat, dog]", "[cat, dog, bird]")
        .replace("not_a_pet", "no_pet");
    fs::write(folder.join("pets.aon.yaml"), changed).unwrap();
    let check = generate(&folder, &["mcp,docs", "pets.aon.yaml", "--check"]);
    assert_eq!(check.code, 1);
    for line in [
        "outdated: out/mcp/tools.json",
        "missing: out/docs/problems/no_pet.html",
        "stale: out/docs/problems/not_a_pet.html",
    ] {
        assert!(check.out.contains(line), "{line} in {}", check.out);
    }
    let diff = generate(&folder, &["mcp", "pets.aon.yaml", "--diff"]);
    assert!(diff.out.contains("+              \"bird\""), "{}", diff.out);
    assert_eq!(generate(&folder, &["mcp,docs", "pets.aon.yaml"]).code, 0);
    assert!(!folder.join("out/docs/problems/not_a_pet.html").exists());
    assert_eq!(
        generate(&folder, &["mcp,docs", "pets.aon.yaml", "--check"]).code,
        0
    );
}

#[test]
fn a_file_that_a_person_edited_is_left_alone() {
    let folder = folder("edited");
    assert_eq!(generate(&folder, &["typescript", "pets.aon.yaml"]).code, 0);
    let file = folder.join("out/typescript/types.ts");
    let edited = fs::read_to_string(&file).unwrap() + "export const mine = 1;\n";
    fs::write(&file, &edited).unwrap();
    let check = generate(&folder, &["typescript", "pets.aon.yaml", "--check"]);
    assert_eq!(
        (check.code, check.out.trim()),
        (1, "edited: out/typescript/types.ts")
    );
    let refused = generate(&folder, &["typescript", "pets.aon.yaml"]);
    assert_eq!(refused.code, 1);
    assert!(
        refused.err.contains("types.ts") && refused.err.contains("--force"),
        "{}",
        refused.err
    );
    assert_eq!(fs::read_to_string(&file).unwrap(), edited);
    assert_eq!(
        generate(&folder, &["typescript", "pets.aon.yaml", "--force"]).code,
        0
    );
    assert!(!fs::read_to_string(&file).unwrap().contains("mine"));
}

#[test]
fn an_output_that_is_a_file_or_may_not_be_written_is_a_clear_problem() {
    let folder = folder("blocked");
    fs::write(folder.join("out"), "mine").unwrap();
    let run = generate(&folder, &["mcp", "pets.aon.yaml"]);
    assert_eq!(run.code, 3);
    assert!(run.err.contains("it is a file"), "{}", run.err);
    assert_eq!(fs::read_to_string(folder.join("out")).unwrap(), "mine");
    fs::remove_file(folder.join("out")).unwrap();

    // A folder in the way of a file: nothing is written at all, whoever runs this.
    assert_eq!(generate(&folder, &["mcp,a2a", "pets.aon.yaml"]).code, 0);
    let before = fs::read_to_string(folder.join("out/a2a/agent-card.json")).unwrap();
    fs::remove_file(folder.join("out/mcp/tools.json")).unwrap();
    fs::create_dir(folder.join("out/mcp/tools.json")).unwrap();
    fs::write(
        folder.join("pets.aon.yaml"),
        MANIFEST.replace("add_pet", "add_a_pet"),
    )
    .unwrap();
    let run = generate(&folder, &["mcp,a2a", "pets.aon.yaml"]);
    assert_eq!(run.code, 3, "{}", run.err);
    assert_eq!(
        fs::read_to_string(folder.join("out/a2a/agent-card.json")).unwrap(),
        before
    );

    // Root may write anywhere, so this is tried as somebody else.
    let locked = folder.join("locked");
    assert_eq!(
        aon_in(
            &folder,
            &["gen", "--target", "mcp", "--out", "locked", "pets.aon.yaml"],
            b""
        )
        .code,
        0
    );
    let before = fs::read(locked.join("mcp/tools.json")).unwrap();
    fs::write(folder.join("pets.aon.yaml"), MANIFEST).unwrap();
    for path in [&locked, &locked.join("mcp")] {
        fs::set_permissions(path, fs::Permissions::from_mode(0o555)).unwrap();
    }
    for out in ["locked", "locked/deeper"] {
        let args = ["gen", "--target", "mcp", "--out", out, "pets.aon.yaml"];
        let is_root = fs::write(locked.join("probe"), "").is_ok();
        let run = if is_root {
            aon_as_nobody(&folder, &args)
        } else {
            Some(aon_in(&folder, &args, b""))
        };
        let Some(run) = run else {
            place::say(
                "skipped: gen into a folder without permission, because root may write anywhere",
            );
            return;
        };
        assert_eq!(run.code, 3, "{out}: {}", run.err);
        assert!(
            run.err.contains("locked") && run.err.contains("Permission denied"),
            "{}",
            run.err
        );
        assert_eq!(fs::read(locked.join("mcp/tools.json")).unwrap(), before);
    }
}

/// Everything below a folder with its contents.
fn contents(folder: &Path) -> std::collections::BTreeMap<PathBuf, Vec<u8>> {
    let (mut found, mut open) = (
        std::collections::BTreeMap::new(),
        vec![folder.to_path_buf()],
    );
    while let Some(folder) = open.pop() {
        for entry in fs::read_dir(&folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                open.push(path);
            } else {
                found.insert(path.clone(), fs::read(&path).unwrap());
            }
        }
    }
    found
}

/// A limit on the size of files stands for a full disk: the write fails in the middle in the same way.
#[test]
fn a_disk_that_is_full_leaves_the_previous_files_as_they_were() {
    let folder = folder("full");
    let targets = "mcp,a2a,openapi,typescript";
    assert_eq!(generate(&folder, &[targets, "pets.aon.yaml"]).code, 0);
    let before = contents(&folder.join("out"));
    assert!(before.len() > 5);
    // Every file changes, and the larger ones no longer fit.
    fs::write(
        folder.join("pets.aon.yaml"),
        MANIFEST.replace("slug: pets", "slug: pets\ntitle: Pets of all sorts"),
    )
    .unwrap();
    // A block of `ulimit -f` has 512 or 1024 bytes; runtime.ts is larger than five of either.
    let run = in_shell(
        &folder,
        &format!(
            "trap '' XFSZ; ulimit -f 5; exec \"$AON\" gen --target {targets} --out out pets.aon.yaml"
        ),
    );
    assert_eq!(run.code, 3, "{}", run.err);
    assert!(
        run.err.contains("cannot be written") && run.err.contains("File too large"),
        "{}",
        run.err
    );
    assert!(
        contents(&folder.join("out")) == before,
        "the old files changed"
    );

    // Killed in the middle instead: the old files are still whole.
    let run = in_shell(
        &folder,
        &format!(
            "ulimit -c 0; ulimit -f 5; exec \"$AON\" gen --target {targets} --out out pets.aon.yaml"
        ),
    );
    assert_ne!(run.code, 0);
    let now = contents(&folder.join("out"));
    for (path, bytes) in &before {
        assert!(now.get(path) == Some(bytes), "{} changed", path.display());
    }
    // With room again everything is written.
    assert_eq!(generate(&folder, &[targets, "pets.aon.yaml"]).code, 0);
    let card = fs::read_to_string(folder.join("out/a2a/agent-card.json")).unwrap();
    assert!(card.contains("Pets of all sorts"), "{card}");
}

/// `/dev/full` refuses every byte. As the folder of the output it is not a folder at all.
#[test]
fn a_device_is_no_folder_for_the_output() {
    let folder = folder("device");
    let args = [
        "gen",
        "--target",
        "mcp",
        "--out",
        "/dev/full",
        "pets.aon.yaml",
    ];
    let run = aon_in(&folder, &args, b"");
    assert_eq!(run.code, 3, "{}", run.err);
    assert!(
        run.err.contains("/dev/full") && run.err.contains("it is a file"),
        "{}",
        run.err
    );
}

#[test]
fn names_that_meet_get_a_number_and_a_note_and_a_name_in_the_settings_helps() {
    let folder = folder("names");
    let clash = "slug: a\noperations:\n  - { id: list_pets, method: GET, path: /a }\n  - { id: listPets, method: GET, path: /b }\n";
    fs::write(folder.join("pets.aon.yaml"), clash).unwrap();
    let run = generate(&folder, &["typescript", "pets.aon.yaml"]);
    assert_eq!(run.code, 0, "{}", run.err);
    assert!(
        run.err.contains("note: ")
            && run.err.contains("pets.aon.yaml:3:")
            && run.err.contains("pets.aon.yaml:4:"),
        "{}",
        run.err
    );
    fs::write(
        folder.join("aon.toml"),
        "[gen]\nheader = \"Copyright me\"\n[gen.names]\nlistPets = \"AllPets\"\n",
    )
    .unwrap();
    let run = generate(&folder, &["typescript", "pets.aon.yaml"]);
    assert_eq!(run.code, 0, "{}", run.err);
    let text = fs::read_to_string(folder.join("out/typescript/operations.ts")).unwrap();
    assert!(
        text.contains("export const allPets") && text.contains("// Copyright me"),
        "{text}"
    );
    fs::write(folder.join("aon.toml"), "[gen]\nheadr = \"x\"\n").unwrap();
    assert_eq!(generate(&folder, &["typescript", "pets.aon.yaml"]).code, 2);
}

#[test]
fn the_problems_of_the_framework_are_one_type_and_can_be_left_out() {
    let folder = folder("framework");
    let catalog = aon_in(&folder, &["catalog"], b"").out;
    fs::write(folder.join("catalog.json"), &catalog).unwrap();
    let read = |file: &str| fs::read_to_string(folder.join("out").join(file)).unwrap();
    let all = generate(&folder, &["all", "--catalog", "catalog.json"]);
    assert_eq!(all.code, 0, "{}", all.err);
    let problems = read("typescript/problems.ts");
    assert!(problems.contains("readonly Framework: (problem: FrameworkProblem) => R;"));
    assert!(!problems.contains("UnknownOperationProblem"), "{problems}");
    assert!(problems.contains("\"unknown_operation\","), "{problems}");
    assert!(read("python/problems.py").contains("class FrameworkProblem(ProblemDetails):"));
    let rust = read("rust/api/problems.rs");
    assert!(rust.contains("Framework(::aon::ProblemDetails)"), "{rust}");
    let index = read("docs/index.html");
    let (own, framework) = index
        .split_once("<h2>Problems of the framework</h2>")
        .unwrap();
    assert!(own.contains("unreachable") && framework.contains("unknown_operation"));
    assert!(
        index.contains("<title>aon-cli</title>") && index.contains("<main>"),
        "{index}"
    );

    let own = generate(&folder, &["all", "--catalog", "catalog.json", "--own"]);
    assert_eq!(own.code, 0, "{}", own.err);
    assert!(!read("typescript/problems.ts").contains("FrameworkProblem"));
    assert!(!read("docs/index.html").contains("unknown_operation"));
    let listed = aon_in(&folder, &["catalog", "--own"], b"").out;
    assert!(
        listed.contains("unreachable") && !listed.contains("unknown_operation"),
        "{listed}"
    );
}

#[test]
fn a_mistake_is_told_once() {
    let folder = folder("once");
    let bad = "slug: a\noperations:\n  - { id: a, method: GET, path: /a, error_responses: [{status: 422, code: Bad}] }\n";
    fs::write(folder.join("bad.aon.yaml"), bad).unwrap();
    let run = generate(&folder, &["typescript", "bad.aon.yaml"]);
    assert_eq!(run.code, 2);
    assert_eq!(run.err.matches("bad.aon.yaml:3:").count(), 1, "{}", run.err);
    let json = generate(&folder, &["typescript", "bad.aon.yaml", "--json"]);
    let problem: serde_json::Value = serde_json::from_str(&json.err).unwrap();
    assert_eq!(
        problem["issues"].as_array().map(Vec::len),
        Some(1),
        "{problem}"
    );
}

#[test]
fn usage_mistakes_are_named() {
    let folder = folder("usage");
    let run = generate(&folder, &["typscript", "pets.aon.yaml"]);
    assert_eq!(run.code, 2);
    assert!(run.err.contains("Did you mean typescript?"), "{}", run.err);
    assert_eq!(generate(&folder, &["rust"]).code, 2);
    assert_eq!(generate(&folder, &["rust", "nowhere.yaml"]).code, 2);
    fs::write(folder.join("broken.yaml"), "slug: [").unwrap();
    let run = generate(&folder, &["rust", "broken.yaml"]);
    assert_eq!(run.code, 2);
    assert!(run.err.contains("broken.yaml:1:"), "{}", run.err);
}

#[test]
fn a_catalog_alone_is_enough_and_two_apis_get_a_folder_each() {
    let folder = folder("catalog");
    let catalog = aon_in(&folder, &["catalog"], b"").out;
    fs::write(folder.join("catalog.json"), catalog).unwrap();
    let run = generate(&folder, &["rust,python,docs", "--catalog", "catalog.json"]);
    assert_eq!(run.code, 0, "{}", run.err);
    let text = fs::read_to_string(folder.join("out/rust/api/problems.rs")).unwrap();
    assert!(text.contains("code = \"unknown_code\""), "{text}");

    fs::write(
        folder.join("other.aon.yaml"),
        MANIFEST.replace("slug: pets", "slug: other"),
    )
    .unwrap();
    let run = generate(&folder, &["mcp", "pets.aon.yaml", "other.aon.yaml"]);
    assert_eq!(run.code, 0, "{}", run.err);
    assert!(
        folder.join("out/mcp/pets/tools.json").is_file()
            && folder.join("out/mcp/other/tools.json").is_file()
    );
}

/// What `aon score` scores as one is generated as one.
#[test]
fn groups_join_documents_and_versions_keep_them_apart() {
    let folder = folder("joined");
    let tools = r#"{"tools": [{"name": "count_pets", "inputSchema": {"type": "object"}}]}"#;
    fs::write(folder.join("tools.json"), tools).unwrap();
    let with_version = |version: &str| {
        MANIFEST.replace("slug: pets", &format!("slug: pets\nversion: '{version}'"))
    };
    let listed = |run: &Run| {
        assert_eq!(run.code, 0, "{}", run.err);
        let names = fs::read_dir(folder.join("out/mcp")).unwrap();
        let mut names: Vec<String> = names
            .map(|entry| entry.unwrap().file_name().into_string().unwrap())
            .collect();
        names.sort();
        fs::remove_dir_all(folder.join("out")).unwrap();
        names
    };
    let paths = ["mcp", "pets.aon.yaml", "tools.json"];
    assert_eq!(listed(&generate(&folder, &paths)), ["pets", "tools"]);

    fs::write(
        folder.join("aon.toml"),
        "[score.groups]\nshop = ['pets.aon.yaml', 'tools.json']\n",
    )
    .unwrap();
    assert_eq!(
        listed(&generate(&folder, &paths)),
        ["tools.json"],
        "one API needs no folder of its own"
    );

    fs::remove_file(folder.join("aon.toml")).unwrap();
    fs::write(folder.join("pets.aon.yaml"), with_version("1")).unwrap();
    fs::write(folder.join("pets2.aon.yaml"), with_version("2")).unwrap();
    let paths = ["mcp", "pets.aon.yaml", "pets2.aon.yaml"];
    assert_eq!(listed(&generate(&folder, &paths)), ["pets", "pets-2"]);

    // A title is not a slug: nobody said that these are one.
    let made_up = MANIFEST.replace("slug: pets", "title: Pets");
    fs::write(folder.join("pets.aon.yaml"), &made_up).unwrap();
    fs::write(folder.join("pets2.aon.yaml"), &made_up).unwrap();
    assert_eq!(listed(&generate(&folder, &paths)), ["pets", "pets-2"]);
    fs::remove_dir_all(folder).unwrap();
}

#[test]
fn many_operations_on_one_path_are_fine_where_the_target_can_tell_them_apart() {
    let folder = folder("rpc");
    let text = "slug: rpc\noperations:\n  - { id: a, method: POST, path: /rpc }\n  - { id: b, method: POST, path: /rpc }\n";
    fs::write(folder.join("rpc.aon.yaml"), text).unwrap();
    let run = generate(&folder, &["rust,typescript,python,mcp", "rpc.aon.yaml"]);
    assert_eq!(run.code, 0, "{}", run.err);
    let run = generate(&folder, &["openapi", "rpc.aon.yaml"]);
    assert_eq!(run.code, 2, "{}", run.err);
    assert!(
        run.err.contains("rpc.aon.yaml:3:") && run.err.contains("rpc.aon.yaml:4:"),
        "{}",
        run.err
    );
    assert!(!folder.join("out/openapi").exists(), "nothing is written");
    fs::remove_dir_all(folder).unwrap();
}

#[test]
fn what_a_killed_run_left_behind_is_removed_by_the_next_one() {
    let folder = folder("killed");
    assert_eq!(generate(&folder, &["mcp", "pets.aon.yaml"]).code, 0);
    let out = folder.join("out");
    // No process has this number: it is above the highest that Linux gives.
    let dead = out.join(".aon-gen-4194305");
    fs::create_dir_all(dead.join("new")).unwrap();
    fs::create_dir_all(dead.join("old")).unwrap();
    fs::write(dead.join("new/0"), "half a fi").unwrap();
    // These are not to be touched: a run at work, a folder with something else in it, and a file.
    let alive = out.join(format!(".aon-gen-{}", std::process::id()));
    fs::create_dir_all(alive.join("new")).unwrap();
    let other = out.join(".aon-gen-4194306");
    fs::create_dir_all(&other).unwrap();
    fs::write(other.join("thesis.txt"), "mine").unwrap();
    fs::write(out.join(".aon-gen-4194307"), "mine").unwrap();
    assert_eq!(
        generate(&folder, &["mcp", "pets.aon.yaml", "--check"]).code,
        0
    );
    assert!(dead.exists(), "a comparison changes nothing");
    assert_eq!(generate(&folder, &["mcp", "pets.aon.yaml"]).code, 0);
    assert!(!dead.exists());
    assert!(alive.exists() && other.join("thesis.txt").exists());
    assert!(out.join(".aon-gen-4194307").exists());
    fs::remove_dir_all(folder).unwrap();
}
