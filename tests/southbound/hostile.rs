//! What honest callers and commands do not do.

use std::io::{Read as _, Write as _};
use std::net::TcpStream;
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};
use std::time::{Duration, Instant};

use aon_tests::place::say;
use serde_json::json;

use crate::certificates::{open, with_certificates};
use crate::support::{Setup, code, exec, setup};

/// Resident memory of a process, in KiB.
pub fn memory(pid: u32) -> u64 {
    let status = std::fs::read_to_string(format!("/proc/{pid}/status")).unwrap_or_default();
    let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:"));
    line.and_then(|line| line.split_whitespace().next()?.parse().ok())
        .unwrap_or(0)
}

#[tokio::test]
async fn a_gigabyte_of_output_is_bounded() {
    let setup = setup("");
    // One line of a gigabyte, and its end is not a character's.
    setup.folder.script(
        "append.sh",
        "head -c 1000000000 /dev/zero | tr '\\0' 'x'; printf '\\303'",
    );
    let answer = setup
        .call(exec("g-1", &setup.folder.text("append.sh"), &["x"]))
        .await;
    assert_eq!(
        answer.status,
        200,
        "{}",
        &answer.text()[..200.min(answer.text().len())]
    );
    assert_eq!(
        (&answer.body["truncated"], &answer.body["stdout_bytes"]),
        (&json!(true), &json!(1_000_000_001_u64))
    );
    let kept = answer.body["stdout"].as_str().map_or(0, str::len);
    assert_eq!(kept, 256 << 10);
    let used = memory(setup.server.pid());
    assert!(used < 300_000, "{used} KiB");
    // Control characters become six bytes each in JSON; the policy holds for answers too.
    setup
        .folder
        .script("append.sh", "head -c 400000 /dev/zero; printf 'done' >&2");
    let answer = setup
        .call(exec("g-2", &setup.folder.text("append.sh"), &["x"]))
        .await;
    assert!(answer.text().len() < 1_048_576 && answer.body["truncated"] == true);
    assert_eq!(answer.body["stderr"], "done");
    setup.folder.script("append.sh", "printf 'a\\377b'");
    let answer = setup
        .call(exec("g-3", &setup.folder.text("append.sh"), &["x"]))
        .await;
    assert_eq!(
        (&answer.body["lossy"], &answer.body["stdout"]),
        (&json!(true), &json!("a\u{fffd}b"))
    );
    say(&format!(
        "count: 1000000001 bytes of output, {kept} kept, {used} KiB of memory"
    ));
}

#[tokio::test]
async fn a_fork_bomb_is_contained() {
    let is_root = std::process::Command::new("id")
        .arg("-u")
        .output()
        .is_ok_and(|output| output.stdout == b"0\n");
    if !is_root {
        say("skipped: southbound fork bomb, only root can give a command a user of its own");
        return;
    }
    let folder = crate::support::Folder::new();
    std::fs::set_permissions(
        folder.path(""),
        std::os::unix::fs::PermissionsExt::from_mode(0o755),
    )
    .expect("its mode");
    folder.script(
        "bomb.sh",
        "grep 'Max processes' /proc/self/limits; bomb() { bomb | bomb & }; bomb; sleep 30",
    );
    let more = format!(
        "[[command]]\nprogram = \"{}\"\nuser = \"nobody\"\nlimits = {{ processes = 40, cpu_seconds = 5 }}\n[[command]]\nprogram = \"/usr/bin/id\"\nargs = [\"-un\"]\nuser = \"nobody\"\n",
        folder.text("bomb.sh")
    );
    let setup = crate::support::setup_in(folder, &more);
    let answer = setup.call(exec("b-0", "/usr/bin/id", &["-un"])).await;
    assert_eq!(answer.body["stdout"], "nobody\n", "{}", answer.text());
    let mut message = exec("b-1", &setup.folder.text("bomb.sh"), &[]);
    message["timeout"] = json!(1500);
    let answer = setup.call(message).await;
    assert_eq!(code(&answer), "command_timed_out");
    assert!(
        answer.body["stdout"]
            .as_str()
            .is_some_and(|text| text.contains(" 40 ")),
        "{}",
        answer.text()
    );
    let left = || {
        let all = std::process::Command::new("ps")
            .args(["-u", "nobody", "-o", "args="])
            .output()
            .expect("ps");
        String::from_utf8_lossy(&all.stdout)
            .lines()
            .filter(|line| line.contains("bomb.sh"))
            .count()
    };
    let begun = Instant::now();
    while left() > 0 && begun.elapsed() < Duration::from_secs(10) {
        tokio::time::sleep(Duration::from_millis(100)).await;
    }
    assert_eq!(left(), 0, "its process group is gone");
    assert_eq!(
        setup.call(exec("b-2", "/bin/echo", &["alive"])).await.body["stdout"],
        "alive\n"
    );
}

#[tokio::test]
async fn a_slow_caller_and_a_huge_frame_are_cut_off() {
    let setup = with_certificates("");
    let begun = Instant::now();
    // A head that never ends, and a body that never comes.
    let address = setup.server.http.trim_start_matches("http://").to_owned();
    let drip = |text: &'static str| {
        let address = address.clone();
        std::thread::spawn(move || {
            let mut stream = TcpStream::connect(address).expect("connected");
            stream.write_all(text.as_bytes()).expect("sent");
            stream
                .set_read_timeout(Some(Duration::from_secs(40)))
                .expect("set");
            let mut answer = Vec::new();
            let ended = stream.read_to_end(&mut answer);
            (ended.is_ok(), String::from_utf8_lossy(&answer).into_owned())
        })
    };
    let head = drip("POST /southbound HTTP/1.1\r\nHost: x\r\nX-Slow: ");
    let body = drip(
        "POST /southbound HTTP/1.1\r\nHost: x\r\nContent-Length: 10\r\nX-Agent-Id: a\r\nX-Key-Id: a\r\nX-Timestamp: 1\r\nX-Nonce: a\r\nX-Signature: v1=00\r\n\r\n{",
    );
    // A TLS handshake that never comes.
    let silent = {
        let address = setup
            .server
            .websocket
            .trim_start_matches("wss://")
            .to_owned();
        std::thread::spawn(move || {
            let mut stream = TcpStream::connect(address).expect("connected");
            stream
                .set_read_timeout(Some(Duration::from_secs(40)))
                .expect("set");
            stream.read_to_end(&mut Vec::new()).is_ok()
        })
    };
    // A message over the limit over WebSocket; a frame that says it has a gigabyte is refused by its head alone.
    let mut client = open(&setup, "ops-1").await.expect("connected");
    client
        .hello("ops-1")
        .await
        .expect("an answer")
        .expect("welcome");
    let _cut = client.say("x".repeat(1_048_577)).await;
    assert_eq!(
        code(&client.hear(|_| {}).await.expect("an answer")),
        "too_large"
    );
    assert!(client.hear(|_| {}).await.is_err(), "closed");
    huge_frame(&setup).await;
    for ended in [head, body] {
        let (closed, answer) = tokio::task::spawn_blocking(move || ended.join().expect("joined"))
            .await
            .expect("joined");
        assert!(closed, "{answer}");
    }
    assert!(silent.join().expect("joined"));
    assert!(begun.elapsed() < Duration::from_secs(40));
    assert_eq!(
        setup
            .call(exec("l-1", "/bin/echo", &["alive"]))
            .await
            .status,
        200
    );
    say("count: 3 slow callers and 2 large messages cut off");
}

/// A WebSocket by hand, through `openssl`.
struct ByHand {
    child: Child,
    input: ChildStdin,
    output: ChildStdout,
}

impl ByHand {
    fn open(setup: &Setup) -> Self {
        let folder = &setup.folder;
        let address = setup.server.websocket.trim_start_matches("wss://");
        let mut child = Command::new("openssl")
            .args(["s_client", "-quiet", "-connect", address, "-CAfile"])
            .arg(folder.text("ca.pem"))
            .args(["-cert", &folder.text("ops-1.pem")])
            .args(["-key", &folder.text("ops-1.key")])
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .expect("openssl");
        let mut input = child.stdin.take().expect("piped");
        let mut output = child.stdout.take().expect("piped");
        input
            .write_all(b"GET / HTTP/1.1\r\nHost: x\r\nConnection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==\r\n\r\n")
            .expect("sent");
        let mut head = [0; 12];
        output.read_exact(&mut head).expect("an answer");
        assert_eq!(&head, b"HTTP/1.1 101");
        Self {
            child,
            input,
            output,
        }
    }

    /// What comes until it is closed.
    async fn rest(self, within: Duration) -> Option<Vec<u8>> {
        let Self {
            mut child,
            input: _open,
            mut output,
        } = self;
        let reading = tokio::task::spawn_blocking(move || {
            let mut rest = Vec::new();
            let _ = output.read_to_end(&mut rest);
            rest
        });
        let rest = tokio::time::timeout(within, reading).await;
        let _ = child.kill();
        let _ = child.wait();
        rest.ok().map(|rest| rest.expect("joined"))
    }
}

/// The head of a frame of a gigabyte.
async fn huge_frame(setup: &Setup) {
    let mut socket = ByHand::open(setup);
    socket
        .input
        .write_all(&[0x81, 0xff, 0, 0, 0, 0, 0x40, 0, 0, 0, 1, 2, 3, 4])
        .expect("sent");
    let rest = socket.rest(Duration::from_secs(8)).await;
    let rest = rest.expect("closed in time");
    assert!(String::from_utf8_lossy(&rest).contains("too_large") || rest.len() < 400);
}

/// A client with a certificate that never says `hello` cannot keep its place by sending pings.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn pings_do_not_prolong_the_handshake() {
    let setup = with_certificates("");
    let ByHand {
        mut child,
        mut input,
        mut output,
    } = ByHand::open(&setup);
    let begun = Instant::now();
    let pings = std::thread::spawn(move || {
        // A ping with a mask and nothing else, until nobody takes it.
        while begun.elapsed() < Duration::from_secs(30)
            && input.write_all(&[0x89, 0x80, 1, 2, 3, 4]).is_ok()
        {
            std::thread::sleep(Duration::from_secs(1));
        }
    });
    let closed = tokio::task::spawn_blocking(move || {
        let _ = output.read_to_end(&mut Vec::new());
        begun.elapsed()
    });
    let closed = closed.await.expect("joined");
    let _ = child.kill();
    let _ = child.wait();
    pings.join().expect("joined");
    assert!(closed < Duration::from_secs(20), "{closed:?}");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn many_connections_at_once_are_each_answered() {
    let setup = setup("");
    // Each is answered with its result or with a problem that says to wait.
    let mut calls = tokio::task::JoinSet::new();
    for number in 0..300 {
        let client = setup.client.clone();
        let text = exec(&format!("m-{number}"), "/bin/echo", &["x"]).to_string();
        calls.spawn(async move { client.call(&text).await });
    }
    let mut good = 0;
    while let Some(answer) = calls.join_next().await {
        let answer = answer.expect("joined").expect("an answer");
        good += usize::from(answer.status == 200);
        assert!(
            answer.status == 200 || answer.retry_after().is_some(),
            "{}",
            answer.text()
        );
    }
    say(&format!("count: {good} of 300 commands at once over HTTP"));
}
