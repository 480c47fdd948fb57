//! Quick fixes and explanations, from the findings at a place.

use lsp_types::{
    CodeAction, CodeActionKind, DocumentChanges, Hover, HoverContents, MarkupContent, MarkupKind,
    OneOf, OptionalVersionedTextDocumentIdentifier, Position, Range, TextDocumentEdit, TextEdit,
    Uri, WorkspaceEdit,
};

use super::check::{Item, Repair};

/// The document that is repaired.
#[derive(Debug)]
pub(super) struct Target<'a> {
    pub(super) uri: &'a Uri,
    /// Its version, when the editor wants edits to name one.
    pub(super) version: Option<i32>,
    /// Whether the editor understands edits that name a version.
    pub(super) versioned: bool,
}

impl Target<'_> {
    fn edit(&self, edits: Vec<TextEdit>) -> WorkspaceEdit {
        if self.versioned {
            let edit = TextDocumentEdit {
                text_document: OptionalVersionedTextDocumentIdentifier {
                    uri: self.uri.clone(),
                    version: self.version,
                },
                edits: edits.into_iter().map(OneOf::Left).collect(),
            };
            WorkspaceEdit {
                document_changes: Some(DocumentChanges::Edits(vec![edit])),
                ..WorkspaceEdit::default()
            }
        } else {
            WorkspaceEdit {
                changes: Some([(self.uri.clone(), edits)].into_iter().collect()),
                ..WorkspaceEdit::default()
            }
        }
    }
}

/// What can be done about the findings in a range: first what may be done without a look.
pub(super) fn actions(
    items: &[&Item],
    range: Range,
    only: Option<&[CodeActionKind]>,
    target: &Target<'_>,
) -> Vec<CodeAction> {
    let mut actions = Vec::new();
    if wanted(only, &CodeActionKind::QUICKFIX) {
        let touched = items
            .iter()
            .filter(|item| overlap(item.diagnostic.range, range));
        let mut fixes: Vec<(&Item, &Repair)> = touched
            .filter_map(|item| item.repair.as_ref().map(|repair| (*item, repair)))
            .collect();
        fixes.sort_by_key(|(_, repair)| !repair.safe);
        actions.extend(
            fixes
                .into_iter()
                .map(|(item, repair)| quick_fix(item, repair, target)),
        );
    }
    if wanted(only, &FIX_ALL) {
        let edits = all_safe(items);
        if !edits.is_empty() {
            actions.push(CodeAction {
                title: "Apply all safe fixes of aon".to_owned(),
                kind: Some(FIX_ALL),
                edit: Some(target.edit(edits)),
                ..CodeAction::default()
            });
        }
    }
    actions
}

fn quick_fix(item: &Item, repair: &Repair, target: &Target<'_>) -> CodeAction {
    CodeAction {
        title: if repair.safe {
            repair.title.clone()
        } else {
            format!("{} (unsafe: look at the result)", repair.title)
        },
        kind: Some(CodeActionKind::QUICKFIX),
        diagnostics: Some(vec![item.diagnostic.clone()]),
        edit: Some(target.edit(repair.edits.clone())),
        is_preferred: Some(repair.safe),
        ..CodeAction::default()
    }
}

/// The edits of all safe fixes; of two that touch the same text, the first one.
fn all_safe(items: &[&Item]) -> Vec<TextEdit> {
    let mut edits: Vec<TextEdit> = Vec::new();
    let repairs = items.iter().filter_map(|item| item.repair.as_ref());
    for repair in repairs.filter(|repair| repair.safe) {
        let free = repair
            .edits
            .iter()
            .all(|edit| !edits.iter().any(|other| overlap(edit.range, other.range)));
        if free {
            edits.extend(repair.edits.iter().cloned());
        }
    }
    edits.sort_by_key(|edit| (edit.range.start, edit.range.end));
    edits
}

/// Whether the editor asks for this kind: for all kinds, for this one, or for one above it.
fn wanted(only: Option<&[CodeActionKind]>, kind: &CodeActionKind) -> bool {
    only.is_none_or(|only| {
        only.iter().any(|asked| {
            let (asked, kind) = (asked.as_str(), kind.as_str());
            asked.is_empty()
                || kind
                    .strip_prefix(asked)
                    .is_some_and(|rest| rest.is_empty() || rest.starts_with('.'))
        })
    })
}

/// The explanation of the findings at a place.
pub(super) fn hover(items: &[&Item], at: Position) -> Option<Hover> {
    let here: Vec<&&Item> = items
        .iter()
        .filter(|item| overlap(item.diagnostic.range, Range::new(at, at)))
        .collect();
    let range = here.first()?.diagnostic.range;
    let pages: Vec<&str> = here.iter().map(|item| item.page.as_str()).collect();
    Some(Hover {
        contents: HoverContents::Markup(MarkupContent {
            kind: MarkupKind::Markdown,
            value: pages.join("\n---\n\n"),
        }),
        range: Some(range),
    })
}

/// Whether two ranges share a place; the places at their ends count.
fn overlap(a: Range, b: Range) -> bool {
    a.start <= b.end && b.start <= a.end
}

/// Everything that may be repaired without a look.
pub(super) const FIX_ALL: CodeActionKind = CodeActionKind::new("source.fixAll.aon");

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_kind_is_asked_for_by_itself_or_from_above() {
        let asked = |kinds: &[&'static str]| {
            let only: Vec<_> = kinds.iter().map(|kind| CodeActionKind::new(kind)).collect();
            wanted(Some(&only), &FIX_ALL)
        };
        assert!(asked(&["source"]) && asked(&["source.fixAll"]) && asked(&["", "x"]));
        assert!(!asked(&["source.fix"]) && !asked(&["quickfix"]) && !asked(&[]));
        assert!(wanted(None, &FIX_ALL));
    }
}
