//! Canonical JSON of a problem ([P1]): straight into bytes, members in the order of the contract.
//!
//! [P1]: https://github.com/aon-rs/aon/blob/main/docs/contract.md#p1

use serde::{Serialize, Serializer};

use crate::json::{ObjectWriter, Tree, WriteObject};
use crate::{Code, Parts, ProblemDetails, SkillId, ToolName, UriRef};

impl ProblemDetails {
    /// The canonical JSON, as bytes.
    pub fn to_vec(&self) -> Vec<u8> {
        let mut out = Vec::with_capacity(512);
        self.write(&mut out);
        out
    }

    /// Appends the canonical JSON.
    pub fn write(&self, out: &mut Vec<u8>) {
        let mut object = ObjectWriter::begin(out);
        self.write_members(&mut object, "docs_url");
        self.extensions().write(&mut object);
        object.end();
    }

    /// Writes the standard members into an open object, for a surface that flattens the problem among
    /// members of its own. `docs_key` is what the surface calls `docs_url` ([S9]). Extensions are left to the
    /// surface: it knows which names it has taken.
    ///
    /// [S9]: https://github.com/aon-rs/aon/blob/main/docs/contract.md#s9
    pub fn write_members(&self, object: &mut impl WriteObject, docs_key: &str) {
        let Parts {
            type_uri,
            title,
            status,
            detail,
            instance,
            code,
            request_id,
            valid_values,
            remediation,
            docs_url,
            mcp_tool,
            a2a_skill,
            extensions: _,
        } = self.parts();
        object.text("type", type_uri.map(UriRef::as_str));
        object.text("title", title);
        if let Some(status) = status {
            object.number("status", u64::from(status.as_u16()));
        }
        object.text("detail", detail);
        object.text("instance", instance.map(UriRef::as_str));
        object.text("code", code.map(Code::as_str));
        object.text("request_id", request_id);
        if !valid_values.is_empty() {
            object.object("valid_values", None, |object| {
                valid_values.write_members(object);
            });
        }
        if let Some(remediation) = remediation {
            remediation.write(object, "remediation");
        }
        object.text(docs_key, docs_url.map(UriRef::as_str));
        object.text("mcp_tool", mcp_tool.map(ToolName::as_str));
        object.text("a2a_skill", a2a_skill.map(SkillId::as_str));
    }
}

impl Serialize for ProblemDetails {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let tree: Tree =
            serde_json::from_slice(&self.to_vec()).map_err(serde::ser::Error::custom)?;
        tree.serialize(serializer)
    }
}
