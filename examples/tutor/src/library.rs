//! A handful of texts, a search over them, and the place where a model would be called.

/// One text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Passage {
    /// Its name.
    pub name: &'static str,
    /// What it says.
    pub text: &'static str,
}

/// The texts.
pub const PASSAGES: &[Passage] = &[
    Passage {
        name: "ring",
        text: "A ring keeps the newest events of a session. What does not fit any more is let go of, the oldest first.",
    },
    Passage {
        name: "gap",
        text: "A gap tells a reader that it lost events: which ones were there, and which one comes next.",
    },
    Passage {
        name: "cursor",
        text: "A cursor is the id of the last event a reader has seen. With it the reader resumes where it was.",
    },
    Passage {
        name: "heartbeat",
        text: "A heartbeat shows that the server is alive while nothing else happens. Two that are missing mean a dead connection.",
    },
    Passage {
        name: "problem",
        text: "A problem is a failure as a value: what happened, why, which values are valid, and what to try next.",
    },
];

/// What the lesson is made of: topics, each with its segments.
pub const LESSON: &[(&str, &[&str])] = &[
    (
        "streams",
        &[
            "An event is one fact with a number.",
            "A ring keeps the newest events for readers that come late.",
        ],
    ),
    (
        "failures",
        &[
            "A reader that lost events is told by a gap.",
            "A failure is a value until it leaves the program.",
        ],
    ),
];

/// The texts that have words of a question in them, the best first.
pub fn search(query: &str) -> Vec<Passage> {
    let wanted = words(query);
    let mut found: Vec<(usize, Passage)> = PASSAGES
        .iter()
        .map(|passage| {
            let there = words(passage.text);
            let named = 3 * usize::from(wanted.iter().any(|word| word == passage.name));
            (
                named + wanted.iter().filter(|word| there.contains(word)).count(),
                *passage,
            )
        })
        .filter(|(score, _)| *score > 0)
        .collect();
    found.sort_by_key(|(score, _)| std::cmp::Reverse(*score));
    found
        .into_iter()
        .take(2)
        .map(|(_, passage)| passage)
        .collect()
}

/// Words that say something, without their plural.
fn words(text: &str) -> Vec<String> {
    text.to_lowercase()
        .split(|c: char| !c.is_alphanumeric())
        .filter(|word| word.len() > 3 || *word == "gap")
        .filter(|word| {
            ![
                "what", "does", "that", "this", "with", "which", "where", "when", "them", "they",
                "have",
            ]
            .contains(word)
        })
        .map(|word| word.strip_suffix('s').unwrap_or(word).to_owned())
        .collect()
}

/// Where an answer comes from. A model would implement it; the example needs none.
pub trait Answers: Send + Sync + 'static {
    /// Answers a question with what was found.
    ///
    /// # Errors
    ///
    /// When it cannot be reached; the words are for the log.
    fn answer(&self, question: &str, found: &[Passage]) -> Result<String, String>;
}

/// Answers with the texts themselves.
#[derive(Clone, Copy, Debug, Default)]
pub struct Plainly;

impl Answers for Plainly {
    fn answer(&self, _: &str, found: &[Passage]) -> Result<String, String> {
        Ok(match found {
            [] => "Let us look at it together after the lesson.".to_owned(),
            found => found
                .iter()
                .map(|passage| passage.text)
                .collect::<Vec<_>>()
                .join(" "),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_question_finds_the_text_about_it() {
        for (question, name) in [
            ("What is a ring?", "ring"),
            ("why are there gaps", "gap"),
            ("how does a heartbeat help", "heartbeat"),
        ] {
            assert_eq!(
                search(question).first().map(|passage| passage.name),
                Some(name),
                "{question}"
            );
        }
        assert!(search("zebra?").is_empty());
    }
}
