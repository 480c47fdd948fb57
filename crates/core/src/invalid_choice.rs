//! The error of parsing a choice: itself a problem, with the values and the one that was probably meant ([D2]).
//!
//! [D2]: https://github.com/aon-rs/aon/blob/main/docs/contract.md#d2

use std::fmt;

use crate::canary::{Canaries, Canary};
use crate::{Choice, Choices, Entry, FieldValues, Members, Origin, Problem, suggest};

/// Text that is none of the values of a closed set.
///
/// It does not repeat the text it was given: that may be a secret pasted into the wrong field.
///
/// # Examples
///
/// ```
/// use aon_core::{Choice, Choices, InvalidChoice, Problem};
///
/// struct AuthUx;
///
/// impl Choices for AuthUx {
///     const NAME: &'static str = "auth_ux";
///     const CHOICES: &'static [Choice] =
///         &[Choice::constant("hosted", None, None), Choice::constant("custom", None, None)];
///     const JSON: &'static str = r#"["hosted","custom"]"#;
/// }
///
/// let error = InvalidChoice::of::<AuthUx>("Hosed");
/// assert_eq!(error.to_string(), r#"auth_ux must be one of "hosted", "custom"; did you mean "hosted"?"#);
/// assert_eq!(error.to_problem().valid_values().of("auth_ux").map(<[_]>::len), Some(2));
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct InvalidChoice {
    field: &'static str,
    choices: &'static [Choice],
    suggestion: Option<&'static str>,
}

impl InvalidChoice {
    /// The error for `given`, which is none of the values of `T`.
    pub fn of<T: Choices>(given: &str) -> Self {
        let words = T::CHOICES
            .iter()
            .filter_map(|choice| choice.value().as_str());
        Self {
            field: T::NAME,
            choices: T::CHOICES,
            suggestion: suggest::nearest(given, words),
        }
    }

    /// The same error about another field name.
    #[must_use]
    pub const fn at(mut self, field: &'static str) -> Self {
        self.field = field;
        self
    }

    /// The valid values.
    pub const fn choices(&self) -> &'static [Choice] {
        self.choices
    }

    /// The one that was probably meant.
    pub const fn suggestion(&self) -> Option<&'static str> {
        self.suggestion
    }
}

impl fmt::Display for InvalidChoice {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} must be one of ", self.field)?;
        for (at, choice) in self.choices.iter().enumerate() {
            let separator = if at > 0 { ", " } else { "" };
            write!(f, "{separator}\"{}\"", choice.value())?;
        }
        match self.suggestion {
            Some(meant) => write!(f, "; did you mean \"{meant}\"?"),
            None => Ok(()),
        }
    }
}

impl std::error::Error for InvalidChoice {}

static ENTRY: Entry = Entry {
    detail: "{field} must be one of {values}",
    summary: "A value is none of those a closed set allows.",
    valid_values: &[FieldValues {
        field: "{field}",
        choices: &[],
        json: "[]",
        varies: true,
    }],
    extensions: &["suggestion"],
    origin: Origin {
        package: "aon-core",
        type_name: "InvalidChoice",
        variant: "",
    },
    ..Entry::new(
        "invalid_choice",
        422,
        "pspace://problem/invalid_choice",
        "Not one of the allowed values",
    )
};

impl Problem for InvalidChoice {
    fn entry(&self) -> Option<&'static Entry> {
        Some(&ENTRY)
    }

    fn members(&self, members: &mut Members<'_>) {
        members.valid_values(self.field, self.choices);
        if let Some(meant) = self.suggestion {
            members.extension("suggestion", meant);
        }
    }

    fn entries(visit: &mut dyn FnMut(&'static Entry)) {
        visit(&ENTRY);
    }
}

/// Nothing in it is private.
impl Canary for InvalidChoice {
    fn canary(_canaries: &mut Canaries) -> Self {
        Self {
            field: "field",
            choices: &[],
            suggestion: None,
        }
    }
}
