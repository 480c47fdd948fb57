//! One card for each API: the radar, and what each score rests on.

use super::super::{escape, put};
use super::{prose, radar};
use crate::score::{ApiScore, Dimension, Report, Score};

pub(super) fn cards(page: &mut String, report: &Report) {
    if report.apis.is_empty() {
        return;
    }
    page.push_str("<h2>APIs</h2>\n<div class=\"cards\">\n");
    for (at, api) in report.apis.iter().enumerate() {
        card(page, at, api, report.apis.len() == 1);
    }
    page.push_str("</div>\n");
}

fn card(page: &mut String, at: usize, api: &ApiScore, open: bool) {
    let (verdict, word) = if api.passes {
        ("yes", "passes")
    } else {
        ("no", "does not pass")
    };
    put!(
        page,
        "<article class=\"card\" id=\"api-{at}\">\n<header><h3>{}</h3>",
        escape(&api.title)
    );
    put!(
        page,
        "<span class=\"verdict {verdict}\">{word}</span><span class=\"soft\">{} of 4.0 · {} operation{}</span>",
        api.decimal,
        api.operations,
        if api.operations == 1 { "" } else { "s" }
    );
    for file in &api.files {
        put!(page, " <code class=\"soft\">{}</code>", escape(file));
    }
    page.push_str("</header>\n");
    radar::radar(page, api);
    page.push_str("<div>\n");
    for (dimension, score) in api.scores.iter() {
        drill_down(page, dimension, score, open && score.missing.is_some());
    }
    page.push_str("</div>\n</article>\n");
}

fn drill_down(page: &mut String, dimension: Dimension, score: &Score, open: bool) {
    let open = if open { " open" } else { "" };
    put!(page, "<details{open}><summary>");
    if let (Some(level), Some(decimal)) = (score.level, score.decimal) {
        put!(
            page,
            "<span class=\"pill shade\" style=\"--d:{decimal}\">{decimal}</span><span class=\"dim\">{dimension} {}</span><span class=\"soft lvl\">level {level}</span>",
            dimension.title()
        );
    } else {
        put!(
            page,
            "<span class=\"pill na\">n/a</span><span class=\"dim\">{dimension} {}</span>",
            dimension.title()
        );
    }
    let short = match (&score.missing, &score.reason) {
        (Some(missing), _) => prose(&missing.what),
        (None, Some(reason)) => prose(reason),
        (None, None) => "nothing is missing".to_owned(),
    };
    put!(
        page,
        "<span class=\"what\">{short}</span></summary>\n<div class=\"body\">"
    );
    if let Some(reason) = &score.reason {
        put!(
            page,
            "<p class=\"soft\">Not applicable: {}.</p>",
            prose(reason)
        );
    }
    if !score.lines.is_empty() {
        page.push_str("<ul>");
        for line in &score.lines {
            let percent = line.share.hundredths();
            let class = match percent {
                _ if line.holds => "full",
                0 => "none",
                _ => "part",
            };
            put!(
                page,
                "<li class=\"{class}\"><b>{}</b> {}<span class=\"soft counted\">{}</span><span class=\"meter\"><span style=\"width:{percent}%\"></span></span></li>",
                line.level,
                prose(&line.says),
                prose(&line.counted)
            );
        }
        page.push_str("</ul>");
    }
    if let Some(missing) = &score.missing {
        put!(
            page,
            "<div class=\"lack\"><p><b>For level {}</b>: {}</p>",
            missing.level,
            prose(&missing.says)
        );
        put!(page, "<p>{}", prose(&missing.what));
        if missing.count > 1 {
            put!(
                page,
                " <span class=\"soft\">({} in all)</span>",
                missing.count
            );
        }
        put!(page, "</p><p class=\"fix\">{}</p>", prose(&missing.fix));
        put!(
            page,
            "<p><code>{}:{}:{}</code> <code class=\"soft\">{}</code> <code>{} {}</code></p></div>",
            escape(&missing.file),
            missing.line,
            missing.column,
            escape(&missing.pointer),
            escape(&missing.rule),
            escape(&missing.rule_name)
        );
    }
    page.push_str("</div></details>\n");
}
