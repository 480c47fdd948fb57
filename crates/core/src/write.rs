//! Canonical JSON of a problem ([P1]): straight into bytes, members in the order of the contract.
//!
//! [P1]: https://github.com/aon-rs/aon/blob/main/docs/contract.md#p1

use serde::{Serialize, Serializer};

use crate::json::{ObjectWriter, Tree, WriteObject};
use crate::{Parts, ProblemDetails};

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
        if let Some(uri) = type_uri {
            object.string("type", uri.as_str());
        }
        if let Some(title) = title {
            object.string("title", title);
        }
        if let Some(status) = status {
            object.number("status", u64::from(status.as_u16()));
        }
        if let Some(detail) = detail {
            object.string("detail", detail);
        }
        if let Some(uri) = instance {
            object.string("instance", uri.as_str());
        }
        if let Some(code) = code {
            object.string("code", code.as_str());
        }
        if let Some(id) = request_id {
            object.string("request_id", id);
        }
        if !valid_values.is_empty() {
            object.object("valid_values", None, |object| {
                valid_values.write_members(object);
            });
        }
        if let Some(remediation) = remediation {
            remediation.write(object, "remediation");
        }
        if let Some(url) = docs_url {
            object.string(docs_key, url.as_str());
        }
        if let Some(tool) = mcp_tool {
            object.string("mcp_tool", tool.as_str());
        }
        if let Some(skill) = a2a_skill {
            object.string("a2a_skill", skill.as_str());
        }
    }
}

impl Serialize for ProblemDetails {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let tree: Tree =
            serde_json::from_slice(&self.to_vec()).map_err(serde::ser::Error::custom)?;
        tree.serialize(serializer)
    }
}
