//! Colours and a logo for the pages.

/// What makes an error page look like yours: styles, and a piece of HTML above it.
///
/// Both are written as they are, so they must be your own words and never a caller's. The page's security policy allows inline styles
/// and `data:` images, nothing from elsewhere.
///
/// # Examples
///
/// ```
/// use aon::surface::human::{Brand, branded};
/// use aon::{Code, ProblemDetails, Status};
///
/// let brand = Brand::new()
///     .with_css(":root{--link:#7a1fa8;--good:#7a1fa8}")
///     .with_header("<strong>Parcel</strong>");
/// let problem = ProblemDetails::new(Status::from_static(404), Code::from_static("gone"));
/// let html = branded(&problem, Some(&brand));
/// assert!(html.contains("<header class=\"aon-brand\"><strong>Parcel</strong></header>"));
/// ```
///
/// The colours are `--ink`, `--paper`, `--soft`, `--line`, `--dim`, `--bad`, `--good` and `--link`.
#[derive(Clone, Debug, Default)]
pub struct Brand {
    css: String,
    header: String,
}

impl Brand {
    /// Nothing yet.
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds styles after those of the page.
    #[must_use]
    pub fn with_css(mut self, css: impl AsRef<str>) -> Self {
        // Styles cannot end their element.
        self.css.push_str(&css.as_ref().replace("</", "<\\/"));
        self.css.push('\n');
        self
    }

    /// Sets the HTML above the page: a name, or a logo as inline SVG or a `data:` image.
    #[must_use]
    pub fn with_header(mut self, html: impl Into<String>) -> Self {
        self.header = html.into();
        self
    }

    pub(super) fn css(&self) -> &str {
        &self.css
    }

    pub(super) fn header(&self) -> &str {
        &self.header
    }
}
