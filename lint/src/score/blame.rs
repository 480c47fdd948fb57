//! Which rule reports what a level lacks.

macro_rules! rules {
    ($($name:ident = $rule:literal,)*) => {
        $(pub(super) const $name: &str = $rule;)*

        #[cfg(test)]
        const ALL: &[&str] = &[$($name,)*];
    };
}

rules! {
    UNDECLARED = "undeclared-choice",
    TWO_CARRIERS = "choice-with-two-carriers",
    EMPTY_SET = "empty-choice-set",
    REPEATED = "repeated-choice",
    WRONG_TYPE = "choice-of-wrong-type",
    ENDPOINT = "choice-endpoint-unresolved",
    DEFAULT = "choice-default-outside-set",
    ENVELOPE = "error-without-envelope",
    CODE = "error-without-code",
    VALID_VALUES = "missing-valid-values",
    DOCS = "missing-error-docs",
    TOOL = "missing-error-tool",
    REMEDIATION_TYPE = "unknown-remediation-type",
    NONE_REASON = "none-without-reason",
    NEXT_ACTION = "empty-next-action",
    UNRESOLVED = "next-action-unresolved",
    AUTO_FIX = "dishonest-auto-fix",
    PARITY = "exposure-without-parity",
    UNLISTED = "unlisted-failures",
    UNTYPED = "untyped-error",
    REMEDIATION = "missing-remediation",
    NO_ACTION = "missing-next-action",
    UNVERIFIED = "unverified-action",
    MANIFEST = "malformed-manifest",
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_rule_that_is_named_exists() {
        for name in ALL {
            assert!(crate::rules::find(name).is_some(), "{name} is not a rule");
        }
    }
}
