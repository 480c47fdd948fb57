//! Specimens of a program's errors with marked private fields, for the leak test ([P9]).
//!
//! The derive builds one value of every variant it can; `aon::testing` projects each on every surface and looks for
//! the marks. Implement [`Canary`] for a field type of yours that stands in a private field.
//!
//! [P9]: https://github.com/aon-rs/aon/blob/main/docs/contract.md#p9

use std::sync::Arc;
use std::time::Duration;

use crate::{Code, ProblemDetails, Status};

/// Hands out marks and remembers them.
#[derive(Debug, Default)]
pub struct Canaries {
    marks: Vec<Mark>,
    public: bool,
    field: &'static str,
}

/// A mark in a private field.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Mark {
    /// The field that holds it.
    pub field: &'static str,
    /// The text to look for.
    pub text: String,
}

impl Canaries {
    /// A mark for the private field being filled, or harmless text for a public one.
    pub fn text(&mut self) -> String {
        if self.public {
            return "sample".to_owned();
        }
        let text = format!("cAnArY{:04}", 7000 + self.marks.len());
        self.marks.push(Mark {
            field: self.field,
            text: text.clone(),
        });
        text
    }

    /// A number for the field being filled; only large types can hold one that is recognised.
    pub fn number(&mut self, largest: u64) -> u64 {
        let number = 700_070_000 + self.marks.len() as u64;
        if self.public || number > largest {
            return 7;
        }
        self.marks.push(Mark {
            field: self.field,
            text: number.to_string(),
        });
        number
    }

    /// The marks so far.
    pub fn marks(&self) -> &[Mark] {
        &self.marks
    }

    #[doc(hidden)]
    pub fn field<T>(
        &mut self,
        name: &'static str,
        public: bool,
        build: impl FnOnce(&mut Self) -> T,
    ) -> T {
        let (field, was_public) = (self.field, self.public);
        self.field = name;
        self.public = public || was_public;
        let value = build(self);
        self.field = field;
        self.public = was_public;
        value
    }
}

/// A type that can hold a mark.
pub trait Canary: Sized {
    /// A value with marks in it.
    fn canary(canaries: &mut Canaries) -> Self;
}

/// One variant: its value with marks, or `None` when a field type does not implement [`Canary`].
#[derive(Debug)]
#[non_exhaustive]
pub struct Specimen<T> {
    /// The variant; empty for a struct.
    pub variant: &'static str,
    /// The value.
    pub value: Option<T>,
    /// The marks in its private fields.
    pub marks: Vec<Mark>,
}

impl<T> Specimen<T> {
    #[doc(hidden)]
    pub fn build(variant: &'static str, build: impl FnOnce(&mut Canaries) -> Option<T>) -> Self {
        let mut canaries = Canaries::default();
        let value = build(&mut canaries);
        Self {
            variant,
            value,
            marks: canaries.marks,
        }
    }

    /// The same specimen inside a variant that forwards to it.
    #[doc(hidden)]
    pub fn inside<U>(self, variant: &'static str, wrap: impl FnOnce(T) -> U) -> Specimen<U> {
        Specimen {
            variant,
            value: self.value.map(wrap),
            marks: self.marks,
        }
    }
}

/// What the derive gives: specimens of every variant.
pub trait Specimens: Sized {
    /// One per variant.
    fn specimens() -> Vec<Specimen<Self>>;
}

/// Types that hold a text: how each is made of it.
macro_rules! texts {
    ($($ty:ty: $make:expr;)+) => {$(
        impl Canary for $ty {
            fn canary(canaries: &mut Canaries) -> Self {
                $make(canaries.text())
            }
        }
    )+};
}

texts! {
    String: String::from;
    // Leaked: specimens live only in tests.
    &str: String::leak;
    Box<str>: Into::into;
    std::borrow::Cow<'_, str>: Into::into;
    std::sync::Arc<str>: Into::into;
    std::path::PathBuf: Into::into;
    Box<dyn std::error::Error>: Into::into;
    Box<dyn std::error::Error + Send + Sync>: Into::into;
    std::io::Error: Self::other;
    serde_json::Error: serde::de::Error::custom;
    serde_json::Value: Self::String;
}

/// A problem that was received is public as it is.
impl Canary for ProblemDetails {
    fn canary(_canaries: &mut Canaries) -> Self {
        Self::new(Status::from_static(500), Code::from_static("received"))
    }
}

/// Types around one that can hold a mark.
macro_rules! around {
    ($($ty:ident: $make:expr;)+) => {$(
        impl<T: Canary> Canary for $ty<T> {
            fn canary(canaries: &mut Canaries) -> Self {
                $make(T::canary(canaries))
            }
        }
    )+};
}

around! {
    Option: Some;
    Vec: |item| vec![item];
    Box: Self::new;
    Arc: Self::new;
}

impl<A: Canary, B: Canary> Canary for (A, B) {
    fn canary(canaries: &mut Canaries) -> Self {
        (A::canary(canaries), B::canary(canaries))
    }
}

impl<K: Canary + Ord, V: Canary> Canary for std::collections::BTreeMap<K, V> {
    fn canary(canaries: &mut Canaries) -> Self {
        Self::from([(K::canary(canaries), V::canary(canaries))])
    }
}

macro_rules! canary_numbers {
    ($($ty:ty),*) => {$(
        impl Canary for $ty {
            fn canary(canaries: &mut Canaries) -> Self {
                let largest = u64::try_from(<$ty>::MAX).unwrap_or(u64::MAX);
                <$ty>::try_from(canaries.number(largest)).unwrap_or_default()
            }
        }
    )*};
}

canary_numbers!(
    u8, u16, u32, u64, u128, usize, i8, i16, i32, i64, i128, isize
);

impl Canary for f64 {
    fn canary(canaries: &mut Canaries) -> Self {
        canaries
            .number(u64::from(u32::MAX))
            .to_string()
            .parse()
            .unwrap_or_default()
    }
}

/// Types too small for a mark.
macro_rules! small {
    ($($ty:ty: $value:expr;)+) => {$(
        impl Canary for $ty {
            fn canary(_canaries: &mut Canaries) -> Self {
                $value
            }
        }
    )+};
}

small! {
    bool: true;
    char: 'c';
    (): ();
}

impl Canary for Duration {
    fn canary(canaries: &mut Canaries) -> Self {
        Self::from_secs(canaries.number(u64::MAX))
    }
}

/// Chooses what can be done with a field type: put a mark in it, take a specimen of it, or give up.
///
/// The derive calls `(&&&Probe::<T>::new()).fill(canaries)`: of the three traits below the first that fits is found.
#[doc(hidden)]
#[derive(Debug)]
pub struct Probe<T>(std::marker::PhantomData<T>);

impl<T> Probe<T> {
    #[doc(hidden)]
    pub const fn new() -> Self {
        Self(std::marker::PhantomData)
    }
}

#[doc(hidden)]
pub trait Fills<T> {
    fn fill(&self, canaries: &mut Canaries) -> Option<T>;
    fn fill_all(&self) -> Vec<Specimen<T>>;
}

impl<T: Canary> Fills<T> for &&Probe<T> {
    fn fill(&self, canaries: &mut Canaries) -> Option<T> {
        Some(T::canary(canaries))
    }

    fn fill_all(&self) -> Vec<Specimen<T>> {
        vec![Specimen::build("", |canaries| Some(T::canary(canaries)))]
    }
}

#[doc(hidden)]
pub trait HasSpecimens<T> {
    fn fill(&self, canaries: &mut Canaries) -> Option<T>;
    fn fill_all(&self) -> Vec<Specimen<T>>;
}

impl<T: Specimens> HasSpecimens<T> for &Probe<T> {
    fn fill(&self, canaries: &mut Canaries) -> Option<T> {
        let specimen = T::specimens().into_iter().find(|s| s.value.is_some())?;
        canaries.marks.extend(specimen.marks);
        specimen.value
    }

    fn fill_all(&self) -> Vec<Specimen<T>> {
        T::specimens()
    }
}

#[doc(hidden)]
pub trait CannotFill<T> {
    fn fill(&self, canaries: &mut Canaries) -> Option<T>;
    fn fill_all(&self) -> Vec<Specimen<T>>;
}

impl<T> CannotFill<T> for Probe<T> {
    fn fill(&self, _canaries: &mut Canaries) -> Option<T> {
        None
    }

    fn fill_all(&self) -> Vec<Specimen<T>> {
        vec![Specimen::build("", |_canaries| None)]
    }
}
