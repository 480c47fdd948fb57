//! `aon.toml`, setting by setting.

use std::fmt::Write as _;

use aon_lint::Setting;

use super::cell;

/// Every setting of every command.
pub(super) fn all() -> impl Iterator<Item = &'static Setting> {
    aon_lint::SETTINGS.iter().chain(aon_cli::GENERATE_SETTINGS)
}

pub(super) fn page() -> String {
    let mut page = String::from(
        "# `aon.toml`\n\n\
         The file is looked for from the current folder upwards; `--config FILE` names another one. Every command reads its own tables. \
         A key that no table knows is refused, with the nearest one that is known.\n",
    );
    let mut tables: Vec<&str> = all().map(|setting| setting.table).collect();
    tables.dedup();
    for table in tables {
        let name = match table.strip_suffix("[]") {
            Some(list) => format!("[[{list}]]"),
            None => format!("[{table}]"),
        };
        let _ = write!(
            page,
            "\n## `{name}`\n\n| key | takes | default | what it does |\n|---|---|---|---|\n"
        );
        let rows: Vec<&Setting> = all().filter(|setting| setting.table == table).collect();
        for row in &rows {
            let _ = writeln!(
                page,
                "| `{}` | {} | {} | {} |",
                row.key,
                cell(row.takes),
                cell(row.default),
                cell(row.says)
            );
        }
        let _ = write!(page, "\n```toml\n{name}\n");
        for row in &rows {
            let _ = writeln!(page, "{}", row.example);
        }
        page.push_str("```\n");
    }
    page
}
