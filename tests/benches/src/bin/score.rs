//! `aon score` beside `aon lint` on the same files: CPU time, cores and peak memory of whole programs.

use std::process::Command;

use aon_benches::process::{self, Folder, best};

fn main() {
    let Some(corpus) = process::corpus() else {
        println!("score: skipped, there is no corpus");
        return;
    };
    let program = process::programs().join("aon");
    let folders: Vec<(String, Folder)> = [100, 1000]
        .into_iter()
        .map(|count| {
            let folder = Folder::new(&format!("score-{count}"));
            process::many(&corpus, &folder.0, count);
            (format!("{count} small documents"), folder)
        })
        .collect();
    let mut places: Vec<(String, &std::path::Path)> =
        folders.iter().map(|(name, folder)| (name.clone(), folder.0.as_path())).collect();
    places.push(("the whole corpus".to_owned(), &corpus));
    println!("| files | lint, CPU | score, CPU | score against lint | cores | peak, lint | peak, score |");
    println!("|---|---:|---:|---:|---:|---:|---:|");
    for (name, place) in places {
        let command = |what: &str| {
            let mut command = Command::new(&program);
            command.args([what, "."]).current_dir(place);
            command
        };
        let found = best(5, &mut [command("lint"), command("score")]);
        let [lint, score] = found.as_slice() else {
            continue;
        };
        println!(
            "| {name} | {:.2} s | {:.2} s | {:.2} | {:.2} | {:.0} MB | {:.0} MB |",
            lint.seconds(),
            score.seconds(),
            score.seconds() / lint.seconds(),
            score.seconds() / score.wall.as_secs_f64(),
            lint.peak,
            score.peak
        );
    }
}
