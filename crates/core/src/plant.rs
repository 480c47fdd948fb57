//! Specimens of a program's errors with marked private fields, for the leak test (P9).
//!
//! The derive builds one value of every variant it can; `aon::testing` projects each on every surface and looks for
//! the marks. Implement [`Plant`] for a field type of yours that stands in a private field.

use std::time::Duration;

use crate::{Code, ProblemDetails, Status};

/// Hands out marks and remembers them.
#[derive(Debug, Default)]
pub struct Planter {
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

impl Planter {
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
pub trait Plant: Sized {
    /// A value with marks in it.
    fn plant(planter: &mut Planter) -> Self;
}

/// One variant: its value with marks, or `None` when a field type does not implement [`Plant`].
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
    pub fn build(variant: &'static str, build: impl FnOnce(&mut Planter) -> Option<T>) -> Self {
        let mut planter = Planter::default();
        let value = build(&mut planter);
        Self {
            variant,
            value,
            marks: planter.marks,
        }
    }
}

impl<T> Specimen<T> {
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

impl Plant for String {
    fn plant(planter: &mut Planter) -> Self {
        planter.text()
    }
}

/// The text is leaked: specimens live only in tests.
impl Plant for &str {
    fn plant(planter: &mut Planter) -> Self {
        planter.text().leak()
    }
}

impl Plant for Box<str> {
    fn plant(planter: &mut Planter) -> Self {
        planter.text().into()
    }
}

impl Plant for std::borrow::Cow<'_, str> {
    fn plant(planter: &mut Planter) -> Self {
        planter.text().into()
    }
}

impl Plant for std::sync::Arc<str> {
    fn plant(planter: &mut Planter) -> Self {
        planter.text().into()
    }
}

impl Plant for std::path::PathBuf {
    fn plant(planter: &mut Planter) -> Self {
        planter.text().into()
    }
}

impl Plant for std::io::Error {
    fn plant(planter: &mut Planter) -> Self {
        Self::other(planter.text())
    }
}

impl Plant for Box<dyn std::error::Error> {
    fn plant(planter: &mut Planter) -> Self {
        planter.text().into()
    }
}

impl Plant for Box<dyn std::error::Error + Send + Sync> {
    fn plant(planter: &mut Planter) -> Self {
        planter.text().into()
    }
}

impl Plant for serde_json::Error {
    fn plant(planter: &mut Planter) -> Self {
        serde::de::Error::custom(planter.text())
    }
}

impl Plant for serde_json::Value {
    fn plant(planter: &mut Planter) -> Self {
        Self::String(planter.text())
    }
}

/// A problem that was received is public as it is.
impl Plant for ProblemDetails {
    fn plant(_planter: &mut Planter) -> Self {
        Self::new(Status::from_static(500), Code::from_static("received"))
    }
}

impl<T: Plant> Plant for Option<T> {
    fn plant(planter: &mut Planter) -> Self {
        Some(T::plant(planter))
    }
}

impl<T: Plant> Plant for Vec<T> {
    fn plant(planter: &mut Planter) -> Self {
        vec![T::plant(planter)]
    }
}

impl<T: Plant> Plant for Box<T> {
    fn plant(planter: &mut Planter) -> Self {
        Self::new(T::plant(planter))
    }
}

impl<T: Plant> Plant for std::sync::Arc<T> {
    fn plant(planter: &mut Planter) -> Self {
        Self::new(T::plant(planter))
    }
}

impl<A: Plant, B: Plant> Plant for (A, B) {
    fn plant(planter: &mut Planter) -> Self {
        (A::plant(planter), B::plant(planter))
    }
}

impl<K: Plant + Ord, V: Plant> Plant for std::collections::BTreeMap<K, V> {
    fn plant(planter: &mut Planter) -> Self {
        Self::from([(K::plant(planter), V::plant(planter))])
    }
}

macro_rules! plant_numbers {
    ($($ty:ty),*) => {$(
        impl Plant for $ty {
            fn plant(planter: &mut Planter) -> Self {
                let largest = u64::try_from(<$ty>::MAX).unwrap_or(u64::MAX);
                <$ty>::try_from(planter.number(largest)).unwrap_or_default()
            }
        }
    )*};
}

plant_numbers!(
    u8, u16, u32, u64, u128, usize, i8, i16, i32, i64, i128, isize
);

impl Plant for f64 {
    fn plant(planter: &mut Planter) -> Self {
        planter
            .number(u64::from(u32::MAX))
            .to_string()
            .parse()
            .unwrap_or_default()
    }
}

impl Plant for bool {
    fn plant(_planter: &mut Planter) -> Self {
        true
    }
}

impl Plant for char {
    fn plant(_planter: &mut Planter) -> Self {
        'c'
    }
}

impl Plant for () {
    fn plant(_planter: &mut Planter) -> Self {}
}

impl Plant for Duration {
    fn plant(planter: &mut Planter) -> Self {
        Self::from_secs(planter.number(u64::MAX))
    }
}

/// Chooses what can be done with a field type: plant a mark, take a specimen of it, or give up.
///
/// The derive calls `(&&&Probe::<T>::new()).grow(planter)`: of the three traits below the first that fits is found.
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
pub trait Grows<T> {
    fn grow(&self, planter: &mut Planter) -> Option<T>;
    fn grow_all(&self) -> Vec<Specimen<T>>;
}

impl<T: Plant> Grows<T> for &&Probe<T> {
    fn grow(&self, planter: &mut Planter) -> Option<T> {
        Some(T::plant(planter))
    }

    fn grow_all(&self) -> Vec<Specimen<T>> {
        vec![Specimen::build("", |planter| Some(T::plant(planter)))]
    }
}

#[doc(hidden)]
pub trait HasSpecimens<T> {
    fn grow(&self, planter: &mut Planter) -> Option<T>;
    fn grow_all(&self) -> Vec<Specimen<T>>;
}

impl<T: Specimens> HasSpecimens<T> for &Probe<T> {
    fn grow(&self, planter: &mut Planter) -> Option<T> {
        let specimen = T::specimens().into_iter().find(|s| s.value.is_some())?;
        planter.marks.extend(specimen.marks);
        specimen.value
    }

    fn grow_all(&self) -> Vec<Specimen<T>> {
        T::specimens()
    }
}

#[doc(hidden)]
pub trait CannotGrow<T> {
    fn grow(&self, planter: &mut Planter) -> Option<T>;
    fn grow_all(&self) -> Vec<Specimen<T>>;
}

impl<T> CannotGrow<T> for Probe<T> {
    fn grow(&self, _planter: &mut Planter) -> Option<T> {
        None
    }

    fn grow_all(&self) -> Vec<Specimen<T>> {
        vec![Specimen::build("", |_planter| None)]
    }
}
