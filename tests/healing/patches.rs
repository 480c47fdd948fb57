//! JSON Patch: the cases of the community with everything allowed, and what is refused when only a little is.

use std::sync::{Arc, Mutex};

use aon::{Code, ProblemDetails, Status};
use aon_live::heal::{
    AllowList, Answer, Ask, Asker, Asking, Patch, PatchRules, Question, Refused, Reply, Responder,
    step,
};
use serde_json::{Value, json};

const CASES: [&str; 2] = [
    include_str!("json-patch-tests/tests.json"),
    include_str!("json-patch-tests/spec_tests.json"),
];

fn patched(document: &Value, patch: &str, rules: &PatchRules) -> Result<Value, Refused> {
    Patch::read(patch.as_bytes(), rules)?.apply(document, rules)
}

/// Rules that allow these paths, and nothing else.
fn rules(paths: &[&str]) -> PatchRules {
    let mut rules = PatchRules::default();
    rules.allow = AllowList::parse(paths).unwrap();
    rules
}

#[test]
fn the_cases_of_the_community_hold_with_everything_allowed() {
    let rules = PatchRules::everything();
    let (mut held, mut off) = (0, 0);
    let mut wrong = Vec::new();
    for case in CASES
        .iter()
        .flat_map(|cases| serde_json::from_str::<Vec<Value>>(cases).unwrap())
    {
        if case["disabled"] == true {
            off += 1;
            continue;
        }
        let document = &case["doc"];
        let outcome = patched(document, &case["patch"].to_string(), &rules);
        let fits = match (&outcome, case.get("expected"), case.get("error")) {
            (Ok(value), Some(expected), None) => value == expected,
            (Err(_), None, Some(_)) => true,
            // A few say neither: then the patch applies, and whatever comes out is right.
            (Ok(_), None, None) => true,
            _ => false,
        };
        if fits {
            held += 1;
        } else {
            wrong.push(format!("{case}: {outcome:?}"));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    assert_eq!((held, off), (108, 4));
    println!("count: {held} cases of json-patch-tests");
}

#[test]
fn what_is_not_allowed_is_refused_with_its_operation_and_nothing_is_changed() {
    let document = json!({
        "userId": "bad", "role": "viewer", "a/b": 1, "m~n": 2, "items": ["x", "y"], "user": {"name": "n", "admin": false},
        "password": "hunter2secret", "": "empty",
    });
    let rules = rules(&["/userId", "/user/name", "/items/0", "/a~1b"]);
    let good = r#"{"op":"replace","path":"/userId","value":"u1"}"#;
    let attacks = [
        (
            "root_not_allowed",
            r#"{"op":"replace","path":"","value":{}}"#,
        ),
        (
            "root_not_allowed",
            r#"{"op":"add","path":"","value":{"role":"admin"}}"#,
        ),
        ("root_not_allowed", r#"{"op":"remove","path":""}"#),
        ("root_not_allowed", r#"{"op":"test","path":"","value":{}}"#),
        (
            "path_not_allowed",
            r#"{"op":"replace","path":"/role","value":"admin"}"#,
        ),
        (
            "path_not_allowed",
            r#"{"op":"replace","path":"/user","value":{"admin":true}}"#,
        ),
        (
            "path_not_allowed",
            r#"{"op":"replace","path":"/user/admin","value":true}"#,
        ),
        (
            "path_not_allowed",
            r#"{"op":"add","path":"/userId/x","value":1}"#,
        ),
        (
            "path_not_allowed",
            r#"{"op":"add","path":"/userIdx","value":1}"#,
        ),
        (
            "path_not_allowed",
            r#"{"op":"add","path":"/userId/","value":1}"#,
        ),
        ("path_not_allowed", r#"{"op":"add","path":"/","value":1}"#),
        (
            "path_not_allowed",
            r#"{"op":"replace","path":"/user~1name","value":1}"#,
        ),
        (
            "path_not_allowed",
            r#"{"op":"replace","path":"/a~01b","value":1}"#,
        ),
        (
            "path_not_allowed",
            r#"{"op":"replace","path":"/a/b","value":1}"#,
        ),
        (
            "path_not_allowed",
            r#"{"op":"add","path":"/items/-","value":1}"#,
        ),
        (
            "path_not_allowed",
            r#"{"op":"replace","path":"/items/00","value":1}"#,
        ),
        (
            "path_not_allowed",
            r#"{"op":"replace","path":"/items/1","value":1}"#,
        ),
        (
            "path_not_allowed",
            r#"{"op":"replace","path":"/items/18446744073709551616","value":1}"#,
        ),
        (
            "path_not_allowed",
            r#"{"op":"replace","path":"/USERID","value":1}"#,
        ),
        (
            "path_not_allowed",
            r#"{"op":"replace","path":"/userId ","value":1}"#,
        ),
        (
            "path_not_allowed",
            r#"{"op":"replace","path":"/__proto__/x","value":1}"#,
        ),
        (
            "path_not_allowed",
            r#"{"op":"test","path":"/password","value":"hunter2secret"}"#,
        ),
        (
            "path_not_allowed",
            r#"{"op":"test","path":"/nothing","value":null}"#,
        ),
        ("path_not_allowed", r#"{"op":"remove","path":"/role"}"#),
        ("not_removable", r#"{"op":"remove","path":"/userId"}"#),
        (
            "operation_not_allowed",
            r#"{"op":"copy","from":"/password","path":"/userId"}"#,
        ),
        (
            "operation_not_allowed",
            r#"{"op":"move","from":"/password","path":"/userId"}"#,
        ),
        (
            "operation_not_allowed",
            r#"{"op":"move","from":"/user","path":"/user/name"}"#,
        ),
        (
            "moves_others",
            r#"{"op":"add","path":"/items/0","value":"z"}"#,
        ),
        (
            "invalid_pointer",
            r#"{"op":"replace","path":"userId","value":1}"#,
        ),
        (
            "invalid_pointer",
            r##"{"op":"replace","path":"#/userId","value":1}"##,
        ),
        (
            "invalid_pointer",
            r#"{"op":"replace","path":"/userId~","value":1}"#,
        ),
        (
            "invalid_pointer",
            r#"{"op":"replace","path":"/userId~2","value":1}"#,
        ),
        ("missing_member", r#"{"op":"replace","path":"/userId"}"#),
        ("missing_member", r#"{"op":"replace","value":1}"#),
        ("missing_member", r#"{"path":"/userId","value":1}"#),
        (
            "missing_member",
            r#"{"op":["replace"],"path":"/userId","value":1}"#,
        ),
        (
            "missing_member",
            r#"{"op":"replace","path":["/userId"],"value":1}"#,
        ),
        (
            "missing_member",
            r#"{"op":"replace","path":null,"value":1}"#,
        ),
        (
            "unknown_member",
            r#"{"op":"replace","path":"/userId","value":1,"x":1}"#,
        ),
        (
            "unknown_member",
            r#"{"op":"replace","path":"/userId","value":1,"from":"/password"}"#,
        ),
        (
            "unknown_member",
            r#"{"op":"remove","path":"/userId","value":1}"#,
        ),
        (
            "duplicate_member",
            r#"{"op":"replace","path":"/role","path":"/userId","value":1}"#,
        ),
        (
            "duplicate_member",
            r#"{"op":"replace","path":"/userId","value":1,"value":2}"#,
        ),
        (
            "duplicate_member",
            r#"{"op":"test","op":"replace","path":"/userId","value":1}"#,
        ),
        (
            "duplicate_member",
            r#"{"op":"replace","path":"/userId","value":{"a":1,"a":2}}"#,
        ),
        (
            "duplicate_member",
            "{\"op\":\"replace\",\"path\":\"/role\",\"p\\u0061th\":\"/userId\",\"value\":1}",
        ),
        (
            "unknown_operation",
            r#"{"op":"merge","path":"/userId","value":1}"#,
        ),
        (
            "unknown_operation",
            r#"{"op":"REPLACE","path":"/userId","value":1}"#,
        ),
        (
            "unknown_operation",
            r#"{"op":"replace ","path":"/userId","value":1}"#,
        ),
        ("not_an_array", "null"),
        ("not_an_array", "[]"),
        ("not_an_array", r#""replace""#),
        (
            "test_failed",
            r#"{"op":"test","path":"/userId","value":"good"}"#,
        ),
        (
            "no_such_place",
            r#"{"op":"replace","path":"/user/name/","value":1}"#,
        ),
    ];
    for (expected, attack) in attacks {
        let before = document.clone();
        for (at, patch) in [format!("[{attack}]"), format!("[{good},{attack}]")]
            .iter()
            .enumerate()
        {
            let refused = patched(&document, patch, &rules).expect_err(patch);
            let word = refused.why().as_str();
            let near = expected == "no_such_place" && word == "path_not_allowed";
            assert!(word == expected || near, "{patch}: {word}");
            assert_eq!(refused.op_index(), Some(at), "{patch}");
            assert!(!refused.to_string().contains("hunter2"), "{refused}");
        }
        assert_eq!(document, before);
    }
    println!(
        "count: {} attacks refused, alone and behind a good operation",
        attacks.len()
    );
}

#[test]
fn what_is_not_a_patch_is_refused_whole() {
    let rules = rules(&["/a"]);
    for (expected, text) in [
        ("not_json", ""),
        ("not_json", "["),
        ("not_json", "[]x"),
        ("not_json", "[{\"op\""),
        ("not_json", "\u{feff}[]"),
        ("not_an_array", "{}"),
        ("not_an_array", "null"),
        ("not_an_array", "\"[]\""),
    ] {
        let refused = Patch::read(text.as_bytes(), &rules).expect_err(text);
        assert_eq!(refused.why().as_str(), expected, "{text}");
    }
    assert!(Patch::read(b"\xff\xfe", &rules).is_err());
}

#[test]
fn wildcards_mean_one_step_or_any_depth_and_never_the_place_itself() {
    let document = json!({"items": [1, 2], "home": {"city": {"name": "x"}}, "tags": {}});
    let rules = rules(&["/items/*", "/home/**", "/tags/-"]);
    let works = [
        (
            r#"[{"op":"replace","path":"/items/1","value":9}]"#,
            "/items/1",
        ),
        (r#"[{"op":"add","path":"/items/-","value":9}]"#, "/items/2"),
        (r#"[{"op":"add","path":"/items/0","value":9}]"#, "/items/0"),
        (
            r#"[{"op":"add","path":"/home/city/name","value":9}]"#,
            "/home/city/name",
        ),
        (
            r#"[{"op":"replace","path":"/home/city","value":9}]"#,
            "/home/city",
        ),
    ];
    for (patch, place) in works {
        let after = patched(&document, patch, &rules).unwrap();
        assert_eq!(after.pointer(place), Some(&json!(9)), "{patch}");
    }
    for patch in [
        r#"[{"op":"replace","path":"/items","value":[]}]"#,
        r#"[{"op":"replace","path":"/home","value":{}}]"#,
        r#"[{"op":"add","path":"/items/0/x","value":1}]"#,
        r#"[{"op":"add","path":"/tags/0","value":1}]"#,
        r#"[{"op":"add","path":"/items/01","value":1}]"#,
        r#"[{"op":"add","path":"/items/9","value":1}]"#,
    ] {
        assert!(patched(&document, patch, &rules).is_err(), "{patch}");
    }
    for bad in ["", "userId", "#/userId", "/a~2"] {
        assert!(AllowList::parse([bad]).is_err(), "{bad}");
    }
}

#[test]
fn moves_need_both_ends_and_the_right_to_take_away() {
    let document = json!({"a": 1, "b": 2, "c": 3});
    let mut rules = rules(&["/a", "/b"]);
    rules.moves = true;
    let copy = r#"[{"op":"copy","from":"/a","path":"/b"}]"#;
    assert_eq!(patched(&document, copy, &rules).unwrap()["b"], 1);
    for patch in [
        r#"[{"op":"copy","from":"/c","path":"/b"}]"#,
        r#"[{"op":"copy","from":"/a","path":"/c"}]"#,
        r#"[{"op":"copy","from":"","path":"/a"}]"#,
        r#"[{"op":"move","from":"/a","path":"/b"}]"#,
    ] {
        assert!(patched(&document, patch, &rules).is_err(), "{patch}");
    }
    rules.removable = AllowList::parse(["/a"]).unwrap();
    let moved = patched(
        &document,
        r#"[{"op":"move","from":"/a","path":"/b"}]"#,
        &rules,
    )
    .unwrap();
    assert_eq!(moved, json!({"b": 1, "c": 3}));
}

#[test]
fn an_item_is_not_reached_by_the_index_of_one_that_was_taken_out() {
    let document = json!({"items": ["mine", "theirs", "last"], "n": 0});
    let mut rules = rules(&["/items/0", "/items/-", "/n"]);
    rules.removable = AllowList::parse(["/items/0", "/items/2"]).unwrap();
    let gone = r#"{"op":"remove","path":"/items/0"}"#;
    for next in [
        r#"{"op":"replace","path":"/items/0","value":"x"}"#,
        r#"{"op":"remove","path":"/items/0"}"#,
        r#"{"op":"test","path":"/items/0","value":"theirs"}"#,
    ] {
        let refused = patched(&document, &format!("[{gone},{next}]"), &rules).unwrap_err();
        assert_eq!(refused.why().as_str(), "moves_others", "{next}");
        assert_eq!(refused.op_index(), Some(1));
    }
    rules.moves = true;
    for (moves, next) in [
        (
            r#"{"op":"move","from":"/items/0","path":"/n"}"#,
            r#"{"op":"copy","from":"/items/0","path":"/n"}"#,
        ),
        (gone, r#"{"op":"move","from":"/items/0","path":"/n"}"#),
    ] {
        let refused = patched(&document, &format!("[{moves},{next}]"), &rules).unwrap_err();
        assert_eq!(refused.why().as_str(), "moves_others", "{next}");
    }
    // What moves nothing, or comes to the end, is as harmless as before.
    let harmless = r#"[{"op":"remove","path":"/items/2"},{"op":"replace","path":"/items/0","value":"x"},
        {"op":"remove","path":"/items/0"},{"op":"add","path":"/items/-","value":"new"},{"op":"replace","path":"/n","value":1}]"#;
    let after = patched(&document, harmless, &rules).unwrap();
    assert_eq!(after, json!({"items": ["theirs", "new"], "n": 1}));
}

/// Somebody who sends a patch, keeps what was said to it, and declines.
struct Guess(&'static str, Arc<Mutex<String>>);

impl Asker for Guess {
    fn ask<'a>(&'a self, question: &'a Question) -> Asking<'a> {
        let by = Responder::new("guess");
        let read = question.read(self.0.as_bytes(), &by);
        let offered = read.and_then(|answer| question.offer(answer, &by, None));
        let said = offered.map_or_else(|refused| refused.reason, |taken| taken.outcome.to_owned());
        *self.1.lock().unwrap() = said;
        Box::pin(async move { Reply::new(Answer::Deny, by) })
    }
}

#[tokio::test]
async fn a_hidden_value_is_not_found_out_after_it_has_moved() {
    let right = "ghp_0123456789abcdefghijABCDEFGHIJ012345";
    let wrong = "ghp_0123456789abcdefghijABCDEFGHIJ999999";
    let patches = [
        (
            "hidden_value",
            r#"[{"op":"add","path":"/items/0","value":"z"},{"op":"test","path":"/items/2","value":"GUESS"}]"#,
        ),
        (
            "hidden_value",
            r#"[{"op":"remove","path":"/items/0"},{"op":"test","path":"/items/0","value":"GUESS"}]"#,
        ),
        (
            "hidden_value",
            r#"[{"op":"remove","path":"/items/0"},{"op":"copy","from":"/items/0","path":"/note"}]"#,
        ),
        (
            "hidden_value",
            r#"[{"op":"test","path":"/items/1","value":"GUESS"}]"#,
        ),
        (
            "accepted",
            r#"[{"op":"add","path":"/items/0","value":"z"},{"op":"test","path":"/items/0","value":"z"},{"op":"test","path":"/items/1","value":"x"}]"#,
        ),
    ];
    for (expected, patch) in patches {
        for guess in [right, wrong] {
            let patch = patch.replace("GUESS", guess).leak();
            let said = Arc::default();
            let ask = Ask::about(["/items/*", "/note"])
                .removable(["/items/*"])
                .moves()
                .rounds(1)
                .through(Guess(patch, Arc::clone(&said)));
            let payload = json!({"items": ["x", right], "note": "n"});
            let outcome: Result<(), _> = step("store", payload)
                .ask(ask)
                .run(async |_: Value, _| {
                    Err(ProblemDetails::new(
                        Status::from_static(422),
                        Code::from_static("bad"),
                    ))
                })
                .await;
            assert!(outcome.is_err());
            assert_eq!(*said.lock().unwrap(), expected, "{patch}");
        }
    }
}

#[test]
fn limits_hold_before_memory_is_spent() {
    let mut rules = rules(&["/a", "/a/**"]);
    let operation = r#"{"op":"replace","path":"/a","value":1}"#;
    let many = |count: usize| format!("[{}]", vec![operation; count].join(","));
    assert!(patched(&json!({"a": 0}), &many(64), &rules).is_ok());
    let refused = patched(&json!({"a": 0}), &many(65), &rules).unwrap_err();
    assert_eq!(
        (refused.why().as_str(), refused.op_index()),
        ("too_many_operations", Some(64))
    );
    let refused = patched(&json!({"a": 0}), &many(100_000), &rules).unwrap_err();
    assert_eq!(refused.why().as_str(), "too_large");
    rules.limits.bytes = usize::MAX;
    let refused = patched(&json!({"a": 0}), &many(100_000), &rules).unwrap_err();
    assert_eq!(refused.why().as_str(), "too_many_operations");
    for depth in [33, 200, 100_000] {
        let deep = format!("{}1{}", "[".repeat(depth), "]".repeat(depth));
        let patch = format!(r#"[{{"op":"replace","path":"/a","value":{deep}}}]"#);
        assert!(
            patched(&json!({"a": 0}), &patch, &rules).is_err(),
            "{depth}"
        );
    }
    // Copies that double would fill any memory.
    rules.moves = true;
    let doubling = vec![r#"{"op":"copy","from":"/a","path":"/a/-"}"#; 60].join(",");
    let refused = patched(&json!({"a": ["x"]}), &format!("[{doubling}]"), &rules).unwrap_err();
    assert!(
        ["result_too_large", "too_deep"].contains(&refused.why().as_str()),
        "{refused}"
    );
}

#[test]
fn numbers_are_equal_by_value() {
    let rules = PatchRules::everything();
    for (document, value) in [("1", "1.0"), ("1.0", "1"), ("100", "1e2"), ("-0.0", "0")] {
        let document: Value = serde_json::from_str(&format!("{{\"a\":{document}}}")).unwrap();
        let patch = format!(r#"[{{"op":"test","path":"/a","value":{value}}}]"#);
        assert!(
            patched(&document, &patch, &rules).is_ok(),
            "{document} {value}"
        );
    }
    let big = json!({"a": 9_007_199_254_740_993_u64});
    let patch = r#"[{"op":"test","path":"/a","value":9007199254740992}]"#;
    assert!(patched(&big, patch, &rules).is_err());
}
