//! Where a question goes, by plain heuristics. Pure.

/// What may become of a message.
#[derive(Clone, Copy, Debug, PartialEq, Eq, aon::Choices)]
pub enum Route {
    /// Answer at once.
    #[choice(rename = "CHAT_NOW")]
    ChatNow,
    /// Answer in the next pause.
    #[choice(rename = "PAUSE")]
    Pause,
    /// Answer at the end of the topic.
    #[choice(rename = "END_TOPIC")]
    EndTopic,
    /// Answer when the lesson is over.
    #[choice(rename = "FINAL")]
    Final,
    /// Keep it, and answer nothing.
    #[choice(rename = "NOTE")]
    Note,
    /// Pass over it.
    #[choice(rename = "IGNORE")]
    Ignore,
}

/// What the judge found.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Judged {
    /// Where it goes.
    pub route: Route,
    /// Whether an answer has to rest on the texts.
    pub needs_rag: bool,
    /// Why.
    pub reason: &'static str,
}

/// Judges a message.
pub fn judge(text: &str) -> Judged {
    let lower = text.trim().to_lowercase();
    // Whole words: `know` is not `now`.
    let spoken = |letter: char| letter.is_alphanumeric() || letter == '\'';
    let words = lower
        .split(|letter| !spoken(letter))
        .filter(|word| !word.is_empty());
    let plain = format!(" {} ", words.collect::<Vec<_>>().join(" "));
    let has = |phrases: &[&str]| {
        phrases
            .iter()
            .any(|phrase| plain.contains(&format!(" {phrase} ")))
    };
    let question = lower.ends_with('?')
        || [
            "what", "why", "how", "when", "who", "where", "which", "can", "is", "does",
        ]
        .iter()
        .any(|word| lower.split_whitespace().next() == Some(word));
    let (route, reason) = if lower.is_empty() || lower.chars().all(|c| !c.is_alphanumeric()) {
        (Route::Ignore, "nothing was said")
    } else if has(&[
        "at the end of the lesson",
        "when we are done",
        "last question",
    ]) {
        (Route::Final, "the speaker wants to wait for the end")
    } else if has(&["later", "after this topic", "end of the topic"]) {
        (Route::EndTopic, "the speaker wants to wait for the topic")
    } else if has(&["don't understand", "i am lost", "i'm lost", "slower"])
        || question && has(&["repeat", "now"])
    {
        (Route::ChatNow, "the speaker cannot follow")
    } else if !question {
        (Route::Note, "it is not a question")
    } else if lower.len() > 80 {
        (Route::EndTopic, "a long question")
    } else if lower.split_whitespace().count() <= 4 {
        (Route::ChatNow, "a short question")
    } else {
        (Route::Pause, "a question of ordinary length")
    };
    let needs_rag = question && has(&["what", "why", "how", "explain", "difference"]);
    Judged {
        route,
        needs_rag,
        reason,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_kind_of_message_has_its_route() {
        for (text, route) in [
            ("", Route::Ignore),
            ("?!", Route::Ignore),
            ("What is a ring?", Route::ChatNow),
            ("I am lost, can you repeat that?", Route::ChatNow),
            ("How does a reader learn that it lost events?", Route::Pause),
            (
                "Why is that so? We can talk about it after this topic.",
                Route::EndTopic,
            ),
            ("My last question: what is next?", Route::Final),
            ("thank you, that was clear", Route::Note),
            ("I am lost.", Route::ChatNow),
            ("Sorry, I don't understand", Route::ChatNow),
            ("Do you know who wrote this book?", Route::Pause),
            ("I know that now", Route::Note),
        ] {
            assert_eq!(judge(text).route, route, "{text}");
        }
        let mut seen: Vec<_> = Route::ALL.to_vec();
        seen.dedup();
        assert_eq!(seen.len(), 6);
    }

    #[test]
    fn a_question_for_facts_needs_the_texts() {
        assert!(judge("What is a ring?").needs_rag);
        assert!(!judge("Can you repeat that?").needs_rag);
        assert!(!judge("Can you show that again?").needs_rag);
    }
}
