//! Doc comments as text.

use syn::{Attribute, Expr, ExprLit, Lit, Meta};

/// The doc comment, without the space after `///` and without blank lines around it.
pub(crate) fn text(attrs: &[Attribute]) -> String {
    let mut lines: Vec<String> = Vec::new();
    for attr in attrs.iter().filter(|attr| attr.path().is_ident("doc")) {
        if let Meta::NameValue(pair) = &attr.meta
            && let Expr::Lit(ExprLit {
                lit: Lit::Str(line),
                ..
            }) = &pair.value
        {
            for line in line.value().split('\n') {
                let line = line.strip_prefix(' ').unwrap_or(line).trim_end();
                lines.push(line.to_owned());
            }
        }
    }
    lines.join("\n").trim_matches('\n').to_owned()
}

/// A doc comment as label and description: the first sentence without its full stop, and the rest.
///
/// The label ends with its line when the line ends a sentence or a paragraph; a sentence that is wrapped is joined.
pub(crate) fn label_and_rest(docs: &str) -> (Option<String>, Option<String>) {
    let mut label = String::new();
    let mut lines = docs.lines();
    for line in lines.by_ref() {
        let line = line.trim();
        if line.is_empty() {
            break;
        }
        if !label.is_empty() {
            label.push(' ');
        }
        label.push_str(line);
        if line.ends_with(['.', '!', '?', ':']) {
            break;
        }
    }
    let label = label.strip_suffix('.').unwrap_or(&label).to_owned();
    let rest = lines.collect::<Vec<_>>().join("\n").trim().to_owned();
    let some = |text: String| (!text.is_empty()).then_some(text);
    (some(label), some(rest))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_sentence_is_the_label() {
        let cases = [
            ("", None, None),
            ("Hosted by us.", Some("Hosted by us"), None),
            ("Hosted\n\nOur page.", Some("Hosted"), Some("Our page.")),
            ("Hosted.\nOur page.", Some("Hosted"), Some("Our page.")),
            (
                "Hosted by us, with\nour page.",
                Some("Hosted by us, with our page"),
                None,
            ),
        ];
        for (docs, label, rest) in cases {
            let found = label_and_rest(docs);
            assert_eq!(
                (found.0.as_deref(), found.1.as_deref()),
                (label, rest),
                "{docs}"
            );
        }
    }
}
