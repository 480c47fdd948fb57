//! The reader keeps what is good, and what was written once is written the same again (P1, P2).

use aon_core::{ProblemDetails, STANDARD_MEMBERS};
use aon_tests::strategy;
use proptest::prelude::*;
use serde_json::Value;

proptest! {
    #![proptest_config(ProptestConfig { cases: 512, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn writing_and_reading_gives_the_same_problem(problem in strategy::problem()) {
        let bytes = problem.to_vec();
        let again = ProblemDetails::read(&bytes).unwrap();
        prop_assert_eq!(&again.ignored, &Vec::<String>::new());
        prop_assert_eq!(again.problem.to_vec(), bytes);
        prop_assert_eq!(again.problem, problem);
    }

    #[test]
    fn serde_reads_and_writes_the_same(problem in strategy::problem()) {
        let tree = serde_json::to_value(&problem).unwrap();
        let direct: Value = serde_json::from_slice(&problem.to_vec()).unwrap();
        prop_assert_eq!(&tree, &direct);
        prop_assert_eq!(serde_json::from_value::<ProblemDetails>(tree).unwrap(), problem);
    }

    #[test]
    fn no_key_is_written_twice_and_standard_members_come_first(problem in strategy::problem()) {
        let text = problem.to_string();
        let keys = top_level_keys(&text);
        let mut once = keys.clone();
        once.sort();
        once.dedup();
        prop_assert_eq!(once.len(), keys.len());
        let standard: Vec<usize> = keys.iter().filter_map(|key| STANDARD_MEMBERS.iter().position(|member| member == key)).collect();
        prop_assert!(standard.is_sorted());
        prop_assert!(keys.iter().take(standard.len()).all(|key| STANDARD_MEMBERS.contains(&key.as_str())));
    }

    #[test]
    fn any_object_is_read_and_good_members_are_kept(value in prop::collection::btree_map(strategy::text(), strategy::value(), 0..8)) {
        let mut document = serde_json::Map::from_iter(value);
        document.insert("title".to_owned(), "kept".into());
        document.insert("status".to_owned(), "oops".into());
        let read = ProblemDetails::read(Value::Object(document.clone()).to_string().as_bytes()).unwrap();
        prop_assert_eq!(read.problem.title(), Some("kept"));
        prop_assert_eq!(read.problem.status(), None);
        for (name, value) in &document {
            if !STANDARD_MEMBERS.contains(&name.as_str()) {
                let kept = read.problem.extensions().get(name).map(ToString::to_string);
                prop_assert_eq!(kept, Some(value.to_string()));
            }
        }
    }

    #[test]
    fn arbitrary_bytes_never_panic(bytes in prop::collection::vec(any::<u8>(), 0..256)) {
        let _ = ProblemDetails::read(&bytes);
    }

    #[test]
    fn a_mutilated_problem_never_panics(problem in strategy::problem(), cut in any::<prop::sample::Index>(), byte in any::<u8>()) {
        let mut bytes = problem.to_vec();
        let at = cut.index(bytes.len());
        bytes[at] = byte;
        if let Ok(read) = ProblemDetails::read(&bytes) {
            let again = read.problem.to_vec();
            prop_assert_eq!(ProblemDetails::from_slice(&again).unwrap().to_vec(), again);
        }
    }
}

/// The keys of the outermost object, with repeats, in order.
fn top_level_keys(json: &str) -> Vec<String> {
    struct Keys(Vec<String>);

    impl<'de> serde::Deserialize<'de> for Keys {
        fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
            struct Visit;

            impl<'de> serde::de::Visitor<'de> for Visit {
                type Value = Keys;

                fn expecting(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                    f.write_str("an object")
                }

                fn visit_map<A: serde::de::MapAccess<'de>>(
                    self,
                    mut map: A,
                ) -> Result<Keys, A::Error> {
                    let mut keys = Vec::new();
                    while let Some((key, _)) = map.next_entry::<String, serde::de::IgnoredAny>()? {
                        keys.push(key);
                    }
                    Ok(Keys(keys))
                }
            }

            deserializer.deserialize_map(Visit)
        }
    }

    serde_json::from_str::<Keys>(json).unwrap().0
}
