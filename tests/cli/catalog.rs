//! `aon catalog`: out of a program, into a lock file, and compared.

use crate::run::{Folder, aon, aon_in, program, snapshot};

const OLD: &str = r#"{"version":1,"problems":[
  {"code":"gone","status":404,"type":"a://problem/gone","title":"Gone"},
  {"code":"kept","status":422,"type":"a://problem/kept","title":"Kept","valid_values":{"plan":["a","b"]}}]}"#;
const NEW: &str = r#"{"version":1,"problems":[
  {"code":"kept","status":409,"type":"a://problem/kept","title":"Kept it","valid_values":{"plan":["b","c"]}},
  {"code":"new","status":429,"type":"a://problem/new","title":"New"}]}"#;

#[test]
fn changes_are_classed_and_decide_the_exit_code() {
    let folder = Folder::new("diff");
    let (old, new) = (folder.write("old.json", OLD), folder.write("new.json", NEW));
    let run = aon(&["catalog", "diff", &old, &new], "");
    assert_eq!((run.code, run.err.as_str()), (1, ""));
    assert_eq!(
        run.out,
        "breaking: gone: the code is gone\n\
         breaking: kept: status changed from 422 to 409\n\
         breaking: kept: plan no longer allows a\n\
         additive: kept: plan allows c now\n\
         additive: new: new, status 429\n\
         cosmetic: kept: title was reworded\n\
         3 breaking, 2 additive, 1 cosmetic\n"
    );
    let run = aon(&["catalog", "diff", &old, &new, "--format", "json"], "");
    let report: serde_json::Value = serde_json::from_str(&run.out).expect("JSON");
    assert_eq!(
        (run.code, &report["breaking"], &report["additive"]),
        (1, &3.into(), &2.into())
    );
    assert_eq!(report["changes"][0]["code"], "gone");

    let run = aon(&["catalog", "diff", &old, &old], "");
    assert_eq!(
        (run.code, run.out.as_str()),
        (0, "0 breaking, 0 additive, 0 cosmetic\n")
    );
    let extra = r#",{"code":"z_new","status":429,"type":"t","title":"N"}]}"#;
    let more = OLD
        .strip_suffix("]}")
        .expect("a list at the end")
        .to_owned()
        + extra;
    let more = folder.write("more.json", &more);
    let run = aon(&["catalog", "diff", &old, &more], "");
    assert_eq!(
        (run.code, run.out.as_str()),
        (
            0,
            "additive: z_new: new, status 429\n0 breaking, 1 additive, 0 cosmetic\n"
        )
    );
}

#[test]
fn what_cannot_be_read_is_exit_code_two() {
    let folder = Folder::new("unreadable");
    let good = folder.write("good.json", OLD);
    for (name, text) in [
        ("broken.json", "{"),
        ("list.json", "[]"),
        ("version.json", r#"{"version":99,"problems":[]}"#),
        ("empty.json", ""),
    ] {
        let bad = folder.write(name, text);
        for args in [
            ["catalog", "diff", &good, &bad],
            ["catalog", "diff", &bad, &good],
        ] {
            let run = aon(&args, "");
            assert_eq!((run.code, run.out.as_str()), (2, ""), "{name}");
            assert!(run.err.contains(name), "{}", run.err);
        }
    }
    let missing = folder.0.join("missing.json").display().to_string();
    assert_eq!(aon(&["catalog", "diff", &good, &missing], "").code, 2);
    let folder_itself = folder.0.display().to_string();
    assert_eq!(aon(&["catalog", &folder_itself], "").code, 2);
}

#[test]
fn a_code_that_is_declared_twice_is_named() {
    let folder = Folder::new("twice");
    let twice = r#"{"version":1,"problems":[
      {"code":"same","status":404,"type":"a","title":"A","origin":{"package":"one","type":"E","variant":"A"}},
      {"code":"same","status":409,"type":"b","title":"B","origin":{"package":"two","type":"F","variant":"B"}}]}"#;
    let twice = folder.write("twice.json", twice);
    let run = aon(&["catalog", &twice], "");
    assert_eq!(run.code, 1);
    assert!(
        run.err
            .contains("same is declared more than once: one E::A, two F::B"),
        "{}",
        run.err
    );
}

#[test]
fn the_catalog_is_read_out_of_a_program_without_running_it() {
    let program = program().display().to_string();
    let run = aon(&["catalog", &program], "");
    assert_eq!((run.code, run.err.as_str()), (0, ""));
    let catalog: serde_json::Value = serde_json::from_str(&run.out).expect("JSON");
    let codes: Vec<&str> = catalog["problems"]
        .as_array()
        .expect("problems")
        .iter()
        .filter_map(|p| p["code"].as_str())
        .collect();
    for wanted in [
        "invalid_auth_ux",
        "still_provisioning",
        "storage",
        "possibility_not_found",
        "unknown_code",
    ] {
        assert!(codes.contains(&wanted), "{wanted} is not in {codes:?}");
    }
    let own: serde_json::Value = serde_json::from_str(&aon(&["catalog"], "").out).expect("JSON");
    let own: Vec<&str> = own["problems"]
        .as_array()
        .expect("problems")
        .iter()
        .filter_map(|p| p["code"].as_str())
        .collect();
    for code in &codes {
        assert!(own.contains(code), "{code}");
    }
    println!("codes read from the program: {}", codes.len());
}

#[test]
fn a_program_without_a_catalog_says_so() {
    let run = aon(&["catalog", "/bin/sh"], "");
    assert_eq!(run.code, 2);
    assert!(run.err.contains("/bin/sh has no catalog"), "{}", run.err);
}

#[test]
fn the_lock_file_is_written_and_checked() {
    let folder = Folder::new("lock");
    let run = aon_in(&folder.0, &["catalog", "--lock", "aon.catalog.json"], b"");
    assert_eq!(run.code, 0, "{}", run.err);
    let run = aon_in(&folder.0, &["catalog", "--check"], b"");
    assert_eq!(run.code, 0, "{}", run.err);
    let path = folder.0.join("aon.catalog.json");
    let text = std::fs::read_to_string(&path).expect("the lock file");
    std::fs::write(
        &path,
        text.replacen("\"status\": 404", "\"status\": 410", 1),
    )
    .expect("written");
    let run = aon_in(&folder.0, &["catalog", "--check"], b"");
    assert_eq!(run.code, 1);
    assert!(
        run.out.contains("status changed from 410 to 404"),
        "{}",
        run.out
    );
    let run = aon_in(
        &folder.0,
        &["catalog", "--lock", "no/such/folder.json"],
        b"",
    );
    assert_eq!(run.code, 3, "{}", run.err);
}

#[test]
fn a_missing_file_is_explained() {
    snapshot("catalog-missing", &["catalog", "/no/such/file"], "");
}
