//! The fenced blocks of a page.

/// A fenced block: the words behind the fence, and what is inside.
#[derive(Debug)]
pub struct Fence {
    pub line: usize,
    pub info: String,
    pub text: String,
}

impl Fence {
    /// The language.
    pub fn language(&self) -> &str {
        self.info.split([' ', ',']).next().unwrap_or_default()
    }

    /// The file that the block is, if it says so: `file=src/main.rs`.
    pub fn file(&self) -> Option<&str> {
        self.info
            .split(' ')
            .find_map(|word| word.strip_prefix("file="))
    }
}

/// All blocks of a page, in order.
pub fn fences(page: &str) -> Vec<Fence> {
    let mut found = Vec::new();
    let mut open: Option<Fence> = None;
    for (at, line) in page.lines().enumerate() {
        match (&mut open, line.strip_prefix("```")) {
            (Some(_), Some("")) => found.extend(open.take()),
            (Some(fence), _) => {
                fence.text.push_str(line);
                fence.text.push('\n');
            }
            (None, Some(info)) => {
                open = Some(Fence {
                    line: at + 1,
                    info: info.to_owned(),
                    text: String::new(),
                });
            }
            (None, None) => {}
        }
    }
    assert!(open.is_none(), "a block is not closed");
    found
}
