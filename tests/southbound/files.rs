//! Files that are unlike others: their line ends, names and rights.

use std::io::Write as _;
use std::process::{Command, Stdio};

use aon_agent::south::Answer;
use aon_tests::place::say;
use serde_json::json;

use crate::support::{Setup, code, setup};

struct Files {
    setup: Setup,
    count: std::cell::Cell<u32>,
}

impl Files {
    fn new(more: &str) -> Self {
        Self {
            setup: setup(more),
            count: std::cell::Cell::new(0),
        }
    }

    fn id(&self) -> String {
        self.count.set(self.count.get() + 1);
        format!("f-{}", self.count.get())
    }

    async fn diff(&self, name: &str, want: &str) -> Answer {
        let path = self.setup.folder.text(name);
        let message =
            json!({ "method": "file.diff", "action_id": self.id(), "path": path, "want": want });
        self.setup.call(message).await
    }

    async fn apply(&self, name: &str, patch: &str) -> Answer {
        let path = self.setup.folder.text(name);
        let message =
            json!({ "method": "file.apply", "action_id": self.id(), "path": path, "patch": patch });
        self.setup.call(message).await
    }
}

/// What `patch` makes of a file; nothing where it is not installed.
fn patched(files: &Files, old: Option<&str>, patch: &str) -> Option<Vec<u8>> {
    let copy = files.setup.folder.path("copy");
    let _ = std::fs::remove_file(&copy);
    if let Some(old) = old {
        std::fs::write(&copy, old).expect("written");
    }
    let mut child = Command::new("patch")
        .args(["--binary", "--silent", "--fuzz=0"])
        .arg(&copy)
        .stdin(Stdio::piped())
        .stdout(Stdio::null())
        .spawn()
        .ok()?;
    let mut input = child.stdin.take().expect("piped");
    input.write_all(patch.as_bytes()).expect("sent");
    drop(input);
    assert!(child.wait().expect("its end").success(), "{patch:?}");
    Some(std::fs::read(&copy).unwrap_or_default())
}

#[tokio::test]
async fn a_line_ends_with_a_line_feed_and_with_nothing_else() {
    let files = Files::new("");
    let (mut count, mut by_patch) = (0, 0);
    for (old, new) in [
        (Some("a\rb\rc"), "a\rB\rc"),
        (Some("a\r\nb\r\n"), "a\r\nb\n"),
        (Some("a\n\r"), "a\n\r\n"),
        (Some("x\u{2028}y\u{b}\u{85}z\n"), "x\u{2028}Y\u{b}\u{85}z\n"),
        (Some("one\ntwo"), "one\ntwo\n"),
        (Some("one\n"), ""),
        (Some(""), "\r"),
        (None, "new\rfile"),
        (None, ""),
    ] {
        let name = format!("files/lines-{count}");
        if let Some(old) = old {
            files.setup.folder.write(&name, old);
        }
        let answer = files.diff(&name, new).await;
        let patch = answer.body["patch"].as_str().expect("a patch").to_owned();
        if let Some(made) = patched(&files, old, &patch) {
            assert_eq!(made, new.as_bytes(), "{old:?} {patch:?}");
            by_patch += 1;
        }
        let answer = files.apply(&name, &patch).await;
        assert_eq!(answer.body["applied"], true, "{old:?} {}", answer.text());
        let made = std::fs::read(files.setup.folder.path(&name)).expect("there");
        assert_eq!(made, new.as_bytes(), "{old:?}");
        count += 1;
    }
    say(&format!(
        "count: {count} unusual texts, {by_patch} by `patch`"
    ));
}

#[tokio::test]
async fn a_name_has_no_control_characters_and_an_end() {
    let files = Files::new("");
    let make = "--- /dev/null\n+++ b/x\n@@ -0,0 +1 @@\n+x\n";
    for name in [
        "files/a\n",
        "files/\n+++ b/etc",
        "files/\u{1b}[2J",
        "files/a\u{85}",
    ] {
        assert_eq!(code(&files.diff(name, "x\n").await), "path_not_allowed");
        assert_eq!(code(&files.apply(name, make).await), "path_not_allowed");
    }
    let long = format!("files/{}", "n".repeat(300));
    let answer = files.apply(&long, make).await;
    assert_eq!((answer.status, code(&answer)), (422, "file_unusable"));
    let left = std::fs::read_dir(files.setup.folder.path("files")).expect("a folder");
    assert_eq!(left.count(), 0);
}

#[tokio::test]
async fn an_access_list_is_not_lost_and_its_mask_never_becomes_a_right() {
    let files = Files::new("");
    let path = files.setup.folder.write("files/listed", "a\n");
    // The group may do nothing, one other user may read; the mask says so.
    let set = Command::new("python3")
        .args([
            "-c",
            "import os, struct, sys\n\
             entry = lambda tag, rights, who=0xffffffff: struct.pack('<HHI', tag, rights, who)\n\
             acl = struct.pack('<I', 2) + entry(1, 6) + entry(2, 4, 12345) + entry(4, 0) + entry(16, 4) + entry(32, 0)\n\
             os.setxattr(sys.argv[1], 'user.note', b'kept')\n\
             os.setxattr(sys.argv[1], 'system.posix_acl_access', acl)",
        ])
        .arg(&path)
        .stderr(Stdio::null())
        .status();
    if !set.is_ok_and(|status| status.success()) {
        say("skipped: access lists, the file system or Python does not have them");
        return;
    }
    let read = || {
        let shown = Command::new("python3")
            .args([
                "-c",
                "import os, sys\nprint([(name, os.getxattr(sys.argv[1], name)) for name in sorted(os.listxattr(sys.argv[1]))], oct(os.stat(sys.argv[1]).st_mode))",
            ])
            .arg(&path)
            .output()
            .expect("python");
        String::from_utf8_lossy(&shown.stdout).into_owned()
    };
    let before = read();
    assert!(
        before.contains("posix_acl") && before.contains("kept"),
        "{before}"
    );
    let answer = files.apply("files/listed", "@@ -1 +1 @@\n-a\n+b\n").await;
    assert_eq!(answer.body["applied"], true, "{}", answer.text());
    assert_eq!(std::fs::read_to_string(&path).expect("there"), "b\n");
    assert_eq!(read(), before);
}

#[tokio::test]
async fn a_diff_that_no_message_can_carry_is_refused() {
    let files = Files::new("[policy]\nmax_payload = 20000\n");
    let old: String = (0..3000).map(|line| format!("line {line}\n")).collect();
    files.setup.folder.write("files/long", &old);
    let answer = files.diff("files/long", "x\n").await;
    assert_eq!((answer.status, code(&answer)), (422, "file_unusable"));
    // Nothing else is wrong with it: a few lines fewer, and it is compared.
    let short = &old[..10_000];
    files.setup.folder.write("files/long", short);
    let answer = files.diff("files/long", "x\n").await;
    assert!(answer.body["patch"].is_string(), "{}", answer.text());
}
