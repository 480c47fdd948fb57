//! `aon score`: how conversational and self-healing APIs are, from their manifests alone.

pub(crate) mod args;
mod read;

use aon_lint::score::report::{self, Shown};
use aon_lint::score::{self, Comparison, Earlier, Report, THRESHOLD};

use self::args::{ScoreArgs, ScoreFormat};
use crate::exit;
use crate::fault::Fault;
use crate::input;
use crate::output::Output;

/// Scores, writes the report, and says by the exit code whether it is good enough.
pub(crate) fn run(args: &ScoreArgs, output: &mut Output) -> Result<u8, Fault> {
    let earlier = args.compare.as_deref().map(earlier).transpose()?;
    let join = crate::config::join(args.config.as_deref(), &args.paths)?;
    let found = read::score_all(args, &join, output)?;
    let threshold = args.fail_under.unwrap_or(THRESHOLD);
    let report = Report::with_threshold(found.apis, found.unread, threshold);
    let comparison = earlier.map(|earlier| score::compare(&earlier, &report.apis));
    let text = render(args, &report, comparison.as_ref(), output)?;
    match &args.output {
        Some(path) => {
            std::fs::write(path, text).map_err(|source| Fault::unwritable(path, &source))?;
        }
        None => output.write(text.as_bytes())?,
    }
    if report.apis.is_empty() && report.unread.is_empty() {
        output.note("no manifest was found");
    }
    // A page or a picture has no room for what went wrong, so it is told beside it as well.
    let quiet = args.format != ScoreFormat::Terminal || args.explain.is_some();
    for unread in report.unread.iter().filter(|_| quiet) {
        output.note(&format!("not read: {}: {}", unread.file, unread.reason));
    }
    Ok(exit_code(args, &report, comparison.as_ref()))
}

fn exit_code(args: &ScoreArgs, report: &Report, comparison: Option<&Comparison>) -> u8 {
    let worse = comparison.is_some_and(|comparison| comparison.regressions > 0);
    let under = args.fail_under.is_some_and(|level| report.is_under(level));
    if !report.unread.is_empty() || report.apis.is_empty() {
        exit::USAGE
    } else if under || (worse && args.fail_on_regression) {
        exit::FOUND
    } else {
        exit::OK
    }
}

fn render(
    args: &ScoreArgs,
    report: &Report,
    comparison: Option<&Comparison>,
    output: &Output,
) -> Result<String, Fault> {
    if let Some(dimension) = args.explain {
        return Ok(score::explain(dimension, &report.apis));
    }
    let next = args.next.then(|| score::next_steps(&report.apis));
    let next = next.as_deref();
    Ok(match args.format {
        ScoreFormat::Terminal => {
            let colour = args.output.is_none() && args.color.is_wanted(output.is_coloured());
            let shown = Shown::default()
                .with_colour(colour)
                .with_verbose(args.verbose);
            report::terminal(report, comparison, next, shown)
        }
        ScoreFormat::Json => {
            report::json(report, comparison, next).map_err(|error| Fault::StreamFailed {
                reason: error.to_string(),
                closed: false,
            })?
        }
        ScoreFormat::Markdown => report::markdown(report, comparison, next),
        ScoreFormat::Html => report::html(report, comparison, next),
        ScoreFormat::Badge => report::badge(report),
    })
}

fn earlier(path: &std::path::Path) -> Result<Earlier, Fault> {
    let unreadable = |reason: String| Fault::UnreadableFile {
        path: path.display().to_string(),
        reason,
    };
    let text = std::fs::read_to_string(path).map_err(|source| unreadable(source.to_string()))?;
    Earlier::parse(&text).map_err(|error| unreadable(input::chain(&error)))
}
