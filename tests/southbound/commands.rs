//! Commands that never started, and what is wrong with them.

use std::os::unix::fs::PermissionsExt;

use serde_json::json;

use crate::support::{code, exec, setup};

#[tokio::test]
async fn a_command_that_cannot_be_started_has_not_run() {
    let setup = setup("");
    let (path, program) = (
        setup.folder.path("append.sh"),
        setup.folder.text("append.sh"),
    );
    let started = |answer: &aon_agent::south::Answer| answer.body.get("exit_code").is_some();
    // What begins and fails has run, with whatever exit code.
    setup.folder.script("append.sh", "exit 3");
    let answer = setup.call(exec("s-1", &program, &["x"])).await;
    assert_eq!((answer.status, &answer.body["exit_code"]), (200, &json!(3)));
    // Nobody may execute it; its interpreter does not exist; it is not there.
    std::fs::set_permissions(&path, PermissionsExt::from_mode(0o644)).expect("its mode");
    let refused = setup.call(exec("s-2", &program, &["x"])).await;
    std::fs::set_permissions(&path, PermissionsExt::from_mode(0o755)).expect("its mode");
    setup.folder.write("append.sh", "#!/nonexistent/shell\n");
    let orphan = setup.call(exec("s-3", &program, &["x"])).await;
    std::fs::remove_file(&path).expect("gone");
    let missing = setup.call(exec("s-4", &program, &["x"])).await;
    for answer in [refused, orphan, missing] {
        assert_eq!(code(&answer), "command_not_started", "{}", answer.text());
        assert!(!started(&answer), "{}", answer.text());
        let words = answer.body["error"].as_str().unwrap_or_default();
        assert!(words.contains("append.sh: "), "which and why: {words}");
    }
}

#[tokio::test]
async fn standard_input_is_empty() {
    let setup = setup("");
    setup
        .folder
        .script("append.sh", "cat; readlink /proc/self/fd/0");
    let program = setup.folder.text("append.sh");
    let answer = setup.call(exec("i-1", &program, &["x"])).await;
    let stdout = answer.body["stdout"].as_str().unwrap_or_default();
    assert!(["", "/dev/null\n"].contains(&stdout), "{}", answer.text());
}
