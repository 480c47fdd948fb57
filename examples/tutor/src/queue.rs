//! Questions that wait: a few, the more urgent first. Pure.

/// When a question is answered.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Turn {
    /// In the next pause.
    Pause,
    /// At the end of the topic.
    EndTopic,
    /// At the end of the lesson.
    Final,
}

/// A question that waits.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Waiting {
    /// Its id.
    pub id: String,
    /// What was asked.
    pub text: String,
    /// Whether an answer has to rest on the texts.
    pub needs_rag: bool,
    /// When it is answered.
    pub turn: Turn,
}

/// The most that wait.
pub const MOST: usize = 100;

/// The questions that wait.
#[derive(Debug, Default)]
pub struct Queue(Vec<Waiting>);

impl Queue {
    /// Takes a question; how many wait now, or `None` when too many do. One that waits already is not taken twice.
    pub fn add(&mut self, question: Waiting) -> Option<usize> {
        if self.0.iter().any(|waiting| waiting.id == question.id) {
            return Some(self.0.len());
        }
        if self.0.len() >= MOST {
            return None;
        }
        self.0.push(question);
        Some(self.0.len())
    }

    /// Those whose turn has come, in the order they were asked: whoever waits for a pause is answered at the end of a topic too.
    pub fn take(&mut self, turn: Turn) -> Vec<Waiting> {
        let (now, later) = std::mem::take(&mut self.0)
            .into_iter()
            .partition(|waiting| waiting.turn <= turn);
        self.0 = later;
        now
    }

    /// How many wait.
    pub fn len(&self) -> usize {
        self.0.len()
    }

    /// Whether nobody waits.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_pause_takes_its_own_and_the_end_takes_everything() {
        let mut queue = Queue::default();
        for (id, turn) in [
            ("a", Turn::Final),
            ("b", Turn::Pause),
            ("c", Turn::EndTopic),
            ("d", Turn::Pause),
        ] {
            let question = Waiting {
                id: id.into(),
                text: String::new(),
                needs_rag: false,
                turn,
            };
            assert!(queue.add(question).is_some());
        }
        let ids = |taken: Vec<Waiting>| taken.into_iter().map(|it| it.id).collect::<String>();
        assert_eq!(ids(queue.take(Turn::Pause)), "bd");
        assert_eq!(ids(queue.take(Turn::EndTopic)), "c");
        assert_eq!(ids(queue.take(Turn::Final)), "a");
        assert!(queue.is_empty());
    }

    #[test]
    fn too_many_are_refused() {
        let mut queue = Queue::default();
        let question = |n: usize| Waiting {
            id: n.to_string(),
            text: String::new(),
            needs_rag: false,
            turn: Turn::Final,
        };
        let taken = (0..MOST + 5)
            .filter(|n| queue.add(question(*n)).is_some())
            .count();
        assert_eq!((taken, queue.len()), (MOST, MOST));
    }
}
