//! Sets findings aside that `aon.toml` or a baseline names, and reports entries that are stale, expired or unexplained.

use std::collections::BTreeMap;
use std::sync::Arc;

use crate::baseline::Baseline;
use crate::config::Config;
use crate::date::Date;
use crate::finding::{Confidence, Excerpt, Finding, Severity};
use crate::rule::Rule;
use crate::rules::{expired_deferral, stale_deferral, unexplained_deferral};
use crate::settings::Settings;

/// Applies the entries of `aon.toml`, whose path in reports is `config_name`. `relative` turns the name of a file into the
/// path that patterns are written against. Says how many findings were set aside.
///
/// An entry that fits nothing is stale when all it names was checked; `was_checked` is asked for a path, and with an empty one
/// whether everything was.
pub fn by_config(
    findings: &mut Vec<Finding>,
    config: &Config,
    config_name: &str,
    settings: &Settings,
    relative: &dyn Fn(&str) -> String,
    was_checked: &dyn Fn(&str) -> bool,
) -> usize {
    let name: Arc<str> = Arc::from(config_name);
    let mut used = vec![false; config.ignores().len()];
    let before = findings.len();
    findings.retain(|finding| {
        let path = relative(&finding.file);
        for (ignore, used) in config.ignores().iter().zip(&mut used) {
            if ignore.covers(finding, &path) {
                *used = true;
                if !refused(settings, &ignore.reason, &ignore.issue)
                    && !expired(settings, ignore.expires)
                {
                    return false;
                }
            }
        }
        true
    });
    let deferred = before - findings.len();
    for (ignore, used) in config.ignores().iter().zip(used) {
        let place = Place {
            file: Arc::clone(&name),
            line: ignore.line,
            end_column: 1,
            pointer: String::new(),
        };
        let state = State {
            used: used || !ignore.all_checked(was_checked),
            reason: &ignore.reason,
            issue: &ignore.issue,
            expires: ignore.expires,
        };
        findings.extend(complaint(&state, place, settings));
    }
    deferred
}

/// Applies a baseline. Says how many findings were set aside. An entry that fits nothing is stale when its file was checked.
pub fn by_baseline(
    findings: &mut Vec<Finding>,
    baseline: &Baseline,
    settings: &Settings,
    was_checked: &dyn Fn(&str) -> bool,
) -> usize {
    let name: Arc<str> = Arc::from(baseline.tree().source().name());
    let mut used = vec![false; baseline.entries().len()];
    let mut by_place: BTreeMap<(&str, &str), Vec<usize>> = BTreeMap::new();
    for (at, entry) in baseline.entries().iter().enumerate() {
        let place = (entry.file.as_str(), entry.pointer.as_str());
        by_place.entry(place).or_default().push(at);
    }
    let before = findings.len();
    findings.retain(|finding| {
        let place = (&*finding.file, finding.pointer.as_str());
        for at in by_place.get(&place).into_iter().flatten() {
            let Some((entry, used)) = baseline.entries().get(*at).zip(used.get_mut(*at)) else {
                continue;
            };
            if entry.matches(finding) {
                *used = true;
                if !refused(settings, &entry.reason, &entry.issue)
                    && !expired(settings, entry.expires)
                {
                    return false;
                }
            }
        }
        true
    });
    let deferred = before - findings.len();
    for (entry, used) in baseline.entries().iter().zip(used) {
        let node = baseline.node(entry);
        let start = node.map(|node| baseline.tree().source().position(node.span().start()));
        let place = Place {
            file: Arc::clone(&name),
            line: start.map_or(1, |start| start.line),
            end_column: start.map_or(1, |start| start.column + 1),
            pointer: node.map(aon_manifest::Node::pointer).unwrap_or_default(),
        };
        let state = State {
            used: used || !was_checked(&entry.file),
            reason: &entry.reason,
            issue: &entry.issue,
            expires: entry.expires,
        };
        findings.extend(complaint(&state, place, settings));
    }
    deferred
}

struct Place {
    file: Arc<str>,
    line: u32,
    end_column: u32,
    pointer: String,
}

struct State<'s> {
    used: bool,
    reason: &'s str,
    issue: &'s str,
    expires: Option<Date>,
}

fn refused(settings: &Settings, reason: &str, issue: &str) -> bool {
    settings.strict() && reason.is_empty() && issue.is_empty()
}

fn expired(settings: &Settings, expires: Option<Date>) -> bool {
    settings
        .today()
        .zip(expires)
        .is_some_and(|(today, expires)| today > expires)
}

fn complaint(state: &State<'_>, place: Place, settings: &Settings) -> Option<Finding> {
    let (rule, message, fix): (&'static Rule, String, &str) = if !state.used {
        (
            &stale_deferral::RULE,
            "this entry no longer sets anything aside".to_owned(),
            "remove the entry",
        )
    } else if expired(settings, state.expires) {
        let date = state
            .expires
            .map(|date| date.to_string())
            .unwrap_or_default();
        (
            &expired_deferral::RULE,
            format!("this deferral ended on {date}"),
            "repair what it set aside, or set a new date",
        )
    } else if refused(settings, state.reason, state.issue) {
        (
            &unexplained_deferral::RULE,
            "this entry has neither a reason nor an issue".to_owned(),
            "add `reason` or `issue`",
        )
    } else {
        return None;
    };
    if !settings.runs(rule) {
        return None;
    }
    let severity = rule.severity(Confidence::Certain);
    Some(Finding {
        code: rule.code(),
        rule: rule.name(),
        severity: if settings.strict() {
            Severity::Error
        } else {
            severity
        },
        confidence: Confidence::Certain,
        message,
        why: rule.why(),
        fix: fix.to_owned(),
        file: place.file,
        line: place.line,
        column: 1,
        end_line: place.line,
        end_column: place.end_column,
        pointer: place.pointer,
        label: String::new(),
        span: aon_manifest::Span::default(),
        excerpt: Excerpt::default(),
        repair: None,
        weight: 0.0,
        unreadable: false,
    })
}
