//! Pages about the rules: the ones `--explain` shows, and those in `docs/rules/`.

use std::fmt::Write as _;

use crate::finding::Confidence;
use crate::rule::{Category, Check, Rule, Stage};
use crate::rules;

/// The page of one rule, in Markdown.
///
/// ```
/// let rule = aon_lint::rules::find("undeclared-choice").unwrap();
/// let page = aon_lint::docs::page(rule);
/// assert!(page.starts_with("# undeclared-choice (AON101)"));
/// ```
pub fn page(rule: &Rule) -> String {
    let mut out = format!("# {} ({})\n\n", rule.name(), rule.code());
    let hints = matches!(rule.check(), Check::Hints(_));
    let _ = write!(
        out,
        "Family: {}. Severity: {}.",
        rule.category().name(),
        rule.severity(if hints {
            Confidence::Possible
        } else {
            Confidence::Certain
        })
    );
    if hints {
        out.push_str(
            " A hint: runs with `--pedantic`, or when `[rules]` in `aon.toml` gives it a level.",
        );
    }
    if rule.stage() == Stage::Preview {
        out.push_str(" In preview: runs with `--preview` only.");
    }
    out.push_str("\n\n");
    for line in rule.docs().trim().lines() {
        let line = line.strip_prefix(' ').unwrap_or(line);
        // The tags are for the test that runs the examples.
        let line = match line.strip_prefix("```") {
            Some(tags) => format!("```{}", tags.split_whitespace().next().unwrap_or("")),
            None => line.to_owned(),
        };
        out.push_str(&line);
        out.push('\n');
    }
    let _ = writeln!(
        out,
        "\n## Setting it aside\n\nIn place: `# aon-ignore: {} <reason>`. In `aon.toml`: `[rules]` with `{} = \"off\"`.",
        rule.name(),
        rule.name()
    );
    out
}

/// Every page of `docs/rules/` by file name, the index first.
pub fn pages() -> Vec<(String, String)> {
    let mut pages = vec![("README.md".to_owned(), index())];
    pages.extend(
        rules::ALL
            .iter()
            .map(|rule| (format!("{}.md", rule.name()), page(rule))),
    );
    pages
}

fn index() -> String {
    let mut out = String::from(
        "# Rules\n\nGenerated from the rules themselves. A certain finding has the severity of its family, a likely one is a warning, and\na possible one is shown with `--pedantic` only.\n",
    );
    for category in Category::ALL {
        let mut rules = rules::ALL
            .iter()
            .filter(|rule| rule.category() == *category)
            .peekable();
        if rules.peek().is_none() {
            continue;
        }
        let _ = writeln!(
            out,
            "\n## {} (AON{}xx, {})\n\n| code | rule | |\n|---|---|---|",
            category.name(),
            category.digit(),
            category.severity()
        );
        for rule in rules {
            let _ = writeln!(
                out,
                "| {} | [{}]({}.md) | {} |",
                rule.code(),
                rule.name(),
                rule.name(),
                rule.summary()
            );
        }
    }
    if !rules::RETIRED.is_empty() {
        out.push_str("\n## Gone\n\n| code | rule | why |\n|---|---|---|\n");
        for (code, name, reason) in rules::RETIRED {
            let _ = writeln!(out, "| {code} | {name} | {reason} |");
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn there_is_a_page_for_every_rule() {
        let pages = pages();
        assert_eq!(pages.len(), rules::ALL.len() + 1);
        for rule in rules::ALL {
            let (_, page) = pages
                .iter()
                .find(|(name, _)| *name == format!("{}.md", rule.name()))
                .unwrap();
            assert!(page.contains(rule.summary()) && page.contains("## Why"));
            assert!(!page.contains("```yaml bad"));
        }
    }
}
