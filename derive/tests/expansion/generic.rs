#[derive(Debug, thiserror::Error)]
#[error("{value} from {source_name} is used up")]
pub struct UsedUp<T: std::fmt::Debug + std::fmt::Display> {
    pub value: T,
    pub source_name: String,
    pub wait: Option<std::time::Duration>,
}
const _: () = {
    use ::aon::__private as __aon;
    #[allow(unused_imports)]
    use __aon::__aon_namespace;
    const __NAMESPACE: (&__aon::str, &__aon::str) = {
        #[allow(unused_imports, clippy::wildcard_imports)]
        use crate::*;
        (__aon_namespace::PREFIX, __aon_namespace::URN)
    };
    __aon::embed! {
        __RECORD_0["{\"code\":\"used_up\",\"status\":429,\"type\":\"", __NAMESPACE.0,
        "used_up\",\"title\":\"Used up\",\"detail\":\"{value} is used up\",\"summary\":\"\",\"retry_after\":null,\"pointers\":[],\"extensions\":[\"value\"],\"origin\":{\"package\":\"",
        __aon::package!(), "\",\"type\":\"UsedUp\",\"variant\":\"\"},\"valid_values\":{",
        "}}"]
    }
    static __ENTRY_0: __aon::Entry = __aon::Entry {
        code: "used_up",
        status: 429u16,
        type_uri: __aon::join!(__NAMESPACE.0, "used_up"),
        title: "Used up",
        urn: __NAMESPACE.1,
        detail: "{value} is used up",
        summary: "",
        docs_url: __aon::None,
        mcp_tool: __aon::None,
        a2a_skill: __aon::None,
        remediation: __aon::None,
        valid_values: &[],
        pointers: &[],
        retry_after: __aon::None,
        retry_after_varies: true,
        challenge: __aon::None,
        extensions: &["value"],
        extension_types: &[],
        origin: __aon::Origin {
            package: __aon::package!(),
            type_name: "UsedUp",
            variant: "",
        },
        json: __aon::Some(__aon::EntryJson {
            head: __aon::join!(
                "\"type\":\"", __NAMESPACE.0, "used_up\"",
                ",\"title\":\"Used up\",\"status\":429"
            ),
            code: ",\"code\":\"used_up\"",
            remediation: "",
            tail: "",
            advice: "",
        }),
        embedded: __RECORD_0,
    };
    #[automatically_derived]
    impl<T: std::fmt::Debug + std::fmt::Display> __aon::Problem for UsedUp<T>
    where
        UsedUp<T>: __aon::Error,
        T: __aon::Serialize,
        T: __aon::fmt::Display,
    {
        fn entry(&self) -> __aon::Option<&'static __aon::Entry> {
            match self {
                Self { .. } => __aon::Some(&__ENTRY_0),
            }
        }
        fn detail(&self, out: &mut dyn __aon::fmt::Write) -> __aon::fmt::Result {
            match self {
                Self { value: value, .. } => {
                    use __aon::Shown as _;
                    __aon::fmt::Write::write_fmt(
                        out,
                        __aon::format_args!("{0} is used up", value.shown()),
                    )
                }
            }
        }
        #[allow(clippy::into_iter_on_ref)]
        fn members(&self, members: &mut __aon::Members<'_>) {
            #[allow(unused_imports)]
            use __aon::IntoIterator as _;
            match self {
                Self { value: __field0, wait: __field2, .. } => {
                    members.extension("value", __field0);
                    if let __aon::Some(delay) = <Option<
                        std::time::Duration,
                    > as __aon::Delay>::delay(__field2) {
                        members.retry_after(delay);
                    }
                }
            }
        }
        fn entries(visit: &mut dyn __aon::FnMut(&'static __aon::Entry)) {
            let _ = &visit;
            visit(&__ENTRY_0);
        }
    }
    #[automatically_derived]
    impl<T: std::fmt::Debug + std::fmt::Display> __aon::Specimens for UsedUp<T> {
        #[allow(unused_imports, unused_mut, unused_variables)]
        fn specimens() -> __aon::Vec<__aon::Specimen<Self>> {
            use __aon::{CannotFill as _, Fills as _, HasSpecimens as _};
            let mut found = __aon::Vec::new();
            found
                .push(
                    __aon::Specimen::build(
                        "",
                        |canaries| __aon::Some(Self {
                            value: canaries
                                .field(
                                    "value",
                                    true,
                                    |canaries| (&&&__aon::Probe::<T>::new()).fill(canaries),
                                )?,
                            source_name: canaries
                                .field(
                                    "source_name",
                                    false,
                                    |canaries| (&&&__aon::Probe::<String>::new()).fill(canaries),
                                )?,
                            wait: canaries
                                .field(
                                    "wait",
                                    true,
                                    |canaries| {
                                        (&&&__aon::Probe::<Option<std::time::Duration>>::new())
                                            .fill(canaries)
                                    },
                                )?,
                        }),
                    ),
                );
            found
        }
    }
    __aon::impl_axum! {
        [< T : std::fmt::Debug + std::fmt::Display >] [UsedUp < T >] [where UsedUp < T >
        : __aon::Error, T : __aon::Serialize, T : __aon::fmt::Display]
    }
    __aon::impl_rmcp! {
        [< T : std::fmt::Debug + std::fmt::Display >] [UsedUp < T >] [where UsedUp < T >
        : __aon::Error, T : __aon::Serialize, T : __aon::fmt::Display]
    }
    __aon::impl_jsonrpsee! {
        [< T : std::fmt::Debug + std::fmt::Display >] [UsedUp < T >] [where UsedUp < T >
        : __aon::Error, T : __aon::Serialize, T : __aon::fmt::Display]
    }
};
