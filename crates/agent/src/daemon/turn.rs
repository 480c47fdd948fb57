//! One iteration: what the model says, line by line, and the one effect it may have. Pure.

use serde_json::{Map, Value};

use super::actions::ActionKind;

/// The permit of an iteration.
#[derive(Debug, Default)]
pub(super) struct Turn {
    effects: u32,
}

impl Turn {
    /// Takes the permit for an action. Whether it may be done.
    pub(super) const fn permit(&mut self, kind: ActionKind) -> bool {
        if !kind.has_effects() {
            return true;
        }
        self.effects += 1;
        self.effects == 1
    }
}

/// What the model says beside text.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Instruction {
    Act(ActionKind, Map<String, Value>),
    /// An action that does not exist.
    Unknown(String),
    Ask {
        question: String,
        options: Vec<Value>,
    },
    Observe(String),
    /// A worker that looked something up itself.
    Found(Vec<Value>),
    Done(Value),
}

impl Instruction {
    /// Reads an object: `{"type": "action", "action": "shell", …}`, or in short `{"type": "shell", …}`.
    pub(super) fn read(mut object: Map<String, Value>) -> Option<Self> {
        let kind = take(&mut object, "type")?;
        let kind = if kind == "action" {
            let Some(action) = take(&mut object, "action") else {
                return Some(Self::Unknown("an action without a name".to_owned()));
            };
            return Some(match ActionKind::from_word(&action) {
                Some(kind) => Self::Act(kind, object),
                None => Self::Unknown(action),
            });
        } else {
            kind
        };
        if let Some(kind) = ActionKind::from_word(&kind) {
            return Some(Self::Act(kind, object));
        }
        match kind.as_str() {
            "ask" => Some(Self::Ask {
                question: take(&mut object, "question").unwrap_or_default(),
                options: match object.remove("options") {
                    Some(Value::Array(options)) => options,
                    _ => Vec::new(),
                },
            }),
            "observe" => Some(Self::Observe(
                take(&mut object, "note")
                    .or_else(|| take(&mut object, "summary"))
                    .unwrap_or_default(),
            )),
            "research_result" => match object.remove("docs") {
                Some(Value::Array(docs)) => Some(Self::Found(docs)),
                _ => None,
            },
            "done" => Some(Self::Done(object.remove("result").unwrap_or(Value::Null))),
            _ => None,
        }
    }
}

fn take(object: &mut Map<String, Value>, name: &str) -> Option<String> {
    match object.remove(name) {
        Some(Value::String(text)) => Some(text),
        _ => None,
    }
}

/// Finds instructions in text: lines that are a JSON object of a known type.
#[derive(Debug, Default)]
pub(super) struct Said {
    line: String,
    /// Whether the line is too long to be an instruction.
    lost: bool,
}

/// The longest line that can be an instruction.
const LONGEST: usize = 256 * 1024;

impl Said {
    /// Takes some text and gives what is complete in it.
    pub(super) fn push(&mut self, text: &str) -> Vec<Instruction> {
        let mut found = Vec::new();
        let mut parts = text.split('\n');
        if let Some(first) = parts.next() {
            self.add(first);
        }
        for part in parts {
            found.extend(self.finish());
            self.add(part);
        }
        found
    }

    /// What the last line was, if it has no end.
    pub(super) fn finish(&mut self) -> Option<Instruction> {
        let line = std::mem::take(&mut self.line);
        if std::mem::take(&mut self.lost) {
            return None;
        }
        let line = line.trim();
        if !line.starts_with('{') {
            return None;
        }
        match serde_json::from_str(line) {
            Ok(Value::Object(object)) => Instruction::read(object),
            _ => None,
        }
    }

    fn add(&mut self, part: &str) {
        if self.line.len() + part.len() > LONGEST {
            self.line.clear();
            self.lost = true;
        }
        if !self.lost {
            self.line.push_str(part);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_iteration_has_one_effect_and_any_number_of_others() {
        let mut turn = Turn::default();
        assert!(turn.permit(ActionKind::Plan));
        assert!(turn.permit(ActionKind::Shell));
        assert!(turn.permit(ActionKind::Research));
        assert!(!turn.permit(ActionKind::Shell));
        assert!(!turn.permit(ActionKind::UseTool));
        assert!(turn.permit(ActionKind::ToolSpec));
    }

    #[test]
    fn instructions_are_found_however_the_text_is_cut() {
        let text = "Let me see.\n{\"type\":\"shell\",\"command\":\"ls\"}\n{\"a\":1}\n {\"type\":\"action\",\"action\":\"research\",\"queries\":[\"x\"]}\n{\"type\":\"done\",\"result\":{\"n\":1}}";
        for cut in (0..=text.len()).filter(|at| text.is_char_boundary(*at)) {
            let mut said = Said::default();
            let mut found = said.push(&text[..cut]);
            found.extend(said.push(&text[cut..]));
            found.extend(said.finish());
            assert_eq!(found.len(), 3, "{cut}: {found:?}");
            assert!(
                matches!(&found[0], Instruction::Act(ActionKind::Shell, members) if members["command"] == "ls")
            );
            assert!(matches!(
                &found[1],
                Instruction::Act(ActionKind::Research, _)
            ));
            assert!(matches!(&found[2], Instruction::Done(result) if result["n"] == 1));
        }
    }

    #[test]
    fn what_is_not_an_instruction_is_text() {
        let mut said = Said::default();
        assert!(
            said.push("{\n[]\n{}\n{\"type\":5}\n{\"type\":\"x\"}\nplain\n")
                .is_empty()
        );
        let unknown = said.push("{\"type\":\"action\",\"action\":\"dance\"}\n");
        assert_eq!(unknown, [Instruction::Unknown("dance".to_owned())]);
        let long = format!(
            "{{\"type\":\"observe\",\"note\":\"{}\"}}\n",
            "x".repeat(LONGEST)
        );
        assert!(said.push(&long).is_empty());
        assert_eq!(
            said.push("{\"type\":\"observe\",\"note\":\"n\"}\n").len(),
            1
        );
    }
}
