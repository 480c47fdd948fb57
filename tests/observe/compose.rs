//! `compose.yaml` as far as it can be held without a container engine: every file it names is there, under the path it is named by, and the
//! parts agree about addresses.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use aon_manifest::{Node, ParseOptions, Tree, parse};
use aon_tests::place;

fn folder() -> PathBuf {
    place::root().join("docs/observability")
}

fn yaml(name: &str) -> Tree {
    let text = fs::read(folder().join(name)).unwrap_or_else(|error| panic!("{name}: {error}"));
    let tree = parse(name, text, &ParseOptions::default());
    assert!(tree.issues().is_empty(), "{name}: {:?}", tree.issues());
    tree
}

fn at<'a>(tree: &'a Tree, path: &[&str]) -> Node<'a> {
    let root = tree.root().expect("a document");
    path.iter().fold(root, |node, step| match step.parse() {
        Ok(index) if node.is_array() => node.item(index).expect(step),
        _ => node
            .get(step)
            .unwrap_or_else(|| panic!("{step} of {path:?}")),
    })
}

fn texts(node: Node<'_>) -> Vec<String> {
    node.items().map(|item| item.text().to_owned()).collect()
}

/// Where the paths of a container are on this machine: a volume of its own is `None`.
fn mounts(compose: &Tree, service: &str) -> BTreeMap<String, Option<PathBuf>> {
    let volumes = texts(at(compose, &["services", service, "volumes"]));
    let mounted = volumes.iter().map(|volume| {
        let mut parts = volume.split(':');
        let (from, to) = (parts.next().unwrap(), parts.next().expect(volume));
        let inside = from.strip_prefix('.').map(|rest| {
            assert_eq!(parts.next(), Some("ro"), "{volume} may not be written");
            folder().join(rest.trim_start_matches('/'))
        });
        if inside.is_none() {
            // It is declared below, or compose refuses the file.
            at(compose, &["volumes", from]);
        }
        (to.to_owned(), inside)
    });
    mounted.collect()
}

/// The file behind a path of a container; `None` in a volume of its own.
fn behind(mounts: &BTreeMap<String, Option<PathBuf>>, path: &str) -> Option<PathBuf> {
    let longest = mounts
        .iter()
        .filter(|(to, _)| Path::new(path).starts_with(to))
        .max_by_key(|(to, _)| to.len());
    let (to, from) = longest.unwrap_or_else(|| panic!("nothing is mounted at {path}"));
    let rest = Path::new(path).strip_prefix(to).unwrap();
    from.as_ref().map(|from| from.join(rest))
}

#[test]
fn every_file_is_where_the_containers_look_for_it() {
    let compose = yaml("compose.yaml");
    let services = at(&compose, &["services"]);
    let mut looked = 0;
    for service in services.members() {
        let name = service.key.text().to_owned();
        let mounts = mounts(&compose, &name);
        let image = at(&compose, &["services", &name, "image"]).text();
        let (_, tag) = image.split_once(':').expect("a version");
        assert!(tag.contains('.') && tag != "latest", "{image}");
        for from in mounts.values().flatten() {
            assert!(from.is_dir(), "{} is not a folder", from.display());
            looked += 1;
        }
        let service = service.value;
        let command = service.get("command").map(texts).unwrap_or_default();
        let settings = service.get("environment").into_iter();
        let settings = settings.flat_map(|settings| {
            let values = settings.members().map(|member| member.value);
            values
                .map(|value| value.text().to_owned())
                .collect::<Vec<_>>()
        });
        let words = command.into_iter().map(|word| match word.split_once('=') {
            Some((_, value)) => value.to_owned(),
            None => word,
        });
        for path in words.chain(settings).filter(|word| word.starts_with('/')) {
            if let Some(file) = behind(&mounts, &path) {
                assert!(file.is_file(), "{path} is not at {}", file.display());
                looked += 1;
            }
        }
    }
    let grafana = mounts(&compose, "grafana");
    let providers = yaml("grafana/dashboards/aon.yaml");
    let path = at(&providers, &["providers", "0", "options", "path"]).text();
    let dashboard = behind(&grafana, path).expect("one of ours");
    assert_eq!(dashboard, folder().join("dashboard.json"));
    for kind in ["dashboards", "datasources"] {
        let inside = format!("/etc/grafana/provisioning/{kind}");
        assert!(behind(&grafana, &inside).expect("one of ours").is_dir());
        looked += 1;
    }
    assert!(looked >= 7, "{looked}");
    place::say(&format!("count: observe {looked} paths of compose.yaml"));
}

#[test]
fn the_parts_agree_about_addresses_and_flags() {
    let compose = yaml("compose.yaml");
    let command = texts(at(&compose, &["services", "prometheus", "command"]));
    let value = |flag: &str| {
        let found = command.iter().find_map(|word| word.strip_prefix(flag));
        found
            .unwrap_or_else(|| panic!("{flag} of {command:?}"))
            .to_owned()
    };
    let listens = value("--web.listen-address=");
    let sources = yaml("grafana/datasources/prometheus.yaml");
    let source = at(&sources, &["datasources", "0"]);
    assert_eq!(
        source.get("url").unwrap().text(),
        format!("http://{listens}")
    );
    assert_eq!(source.get("type").unwrap().text(), "prometheus");
    let board = fs::read_to_string(folder().join("dashboard.json")).unwrap();
    let board: serde_json::Value = serde_json::from_str(&board).unwrap();
    let variable = &board["templating"]["list"][0];
    assert_eq!(
        (&variable["name"], &variable["query"]),
        (&"datasource".into(), &"prometheus".into())
    );
    // The script that is run against the package has the same flags.
    let script = fs::read_to_string(folder().join("prometheus.sh")).unwrap();
    for word in &command {
        let (flag, _) = word.split_once('=').expect(word);
        assert!(script.contains(&format!("{flag}=")), "{flag}");
    }
    // Both scrape where the demo listens unless it is told otherwise.
    let config = yaml("prometheus.yaml");
    let target = ["scrape_configs", "0", "static_configs", "0", "targets", "0"];
    let target = at(&config, &target).text();
    assert!(script.contains(&format!("${{1:-{target}}}")), "{target}");
    let port = target.rsplit(':').next().unwrap();
    let demo = std::process::Command::new(env!("CARGO_BIN_EXE_aon-under-test"))
        .args(["demo", "--help"])
        .output()
        .unwrap();
    let help = String::from_utf8(demo.stdout).unwrap();
    assert!(
        help.contains(&format!("[default: {port}]")),
        "{port}: {help}"
    );
    let said = fs::read_to_string(folder().join("compose.yaml")).unwrap();
    let said = said.lines().next().unwrap();
    let own = listens.rsplit(':').next().unwrap();
    assert!(said.contains(&format!("Prometheus on {own}")), "{said}");
    assert!(said.contains("Grafana on 3000") && !said.contains("GF_SERVER_HTTP_PORT"));
}
