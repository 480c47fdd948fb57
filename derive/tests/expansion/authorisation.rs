#[derive(Debug, thiserror::Error)]
pub enum AuthError {
    /// The value is none of those allowed.
    #[error("auth_ux must be \"hosted\" or \"custom\", not {given}")]
    InvalidAuthUx { given: String },
    #[error("{id} is still being made")]
    StillProvisioning { id: String },
    #[error(transparent)]
    Choice(#[from] aon::InvalidChoice),
}
const _: () = {
    use ::aon::__private as __aon;
    static __REMEDIATION_0: __aon::Remediation = __aon::Remediation::constant(
        __aon::RemediationKind::SwitchUser,
        __aon::Some("Set it, then retry."),
        __aon::None,
        __aon::None,
        false,
        "{\"type\":\"switch_user\",\"message\":\"Set it, then retry.\",\"auto_fix_available\":false}",
    );
    __aon::embed! {
        __RECORD_0["{\"code\":\"invalid_auth_ux\",\"status\":422,\"type\":",
        "\"acme://problem/invalid_auth_ux\",\"title\":\"Invalid auth ux\",\"detail\":\"auth_ux must be \\\"hosted\\\" or \\\"custom\\\".\",\"summary\":\"The value is none of those allowed.\",\"remediation\":{\"type\":\"switch_user\",\"message\":\"Set it, then retry.\",\"auto_fix_available\":false},\"pointers\":[\"/auth_ux\"],\"extensions\":[],\"origin\":{\"package\":\"",
        __aon::package!(),
        "\",\"type\":\"AuthError\",\"variant\":\"InvalidAuthUx\"},\"valid_values\":{",
        "\"auth_ux\":", < super::choices::AuthUx as __aon::Choices > ::JSON, "}}"]
    }
    static __ENTRY_0: __aon::Entry = __aon::Entry {
        code: "invalid_auth_ux",
        status: 422u16,
        type_uri: "acme://problem/invalid_auth_ux",
        title: "Invalid auth ux",
        urn: "acme",
        detail: "auth_ux must be \"hosted\" or \"custom\".",
        summary: "The value is none of those allowed.",
        docs_url: __aon::None,
        mcp_tool: __aon::None,
        a2a_skill: __aon::None,
        remediation: __aon::Some(&__REMEDIATION_0),
        valid_values: &[
            __aon::FieldValues {
                field: "auth_ux",
                choices: <super::choices::AuthUx as __aon::Choices>::CHOICES,
                json: <super::choices::AuthUx as __aon::Choices>::JSON,
                varies: false,
            },
        ],
        pointers: &["/auth_ux"],
        retry_after: __aon::None,
        retry_after_varies: false,
        challenge: __aon::None,
        extensions: &[],
        extension_types: &[],
        origin: __aon::Origin {
            package: __aon::package!(),
            type_name: "AuthError",
            variant: "InvalidAuthUx",
        },
        json: __aon::Some(__aon::EntryJson {
            head: __aon::join!(
                "\"type\":", "\"acme://problem/invalid_auth_ux\"",
                ",\"title\":\"Invalid auth ux\",\"status\":422"
            ),
            code: ",\"code\":\"invalid_auth_ux\"",
            remediation: ",\"remediation\":{\"type\":\"switch_user\",\"message\":\"Set it, then retry.\",\"auto_fix_available\":false}",
            tail: "",
            advice: "",
        }),
        embedded: __RECORD_0,
    };
    __aon::embed! {
        __RECORD_1["{\"code\":\"still_provisioning\",\"status\":409,\"type\":",
        "\"acme://problem/still_provisioning\",\"title\":\"Still provisioning\",\"detail\":\"{id} is still being made\",\"summary\":\"\",\"retry_after\":5,\"pointers\":[],\"extensions\":[\"id\"],\"extension_types\":{\"id\":\"string\"},\"origin\":{\"package\":\"",
        __aon::package!(),
        "\",\"type\":\"AuthError\",\"variant\":\"StillProvisioning\"},\"valid_values\":{",
        "}}"]
    }
    static __ENTRY_1: __aon::Entry = __aon::Entry {
        code: "still_provisioning",
        status: 409u16,
        type_uri: "acme://problem/still_provisioning",
        title: "Still provisioning",
        urn: "acme",
        detail: "{id} is still being made",
        summary: "",
        docs_url: __aon::None,
        mcp_tool: __aon::None,
        a2a_skill: __aon::None,
        remediation: __aon::None,
        valid_values: &[],
        pointers: &[],
        retry_after: __aon::Some(5u64),
        retry_after_varies: false,
        challenge: __aon::None,
        extensions: &["id"],
        extension_types: &[("id", "string")],
        origin: __aon::Origin {
            package: __aon::package!(),
            type_name: "AuthError",
            variant: "StillProvisioning",
        },
        json: __aon::Some(__aon::EntryJson {
            head: __aon::join!(
                "\"type\":", "\"acme://problem/still_provisioning\"",
                ",\"title\":\"Still provisioning\",\"status\":409"
            ),
            code: ",\"code\":\"still_provisioning\"",
            remediation: "",
            tail: "",
            advice: ",\"retry_after\":5",
        }),
        embedded: __RECORD_1,
    };
    #[automatically_derived]
    impl __aon::Problem for AuthError {
        fn entry(&self) -> __aon::Option<&'static __aon::Entry> {
            match self {
                Self::InvalidAuthUx { .. } => __aon::Some(&__ENTRY_0),
                Self::StillProvisioning { .. } => __aon::Some(&__ENTRY_1),
                Self::Choice { 0: __inner, .. } => {
                    <aon::InvalidChoice as __aon::Problem>::entry(__inner)
                }
            }
        }
        fn detail(&self, out: &mut dyn __aon::fmt::Write) -> __aon::fmt::Result {
            match self {
                Self::InvalidAuthUx { .. } => {
                    __aon::fmt::Write::write_str(
                        out,
                        "auth_ux must be \"hosted\" or \"custom\".",
                    )
                }
                Self::StillProvisioning { .. } => {
                    __aon::fmt::Write::write_fmt(out, __aon::format_args!("{}", self))
                }
                Self::Choice { 0: __inner, .. } => {
                    <aon::InvalidChoice as __aon::Problem>::detail(__inner, out)
                }
            }
        }
        #[allow(clippy::into_iter_on_ref)]
        fn members(&self, members: &mut __aon::Members<'_>) {
            #[allow(unused_imports)]
            use __aon::IntoIterator as _;
            match self {
                Self::InvalidAuthUx { .. } => {}
                Self::StillProvisioning { id: __field0, .. } => {
                    members.extension("id", __field0);
                }
                Self::Choice { 0: __inner, .. } => {
                    <aon::InvalidChoice as __aon::Problem>::members(__inner, members)
                }
            }
        }
        fn to_problem(&self) -> __aon::ProblemDetails {
            match self {
                Self::InvalidAuthUx { .. } => __aon::assemble(self),
                Self::StillProvisioning { .. } => __aon::assemble(self),
                Self::Choice { 0: __inner, .. } => {
                    <aon::InvalidChoice as __aon::Problem>::to_problem(__inner)
                }
            }
        }
        fn entries(visit: &mut dyn __aon::FnMut(&'static __aon::Entry)) {
            let _ = &visit;
            visit(&__ENTRY_0);
            visit(&__ENTRY_1);
            <aon::InvalidChoice as __aon::Problem>::entries(visit);
        }
    }
    #[automatically_derived]
    impl __aon::Specimens for AuthError {
        #[allow(unused_imports, unused_mut, unused_variables)]
        fn specimens() -> __aon::Vec<__aon::Specimen<Self>> {
            use __aon::{CannotFill as _, Fills as _, HasSpecimens as _};
            let mut found = __aon::Vec::new();
            found
                .push(
                    __aon::Specimen::build(
                        "InvalidAuthUx",
                        |canaries| __aon::Some(Self::InvalidAuthUx {
                            given: canaries
                                .field(
                                    "given",
                                    false,
                                    |canaries| (&&&__aon::Probe::<String>::new()).fill(canaries),
                                )?,
                        }),
                    ),
                );
            found
                .push(
                    __aon::Specimen::build(
                        "StillProvisioning",
                        |canaries| __aon::Some(Self::StillProvisioning {
                            id: canaries
                                .field(
                                    "id",
                                    true,
                                    |canaries| (&&&__aon::Probe::<String>::new()).fill(canaries),
                                )?,
                        }),
                    ),
                );
            for specimen in (&&&__aon::Probe::<aon::InvalidChoice>::new()).fill_all() {
                found.push(specimen.inside("Choice", |inner| Self::Choice { 0: inner }));
            }
            found
        }
    }
    __aon::impl_axum! {
        [] [AuthError] []
    }
    __aon::impl_rmcp! {
        [] [AuthError] []
    }
    __aon::impl_jsonrpsee! {
        [] [AuthError] []
    }
    __aon::register! {
        AuthError < >
    }
};
