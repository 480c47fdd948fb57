//! The program that acts, in a folder of its own, and a client.

use std::io::{BufRead as _, BufReader};
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::atomic::{AtomicUsize, Ordering};

use aon_agent::south::Answer;
use aon_agent::south::client::HttpClient;
use serde_json::{Value, json};

pub struct Folder(PathBuf);

impl Folder {
    pub fn new() -> Self {
        static COUNT: AtomicUsize = AtomicUsize::new(0);
        let number = COUNT.fetch_add(1, Ordering::Relaxed);
        let path = std::env::temp_dir().join(format!("aon-south-{}-{number}", std::process::id()));
        let _ = std::fs::remove_dir_all(&path);
        std::fs::create_dir_all(path.join("files")).expect("a folder");
        Self(path)
    }

    pub fn path(&self, name: &str) -> PathBuf {
        self.0.join(name)
    }

    pub fn text(&self, name: &str) -> String {
        self.path(name).display().to_string()
    }

    pub fn write(&self, name: &str, text: &str) -> PathBuf {
        let path = self.path(name);
        std::fs::write(&path, text).expect("written");
        path
    }

    /// A program: what the list of allowed commands names.
    pub fn script(&self, name: &str, text: &str) {
        let path = self.write(name, &format!("#!/bin/sh\n{text}\n"));
        std::fs::set_permissions(path, PermissionsExt::from_mode(0o755)).expect("its mode");
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

pub fn aon() -> Command {
    Command::new(env!("CARGO_BIN_EXE_aon-under-test"))
}

/// A new key of an agent: id and secret.
pub fn rotate(folder: &Folder, agent: &str) -> (String, String) {
    let keys = folder.text("keys.toml");
    let output = aon()
        .args(["agent", "keys", "rotate", "--keys", &keys, "--agent", agent])
        .output();
    let output = output.expect("it runs");
    let shown: Value = serde_json::from_slice(&output.stdout).expect("a key");
    let text = |name: &str| shown[name].as_str().expect(name).to_owned();
    (text("key_id"), text("secret"))
}

/// The commands every server of this suite allows.
pub fn config(folder: &Folder, more: &str) -> String {
    let path = |name: &str| folder.text(name);
    format!(
        r#"
[ledger]
path = "{ledger}"
[http]
listen = "127.0.0.1:0"
keys = "{keys}"
[[agent]]
id = "ops-1"
[[agent]]
id = "ops-2"
capabilities = ["telemetry.push"]
[[agent]]
id = "boss"
operator = true
[files]
roots = ["{files}"]
[[command]]
program = "/bin/echo"
rest = "[ -~]*"
[[command]]
program = "/bin/sleep"
args = ["[0-9.]+"]
[[command]]
program = "/usr/bin/env"
cwd = ["/", "/tmp"]
env = {{ LANG = "C" }}
[[command]]
program = "{append}"
args = ["[a-z0-9-]+"]
{more}
"#,
        ledger = path("state/ledger.redb"),
        keys = path("keys.toml"),
        files = path("files"),
        append = path("append.sh"),
    )
}

pub struct Server {
    child: Child,
    pub http: String,
    pub websocket: String,
    pub metrics: String,
}

impl Server {
    pub fn start(config: &Path) -> Self {
        let mut child = aon()
            .args(["agent", "serve", "--quiet", "--config"])
            .arg(config)
            .env("SECRET_OF_THE_SERVER", "do-not-show")
            .stdout(Stdio::piped())
            .spawn()
            .expect("it starts");
        let mut ready = String::new();
        BufReader::new(child.stdout.take().expect("piped"))
            .read_line(&mut ready)
            .expect("a line");
        let part = |name: &str| {
            let mut parts = ready
                .split_whitespace()
                .filter_map(|part| part.strip_prefix(name));
            parts.next().unwrap_or_default().to_owned()
        };
        let (http, websocket, metrics) = (part("http="), part("websocket="), part("metrics="));
        assert!(ready.starts_with("ready"), "{ready:?}");
        Self {
            child,
            http,
            websocket,
            metrics,
        }
    }

    pub fn kill(mut self) {
        self.child.kill().expect("killed");
        self.child.wait().expect("gone");
    }

    pub fn pid(&self) -> u32 {
        self.child.id()
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// A server with a key of `ops-1`.
pub struct Setup {
    pub server: Server,
    pub client: HttpClient,
    pub key: (String, String),
    pub folder: Folder,
}

pub fn setup(more: &str) -> Setup {
    let folder = Folder::new();
    setup_in(folder, more)
}

pub fn setup_in(folder: Folder, more: &str) -> Setup {
    let log = folder.text("effects");
    folder.script("append.sh", &format!("printf '%s\\n' \"$1\" >> '{log}'"));
    let key = rotate(&folder, "ops-1");
    let config = folder.write("agent.toml", &config(&folder, more));
    let server = Server::start(&config);
    let client = HttpClient::new(&server.http, "ops-1", &key.0, &key.1).expect("a client");
    Setup {
        server,
        client,
        key,
        folder,
    }
}

impl Setup {
    pub async fn call(&self, message: Value) -> Answer {
        self.client
            .call(&message.to_string())
            .await
            .expect("an answer")
    }

    pub fn other(&self, agent: &str) -> HttpClient {
        let (id, secret) = rotate(&self.folder, agent);
        std::thread::sleep(std::time::Duration::from_millis(500));
        HttpClient::new(&self.server.http, agent, &id, &secret).expect("a client")
    }
}

pub fn exec(action: &str, command: &str, args: &[&str]) -> Value {
    json!({ "method": "command.exec", "action_id": action, "command": command, "args": args })
}

/// The code of the problem beside the words.
pub fn code(answer: &Answer) -> &str {
    let problem = answer
        .body
        .get("problem")
        .unwrap_or_else(|| panic!("no problem: {}", answer.text()));
    assert_eq!(answer.body["ok"], false);
    assert!(
        answer.body["error"]
            .as_str()
            .is_some_and(|words| !words.is_empty())
    );
    assert_eq!(problem["status"], answer.status);
    problem["code"].as_str().expect("a code")
}
