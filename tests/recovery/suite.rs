//! The bench as a check: no wrong effect in any arm, and our envelope recovers what can be recovered.
#![expect(dead_code, reason = "the program uses what is not used here")]

use std::path::Path;

use aon_tests::place;

mod client;
mod report;
mod run;
mod scenario;
mod server;
mod world;

use client::Surface;
use server::Arm;

const FOLDER: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/recovery/scenarios");

fn run_all(arm: Arm) -> Vec<run::Ran> {
    let scenarios = scenario::read_all(Path::new(FOLDER)).unwrap();
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
    let runs = pairs.map(|(surface, scenario)| runtime.block_on(run::run(scenario, surface, arm)));
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
    let scenarios = scenario::read_all(Path::new(FOLDER)).unwrap();
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
fn a_scenario_that_cannot_be_read_names_its_place() {
    let folder = std::env::temp_dir().join(format!("aon-recovery-{}", std::process::id()));
    std::fs::create_dir_all(&folder).unwrap();
    let write = |text: &str| std::fs::write(folder.join("a.json"), text).unwrap();
    let read = || scenario::read_all(&folder).unwrap_err();
    write("[");
    assert!(read().contains("a.json: EOF"), "{}", read());
    write(r#"{"name":"x","kind":"k","operations":[],"call":{"operation":"a"},"recovered":{}}"#);
    assert!(
        read().ends_with("scenario 0 `x`: it has no operations"),
        "{}",
        read()
    );
    write(
        r#"{"name":"x","kind":"k","operations":[{"name":"a","inputs":{}}],"call":{"operation":"a"},"recovered":{}}"#,
    );
    assert!(read().contains("unknown field `inputs`"), "{}", read());
    write(
        r#"{"name":"x","kind":"k","operations":[{"name":"a","fails":[{}]}],"call":{"operation":"a"},"recovered":{}}"#,
    );
    assert!(
        read().contains("needs a status from 400 to 599"),
        "{}",
        read()
    );
    std::fs::remove_dir_all(&folder).unwrap();
}
