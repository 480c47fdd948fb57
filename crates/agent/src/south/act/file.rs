//! `file.diff` and `file.apply`.

use std::time::Duration;

use serde_json::{Value, json};
use tokio::time::Instant;

use crate::south::answer::Answer;
use crate::south::fault::SouthFault;
use crate::south::files::{Content, Roots};
use crate::south::patch;
use crate::south::wire::{Apply, Diff};

/// How long a short diff is looked for; then a longer one is given.
const SEARCH: Duration = Duration::from_millis(500);

/// `file.diff`: what would have to change, without secrets unless they may be shown.
pub(super) fn diff(
    roots: &Roots,
    may_reveal: bool,
    largest: u64,
    asked: &Diff,
) -> Result<Answer, SouthFault> {
    let content = roots.find(&asked.path)?.read()?;
    let patch = patch::diff(
        &asked.path,
        content.as_ref().map(Content::text),
        &asked.want,
        Some((Instant::now() + SEARCH).into_std()),
    );
    // The other side reads no message that is larger than the policy says.
    let fits = |length: usize| {
        let reason =
            format!("its diff is larger than {largest} bytes, the `max_payload` of the policy");
        let fits = length as u64 <= largest;
        fits.then_some(())
            .ok_or(SouthFault::FileUnusable { reason })
    };
    fits(patch.len())?;
    let shown = if asked.reveal && may_reveal {
        None
    } else {
        patch::redacted(&patch)
    };
    let redacted = shown.is_some();
    let mut answer = Answer::good(json!({ "patch": shown.unwrap_or(patch) }));
    if redacted {
        answer.body.insert("redacted".to_owned(), Value::Bool(true));
    }
    fits(answer.text().len())?;
    Ok(answer)
}

/// `file.apply`: exactly, or not at all.
pub(super) fn apply(roots: &Roots, asked: &Apply) -> Result<Answer, SouthFault> {
    let place = roots.find(&asked.path)?;
    let content = place.read()?;
    // Two files that are the same have an empty diff.
    if content.is_some() && asked.patch.trim().is_empty() {
        return Ok(Answer::good(json!({ "applied": true })));
    }
    if content.is_none() && !patch::creates(&asked.patch) {
        return Err(SouthFault::FileNotFound);
    }
    if content.is_some() && patch::creates(&asked.patch) {
        return Err(SouthFault::PatchDoesNotApply { line: 1 });
    }
    let new = patch::apply(content.as_ref().map_or("", Content::text), &asked.patch)?;
    let mut random = [0; 8];
    getrandom::fill(&mut random).map_err(|_none| SouthFault::FileFailed {
        reason: "no random numbers".to_owned(),
    })?;
    place.replace(content.as_ref(), &new, u64::from_ne_bytes(random))?;
    Ok(Answer::good(json!({ "applied": true })))
}
