//! How a score report is written.

mod badge;
mod html;
mod json;
mod markdown;
mod terminal;

pub use badge::badge;
pub use html::html;
pub use json::json;
#[cfg(feature = "schema")]
pub use json::schema;
pub use markdown::markdown;
pub use terminal::{Shown, terminal};

/// Makes a text harmless in HTML, SVG and their attributes.
pub(crate) fn escape(text: &str) -> String {
    let mut safe = String::with_capacity(text.len() + 8);
    for c in text.chars() {
        match c {
            '&' => safe.push_str("&amp;"),
            '<' => safe.push_str("&lt;"),
            '>' => safe.push_str("&gt;"),
            '"' => safe.push_str("&quot;"),
            '\'' => safe.push_str("&#39;"),
            // Control characters are not allowed in XML, and nobody wants to see them.
            c if c.is_control() && c != '\n' && c != '\t' => safe.push('\u{fffd}'),
            c => safe.push(c),
        }
    }
    safe
}

/// Appends formatted text; writing to a string cannot fail.
macro_rules! put {
    ($text:expr, $($arguments:tt)*) => {{
        use std::fmt::Write as _;
        let _: std::fmt::Result = write!($text, $($arguments)*);
    }};
}
pub(crate) use put;
