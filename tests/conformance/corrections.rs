//! Corrections over random calls (P11): the call with one value replaced, and that value is valid.

use aon::surface::correct::Correction;
use aon::{Code, Json, ProblemDetails, Status};
use aon_tests::strategy;
use proptest::prelude::*;
use serde_json::{Value, json};

use crate::common::run;

#[test]
fn a_correction_changes_the_wrong_value_and_nothing_else() {
    let word = "[a-z]{3,10}";
    run(
        &(
            prop::collection::btree_set(word, 1..5),
            word,
            strategy::value(),
            any::<prop::sample::Index>(),
        ),
        |(words, given, other, at)| {
            let words: Vec<String> = words.into_iter().collect();
            let problem = ProblemDetails::new(Status::from_static(422), Code::from_static("bad"))
                .with_valid_values("field", words.clone());
            let meant = words[at.index(words.len())].clone();
            let mut typo = meant.clone();
            typo.truncate(typo.len() - 1);
            for given in [given, typo, meant.to_uppercase(), format!("  {meant}\t")] {
                let call = json!({"field": given, "other": other});
                let call_json = Json::of(&call).unwrap();
                let Some(correction) = Correction::of(&problem, &call_json) else {
                    continue;
                };
                let corrected = correction.arguments().to_value();
                prop_assert!(!words.contains(&given));
                prop_assert!(words.iter().any(|word| corrected["field"] == word.as_str()));
                prop_assert_eq!(&corrected["other"], &call_json.to_value()["other"]);
                prop_assert_eq!(corrected.as_object().map(serde_json::Map::len), Some(2));
            }
            let upper = Json::of(&json!({"field": meant.to_uppercase()})).unwrap();
            let corrected = Correction::of(&problem, &upper);
            let rivals = words
                .iter()
                .filter(|word| word.trim_end_matches('s') == meant.trim_end_matches('s'));
            if rivals.count() == 1 {
                prop_assert_eq!(
                    corrected.map(|correction| correction.arguments().to_value()),
                    Some(json!({"field": meant}))
                );
            }
            Ok(())
        },
    );
}

#[test]
fn any_problem_and_any_arguments_end_well() {
    run(
        &(strategy::problem(), strategy::value()),
        |(problem, arguments)| {
            let json = Json::of(&arguments).unwrap();
            if let Some(correction) = Correction::of(&problem, &json) {
                prop_assert!(matches!(
                    correction.arguments().to_value(),
                    Value::Object(_)
                ));
                prop_assert_ne!(correction.arguments(), &json);
            }
            Ok(())
        },
    );
}
