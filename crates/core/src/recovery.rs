//! What a caller does about a failure ([V1]): one table of decisions, the same in every language.
//!
//! The table is read from the top, and the first rule that applies decides. `aon::recovery` carries it out, and so do the
//! clients that `aon gen` writes; the chapter "How a caller recovers" is generated from it.
//!
//! [V1]: https://github.com/aon-rs/aon/blob/main/docs/contract.md#v1

use std::fmt::{self, Write as _};

use crate::remediation::closed_set;

closed_set! {
    /// What a caller does next.
    Action, "the callers in every language carry out each of them" {
        /// Send a call that was changed.
        Send = "send",
        /// Choose one of the values that are valid.
        Choose = "choose",
        /// Wait, then send the same call again.
        Wait = "wait",
        /// Ask for a wider scope, then send the same call again.
        Elevate = "elevate",
        /// Act as another user, then send the same call again.
        SwitchUser = "switch_user",
        /// Call another operation first.
        Call = "call",
        /// Read a list of values.
        Fetch = "fetch",
        /// Stop, and say why.
        GiveUp = "give_up",
    }
}

closed_set! {
    /// Why: a line of the table of decisions.
    Rule, "each line of the table is carried out by name" {
        /// The budget is used up.
        Budget = "budget",
        /// The same problem answered the same call before.
        Loop = "loop",
        /// The problem says that nothing helps.
        None = "none",
        /// A correction is clear.
        Corrected = "corrected",
        /// The operation has another name.
        Name = "name",
        /// The problem says when the call may be repeated.
        Delay = "delay",
        /// A scope is missing.
        Scope = "scope",
        /// The caller is not known.
        SignIn = "sign_in",
        /// The values that would do are told.
        Values = "values",
        /// The place that lists the values is told.
        Choices = "choices",
        /// Another operation helps.
        Tool = "tool",
        /// The next action is a place to read.
        NextAction = "next_action",
        /// Another user may do it.
        OtherUser = "other_user",
        /// The value of a field is not told.
        Ask = "ask",
        /// Nobody knows whether the call had its effect.
        Unknown = "unknown",
        /// The failure may pass, and repeating does no harm.
        Passing = "passing",
        /// Nothing in the answer can be acted on.
        Nothing = "nothing",
    }
}

/// One line of the table.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[expect(
    clippy::exhaustive_structs,
    reason = "the generators write every part of a line"
)]
pub struct Line {
    /// Its name.
    pub rule: Rule,
    /// When it applies.
    pub when: &'static str,
    /// What is done then.
    pub action: Action,
    /// Why, in a sentence.
    pub because: &'static str,
}

const fn line(rule: Rule, action: Action, when: &'static str, because: &'static str) -> Line {
    Line {
        rule,
        when,
        action,
        because,
    }
}

/// The table of decisions: the first line that applies decides.
pub const TABLE: &[Line] = &[
    line(
        Rule::Budget,
        Action::GiveUp,
        "the calls or the time the caller gave are used up",
        "the budget is used up",
    ),
    line(
        Rule::Loop,
        Action::GiveUp,
        "the same problem answered the same call before, and the last step was not a wait; or it did so for the third time",
        "the same problem answers the same call again",
    ),
    line(
        Rule::None,
        Action::GiveUp,
        "the remediation is `none`, and there is no delay",
        "the problem says that the caller can do nothing",
    ),
    line(
        Rule::Corrected,
        Action::Send,
        "the call was refused, and the one call that was meant is clear: `corrected`, `valid_values`, `suggestion` or the schema the caller knows; \
         it changes only fields that are named and allowed",
        "the call that was meant is clear",
    ),
    line(
        Rule::Name,
        Action::Send,
        "there is no such operation, and the nearest one the caller knows is clear, or is suggested or the only one that reads or does the same, and allowed",
        "the operation has another name",
    ),
    line(
        Rule::Delay,
        Action::Wait,
        "the envelope says that the call may be repeated, or the call does no harm when repeated and there is a delay; \
         provisioning of which nobody says how long it takes is done by the operation that the problem names, if it is allowed",
        "the call may be repeated after the delay",
    ),
    line(
        Rule::Scope,
        Action::Elevate,
        "a scope is missing, and the caller allowed it",
        "the call needs a scope that the caller allowed",
    ),
    line(
        Rule::SignIn,
        Action::SwitchUser,
        "the status is 401, and the caller allowed another user",
        "the call needs a user who is signed in",
    ),
    line(
        Rule::Values,
        Action::Choose,
        "the call was refused, and the valid values of a field that is named and allowed are known",
        "the field takes one of these values",
    ),
    line(
        Rule::Choices,
        Action::Fetch,
        "the problem or the schema names a `choices_endpoint` for the field, on a host that is allowed",
        "the valid values are listed there",
    ),
    line(
        Rule::Tool,
        Action::Call,
        "an operation is suggested that the caller knows and allowed, and its arguments are known; a safe one is read, another one is done first, and \
         one that stands in for what is gone, or changes what is there already, is sent instead",
        "the problem names the operation that helps",
    ),
    line(
        Rule::NextAction,
        Action::Fetch,
        "`next_action.endpoint_url` is on a host that is allowed, and is not an operation the caller knows",
        "the problem names the place to read next",
    ),
    line(
        Rule::OtherUser,
        Action::SwitchUser,
        "the remediation is `switch_user`, and the caller allowed another user",
        "the problem asks for another user",
    ),
    line(
        Rule::Ask,
        Action::Choose,
        "the call was refused for a field that is missing or wrong, and nobody told which values it takes",
        "only the owner knows the value of the field",
    ),
    line(
        Rule::Unknown,
        Action::GiveUp,
        "the call is neither safe nor idempotent, and nobody knows whether it had its effect",
        "the call may have had its effect: look before it is repeated",
    ),
    line(
        Rule::Passing,
        Action::Wait,
        "the call is safe or idempotent, and the answer was lost or the status is 408, 425, 429 or 500 to 504 without 501",
        "the failure may pass, and repeating does no harm",
    ),
    line(
        Rule::Nothing,
        Action::GiveUp,
        "anything else",
        "the answer says nothing that can be acted on",
    ),
];

impl Rule {
    /// Its line of the table.
    pub fn line(self) -> &'static Line {
        let found = TABLE.iter().find(|line| line.rule == self);
        // Every rule has a line; a test holds it.
        found.unwrap_or(const { &TABLE[TABLE.len() - 1] })
    }
}

/// The table as Markdown, for the documentation.
pub fn table_markdown() -> String {
    let mut out = "| # | rule | when | what is done |\n| --- | --- | --- | --- |\n".to_owned();
    for (at, line) in TABLE.iter().enumerate() {
        let Line {
            rule,
            when,
            action,
            because,
        } = line;
        // Writing into a String cannot fail.
        let _: fmt::Result = writeln!(
            out,
            "| {} | `{rule}` | {when} | `{action}`: {because} |",
            at + 1
        );
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_rule_has_one_line_and_every_action_a_rule() {
        for rule in Rule::ALL {
            assert_eq!(rule.line().rule, *rule);
            let lines = TABLE.iter().filter(|line| line.rule == *rule);
            assert_eq!(lines.count(), 1, "{rule}");
        }
        for action in Action::ALL {
            assert!(TABLE.iter().any(|line| line.action == *action), "{action}");
        }
        assert_eq!(TABLE.last().map(|line| line.rule), Some(Rule::Nothing));
    }
}
