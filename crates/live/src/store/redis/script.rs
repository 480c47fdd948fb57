//! The scripts that the engine runs, and what they give.

use std::sync::LazyLock;

use redis::{Cmd, Script, Value, cmd};
use serde::{Deserialize, Serialize};

use super::link::{bytes, number, text};
use crate::frame::Frame;
use crate::id::{Epoch, Seq, SessionId, TraceId};
use crate::machine::follow::Looked;
use crate::store::{About, Page};

/// A script, and the name the engine gives it.
pub(super) struct Known {
    pub(super) code: &'static str,
    name: LazyLock<String>,
}

macro_rules! script {
    ($name:ident, $file:literal) => {
        pub(super) static $name: Known = Known {
            code: include_str!($file),
            name: LazyLock::new(|| Script::new(include_str!($file)).get_hash().to_owned()),
        };
    };
}

script!(APPEND, "append.lua");
script!(CREATE, "create.lua");
script!(READ, "read.lua");
script!(CLAIM, "claim.lua");
script!(REMOVE, "remove.lua");

pub(super) static ALL: [&Known; 5] = [&APPEND, &CREATE, &READ, &CLAIM, &REMOVE];

impl Known {
    /// A call with these keys; arguments follow.
    pub(super) fn call(&self, keys: &[&[u8]]) -> Cmd {
        let mut call = cmd("EVALSHA");
        call.arg(&*self.name).arg(keys.len());
        for key in keys {
            call.arg(*key);
        }
        call
    }
}

/// The keys of a session; one hash slot.
#[derive(Debug)]
pub(super) struct Keys {
    pub(super) events: Vec<u8>,
    pub(super) meta: Vec<u8>,
    pub(super) letters: Vec<u8>,
}

impl Keys {
    pub(super) fn of(prefix: &str, id: SessionId) -> Self {
        let key = |what: char| format!("{prefix}{{{id}}}{what}").into_bytes();
        Self {
            events: key('e'),
            meta: key('m'),
            letters: key('l'),
        }
    }
}

/// What became of an append, as the script says it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Said {
    Stored(Seq),
    /// Other bytes have these numbers.
    Fenced,
    /// Another node has taken the session over.
    Lost,
    Closed,
    Gone,
    /// The engine ends here, and something before what was appended is missing in it.
    Behind(Seq),
}

impl Said {
    pub(super) fn read(value: &Value) -> Option<Self> {
        let Value::Array(parts) = value else {
            return None;
        };
        let newest = u64::try_from(number(parts.get(1))?).ok()?;
        Some(match number(parts.first())? {
            0 => Self::Stored(Seq::new(newest)),
            1 => Self::Fenced,
            2 => Self::Closed,
            3 => Self::Gone,
            4 => Self::Behind(Seq::new(newest)),
            5 => Self::Lost,
            _ => return None,
        })
    }
}

/// What was read of a session.
#[derive(Debug)]
pub(super) struct Run {
    pub(super) about: About,
    pub(super) newest: Seq,
    pub(super) oldest: Seq,
    pub(super) ended: bool,
    pub(super) frames: Vec<Frame>,
}

impl Run {
    pub(super) fn read(value: &Value) -> Option<Self> {
        let Value::Array(parts) = value else {
            return None;
        };
        let seq = |at: usize| Some(Seq::new(u64::try_from(number(parts.get(at))?).ok()?));
        let about = about(bytes(parts.first())?)?;
        let Some(Value::Array(entries)) = parts.get(4) else {
            return None;
        };
        let frames = entries.iter().map(|entry| event(about.epoch, entry));
        Some(Self {
            newest: seq(1)?,
            oldest: seq(2)?,
            ended: number(parts.get(3))? == 1,
            frames: frames.collect::<Option<_>>()?,
            about,
        })
    }

    pub(super) fn looked(self) -> Looked {
        Looked {
            epoch: self.about.epoch,
            oldest: self.oldest,
            newest: self.newest,
            frames: self.frames,
        }
    }

    pub(super) fn page(self) -> Page {
        Page {
            epoch: self.about.epoch,
            oldest: self.oldest,
            newest: self.newest,
            ended: self.ended,
            frames: self.frames,
        }
    }
}

/// An entry of a stream: its id, and names and values in turns.
fn event(epoch: Epoch, entry: &Value) -> Option<Frame> {
    let Value::Array(entry) = entry else {
        return None;
    };
    let id = text(entry.first())?;
    let seq = Seq::new(id.split('-').next()?.parse().ok()?);
    let Some(Value::Array(fields)) = entry.get(1) else {
        return None;
    };
    let kind = std::str::from_utf8(bytes(fields.get(1))?).ok()?;
    let frame = Frame::restore(epoch, seq, kind, bytes(fields.get(3))?);
    Some(match bytes(fields.get(5)) {
        Some(reduced) => frame.with_reduced(Frame::restore(epoch, seq, kind, reduced)),
        None => frame,
    })
}

/// What is known about a session, as it is kept.
#[derive(Serialize, Deserialize)]
struct Kept {
    e: u32,
    t: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    o: Option<String>,
    c: u64,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    a: Option<String>,
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    g: bool,
}

pub(super) fn kept(about: &About) -> String {
    let kept = Kept {
        e: about.epoch.bits(),
        t: about.trace.to_string(),
        o: about.owner.clone(),
        c: about.created_ms,
        a: about.again.clone(),
        g: about.goes_on,
    };
    serde_json::to_string(&kept).unwrap_or_default()
}

pub(super) fn about(json: &[u8]) -> Option<About> {
    let kept: Kept = serde_json::from_slice(json).ok()?;
    let mut about = About::new(Epoch::new(kept.e), TraceId::parse(&kept.t)?, kept.c);
    about.owner = kept.o;
    about.again = kept.a;
    about.goes_on = kept.g;
    Some(about)
}
