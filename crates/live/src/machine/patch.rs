//! JSON Patch (RFC 6902) as an answer of a person: read strictly, compared with what may be touched, applied to a copy.
//!
//! A patch either passes as a whole or changes nothing. What refuses it names the operation.

use std::fmt;

use aon_core::{pointer, redact};
use serde_json::Value;

mod allow;
mod apply;
mod read;

pub(crate) use allow::get;
pub use allow::{AllowList, InvalidPath};
pub(crate) use read::document;

/// How large a patch and its outcome may be.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct PatchLimits {
    /// The most operations: 64.
    pub operations: usize,
    /// The most bytes of the patch: 64 KiB.
    pub bytes: usize,
    /// The deepest nesting of a value: 32.
    pub depth: usize,
    /// The most bytes of the patched document: 1 MiB.
    pub document: usize,
}

impl Default for PatchLimits {
    fn default() -> Self {
        Self {
            operations: 64,
            bytes: 64 * 1024,
            depth: 32,
            document: 1024 * 1024,
        }
    }
}

/// What a patch may do.
#[derive(Clone, Debug, Default)]
#[non_exhaustive]
pub struct PatchRules {
    /// What may be set.
    pub allow: AllowList,
    /// What may be removed.
    pub removable: AllowList,
    /// What `test` may look at, beside what may be set.
    pub readable: AllowList,
    /// Whether `move` and `copy` are taken; both ends are compared.
    pub moves: bool,
    /// Whether the whole document may be touched.
    pub root: bool,
    /// Whether members that RFC 6902 does not know are passed over instead of refused.
    pub lenient: bool,
    /// How large it may be.
    pub limits: PatchLimits,
}

impl PatchRules {
    /// Everything RFC 6902 knows, anywhere in the document.
    pub fn everything() -> Self {
        Self {
            allow: AllowList::everything(),
            removable: AllowList::everything(),
            moves: true,
            root: true,
            lenient: true,
            ..Self::default()
        }
    }
}

/// What an operation does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    Add,
    Remove,
    Replace,
    Move,
    Copy,
    Test,
}

/// The steps of a pointer, decoded.
pub(crate) type Tokens = Vec<String>;

/// One operation.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Operation {
    pub(crate) kind: Kind,
    pub(crate) path: Tokens,
    pub(crate) from: Tokens,
    pub(crate) value: Value,
}

impl Operation {
    /// The place whose value it compares, or carries elsewhere.
    fn looks_at(&self) -> Option<&Tokens> {
        match self.kind {
            Kind::Test => Some(&self.path),
            Kind::Copy | Kind::Move => Some(&self.from),
            Kind::Add | Kind::Remove | Kind::Replace => None,
        }
    }
}

/// A JSON Patch.
///
/// ```
/// use aon_live::heal::{AllowList, Patch, PatchRules};
/// use serde_json::json;
///
/// let mut rules = PatchRules::default();
/// rules.allow = AllowList::parse(["/email"])?;
/// let patch = Patch::read(br#"[{"op":"replace","path":"/email","value":"ann@example.com"}]"#, &rules)?;
/// let user = json!({"name": "Ann", "email": "ann"});
/// assert_eq!(patch.apply(&user, &rules)?["email"], "ann@example.com");
///
/// let root = Patch::read(br#"[{"op":"replace","path":"","value":{}}]"#, &rules)?;
/// assert!(root.apply(&user, &rules).is_err());
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct Patch(pub(crate) Vec<Operation>);

impl Patch {
    /// Reads a patch strictly: members that are there twice, or that no operation has, are refused like everything else
    /// that is not a patch.
    ///
    /// # Errors
    ///
    /// With the operation that is wrong, and why.
    pub fn read(json: &[u8], rules: &PatchRules) -> Result<Self, Refused> {
        read::patch(json, rules).map(Self)
    }

    /// Checks every operation against the rules, applies all of them to a copy, and gives the copy.
    ///
    /// # Errors
    ///
    /// With the operation that is refused, and why. The document is as it was.
    pub fn apply(&self, document: &Value, rules: &PatchRules) -> Result<Value, Refused> {
        self.guard(rules)?;
        apply::all(&self.0, document, rules, None)
    }

    /// The same, where only a part of the document is shown: an operation that would look at, or carry elsewhere, a value that
    /// is not shown as it is refuses the patch.
    pub(crate) fn apply_seeing(
        &self,
        document: &Value,
        rules: &PatchRules,
        shows: &dyn Fn(&Value) -> Value,
    ) -> Result<Value, Refused> {
        self.guard(rules)?;
        apply::all(&self.0, document, rules, Some(shows))
    }

    /// The first operation that changes one of these places, or what is above or below.
    pub(crate) fn touching(&self, pointers: &[String]) -> Option<usize> {
        let tokens = |pointer: &String| -> Tokens {
            pointer::tokens(pointer)
                .map(std::borrow::Cow::into_owned)
                .collect()
        };
        let named: Vec<Tokens> = pointers.iter().map(tokens).collect();
        let touches = |path: &Tokens| {
            named
                .iter()
                .any(|named| named.starts_with(path) || path.starts_with(named))
        };
        self.0
            .iter()
            .position(|operation| operation.kind != Kind::Test && touches(&operation.path))
    }

    /// Compares every operation with the rules, before any is applied.
    fn guard(&self, rules: &PatchRules) -> Result<(), Refused> {
        for (at, operation) in self.0.iter().enumerate() {
            allow::judge(operation, rules).map_err(|why| Refused::at(at, why, &operation.path))?;
        }
        Ok(())
    }

    /// The pointers of what it changes, each once, as they may be shown.
    pub fn paths(&self) -> Vec<String> {
        let mut paths = Vec::new();
        for operation in &self.0 {
            let moved = (operation.kind == Kind::Move).then_some(&operation.from);
            let changed = (operation.kind != Kind::Test).then_some(&operation.path);
            for tokens in changed.into_iter().chain(moved) {
                let path = shown(tokens);
                if !paths.contains(&path) {
                    paths.push(path);
                }
            }
        }
        paths
    }
}

/// The pointer of some tokens.
pub(crate) fn to_pointer(tokens: &[String]) -> String {
    let mut pointer = String::new();
    for token in tokens {
        pointer.push('/');
        pointer.push_str(&pointer::escape(token));
    }
    pointer
}

/// The pointer of some tokens as it may be shown: the sender chose them, and each is looked at as it is meant.
pub(crate) fn shown(tokens: &[String]) -> String {
    let shown: Vec<String> = tokens
        .iter()
        .map(|token| redact::echo(token).into_owned())
        .collect();
    redact::echo(&to_pointer(&shown)).into_owned()
}

/// Why a patch was refused, and by which of its operations.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Refused {
    operation: Option<usize>,
    path: Option<String>,
    why: Why,
}

/// Why a patch was refused.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Why {
    /// It is not JSON.
    NotJson,
    /// It is not an array of operations.
    NotAnArray,
    /// It has too many bytes.
    TooLarge,
    /// It has too many operations.
    TooManyOperations,
    /// A value is nested too deeply.
    TooDeep,
    /// A member is there twice.
    DuplicateMember,
    /// A member that this operation does not have.
    UnknownMember,
    /// A member that this operation needs is not there, or is of another type.
    MissingMember(&'static str),
    /// It is not one of the six operations.
    UnknownOperation,
    /// `move` and `copy` are not allowed for this question.
    OperationNotAllowed,
    /// A path is not a JSON Pointer.
    InvalidPointer,
    /// It would touch the whole document.
    Root,
    /// The path is not one that may be touched.
    PathNotAllowed,
    /// `from` is not one that may be read or taken away.
    FromNotAllowed,
    /// The path may be set, but not removed.
    NotRemovable,
    /// What it would look at is hidden.
    Hidden,
    /// Inserting there would move items that may not be touched, or an operation before this one has moved them.
    MovesOthers,
    /// There is nothing at that place, or it cannot have such a member.
    NoSuchPlace,
    /// It would move a value into itself.
    IntoItself,
    /// `test` found another value.
    TestFailed,
    /// The patched document would be too large.
    ResultTooLarge,
}

impl Refused {
    pub(crate) fn whole(why: Why) -> Self {
        Self {
            operation: None,
            path: None,
            why,
        }
    }

    pub(crate) fn unread(at: usize, why: Why) -> Self {
        Self {
            operation: Some(at),
            path: None,
            why,
        }
    }

    pub(crate) fn at(at: usize, why: Why, path: &[String]) -> Self {
        Self {
            operation: Some(at),
            path: Some(shown(path)),
            why,
        }
    }

    /// Which operation, from 0.
    pub const fn op_index(&self) -> Option<usize> {
        self.operation
    }

    /// Why.
    pub const fn why(&self) -> &Why {
        &self.why
    }

    /// The path of the operation, as it may be shown.
    pub fn path(&self) -> Option<&str> {
        self.path.as_deref()
    }
}

impl Why {
    /// The reason in one word, for programs.
    pub const fn as_str(&self) -> &'static str {
        match self {
            Self::NotJson => "not_json",
            Self::NotAnArray => "not_an_array",
            Self::TooLarge => "too_large",
            Self::TooManyOperations => "too_many_operations",
            Self::TooDeep => "too_deep",
            Self::DuplicateMember => "duplicate_member",
            Self::UnknownMember => "unknown_member",
            Self::MissingMember(_) => "missing_member",
            Self::UnknownOperation => "unknown_operation",
            Self::OperationNotAllowed => "operation_not_allowed",
            Self::InvalidPointer => "invalid_pointer",
            Self::Root => "root_not_allowed",
            Self::PathNotAllowed => "path_not_allowed",
            Self::FromNotAllowed => "from_not_allowed",
            Self::NotRemovable => "not_removable",
            Self::Hidden => "hidden_value",
            Self::MovesOthers => "moves_others",
            Self::NoSuchPlace => "no_such_place",
            Self::IntoItself => "into_itself",
            Self::TestFailed => "test_failed",
            Self::ResultTooLarge => "result_too_large",
        }
    }
}

impl fmt::Display for Why {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::NotJson => "the patch is not JSON",
            Self::NotAnArray => "a patch is an array of operations, and each is an object",
            Self::TooLarge => "the patch is too large",
            Self::TooManyOperations => "the patch has too many operations",
            Self::TooDeep => "a value is nested too deeply",
            Self::DuplicateMember => "a member is there twice",
            Self::UnknownMember => "this operation has a member that does not belong to it",
            Self::MissingMember(name) => {
                return write!(f, "`{name}` is missing or of the wrong type");
            }
            Self::UnknownOperation => "`op` is not an operation of JSON Patch",
            Self::OperationNotAllowed => "`move` and `copy` are not allowed here",
            Self::InvalidPointer => "the path is not a JSON Pointer",
            Self::Root => "the whole document may not be touched",
            Self::PathNotAllowed => "this path may not be touched",
            Self::FromNotAllowed => "`from` names a place that may not be touched",
            Self::NotRemovable => "this path may be changed but not removed",
            Self::Hidden => "the value at this path is hidden and may not be tested",
            Self::MovesOthers => {
                "this would move items that may not be touched, or touch one that was moved; use replace"
            }
            Self::NoSuchPlace => "there is no such place in the document",
            Self::IntoItself => "a value cannot be moved into itself",
            Self::TestFailed => "the test found another value",
            Self::ResultTooLarge => "the patched document would be too large",
        })
    }
}

impl fmt::Display for Refused {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match (self.operation, &self.path) {
            (Some(at), Some(path)) => write!(f, "Operation {at} ({path:?}): {}.", self.why),
            (Some(at), None) => write!(f, "Operation {at}: {}.", self.why),
            (None, _) => {
                let words = self.why.to_string();
                let mut chars = words.chars();
                let first = chars.next().map(|c| c.to_ascii_uppercase());
                write!(f, "{}{}.", first.unwrap_or_default(), chars.as_str())
            }
        }
    }
}

impl std::error::Error for Refused {}
