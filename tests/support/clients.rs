//! The clients that `aon gen` writes, made and compiled for suites that run them.

use std::fs;
use std::path::Path;
use std::process::Command;

use serde_json::json;

use crate::outside;

/// The generated clients in a folder of their own, the TypeScript compiled where that is asked for.
pub fn generated(program: &Path, folder: &Path, tools: &Path, compile: bool) {
    let _ = fs::remove_dir_all(folder);
    fs::create_dir_all(folder).expect("a folder");
    let manifest =
        "slug: live\noperations:\n  - { id: work, method: POST, path: /work, summary: Work }\n";
    fs::write(folder.join("live.aon.yaml"), manifest).expect("a manifest");
    run(Command::new(program)
        .args([
            "gen",
            "--target",
            "typescript,python",
            "--out",
            ".",
            "live.aon.yaml",
        ])
        .current_dir(folder));
    if compile {
        fs::write(folder.join("package.json"), "{\"type\":\"module\"}").expect("a file");
        let settings = json!({
            "compilerOptions": {
                "strict": true, "module": "nodenext", "target": "es2022", "lib": ["es2022"], "types": [],
                "skipLibCheck": true, "rootDir": "typescript", "outDir": "out",
            },
            "files": ["typescript/stream.ts"],
        });
        fs::write(folder.join("tsconfig.json"), settings.to_string()).expect("a file");
        let modules = fs::canonicalize(tools.join("node/node_modules")).expect("the packages");
        std::os::unix::fs::symlink(modules, folder.join("node_modules")).expect("a link");
        run(Command::new("node")
            .arg(tools.join("node/node_modules/typescript/bin/tsc"))
            .arg("-p")
            .arg(".")
            .current_dir(folder));
    }
}

/// Runs a command that must succeed; what it printed.
pub fn run(command: &mut Command) -> String {
    let output = match outside::output(command, "") {
        Ok(output) => output,
        Err(error) => panic!("{command:?}: {error}"),
    };
    let (out, err) = (
        String::from_utf8_lossy(&output.stdout),
        String::from_utf8_lossy(&output.stderr),
    );
    assert!(output.status.success(), "{command:?}:\n{out}\n{err}");
    out.into_owned()
}
