//! Where the lines go: plain into a pipe; in a terminal above one changing line.

use std::time::Duration;

use aon_live::client::{Notice, Received, Success};
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};

use super::line::{Line, Tone, seconds, visible};
use crate::fault::Fault;
use crate::output::{Output, indented};

/// What is shown, and how.
#[derive(Debug)]
pub(super) struct Screen {
    json: bool,
    coloured: bool,
    /// The changing line of a terminal.
    bar: Option<ProgressBar>,
    /// A line that may still change: healing goes on, or progress is made. It is printed when something else comes.
    open: Option<(Duration, String, Line)>,
}

impl Screen {
    pub(super) fn new(json: bool, terminal: bool, coloured: bool) -> Self {
        let bar = terminal.then(|| {
            let bar = ProgressBar::with_draw_target(None, ProgressDrawTarget::stdout());
            let style = ProgressStyle::with_template("{spinner} {wide_msg}");
            bar.set_style(style.unwrap_or_else(|_invalid| ProgressStyle::default_spinner()));
            bar.set_message("waiting for an answer");
            bar.enable_steady_tick(Duration::from_millis(100));
            bar
        });
        Self {
            json,
            coloured,
            bar,
            open: None,
        }
    }

    pub(super) fn event(
        &mut self,
        at: Duration,
        event: &Received,
        output: &mut Output,
    ) -> Result<(), Fault> {
        if self.json {
            output.line(event.json())?;
            return output.flush();
        }
        // The end is told by the outcome, and a sign of life by the spinner.
        if event.is_terminal()
            || event.is_heartbeat()
            || matches!(event.kind(), "gap" | "replay_complete")
        {
            return Ok(());
        }
        let line = Line::of(event);
        let changes = match event.kind() {
            "healing" => event.member::<String>("action"),
            "status" => event.raw("progress").map(|_| "progress".to_owned()),
            _ => None,
        };
        let Some(subject) = changes.filter(|_| self.bar.is_some()) else {
            self.settle(output)?;
            if let Some(bar) = &self.bar {
                bar.set_message(format!("{} {}", line.word, line.text));
            }
            return self.print(at, &line, output);
        };
        if self
            .open
            .as_ref()
            .is_some_and(|(_, open, _)| *open != subject)
        {
            self.settle(output)?;
        }
        if let Some(bar) = &self.bar {
            bar.set_message(self.paint(at, &line));
        }
        self.open = Some((at, subject, line));
        Ok(())
    }

    pub(super) fn notice(
        &mut self,
        at: Duration,
        notice: &Notice,
        output: &mut Output,
    ) -> Result<(), Fault> {
        let Some(line) = Line::note(notice) else {
            return Ok(());
        };
        if self.json {
            output.note(&format!("{}: {}", line.word, line.text));
            return Ok(());
        }
        self.settle(output)?;
        self.print(at, &line, output)
    }

    /// Takes the changing line away while somebody types, and brings it back.
    pub(super) fn pause(&self, pause: bool) {
        if let Some(bar) = &self.bar {
            bar.set_draw_target(if pause {
                ProgressDrawTarget::hidden()
            } else {
                ProgressDrawTarget::stdout()
            });
        }
    }

    /// What changed for the last time becomes a line like the others.
    fn settle(&mut self, output: &mut Output) -> Result<(), Fault> {
        match self.open.take() {
            Some((at, _, line)) => self.print(at, &line, output),
            None => Ok(()),
        }
    }

    /// Takes the changing line away.
    pub(super) fn close(&mut self, output: &mut Output) -> Result<(), Fault> {
        self.settle(output)?;
        if let Some(bar) = self.bar.take() {
            bar.finish_and_clear();
        }
        Ok(())
    }

    /// The end, when it is good: the data of the result.
    pub(super) fn result(
        &self,
        at: Duration,
        success: &Success,
        output: &mut Output,
    ) -> Result<(), Fault> {
        if self.json {
            return match success.event() {
                Some(_) => Ok(()),
                None => output.line(success.data()),
            };
        }
        let line = Line {
            tone: Tone::Good,
            word: "result".to_owned(),
            text: format!("after {}", seconds(at)),
        };
        self.print(at, &line, output)?;
        let data = success.data();
        let pretty = serde_json::from_str::<serde::de::IgnoredAny>(data).is_ok();
        let text = if pretty {
            indented(&compact(data))
        } else {
            data.to_owned()
        };
        for part in text.lines() {
            output.line(visible_but_for_indent(part))?;
        }
        output.flush()
    }

    /// The end, when it is bad: the problem follows on standard error.
    pub(super) fn failed(&self, at: Duration, output: &mut Output) -> Result<(), Fault> {
        if self.json {
            return Ok(());
        }
        let line = Line {
            tone: Tone::Bad,
            word: "error".to_owned(),
            text: format!("after {}", seconds(at)),
        };
        self.print(at, &line, output)
    }

    fn print(&self, at: Duration, line: &Line, output: &mut Output) -> Result<(), Fault> {
        let text = self.paint(at, line);
        if let Some(bar) = &self.bar {
            bar.println(text);
            return Ok(());
        }
        output.line(text)?;
        output.flush()
    }

    fn paint(&self, at: Duration, line: &Line) -> String {
        let time = format!("{:>8.3}", at.as_secs_f64());
        let Line { tone, word, text } = line;
        if !self.coloured {
            return format!("{time}  {word:<8}  {text}").trim_end().to_owned();
        }
        let (on, off, dim) = (tone.code(), "\x1b[0m", Tone::Quiet.code());
        let body = if *tone == Tone::Quiet {
            format!("{dim}{text}{off}")
        } else {
            text.clone()
        };
        format!("{dim}{time}{off}  {on}{word:<8}{off}  {body}")
    }
}

/// JSON without the layout it came with, its numbers and texts as they are.
fn compact(json: &str) -> String {
    let mut out = String::with_capacity(json.len());
    let (mut quoted, mut escaped) = (false, false);
    for c in json.chars() {
        if quoted {
            quoted = c != '"' || escaped;
            escaped = c == '\\' && !escaped;
            out.push(c);
        } else if !c.is_ascii_whitespace() {
            quoted = c == '"';
            escaped = false;
            out.push(c);
        }
    }
    out
}

fn visible_but_for_indent(line: &str) -> String {
    let text = line.trim_start_matches(' ');
    let indent = line.len() - text.len();
    format!("{}{}", " ".repeat(indent), visible(text))
}
