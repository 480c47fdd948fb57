//! What the derive's output calls. Not part of the public interface.

use std::borrow::Cow;
use std::fmt;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

pub use crate::problem::assemble;

pub mod offered;

/// A field that says when to try again.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not a delay",
    label = "a field marked `retry_after` is a `Duration` or an `Option<Duration>`"
)]
pub trait Delay {
    /// The delay, where there is one.
    fn delay(&self) -> Option<Duration>;
}

impl Delay for Duration {
    fn delay(&self) -> Option<Duration> {
        Some(*self)
    }
}

impl<T: Delay> Delay for Option<T> {
    fn delay(&self) -> Option<Duration> {
        self.as_ref().and_then(Delay::delay)
    }
}

impl<T: Delay + ?Sized> Delay for &T {
    fn delay(&self) -> Option<Duration> {
        (**self).delay()
    }
}

/// A field that holds the challenge of a 401.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not a challenge",
    label = "a field marked `challenge` is text or an `Option` of text"
)]
pub trait Challenge {
    /// The challenge, where there is one.
    fn challenge(&self) -> Option<&str>;
}

macro_rules! text_challenge {
    ($($ty:ty),*) => {$(
        impl Challenge for $ty {
            fn challenge(&self) -> Option<&str> {
                Some(self)
            }
        }
    )*};
}

text_challenge!(str, String, Box<str>, Arc<str>, Cow<'_, str>);

impl<T: Challenge> Challenge for Option<T> {
    fn challenge(&self) -> Option<&str> {
        self.as_ref().and_then(Challenge::challenge)
    }
}

impl<T: Challenge + ?Sized> Challenge for &T {
    fn challenge(&self) -> Option<&str> {
        (**self).challenge()
    }
}

/// The text of a public field in a detail: its `Display`, and for a path what `Path::display` shows.
pub trait Shown<'a> {
    /// What is formatted.
    type Text: fmt::Display;

    /// The text of the field.
    fn shown(&'a self) -> Self::Text;
}

impl<'a, T: fmt::Display + ?Sized + 'a> Shown<'a> for &T {
    type Text = &'a T;

    fn shown(&'a self) -> &'a T {
        self
    }
}

impl<'a> Shown<'a> for Path {
    type Text = std::path::Display<'a>;

    fn shown(&'a self) -> Self::Text {
        self.display()
    }
}

impl<'a> Shown<'a> for PathBuf {
    type Text = std::path::Display<'a>;

    fn shown(&'a self) -> Self::Text {
        self.display()
    }
}

/// The bytes [`join`] needs for these parts.
pub const fn joined_len(parts: &[&str]) -> usize {
    let mut length = 0;
    let mut at = 0;
    while at < parts.len() {
        length += parts[at].len();
        at += 1;
    }
    length
}

/// Text put together while compiling. `N` is [`joined_len`] of the parts.
pub const fn join<const N: usize>(parts: &[&str]) -> [u8; N] {
    let mut out = [0; N];
    fill(&mut out, parts);
    out
}

/// Writes the parts one behind the other.
pub(crate) const fn fill(mut rest: &mut [u8], parts: &[&str]) {
    let mut at = 0;
    while at < parts.len() {
        let (part, left) = rest.split_at_mut(parts[at].len());
        part.copy_from_slice(parts[at].as_bytes());
        rest = left;
        at += 1;
    }
}

/// Puts constants together to one text.
#[doc(hidden)]
#[macro_export]
macro_rules! __join {
    ($($part:expr),* $(,)?) => {{
        const PARTS: &[&::core::primitive::str] = &[$($part),*];
        const LENGTH: ::core::primitive::usize = $crate::macro_support::joined_len(PARTS);
        const JOINED: [::core::primitive::u8; LENGTH] = $crate::macro_support::join::<LENGTH>(PARTS);
        match ::core::str::from_utf8(&JOINED) {
            ::core::result::Result::Ok(text) => text,
            ::core::result::Result::Err(_) => "",
        }
    }};
}

/// Puts a record into the program's own section; see [`catalog::section`](crate::catalog::section).
#[doc(hidden)]
#[macro_export]
macro_rules! __embed {
    ($name:ident [$($part:expr),*]) => {
        #[cfg(target_family = "wasm")]
        const $name: ::core::option::Option<$crate::Embedded> = ::core::option::Option::None;

        #[cfg(not(target_family = "wasm"))]
        const $name: ::core::option::Option<$crate::Embedded> = {
            const PARTS: &[&::core::primitive::str] = &[$($part),*];
            const LENGTH: ::core::primitive::usize = $crate::catalog::section::framed_len(PARTS);
            #[cfg_attr(target_vendor = "apple", unsafe(link_section = "__DATA,aon_catalog"))]
            #[cfg_attr(windows, unsafe(link_section = ".aoncat"))]
            #[cfg_attr(
                not(any(target_vendor = "apple", windows)),
                unsafe(link_section = "aon_catalog")
            )]
            static RECORD: [::core::primitive::u8; LENGTH] = $crate::catalog::section::frame::<LENGTH>(PARTS);
            ::core::option::Option::Some($crate::Embedded(&RECORD))
        };
    };
}
