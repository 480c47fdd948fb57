//! Rust laid out as rustfmt lays it out.
//!
//! prettyplease breaks a line at 89 columns, rustfmt at 100, and arrays sooner. For the few shapes that we write the difference can
//! be made up for: what was broken and fits is put together again. What is left of rustfmt's rules does not come up here; the
//! tests hold every golden file against rustfmt itself.

use syn::File;

/// The text of a file. Items have an empty line between them, and so have the functions of an `impl`.
pub(super) fn lay_out(file: &File) -> String {
    let text = prettyplease::unparse(file);
    let mut lines: Vec<String> = Vec::new();
    for line in text.lines() {
        match too_long(line) {
            Some(parts) => lines.extend(parts),
            None => lines.push(line.to_owned()),
        }
        while fold(&mut lines) {}
        constant(&mut lines);
    }
    let mut out = String::with_capacity(text.len() + text.len() / 16);
    let mut before: Option<&str> = None;
    for line in &lines {
        if before.is_some_and(|before| needs_gap(before, line)) {
            out.push('\n');
        }
        out.push_str(line);
        out.push('\n');
        before = Some(line);
    }
    out
}

/// The width that rustfmt keeps to.
const WIDTH: usize = 100;

/// The width from which on the items of an array stand below each other.
const ARRAY: usize = 60;

/// The width from which on the words of an attribute stand below each other.
const ATTRIBUTE: usize = 70;

/// Where rustfmt breaks a line that prettyplease leaves whole, because there are no brackets in it.
fn too_long(line: &str) -> Option<Vec<String>> {
    if let Some(inner) = line.strip_prefix("    #[choice(") {
        let items = items(inner.strip_suffix(")]")?);
        let mut parts = vec!["    #[choice(".to_owned()];
        parts.extend(items.iter().map(|item| format!("        {item},")));
        if let Some(last) = parts.last_mut() {
            last.pop();
        }
        parts.push("    )]".to_owned());
        return Some(parts);
    }
    if line.chars().count() <= WIDTH {
        return None;
    }
    if line.starts_with("pub struct ") || line.starts_with("pub enum ") {
        let head = line.strip_suffix(" {")?.to_owned();
        return Some(vec![head, "{".to_owned()]);
    }
    let (name, shape) = line.split_once(": ")?;
    let is_field = name.starts_with("    pub ") && shape.ends_with(',');
    is_field.then(|| vec![format!("{name}:"), format!("        {shape}")])
}

/// A constant that is a little too long: prettyplease breaks before its type, rustfmt before its value.
fn constant(lines: &mut [String]) {
    if let [.., head, value] = lines
        && head.ends_with(':')
        && head.trim_start().starts_with("pub const ")
        && let Some((shape, items)) = value.trim_start().split_once(" = ")
    {
        let indent = head.len() - head.trim_start().len() + 4;
        let items = format!("{:indent$}{items}", "");
        *head = format!("{head} {shape} =");
        *value = items;
    }
}

/// What commas separate, but for those in texts.
fn items(text: &str) -> Vec<&str> {
    let (mut found, mut from) = (Vec::new(), 0);
    let (mut quoted, mut escaped) = (false, false);
    for (at, c) in text.char_indices() {
        match c {
            _ if escaped => escaped = false,
            '\\' => escaped = quoted,
            '"' => quoted = !quoted,
            ',' if !quoted => {
                found.extend(text.get(from..at));
                from = at + 1;
            }
            _ => {}
        }
    }
    found.extend(text.get(from..));
    found.iter().map(|item| item.trim()).collect()
}

/// Whether an empty line belongs between two lines.
fn needs_gap(before: &str, line: &str) -> bool {
    if before.starts_with("//!") {
        return !line.starts_with("//!");
    }
    let depth = indent(line);
    if indent(before) != depth || !before.ends_with(['}', ';']) || is_comment(before) {
        return false;
    }
    let line = line.trim_start();
    match depth {
        0 => !line.starts_with('}'),
        4 => ["///", "pub ", "fn ", "#["]
            .iter()
            .any(|start| line.starts_with(start)),
        _ => false,
    }
}

/// Puts the end of the lines together when that is one thing and fits; whether it did.
fn fold(lines: &mut Vec<String>) -> bool {
    fold_arm(lines)
        || fold_group(lines)
        || fold_pattern(lines)
        || fold_impl(lines)
        || fold_call(lines)
}

/// A value that is read, and the branch it is put into.
fn fold_call(lines: &mut Vec<String>) -> bool {
    let [.., read, put] = lines.as_slice() else {
        return false;
    };
    if !read.ends_with("::serde_json::from_value(value)")
        || !put.trim_start().starts_with(".map(Self::")
    {
        return false;
    }
    let joined = format!("{read}{}", put.trim_start());
    replace(lines, 2, joined)
}

/// `impl Trait` and `for Name {`.
fn fold_impl(lines: &mut Vec<String>) -> bool {
    let [.., first, last] = lines.as_slice() else {
        return false;
    };
    let (true, Some(name)) = (first.starts_with("impl"), last.strip_suffix(" {")) else {
        return false;
    };
    if !name.starts_with("for ") {
        return false;
    }
    let joined = format!("{first} {last}");
    if joined.chars().count() > WIDTH {
        let name = format!("    {name}");
        lines.pop();
        lines.extend([name, "{".to_owned()]);
        return false;
    }
    replace(lines, 2, joined)
}

/// `pattern => {`, one expression, `}`.
fn fold_arm(lines: &mut Vec<String>) -> bool {
    let [.., head, body, end] = lines.as_slice() else {
        return false;
    };
    let depth = indent(head);
    if is_comment(head)
        || end.trim_start() != "}"
        || indent(end) != depth
        || indent(body) != depth + 4
        || body.ends_with([';', '{', ',', '}'])
    {
        return false;
    }
    let Some(pattern) = head.strip_suffix('{').filter(|head| head.ends_with("=> ")) else {
        return false;
    };
    let joined = format!("{pattern}{},", body.trim_start());
    replace(lines, 3, joined)
}

/// What stands in brackets, one item on each line.
fn fold_group(lines: &mut Vec<String>) -> bool {
    let Some(end) = lines.last() else {
        return false;
    };
    let depth = indent(end);
    let close = end.trim_start();
    let open = match close.chars().next() {
        Some('>') => '<',
        Some(')') => '(',
        Some(']') => '[',
        _ => return false,
    };
    let mut items: Vec<&str> = Vec::new();
    let mut head = None;
    for line in lines.iter().rev().skip(1) {
        if indent(line) == depth {
            head = Some(line);
            break;
        }
        // Only in attributes the last one has no comma.
        let is_item = line.ends_with(',') || (items.is_empty() && close == ")]");
        if indent(line) != depth + 4 || !is_item || is_comment(line) {
            return false;
        }
        items.push(line.trim_start());
    }
    let Some(head) = head.filter(|head| head.ends_with(open) && !is_comment(head)) else {
        return false;
    };
    items.reverse();
    let count = items.len() + 2;
    let joined = items.join(" ");
    let inner = joined.trim_end_matches(',');
    if open == '[' && inner.chars().count() > ARRAY {
        return false;
    }
    if close == ")]" && items.len() > 1 && inner.chars().count() > ATTRIBUTE && head != "#[derive("
    {
        return false;
    }
    // A tuple of one keeps its comma.
    let comma =
        if open == '(' && items.len() == 1 && head.trim_end_matches('(').ends_with([' ', '<', '('])
        {
            ","
        } else {
            ""
        };
    let whole = format!("{head}{inner}{comma}{close}");
    if head == "#[derive(" && whole.chars().count() > WIDTH {
        let all = format!("    {inner},");
        lines.splice(lines.len() - count + 1..lines.len() - 1, [all]);
        return false;
    }
    if whole.chars().count() > WIDTH {
        let head_fits = head.chars().count() <= WIDTH;
        fold_below(lines, count, &whole, head_fits);
        return false;
    }
    replace(lines, count, whole)
}

/// What does not fit beside the name it belongs to may fit below it.
fn fold_below(lines: &mut Vec<String>, count: usize, whole: &str, head_fits: bool) {
    let start = whole.trim_start();
    let mark = if start.starts_with("pub type ") || start.starts_with("let ") {
        " = "
    } else if start.starts_with("pub ") {
        ": "
    } else {
        return;
    };
    let Some((name, rest)) = whole.split_once(mark) else {
        return;
    };
    let below = format!("{}{rest}", " ".repeat(indent(whole) + 4));
    let name = format!("{name}{}", mark.trim_end());
    if replace(lines, count, below) {
        lines.insert(lines.len() - 1, name);
    } else if !head_fits && mark == " = " {
        let from = lines.len() - count;
        let mut broken = lines.split_off(from);
        if let Some(first) = broken.first_mut()
            && let Some((_, rest)) = first.split_once(mark)
        {
            *first = format!("{}{rest}", " ".repeat(indent(whole)));
        }
        lines.push(name);
        lines.extend(broken.iter().map(|line| format!("    {line}")));
    }
}

/// Alternatives of a pattern below each other.
fn fold_pattern(lines: &mut Vec<String>) -> bool {
    let Some(last) = lines.last() else {
        return false;
    };
    let depth = indent(last);
    let is_arm = last.trim_start().starts_with("| ") && last.contains(" => ");
    if !is_arm {
        return false;
    }
    let more = |line: &&String| indent(line) == depth && line.trim_start().starts_with("| ");
    let count = lines.iter().rev().take_while(more).count() + 1;
    let Some(from) = lines.len().checked_sub(count) else {
        return false;
    };
    let Some(all) = lines.get(from..) else {
        return false;
    };
    let mut joined = String::new();
    for line in all {
        if joined.is_empty() {
            joined.push_str(line);
        } else {
            joined.push(' ');
            joined.push_str(line.trim_start());
        }
    }
    replace(lines, count, joined)
}

/// Replaces the last lines by one that fits.
fn replace(lines: &mut Vec<String>, count: usize, joined: String) -> bool {
    if joined.chars().count() > WIDTH {
        return false;
    }
    lines.truncate(lines.len().saturating_sub(count));
    lines.push(joined);
    true
}

fn indent(line: &str) -> usize {
    line.len() - line.trim_start().len()
}

fn is_comment(line: &str) -> bool {
    line.trim_start().starts_with("//")
}
