//! What differs between two texts, line by line.

use std::path::Path;

/// A unified diff with one hunk around all that differs.
pub(super) fn lines(before: &str, after: &str, path: &Path) -> String {
    let (old, new): (Vec<&str>, Vec<&str>) = (before.lines().collect(), after.lines().collect());
    let head = old.iter().zip(&new).take_while(|(a, b)| a == b).count();
    let most = old.len().min(new.len()) - head;
    let tail = old
        .iter()
        .rev()
        .zip(new.iter().rev())
        .take(most)
        .take_while(|(a, b)| a == b)
        .count();
    let start = head.saturating_sub(CONTEXT);
    let (old_end, new_end) = (old.len() - tail, new.len() - tail);
    let more = tail.min(CONTEXT);
    let name = path.display();
    let mut text = format!(
        "--- {name}\n+++ {name}\n@@ -{},{} +{},{} @@\n",
        start + 1,
        old_end + more - start,
        start + 1,
        new_end + more - start
    );
    let mut push = |sign: char, lines: Option<&[&str]>| {
        for line in lines.unwrap_or_default() {
            text.push(sign);
            text.push_str(line);
            text.push('\n');
        }
    };
    push(' ', old.get(start..head));
    push('-', old.get(head..old_end));
    push('+', new.get(head..new_end));
    push(' ', old.get(old_end..old_end + more));
    text
}

/// Lines shown around what differs.
const CONTEXT: usize = 3;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_differs_is_shown_with_some_lines_around() {
        let diff = lines("a\nb\nc\nd\ne\n", "a\nb\nx\ny\nd\ne\n", Path::new("f"));
        assert_eq!(
            diff,
            "--- f\n+++ f\n@@ -1,5 +1,6 @@\n a\n b\n-c\n+x\n+y\n d\n e\n"
        );
        assert!(lines("", "a\n", Path::new("f")).ends_with("+a\n"));
        assert!(lines("a\na\n", "a\n", Path::new("f")).ends_with("-a\n"));
    }
}
