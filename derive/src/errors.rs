//! Every mistake of one input, collected; none can be forgotten.

use proc_macro2::{Span, TokenStream};

/// A bag of mistakes. Dropping it without [`Errors::finish`] is a bug of the macro and panics.
pub(crate) struct Errors {
    found: Vec<syn::Error>,
    finished: bool,
}

impl Errors {
    pub(crate) fn new() -> Self {
        Self {
            found: Vec::new(),
            finished: false,
        }
    }

    /// A mistake at these tokens.
    pub(crate) fn at(&mut self, span: Span, message: impl std::fmt::Display) {
        self.found.push(syn::Error::new(span, message));
    }

    /// A mistake that covers all of `tokens`.
    pub(crate) fn on(&mut self, tokens: impl quote::ToTokens, message: impl std::fmt::Display) {
        self.found.push(syn::Error::new_spanned(tokens, message));
    }

    /// A mistake the parser found.
    pub(crate) fn syntax(&mut self, error: syn::Error) {
        self.found.push(error);
    }

    /// All messages as `compile_error!` calls, if there are any.
    pub(crate) fn finish(mut self) -> Result<(), TokenStream> {
        self.finished = true;
        if self.found.is_empty() {
            return Ok(());
        }
        Err(self
            .found
            .iter()
            .map(syn::Error::to_compile_error)
            .collect())
    }
}

impl Drop for Errors {
    fn drop(&mut self) {
        // A forgotten bag would swallow mistakes.
        if !std::thread::panicking() {
            assert!(self.finished, "the macro forgot to report what it found");
        }
    }
}
