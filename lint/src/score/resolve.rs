//! From what an error points at to the operation that is meant.

use aon_manifest::model::{NextAction, Operation, Verify};

use super::group::{Group, Joined, Variant};
use super::words;
use crate::targets::{self, Target};

impl<'a> Group<'a> {
    /// The operation an address or an id leads to, by the rules' own answer.
    pub(super) fn at_address(&self, address: &str) -> Option<&Joined<'a>> {
        let found = self
            .apis
            .iter()
            .find_map(|api| targets::operation(api, address))?;
        self.joined(found)
    }

    /// Where the values of a choice are looked up. One document that knows the operation is enough; an address that leads out
    /// of every document cannot be judged.
    pub(super) fn lists_choices(&self, endpoint: &str) -> bool {
        let mut answers = self.apis.iter().map(|api| targets::choices(api, endpoint));
        let found = answers.any(|target| target == Target::Operation);
        let mut answers = self.apis.iter().map(|api| targets::choices(api, endpoint));
        found || answers.all(|target| target == Target::Outside)
    }

    /// The operation of this name: its id, its tool or its skill.
    pub(super) fn named(&self, name: &str) -> Option<&Joined<'a>> {
        let exact = |joined: &&Joined<'a>| joined.names().any(|own| own.as_str() == name);
        let alike = |joined: &&Joined<'a>| joined.names().any(|own| words::same(&own, name));
        self.operations
            .iter()
            .find(exact)
            .or_else(|| self.operations.iter().find(alike))
    }

    /// The operation exposed as this tool.
    pub(super) fn tool(&self, name: &str) -> Option<&Joined<'a>> {
        let is_tool = |operation: &Operation<'a>| operation.tool_name().as_deref() == Some(name);
        self.with_member(is_tool)
    }

    /// The operation exposed as this skill.
    pub(super) fn skill(&self, name: &str) -> Option<&Joined<'a>> {
        self.with_member(|operation| operation.skill().is_some_and(|own| own.as_str() == name))
    }

    /// Where a next action leads: the address decides, else the XRI.
    pub(super) fn target(&self, action: NextAction<'a>) -> Option<&Joined<'a>> {
        if let Some(url) = action.endpoint_url {
            return self.at_address(&url);
        }
        let xri = action.endpoint_xri?;
        let name = xri.as_str().rsplit(['/', ':', '#']).next()?;
        self.named(name)
    }

    /// The operation that checks an effect.
    pub(super) fn verifier(&self, verify: Verify<'a>) -> Option<&Joined<'a>> {
        if let Some(name) = verify.operation {
            return self.named(&name);
        }
        let path = verify.path?;
        match verify.method {
            Some(method) => self.at_address(&format!("{method} {path}")),
            None => self.at_address(&path),
        }
    }

    /// Whether the effect of an operation can be checked by another one here.
    pub(super) fn is_verified(&self, joined: &Joined<'a>) -> bool {
        joined
            .verify()
            .is_some_and(|verify| self.verifier(verify).is_some())
    }

    /// What a promised automatic fix would call: the tool, the skill, or the address of the next action.
    pub(super) fn corrective(&self, variant: &Variant<'a>) -> Option<&Joined<'a>> {
        let error = variant.error;
        let tool = error.mcp_tool.and_then(|tool| self.tool(&tool));
        let skill = || error.a2a_skill.and_then(|skill| self.skill(&skill));
        let action = || {
            variant
                .remediation?
                .next_action
                .and_then(|action| self.target(action))
        };
        tool.or_else(skill).or_else(action)
    }

    fn with_member(&self, fits: impl Fn(&Operation<'a>) -> bool) -> Option<&Joined<'a>> {
        self.operations
            .iter()
            .find(|joined| joined.members.iter().any(|member| fits(member.operation)))
    }

    fn joined(&self, operation: &Operation<'_>) -> Option<&Joined<'a>> {
        self.operations.iter().find(|joined| {
            joined
                .members
                .iter()
                .any(|member| member.operation.node == operation.node)
        })
    }
}
