//! What the sender of an answer is told.

use aon_core::{Problem as _, ProblemDetails, Status, redact};

use crate::heal::fault::HealFault;
use crate::machine::patch::{Patch, Refused, Why};
use crate::machine::request::Answer;

/// An answer that was taken.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Receipt {
    /// The question.
    pub request_id: String,
    /// `accepted` or `denied`.
    pub outcome: &'static str,
    /// What it changes, as JSON Pointers.
    pub paths: Vec<String>,
    /// What it was based on.
    pub base_hash: String,
}

impl Receipt {
    pub(super) fn of(answer: &Answer, id: &str, base: &str) -> Self {
        let (outcome, paths) = match answer {
            Answer::Patch(patch) => ("accepted", patch.paths()),
            Answer::Retry => ("accepted", Vec::new()),
            Answer::Deny => ("denied", Vec::new()),
        };
        Self {
            request_id: id.to_owned(),
            outcome,
            paths,
            base_hash: base.to_owned(),
        }
    }
}

/// An answer that was refused, as its sender is told.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Rejection {
    /// The problem.
    pub problem: Box<ProblemDetails>,
    /// Which operation, from 0.
    pub op_index: Option<usize>,
    /// Why, in one word.
    pub reason: String,
}

impl Rejection {
    /// A refusal that is not about the answer.
    pub(crate) fn ours(fault: &crate::fault::Fault) -> Self {
        Self::of_problem(fault.to_problem())
    }

    pub(crate) fn fault(fault: &HealFault) -> Self {
        Self::of_problem(fault.to_problem())
    }

    /// A refusal whose reason is the code of its problem.
    pub(crate) fn of_problem(problem: ProblemDetails) -> Self {
        Self {
            reason: problem.code().map_or("", aon_core::Code::as_str).to_owned(),
            problem: Box::new(problem),
            op_index: None,
        }
    }

    pub(super) fn of(refused: &Refused) -> Self {
        let words = redact::text(&refused.to_string()).into_owned();
        let reason = refused.why().as_str();
        let fault = if *refused.why() == Why::NotJson {
            HealFault::Malformed { refused: words }
        } else if *refused.why() == Why::TooLarge {
            let max_bytes = crate::machine::patch::PatchLimits::default().bytes;
            HealFault::TooLarge { max_bytes }
        } else {
            HealFault::Rejected {
                refused: words,
                op_index: refused.op_index(),
                reason,
            }
        };
        let mut problem = fault.to_problem();
        if let Some(at) = refused.op_index() {
            problem = problem.with_pointer(&format!("/{at}"), None);
        }
        Self {
            problem: Box::new(problem),
            op_index: refused.op_index(),
            reason: reason.to_owned(),
        }
    }

    /// The patched payload is not what the step takes.
    pub(super) fn invalid(problem: &ProblemDetails, patch: &Patch) -> Self {
        let problem = redact::problem(problem.clone(), redact::Policy::default());
        let words = problem
            .detail()
            .or_else(|| problem.title())
            .unwrap_or("it is not valid");
        let named = problem.field_paths();
        let op_index = patch.touching(&named);
        let fault = HealFault::Rejected {
            refused: format!("The patched payload is not valid: {words}"),
            op_index,
            reason: "invalid_result",
        };
        let mut told = fault.to_problem();
        for (field, choices) in problem.valid_values().iter() {
            told = told.with_valid_values(field.to_owned(), choices.iter().cloned());
        }
        for pointer in named.iter().take(16) {
            told = told.with_pointer(pointer, None);
        }
        Self {
            problem: Box::new(told),
            op_index,
            reason: "invalid_result".to_owned(),
        }
    }

    /// The status its sender is answered with.
    pub fn status(&self) -> u16 {
        self.problem.status().map_or(500, Status::as_u16)
    }
}
