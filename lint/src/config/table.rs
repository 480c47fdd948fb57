//! Every setting of `aon.toml`. What is not in the table is refused, and `docs/reference/aon-toml.md` is written from it.

/// A setting.
#[expect(
    clippy::exhaustive_structs,
    reason = "a table of literals; other packages have rows of their own"
)]
#[derive(Clone, Copy, Debug)]
pub struct Setting {
    /// The table it stands in; a list of tables ends in `[]`.
    pub table: &'static str,
    /// The key; `<name>` where the key is chosen.
    pub key: &'static str,
    /// What it takes.
    pub takes: &'static str,
    /// What counts without it.
    pub default: &'static str,
    /// What it does.
    pub says: &'static str,
    /// A value.
    pub example: &'static str,
}

macro_rules! settings {
    ($($table:literal { $($key:literal takes $takes:literal default $default:literal example $example:literal $says:literal,)* })*) => {
        /// The settings that the linter and the score read.
        pub const SETTINGS: &[Setting] = &[$($(Setting {
            table: $table, key: $key, takes: $takes, default: $default, says: $says, example: $example,
        },)*)*];
    };
}

settings! {
    "rules" {
        "<rule>" takes "`default`, `off`, `info`, `warning` or `error`" default "`default`" example "undeclared-choice = \"warning\""
            "The level of a rule, by its name or code. `default` is what the family of the rule says.",
    }
    "lint" {
        "include" takes "patterns of files" default "all manifests" example "include = [\"apis/**\"]"
            "Only these files are checked. Paths are relative to the folder of `aon.toml`; `*` stays in a folder, `**` crosses folders.",
        "exclude" takes "patterns of files" default "none" example "exclude = [\"vendor/**\"]"
            "These files are left out.",
        "names" takes "names" default "none" example "names = [\"flavour\", \"*_style\"]"
            "More names of inputs whose values are a closed set.",
        "open-names" takes "names" default "none" example "open-names = [\"category\"]"
            "Names of inputs whose values are never a closed set. The score does not count them either.",
        "strict" takes "`true` or `false`" default "`false`" example "strict = true"
            "Turns warnings into errors, and refuses deferrals without a reason.",
        "pedantic" takes "`true` or `false`" default "`false`" example "pedantic = true"
            "Shows hints as well.",
        "preview" takes "`true` or `false`" default "`false`" example "preview = true"
            "Runs rules that are still in preview.",
    }
    "score" {
        "rest-only" takes "patterns of files" default "none" example "rest-only = [\"legacy/**\"]"
            "APIs that are meant to stay on REST. Parity (D5) does not apply to them, unless they have a tool or a skill all the same. A document says the same of itself with `x-aon-surfaces: [rest]`.",
    }
    "score.groups" {
        "<name>" takes "patterns of files" default "none" example "orders = [\"openapi/orders.yaml\", \"mcp/orders.json\"]"
            "Files that describe one API: they are scored, and code is generated for them, together and under this name.",
    }
    "ignore[]" {
        "files" takes "patterns of files" default "all files" example "files = [\"legacy/*.yaml\"]"
            "Findings in these files are set aside. An entry needs `files`, `rules` or `pointers`.",
        "rules" takes "names or codes of rules" default "all rules" example "rules = [\"undeclared-choice\"]"
            "Findings of these rules.",
        "pointers" takes "JSON Pointers" default "everywhere" example "pointers = [\"/paths/~1pets\"]"
            "Findings at these places, or inside them.",
        "reason" takes "text" default "none" example "reason = \"replaced next year\""
            "Why. `--strict` refuses an entry without a reason or an issue.",
        "issue" takes "text" default "none" example "issue = \"https://example.com/issues/7\""
            "Where the work is tracked.",
        "expires" takes "a date" default "never" example "expires = 2027-01-01"
            "From this day on the entry is reported, and what it set aside comes back.",
    }
}

/// The keys of a table, and the tables inside it.
pub(super) fn keys(table: &str) -> Vec<&'static str> {
    let own = SETTINGS
        .iter()
        .filter(|setting| setting.table == table)
        .map(|setting| setting.key);
    let inside = SETTINGS.iter().filter_map(|setting| {
        let name = setting.table.trim_end_matches("[]");
        let rest = if table.is_empty() {
            Some(name)
        } else {
            name.strip_prefix(table)?.strip_prefix('.')
        };
        rest.map(|rest| rest.split_once('.').map_or(rest, |(first, _)| first))
    });
    let mut keys: Vec<&str> = own.chain(inside).collect();
    keys.sort_unstable();
    keys.dedup();
    keys
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_keys_of_a_table_include_the_tables_inside_it() {
        assert_eq!(keys(""), ["ignore", "lint", "rules", "score"]);
        assert_eq!(keys("score"), ["groups", "rest-only"]);
        assert_eq!(keys("ignore[]").len(), 6);
    }
}
