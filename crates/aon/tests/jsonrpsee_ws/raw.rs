//! A client that writes and reads frame by frame, and may do it wrong.

use std::net::SocketAddr;
use std::time::Duration;

use serde_json::{Value, json};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;

pub(crate) const TEXT: u8 = 1;
pub(crate) const BINARY: u8 = 2;
pub(crate) const CLOSE: u8 = 8;
pub(crate) const PING: u8 = 9;
pub(crate) const PONG: u8 = 10;
pub(crate) const FIN: u8 = 0x80;

pub(crate) struct Client {
    pub(crate) stream: TcpStream,
}

/// What an HTTP server answers to a request for a web socket, head and body.
pub(crate) async fn handshake(address: SocketAddr, headers: &str) -> (TcpStream, String) {
    let mut stream = TcpStream::connect(address).await.unwrap();
    stream.set_nodelay(true).unwrap();
    let hello = format!(
        "GET / HTTP/1.1\r\nHost: {address}\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n\
         Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n{headers}\r\n"
    );
    stream.write_all(hello.as_bytes()).await.unwrap();
    let mut head = Vec::new();
    while !head.ends_with(b"\r\n\r\n") {
        head.push(stream.read_u8().await.unwrap());
    }
    (stream, String::from_utf8(head).unwrap().to_lowercase())
}

impl Client {
    pub(crate) async fn open(address: SocketAddr) -> Self {
        Self::open_with(address, "").await
    }

    pub(crate) async fn open_with(address: SocketAddr, headers: &str) -> Self {
        let headers = format!("Sec-WebSocket-Version: 13\r\n{headers}");
        let (stream, head) = handshake(address, &headers).await;
        assert!(head.starts_with("http/1.1 101"), "{head}");
        assert!(head.contains("s3pplmbitxaq9kygzzhzrbk+xoo="), "{head}");
        Self { stream }
    }

    /// Sends one frame; `first` is the opcode and the bit of the last fragment.
    pub(crate) async fn frame(&mut self, first: u8, payload: &[u8]) {
        let mask = [7, 99, 200, 13];
        let mut frame = vec![first];
        match payload.len() {
            short @ 0..126 => frame.push(0x80 | u8::try_from(short).unwrap()),
            middle @ 126..65_536 => {
                frame.push(0x80 | 0x7e);
                frame.extend_from_slice(&u16::try_from(middle).unwrap().to_be_bytes());
            }
            long => {
                frame.push(0x80 | 0x7f);
                frame.extend_from_slice(&(long as u64).to_be_bytes());
            }
        }
        frame.extend_from_slice(&mask);
        let masked = payload.iter().zip(mask.iter().cycle());
        frame.extend(masked.map(|(byte, mask)| byte ^ mask));
        self.stream.write_all(&frame).await.unwrap();
    }

    pub(crate) async fn send(&mut self, text: impl AsRef<[u8]>) {
        self.frame(FIN | TEXT, text.as_ref()).await;
    }

    /// The next frame: its first byte and its payload.
    pub(crate) async fn next(&mut self) -> (u8, Vec<u8>) {
        let read = async {
            let first = self.stream.read_u8().await.unwrap();
            let length = match self.stream.read_u8().await.unwrap() {
                126 => u64::from(self.stream.read_u16().await.unwrap()),
                127 => self.stream.read_u64().await.unwrap(),
                short => u64::from(short),
            };
            let mut payload = vec![0; usize::try_from(length).unwrap()];
            self.stream.read_exact(&mut payload).await.unwrap();
            (first, payload)
        };
        tokio::time::timeout(Duration::from_secs(20), read)
            .await
            .unwrap()
    }

    /// The next text.
    pub(crate) async fn json(&mut self) -> Value {
        let (first, payload) = self.next().await;
        assert_eq!(first, FIN | TEXT, "{payload:?}");
        serde_json::from_slice(&payload).unwrap()
    }

    pub(crate) async fn exchange(&mut self, text: impl AsRef<[u8]>) -> Value {
        self.send(text).await;
        self.json().await
    }

    /// A good request is served.
    pub(crate) async fn works(&mut self) {
        let sum = self.exchange(request("add", json!([1, 2]))).await;
        assert_eq!(sum, json!({"jsonrpc": "2.0", "id": 1, "result": 3}));
    }

    /// The server has nothing more to say, and is gone.
    pub(crate) async fn is_over(&mut self) -> bool {
        let mut rest = Vec::new();
        let read = self.stream.read_to_end(&mut rest);
        let read = tokio::time::timeout(Duration::from_secs(20), read);
        read.await.is_ok() && rest.is_empty()
    }
}

pub(crate) fn request(method: &str, params: Value) -> String {
    json!({"jsonrpc": "2.0", "id": 1, "method": method, "params": params}).to_string()
}

/// The body of an answer over HTTP to the same bytes.
pub(crate) async fn post(address: SocketAddr, body: &[u8]) -> Value {
    let mut stream = TcpStream::connect(address).await.unwrap();
    let head = format!(
        "POST / HTTP/1.1\r\nHost: {address}\r\nConnection: close\r\nContent-Type: application/json\r\n\
         Content-Length: {}\r\n\r\n",
        body.len()
    );
    stream.write_all(head.as_bytes()).await.unwrap();
    stream.write_all(body).await.unwrap();
    let mut answer = Vec::new();
    stream.read_to_end(&mut answer).await.unwrap();
    let text = String::from_utf8(answer).unwrap();
    let (_, body) = text.split_once("\r\n\r\n").unwrap();
    serde_json::from_str(body).unwrap()
}
