//! Standard output and standard error, and what becomes of a reader that went away.

use std::io::{self, BufWriter, IsTerminal, Stderr, Stdout, Write};

use crate::fault::Fault;

/// Where a command writes: results to one side, notes to the other.
#[derive(Debug)]
pub(crate) struct Output {
    out: BufWriter<Stdout>,
    notes: Stderr,
}

impl Output {
    pub(crate) fn new() -> Self {
        Self {
            out: BufWriter::new(io::stdout()),
            notes: io::stderr(),
        }
    }

    /// Writes a result.
    pub(crate) fn write(&mut self, bytes: &[u8]) -> Result<(), Fault> {
        self.out
            .write_all(bytes)
            .map_err(|source| Fault::stream(&source))
    }

    /// Writes a result and a newline.
    pub(crate) fn line(&mut self, text: impl AsRef<[u8]>) -> Result<(), Fault> {
        self.write(text.as_ref())?;
        self.write(b"\n")
    }

    /// Writes a line to standard error. What cannot be told there cannot be told anywhere.
    pub(crate) fn note(&mut self, text: &str) {
        let _: io::Result<()> = writeln!(self.notes, "{text}");
    }

    /// Whether standard output is a terminal that wants colours.
    pub(crate) fn is_coloured(&self) -> bool {
        self.out.get_ref().is_terminal() && colours_are_wanted()
    }

    /// Whether standard error is a terminal that wants colours.
    pub(crate) fn notes_are_coloured(&self) -> bool {
        self.notes.is_terminal() && colours_are_wanted()
    }

    pub(crate) fn flush(&mut self) -> Result<(), Fault> {
        self.out.flush().map_err(|source| Fault::stream(&source))
    }
}

fn colours_are_wanted() -> bool {
    std::env::var_os("NO_COLOR").is_none_or(|value| value.is_empty())
}

/// JSON text, indented by two spaces, in the order it has. The text must be valid and compact.
pub(crate) fn indented(json: &str) -> String {
    let mut out = String::with_capacity(json.len() * 2);
    let mut depth = 0_usize;
    let mut in_string = false;
    let mut escaped = false;
    let mut chars = json.chars().peekable();
    while let Some(c) = chars.next() {
        if in_string {
            out.push(c);
            match c {
                _ if escaped => escaped = false,
                '\\' => escaped = true,
                '"' => in_string = false,
                _ => {}
            }
            continue;
        }
        match c {
            '"' => {
                in_string = true;
                out.push(c);
            }
            '{' | '[' => {
                out.push(c);
                let close = if c == '{' { '}' } else { ']' };
                if chars.peek() == Some(&close) {
                    out.push(close);
                    chars.next();
                } else {
                    depth += 1;
                    new_line(&mut out, depth);
                }
            }
            '}' | ']' => {
                depth = depth.saturating_sub(1);
                new_line(&mut out, depth);
                out.push(c);
            }
            ',' => {
                out.push(c);
                new_line(&mut out, depth);
            }
            ':' => out.push_str(": "),
            _ => out.push(c),
        }
    }
    out
}

fn new_line(out: &mut String, depth: usize) {
    out.push('\n');
    for _ in 0..depth {
        out.push_str("  ");
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn indenting_changes_layout_only() {
        let json = r#"{"b":[1,{"c":"x,{\"}"},[],{}],"a":null}"#;
        let pretty = indented(json);
        assert_eq!(
            pretty,
            "{\n  \"b\": [\n    1,\n    {\n      \"c\": \"x,{\\\"}\"\n    },\n    [],\n    {}\n  ],\n  \"a\": null\n}"
        );
        let before: serde_json::Value = serde_json::from_str(json).unwrap();
        assert_eq!(
            before,
            serde_json::from_str::<serde_json::Value>(&pretty).unwrap()
        );
    }
}
