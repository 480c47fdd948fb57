//! Behind a real nginx, with and without compression, and over HTTP/2.

use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use aon_live::Hub;
use http_body_util::{BodyExt as _, Empty};
use tokio::net::TcpStream;

use super::support::*;

/// A proxy in front of a server, stopped when it goes out of scope.
struct Nginx {
    child: Child,
    folder: std::path::PathBuf,
    address: std::net::SocketAddr,
}

impl Drop for Nginx {
    fn drop(&mut self) {
        // nginx ends its workers when it is asked to, and leaves them behind when it is killed. It may be gone already.
        let id = self.child.id().to_string();
        drop(
            std::process::Command::new("kill")
                .args(["-TERM", &id])
                .status(),
        );
        drop(self.child.wait());
        drop(std::fs::remove_dir_all(&self.folder));
    }
}

async fn nginx(upstream: std::net::SocketAddr, gzip: bool) -> Option<Nginx> {
    let program = ["/usr/sbin/nginx", "/usr/bin/nginx"]
        .into_iter()
        .find(|path| std::path::Path::new(path).exists())?;
    let port = std::net::TcpListener::bind("127.0.0.1:0")
        .unwrap()
        .local_addr()
        .unwrap()
        .port();
    let folder = std::env::temp_dir().join(format!("aon-nginx-{}-{port}", std::process::id()));
    std::fs::create_dir_all(&folder).unwrap();
    let at = folder.display();
    let gzip = if gzip {
        "gzip on; gzip_min_length 1; gzip_proxied any; gzip_types application/x-ndjson text/event-stream;"
    } else {
        ""
    };
    let config = format!(
        "daemon off; pid {at}/pid; error_log {at}/log; worker_processes 1;
events {{ worker_connections 64; }}
http {{ access_log off; client_body_temp_path {at}/a; proxy_temp_path {at}/b; fastcgi_temp_path {at}/c; uwsgi_temp_path {at}/d; scgi_temp_path {at}/e; {gzip}
  server {{ listen 127.0.0.1:{port}; location / {{ proxy_pass http://{upstream}; proxy_http_version 1.1; }} }} }}"
    );
    let file = folder.join("nginx.conf");
    std::fs::write(&file, config).unwrap();
    let child = Command::new(program)
        .arg("-c")
        .arg(&file)
        .arg("-p")
        .arg(&folder)
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    let proxy = Nginx {
        child,
        folder,
        address: std::net::SocketAddr::from(([127, 0, 0, 1], port)),
    };
    for _ in 0..200 {
        if TcpStream::connect(proxy.address).await.is_ok() {
            return Some(proxy);
        }
        tokio::time::sleep(Duration::from_millis(25)).await;
    }
    panic!("nginx did not start");
}

#[tokio::test]
async fn events_pass_a_proxy_one_by_one_with_and_without_compression() {
    let server = serve(Hub::new()).await;
    for gzip in [false, true] {
        let Some(proxy) = nginx(server.address, gzip).await else {
            aon_tests::place::say(
                "skipped: streams through nginx, it is not installed; .ci/tools installs it",
            );
            return;
        };
        let start = Instant::now();
        let mut headers = vec![NDJSON];
        if gzip {
            headers.push("accept-encoding: gzip");
        }
        let mut reply = request(proxy.address, "POST", "/burst", &headers, "[8, 100]").await;
        assert_eq!(reply.status, 200);
        // Compressed or not: the pieces come as they are made, and not all at the end.
        let mut arrivals = Vec::new();
        while reply.more().await {
            arrivals.push(start.elapsed());
        }
        let (first, last) = (arrivals[0], arrivals[arrivals.len() - 1]);
        assert!(arrivals.len() >= 6, "{arrivals:?}");
        assert!(first < Duration::from_millis(500), "{arrivals:?}");
        assert!(last - first > Duration::from_millis(500), "{arrivals:?}");
        if !gzip {
            let text = String::from_utf8(reply.ready.clone()).unwrap();
            let events: Vec<serde_json::Value> = text
                .lines()
                .map(|line| serde_json::from_str(line).unwrap())
                .collect();
            check_stream(&events);
            let url = events[0]["sse_url"].as_str().unwrap();
            let sse = request(proxy.address, "GET", url, &[], "")
                .await
                .all_sse()
                .await;
            assert_eq!(sse.len(), events.len());
        }
        println!(
            "count: {} pieces through nginx, gzip {gzip}",
            arrivals.len()
        );
    }
}

#[tokio::test]
async fn many_streams_share_one_connection_of_http_2() {
    let server = serve(Hub::new()).await;
    let socket = TcpStream::connect(server.address).await.unwrap();
    let io = hyper_util::rt::TokioIo::new(socket);
    let executor = hyper_util::rt::TokioExecutor::new();
    let (sender, connection) = hyper::client::conn::http2::handshake(executor, io)
        .await
        .unwrap();
    tokio::spawn(connection);
    let mut streams = Vec::new();
    for _ in 0..20 {
        let mut sender = sender.clone();
        let request = http::Request::post(format!("http://{}/gated", server.address))
            .header("accept", "application/x-ndjson")
            .body(Empty::<bytes::Bytes>::new())
            .unwrap();
        streams.push(tokio::spawn(async move {
            let response = sender.send_request(request).await.unwrap();
            assert_eq!(response.version(), http::Version::HTTP_2);
            assert_eq!(response.headers()["content-type"], "application/x-ndjson");
            assert!(!response.headers().contains_key("transfer-encoding"));
            response.into_body().collect().await.unwrap().to_bytes()
        }));
    }
    tokio::time::sleep(Duration::from_millis(400)).await;
    assert_eq!(server.hub.stats().open, 20);
    server.gate.0.notify_waiters();
    for stream in streams {
        let body = tokio::time::timeout(PATIENCE, stream)
            .await
            .unwrap()
            .unwrap();
        let text = String::from_utf8(body.to_vec()).unwrap();
        let events: Vec<serde_json::Value> = text
            .lines()
            .map(|line| serde_json::from_str(line).unwrap())
            .collect();
        check_stream(&events);
    }
}
