//! The rules: read by promtool, each alert with a case that fires and one that does not, each linked to the runbook.

use std::fs;
use std::process::Command;

use aon_observe::names::METRICS;
use aon_tests::place;

use crate::support::{program, run};

fn folder() -> std::path::PathBuf {
    place::root().join("docs/observability")
}

fn file(name: &str) -> String {
    fs::read_to_string(folder().join(name)).unwrap_or_else(|error| panic!("{name}: {error}"))
}

#[test]
fn every_alert_fires_when_it_should_and_not_when_it_should_not() {
    let suite = "rules under promtool";
    let Some(promtool) = program(suite, "promtool") else {
        return;
    };
    for arguments in [
        ["check", "rules", "rules.yaml"],
        ["check", "rules", "alerts.yaml"],
        ["check", "config", "prometheus.yaml"],
        ["test", "rules", "tests/alerts.test.yaml"],
    ] {
        let (fine, said) = run(
            Command::new(&promtool)
                .args(arguments)
                .current_dir(folder()),
            "",
        );
        assert!(fine && said.contains("SUCCESS"), "{arguments:?}: {said}");
    }
}

#[test]
fn every_alert_has_both_cases_and_a_section_of_the_runbook() {
    let (alerts, cases, runbook) = (
        file("alerts.yaml"),
        file("tests/alerts.test.yaml"),
        file("runbook.md"),
    );
    let anchors: Vec<String> = runbook
        .lines()
        .filter_map(|line| line.strip_prefix("## "))
        .map(|title| title.to_lowercase().replace(' ', "-"))
        .collect();
    let mut seen = 0;
    for alert in alerts.split("- alert: ").skip(1) {
        let name = alert.lines().next().unwrap().trim();
        let cases: Vec<bool> = cases
            .split("alertname: ")
            .skip(1)
            .filter(|case| case.lines().next().unwrap().trim() == name)
            .map(|case| !case.lines().nth(1).unwrap().contains("[]"))
            .collect();
        assert!(
            cases.contains(&true) && cases.contains(&false),
            "{name}: {cases:?}"
        );
        let link = alert
            .lines()
            .find_map(|line| line.split_once("runbook.md#"))
            .expect(name)
            .1;
        assert!(
            anchors.iter().any(|anchor| anchor == link.trim()),
            "{name}: {link} is not in {anchors:?}"
        );
        seen += 1;
    }
    assert!(seen >= 7, "{seen} alerts");
    place::say(&format!("count: observe {seen} alerts, both ways"));
}

#[test]
fn rules_and_dashboard_ask_only_for_metrics_that_exist() {
    let mut known: Vec<String> = METRICS.iter().map(|metric| metric.wire_name()).collect();
    known.extend(["_bucket", "_sum", "_count"].iter().flat_map(|end| {
        METRICS
            .iter()
            .map(move |metric| format!("{}{end}", metric.name))
    }));
    let mut asked = 0;
    for name in ["rules.yaml", "alerts.yaml", "dashboard.json"] {
        let text = file(name);
        let words = text.split(|c: char| !c.is_ascii_alphanumeric() && c != '_');
        for word in words.filter(|word| {
            ["aon_", "perguntas_", "latencia_", "sse_"]
                .iter()
                .any(|start| word.starts_with(start))
        }) {
            assert!(
                known.iter().any(|metric| metric == word),
                "{name} asks for {word}"
            );
            asked += 1;
        }
    }
    assert!(asked > 60, "{asked}");
}
