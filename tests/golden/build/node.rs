//! `tsc --strict` and more, with the real zod.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use aon_tests::place;

use super::{all_built, outputs, project, run, write};

#[test]
fn typescript_compiles_in_the_strictest_mode() {
    let Some(tools) = place::tools("typescript", "node/node_modules/typescript") else {
        return;
    };
    let (folder, built) = project_of_all(&tools);
    run(
        &mut tsc(&tools, &folder, true),
        "tsc on the generated TypeScript",
    );
    all_built("typescript", &built);
}

/// A project with a folder for each case.
pub fn project_of_all(tools: &Path) -> (PathBuf, BTreeSet<(String, String)>) {
    let folder = project("typescript");
    let mut built = BTreeSet::new();
    for output in outputs("typescript") {
        for (file, text) in &output.files {
            write(&folder.join(&output.case).join(file), text);
            built.insert((output.case.clone(), file.clone()));
        }
    }
    settle(&folder, tools);
    (folder, built)
}

/// Settings and packages for a folder of TypeScript.
pub fn settle(folder: &Path, tools: &Path) {
    write(&folder.join("package.json"), "{\"type\": \"module\"}\n");
    write(
        &folder.join("tsconfig.json"),
        r#"{"compilerOptions": {"strict": true, "noUncheckedIndexedAccess": true, "exactOptionalPropertyTypes": true,
            "noUnusedLocals": true, "noUnusedParameters": true, "noImplicitReturns": true, "noImplicitOverride": true,
            "noPropertyAccessFromIndexSignature": true, "noFallthroughCasesInSwitch": true, "verbatimModuleSyntax": true,
            "isolatedModules": true, "module": "nodenext", "target": "es2022", "lib": ["es2022"], "types": [],
            "skipLibCheck": true, "rootDir": ".", "outDir": "out"}, "include": ["**/*.ts"]}"#,
    );
    let modules = folder.join("node_modules");
    if !modules.exists() {
        std::os::unix::fs::symlink(
            fs::canonicalize(tools.join("node/node_modules")).unwrap(),
            modules,
        )
        .unwrap();
    }
}

pub fn tsc(tools: &Path, folder: &Path, check_only: bool) -> Command {
    let mut command = Command::new("node");
    command
        .arg(tools.join("node/node_modules/typescript/bin/tsc"))
        .arg("-p")
        .arg(folder);
    if check_only {
        command.arg("--noEmit");
    }
    command
}
