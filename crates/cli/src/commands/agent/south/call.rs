//! `aon agent call`.

use std::time::Duration;

use aon_agent::south::client::{HttpClient, WsClient, within};
use aon_agent::south::keys::Keys;
use aon_agent::south::sign::hex;
use aon_agent::south::wire::Policy;
use aon_agent::south::{Answer, SouthFault, tls};
use serde_json::{Map, Value};

use super::args::{Call, Identity};
use super::{private, read, read_text, unusable};
use crate::exit;
use crate::fault::Fault;
use crate::output::Output;
use crate::server::runtime;

/// The way to the side that acts.
#[derive(Clone, Debug)]
pub(crate) enum Wire {
    Http(HttpClient),
    Ws(
        String,
        std::sync::Arc<tokio_rustls::rustls::ClientConfig>,
        String,
    ),
}

impl Wire {
    pub(crate) fn new(url: &str, reach: &Identity) -> Result<Self, Fault> {
        let nobody = || Fault::usage("the agent is not named", "Say who asks: --agent ID");
        let agent = reach.agent.as_deref().ok_or_else(nobody)?;
        if url.starts_with("http://") {
            let hint = "Name the file with the keys: --keys FILE";
            let path = reach
                .keys
                .as_ref()
                .ok_or_else(|| Fault::usage("signed requests need a key", hint))?;
            private(path)?;
            let keys = Keys::parse(&read_text(path)?).map_err(|error| unusable(path, error))?;
            let newest = keys.of(agent).last().map(|id| (*id).to_owned());
            let found = newest.and_then(|id| Some((hex(keys.secret(agent, &id)?), id)));
            let none = || unusable(path, format!("it has no key of {agent}"));
            let (secret, id) = found.ok_or_else(none)?;
            let client = HttpClient::new(url, agent, &id, &secret).map_err(Fault::South)?;
            let trusting = reach.unsigned_answers;
            return Ok(Self::Http(if trusting {
                client.trusting()
            } else {
                client
            }));
        }
        let (Some(cert), Some(key), Some(ca), true) = (
            &reach.cert,
            &reach.key,
            &reach.ca,
            url.starts_with("wss://"),
        ) else {
            return Err(Fault::usage(
                format!("{url} cannot be reached with these arguments"),
                "Use http:// with --keys, or wss:// with --cert, --key and --ca.",
            ));
        };
        let own = tls::Own {
            certificate: &read(cert)?,
            key: &read(key)?,
        };
        let tls = tls::client(own, &read(ca)?).map_err(|error| unusable(cert, error))?;
        Ok(Self::Ws(url.to_owned(), tls, agent.to_owned()))
    }

    /// Shakes hands, keeps to the policy, and asks once.
    pub(crate) async fn ask(
        &self,
        message: &Map<String, Value>,
        policy: &mut Option<Policy>,
        event: impl FnMut(&Map<String, Value>),
    ) -> Result<Answer, SouthFault> {
        match self {
            Self::Http(client) => {
                if policy.is_none() {
                    match client.hello().await? {
                        Ok(welcome) => *policy = Some(welcome.policy),
                        Err(refused) => return Ok(refused),
                    }
                }
                let policy = policy.unwrap_or_default();
                let text = within(&policy, message)?;
                client.clone().patient(&policy).call(&text).await
            }
            Self::Ws(url, tls, agent) => {
                let mut client = WsClient::open(url, std::sync::Arc::clone(tls)).await?;
                match client.hello(agent).await? {
                    Ok(_) => client.call(message, event).await,
                    Err(refused) => Ok(refused),
                }
            }
        }
    }
}

pub(crate) fn run(args: &Call, output: &mut Output) -> Result<u8, Fault> {
    let text = match args.message.as_str() {
        "-" => {
            std::io::read_to_string(std::io::stdin()).map_err(|source| Fault::stream(&source))?
        }
        text => text.to_owned(),
    };
    let mut message: Map<String, Value> =
        serde_json::from_str(&text).map_err(|error| Fault::UnreadableArguments {
            option: "MESSAGE",
            reason: error.to_string(),
        })?;
    let has_id =
        message.contains_key("action_id") || message.get("method") == Some(&Value::from("hello"));
    if !has_id {
        message.insert("action_id".to_owned(), new_id()?.into());
    }
    if args.follow {
        message.insert("stream".to_owned(), Value::Bool(true));
    }
    let wire = Wire::new(&args.url, &args.reach)?;
    let answer = runtime()?.block_on(async {
        let mut wait = Duration::from_millis(500);
        let mut policy = None;
        let mut left = args.retries;
        loop {
            let asked = wire.ask(&message, &mut policy, |event| {
                // A reader that went away is noticed at the answer.
                let _closed = output
                    .line(Value::Object(event.clone()).to_string())
                    .and_then(|()| output.flush());
            });
            // The id makes it safe to ask again.
            match asked.await {
                Err(
                    SouthFault::Unreachable { .. }
                    | SouthFault::AnswerLate { .. }
                    | SouthFault::AnswerNotVerified { .. },
                ) if left > 0 => {}
                Ok(answer) if left > 0 && answer.retry_after().is_some() => {}
                other => return other,
            }
            left -= 1;
            tokio::time::sleep(wait).await;
            wait = (wait * 2).min(Duration::from_secs(5));
        }
    });
    let answer = answer.map_err(Fault::South)?;
    output.line(answer.text())?;
    Ok(if answer.status >= 400 {
        exit::FOUND
    } else {
        exit::OK
    })
}

fn new_id() -> Result<String, Fault> {
    let mut random = [0; 16];
    getrandom::fill(&mut random)
        .map_err(|error| Fault::refused("making an id", &std::io::Error::other(error)))?;
    Ok(hex(&random))
}
