//! From what an error points at to the operation that is meant.

use aon_manifest::model::{NextAction, Operation, Verify};

use super::group::{Group, Joined, Variant};
use super::words;

impl<'a> Group<'a> {
    /// The operation at an address, which may have a method in front and a host of this API.
    pub(super) fn at_address(&self, method: Option<&str>, address: &str) -> Option<&Joined<'a>> {
        let (written, address) = match address.trim().split_once(char::is_whitespace) {
            Some((word, rest)) if !word.contains('/') => (Some(word), rest.trim()),
            _ => (None, address.trim()),
        };
        if address.is_empty() || !self.is_ours(address) {
            return None;
        }
        let method = method.or(written);
        let found = self
            .apis
            .iter()
            .find_map(|api| api.operation_at(method, address))?;
        self.joined(found)
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
            return self.at_address(None, &url);
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
        let method = verify.method.map(|method| method.node().text());
        self.at_address(method, &verify.path?)
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

    /// Whether an address is relative, or has the host of one of our servers; without a known host every one may be ours.
    fn is_ours(&self, address: &str) -> bool {
        let Some(host) = host(address) else {
            return true;
        };
        let mut known = self
            .apis
            .iter()
            .flat_map(|api| &api.servers)
            .filter_map(|server| self::host(server.as_str()))
            .peekable();
        known.peek().is_none() || known.any(|own| own.eq_ignore_ascii_case(host))
    }
}

fn host(address: &str) -> Option<&str> {
    let rest = address.split_once("://")?.1;
    let host = rest.split(['/', '?', '#']).next()?;
    (!host.is_empty()).then_some(host)
}
