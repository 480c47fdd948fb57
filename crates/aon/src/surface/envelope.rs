//! The flattened problem that MCP and A2A share ([S5], [S6]): the members of [P1], then what the surface adds.
//!
//! | member | here |
//! | --- | --- |
//! | `docs_url` | `documentation_uri` |
//! | extension members | as they are; all of them under `extensions` when one has a name the envelope uses itself |
//! | everything else | as it is |
//!
//! [S5]: https://github.com/aon-rs/aon/blob/main/docs/contract.md#s5
//! [S6]: https://github.com/aon-rs/aon/blob/main/docs/contract.md#s6
//! [P1]: https://github.com/aon-rs/aon/blob/main/docs/contract.md#p1

use aon_core::json::{ObjectWriter, WriteObject};
use aon_core::{Json, MachineHints, Parts, ProblemDetails, STANDARD_MEMBERS};

use super::{RecoverError, raw};

/// What a surface calls its own members ([S9], the only renames).
///
/// [S9]: https://github.com/aon-rs/aon/blob/main/docs/contract.md#s9
#[derive(Clone, Copy, Debug)]
pub(crate) struct Names {
    pub(crate) schema: &'static str,
    pub(crate) surface: &'static str,
    pub(crate) suggested: &'static str,
    pub(crate) corrected: &'static str,
}

pub(crate) const MCP: Names = Names {
    schema: "pspace.mcp.error.v1",
    surface: "mcp",
    suggested: "suggested_tools",
    corrected: "corrected_args",
};

pub(crate) const A2A: Names = Names {
    schema: "pspace.a2a.error.v1",
    surface: "a2a",
    suggested: "suggested_skills",
    corrected: "corrected_params",
};

const DOCS: &str = "documentation_uri";
const EXTENSIONS: &str = "extensions";

/// Names no extension may take at the top of an envelope; the same on every surface, so that the same problem has
/// the same members everywhere.
const RESERVED: [&str; 10] = [
    "@type",
    "schema",
    "surface",
    "suggested_tools",
    "suggested_skills",
    "corrected_args",
    "corrected_params",
    "machine_hints",
    DOCS,
    EXTENSIONS,
];

/// Writes the envelope into an open object.
pub(crate) fn write(
    object: &mut impl WriteObject,
    names: &Names,
    problem: &ProblemDetails,
    corrected: Option<&Json>,
    hints: &MachineHints,
) {
    let Parts {
        type_uri: _,
        title: _,
        status: _,
        detail: _,
        instance: _,
        code: _,
        request_id: _,
        valid_values: _,
        remediation: _,
        docs_url: _,
        mcp_tool,
        a2a_skill,
        extensions,
    } = problem.parts();
    problem.write_members(object, DOCS);
    if extensions.iter().any(|(name, _)| RESERVED.contains(&name)) {
        object.object(EXTENSIONS, None, |nested| {
            for (name, value) in extensions.iter() {
                nested.json(name, value);
            }
        });
    } else {
        for (name, value) in extensions.iter() {
            object.json(name, value);
        }
    }
    object.string("schema", names.schema);
    object.string("surface", names.surface);
    let suggested = if names.surface == MCP.surface {
        mcp_tool.map(aon_core::ToolName::as_str)
    } else {
        a2a_skill.map(aon_core::SkillId::as_str)
    };
    object.array(names.suggested, None, suggested.as_slice());
    if let Some(corrected) = corrected {
        object.json(names.corrected, corrected);
    }
    object.object("machine_hints", None, |object| hints.write_members(object));
}

/// Whether a JSON object is an envelope of that surface, by its `schema` or the end of its `@type`.
pub(crate) fn is_envelope(json: &str, names: &Names) -> bool {
    let Some(members) = raw::members(json) else {
        return false;
    };
    let text = |name| raw::find(&members, name).and_then(raw::text);
    text("schema").is_some_and(|schema| schema == names.schema)
        || text("@type").is_some_and(|name| name.rsplit('/').next() == Some(names.schema))
}

/// Reads the problem back out of an envelope, leniently.
pub(crate) fn read(json: &str, names: &Names) -> Result<ProblemDetails, RecoverError> {
    let Some(members) = raw::members(json) else {
        return Err(RecoverError::new("the envelope must be a JSON object"));
    };
    let mut flat = Vec::with_capacity(json.len());
    let mut object = ObjectWriter::begin(&mut flat);
    for (name, value) in members {
        match &*name {
            "schema" | "surface" | "machine_hints" | "@type" => {}
            own if own == names.suggested || own == names.corrected => {}
            DOCS => object.raw("docs_url", value),
            EXTENSIONS => match raw::members(value) {
                Some(nested) => {
                    for (name, value) in nested {
                        if !STANDARD_MEMBERS.contains(&&*name) {
                            object.raw(&name, value);
                        }
                    }
                }
                None => object.raw(EXTENSIONS, value),
            },
            name => object.raw(name, value),
        }
    }
    object.end();
    ProblemDetails::from_slice(&flat).map_err(RecoverError::read)
}
