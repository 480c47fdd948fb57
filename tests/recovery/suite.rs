//! The bench as a check: no wrong effect in any arm, and our envelope recovers what can be recovered.
#![expect(dead_code, reason = "the program uses what is not used here")]

use std::path::Path;

use aon_tests::place;

mod client;
mod load;
mod proxy;
mod report;
mod run;
mod scenario;
mod server;
mod world;

use client::Surface;
use server::Arm;

const FOLDER: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/recovery/scenarios");

fn run_all(arm: Arm) -> Vec<run::Ran> {
    let scenarios = load::read_all(Path::new(FOLDER)).unwrap().scenarios;
    assert!(scenarios.len() >= 120, "{} scenarios", scenarios.len());
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .enable_all()
        .build()
        .unwrap();
    let surfaces = Surface::ALL
        .into_iter()
        .filter(|surface| arm != Arm::GlassBox || *surface == Surface::Rest);
    let pairs =
        surfaces.flat_map(|surface| scenarios.iter().map(move |scenario| (surface, scenario)));
    let runs = pairs
        .map(|(surface, scenario)| runtime.block_on(run::run(scenario, surface, arm)).unwrap());
    let runs: Vec<run::Ran> = runs.collect();
    place::say(&format!(
        "count: {} runs of the recovery bench, {}",
        runs.len(),
        arm.name()
    ));
    let wrong: Vec<&run::Ran> = runs.iter().filter(|ran| ran.wrong_effect).collect();
    assert!(wrong.is_empty(), "wrong effects: {wrong:#?}");
    runs
}

#[test]
fn our_envelope_recovers_on_every_surface() {
    let runs = run_all(Arm::Envelope);
    for surface in Surface::ALL {
        let own = runs
            .iter()
            .filter(|ran| ran.surface == surface.name() && report::is_explicit(ran));
        let group = report::Group(own.collect());
        let share = group.within(2);
        assert!(
            share >= 95.0,
            "{}: {share:.1} % within two further calls",
            surface.name()
        );
    }
    let hopeless = runs
        .iter()
        .filter(|ran| !ran.recoverable && report::is_explicit(ran));
    for ran in hopeless {
        assert!(!ran.fooled, "{}: nobody recovers from this", ran.scenario);
    }
}

#[test]
fn the_glass_box_recovers_what_was_lost_on_the_way() {
    let runs = run_all(Arm::GlassBox);
    let lost: Vec<&run::Ran> = runs
        .iter()
        .filter(|ran| ran.kind == "lost_effect")
        .collect();
    assert!(!lost.is_empty());
    for ran in lost {
        assert!(ran.recovered && ran.calls == 0, "{ran:?}");
    }
}

#[test]
fn plain_errors_do_no_harm_either() {
    for arm in [Arm::Plain, Arm::Rfc9457] {
        run_all(arm);
    }
}

#[test]
fn every_scenario_is_tagged_with_the_published_taxonomies() {
    let scenarios = load::read_all(Path::new(FOLDER)).unwrap().scenarios;
    for scenario in &scenarios {
        let of = |name: &str| scenario.tags.get(name).map(String::as_str);
        let cell = of("toolmaze").unwrap_or_default();
        let (told, lasting) = cell.split_once('-').unwrap_or_default();
        assert!(matches!(told, "explicit" | "implicit"), "{}", scenario.name);
        assert!(
            matches!(lasting, "transient" | "permanent"),
            "{}",
            scenario.name
        );
        assert!(of("paladin").is_some(), "{}", scenario.name);
    }
    for cell in [
        "explicit-transient",
        "explicit-permanent",
        "implicit-transient",
        "implicit-permanent",
    ] {
        assert!(
            scenarios
                .iter()
                .any(|scenario| scenario.tags["toolmaze"] == cell),
            "{cell}"
        );
    }
}

#[test]
fn a_scenario_with_a_mistake_is_named_with_its_place_and_the_way_out() {
    let folder = std::env::temp_dir().join(format!("aon-recovery-{}", std::process::id()));
    std::fs::create_dir_all(&folder).unwrap();
    let read = |text: &str| {
        std::fs::write(folder.join("a.json"), text).unwrap();
        load::read_all(&folder)
    };
    let with = |operation: &str, rest: &str| {
        format!(
            r#"{{"name":"x","kind":"k","operations":[{{"name":"a"{operation}}}],"call":{{"operation":"a"}},"recovered":{{}}{rest}}}"#
        )
    };
    let cases = [
        ("[".to_owned(), "a.json: it is not valid JSON: EOF"),
        (
            r#"{"name":"x","kind":"k","operations":[],"call":{"operation":"a"},"recovered":{}}"#
                .to_owned(),
            "a.json: `x`: it has no operations",
        ),
        (
            format!("[{}]", with(r#","inputs":{}"#, "")),
            "scenario 0 `x`: at `operations[0].inputs`: unknown field `inputs`",
        ),
        (with(r#","inputs":{}"#, ""), "Did you mean `input`?"),
        (
            with(r#","fails":[{}]"#, ""),
            "operations[0] `a`: fails[0]: it needs a `status` from 400 to 599",
        ),
        (
            with(r#","fails":[{"status":"422"}]"#, ""),
            "at `operations[0].fails[0].status`: invalid type",
        ),
        (
            with(r#","fails":[{"status":422,"when":{"is":3}}]"#, ""),
            "when: a test needs `arg` or `state`",
        ),
        (
            with(
                r#","fails":[{"status":422,"when":{"any":[{"arg":"/a"}]}}]"#,
                "",
            ),
            "when.any[0]: `arg` and `state` need a test",
        ),
        (
            with(r#","fails":[{"status":422,"when":{"arg":"a","is":3}}]"#, ""),
            "Write `/a`.",
        ),
        (
            with(r#","fails":[{"status":422,"code":"No Good"}]"#, ""),
            "the code `No Good`",
        ),
        (
            with(
                r#","fails":[{"status":422,"problem":{"valid_values":["a"]}}]"#,
                "",
            ),
            "must say for which field",
        ),
        (with(r#","path":"a/b""#, ""), "must start with `/`"),
        (
            with(r#","path":"/a/{id}""#, ""),
            "the name of a property of `input`",
        ),
        (
            with(r#","method":"fetch""#, ""),
            "the method `FETCH` must be one of GET",
        ),
        (
            with(r#","effect":"safe","does":[{"at":"/a","value":1}]"#, ""),
            "a safe operation does nothing",
        ),
        (
            with("", r#","recoverable":"maybe""#),
            "it must be \"yes\", \"no\" or \"glass_box\"",
        ),
        (
            with("", r#","caller":{"wants":{"size":["large"]}}"#),
            "caller.wants: `size` is not a JSON Pointer",
        ),
        (
            with(r#"},{"name":"a""#, ""),
            "another operation has this name",
        ),
        (
            with(r#","path":"/x"},{"name":"b","path":"/x""#, ""),
            "`POST /x` is where `a` is already",
        ),
    ];
    for (text, wanted) in &cases {
        let said = read(text).unwrap_err();
        assert!(said.contains(wanted), "{text}: {said}");
    }
    // All mistakes are told at once.
    let two = format!(
        "[{}, {}]",
        with(r#","inputs":{}"#, ""),
        with(r#","path":"a""#, "")
    );
    let said = read(&two).unwrap_err();
    assert!(
        said.contains("scenario 0") && said.contains("scenario 1"),
        "{said}"
    );
    // What is clear is taken as it is meant.
    let lenient = with(
        r#","method":"get""#,
        r#","recoverable":false,"caller":{"wants":{"/size":"large"}}"#,
    );
    let loaded = read(&format!("\u{feff}{{\"scenarios\":[{lenient}]}}")).unwrap();
    assert_eq!(loaded.scenarios[0].operations[0].method(), "GET");
    assert_eq!(loaded.scenarios[0].caller.wants["/size"], ["large"]);
    for (strange, wanted) in [
        (
            r#","fails":[{"status":422,"problem":{"errors":{"size":"no"}}}]"#,
            "problem.errors names no field",
        ),
        (
            r#","fails":[{"status":422,"problem":{"errors":[{"pointer":"size"}]}}]"#,
            "problem.errors[0] names no field",
        ),
        (
            r#","returns":{"a":"$b"}"#,
            "returns: `b` is not an argument",
        ),
    ] {
        let warnings = read(&with(strange, "")).unwrap().warnings;
        assert!(
            warnings.iter().any(|warning| warning.contains(wanted)),
            "{warnings:?}"
        );
    }
    // What every reader leaves out is said, and the rest is run.
    let text = with(
        r#","fails":[{"status":403,"problem":{"remediation":{"type":"request_scope"}}}]"#,
        "",
    );
    let warnings = read(&text).unwrap().warnings;
    assert!(
        warnings[0].contains("fails[0].problem.remediation is left out")
            && warnings[0].contains("request_scope_elevation"),
        "{warnings:?}"
    );
    let text = with(
        r##","fails":[{"status":422,"problem":{"errors":[{"pointer":"#/b/size"}],"valid_values":["s","l"]}}]"##,
        "",
    );
    let loaded = read(&text).unwrap();
    assert_eq!(loaded.warnings, Vec::<String>::new());
    assert_eq!(
        loaded.scenarios[0].operations[0].fails[0].problem["valid_values"],
        serde_json::json!({"size": ["s", "l"]})
    );
    place::say(&format!(
        "count: {} mistakes in scenarios that are named",
        cases.len()
    ));
    std::fs::remove_dir_all(&folder).unwrap();
}
