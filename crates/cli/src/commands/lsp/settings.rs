//! What the editor and `aon.toml` say about the rules.

use std::path::{Path, PathBuf};

use aon_lint::{Config, Finding, Settings, deferred};
use serde_json::Value;

use crate::config;
use crate::lint::setup::today;

/// What the editor was told by its user. What it says is added to `aon.toml`.
#[derive(Clone, Copy, Debug, Default, Eq, PartialEq)]
pub(super) struct Options {
    pub(super) pedantic: bool,
    pub(super) preview: bool,
    pub(super) strict: bool,
}

impl Options {
    /// Reads `{"pedantic": true, …}`, also under `aon`. What is not there stays as it is.
    pub(super) fn update(&mut self, value: &Value) {
        let own = value.get("aon").unwrap_or(value);
        for (name, switch) in [
            ("pedantic", &mut self.pedantic),
            ("preview", &mut self.preview),
            ("strict", &mut self.strict),
        ] {
            if let Some(on) = own.get(name).and_then(Value::as_bool) {
                *switch = on;
            }
        }
    }

    /// How a document at this place is checked: by the nearest `aon.toml` above it, and by these options.
    pub(super) fn setup(self, path: Option<&Path>) -> Setup {
        let (config, mistake) = match path.and_then(read_config) {
            Some(Ok(found)) => (Some(found), None),
            Some(Err(mistake)) => (None, Some(mistake)),
            None => (None, None),
        };
        let mut settings = config
            .as_ref()
            .map(|(_, config)| config.settings(None))
            .unwrap_or_default()
            .with_today(today());
        if self.pedantic {
            settings = settings.with_pedantic(true);
        }
        if self.preview {
            settings = settings.with_preview(true);
        }
        if self.strict {
            settings = settings.with_strict(true);
        }
        Setup {
            settings,
            config,
            mistake,
        }
    }
}

/// The nearest `aon.toml` above a document, with its folder; or what is wrong with it.
fn read_config(path: &Path) -> Option<Result<(PathBuf, Config), String>> {
    let folder = config::above(path.parent()?)?;
    let file = folder.join(config::NAME);
    Some(match config::read(Some(&file), &[]) {
        Ok(read) => Ok((folder.to_path_buf(), read?.config)),
        Err(mistake) => Err(format!("{} is not used: {mistake}", file.display())),
    })
}

/// How one document is checked.
#[derive(Debug)]
pub(super) struct Setup {
    pub(super) settings: Settings,
    config: Option<(PathBuf, Config)>,
    /// Why the configuration cannot be read.
    pub(super) mistake: Option<String>,
}

impl Setup {
    /// Whether the document is to be checked.
    pub(super) fn includes(&self, name: &str) -> bool {
        self.config
            .as_ref()
            .is_none_or(|(folder, config)| config.includes(&relative(name, folder)))
    }

    /// Sets findings aside.
    pub(super) fn defer(&self, findings: &mut Vec<Finding>) {
        if let Some((folder, config)) = &self.config {
            let name = folder.join(config::NAME);
            let relative = |name: &str| relative(name, folder);
            // One document is not the whole project, so nothing is stale.
            deferred::by_config(
                findings,
                config,
                &name.to_string_lossy(),
                &self.settings,
                &relative,
                &|_| false,
            );
        }
    }
}

/// The path of a document seen from a folder above it, with `/`.
fn relative(name: &str, folder: &Path) -> String {
    let path = Path::new(name);
    let path = path.strip_prefix(folder).unwrap_or(path);
    path.to_string_lossy().replace('\\', "/")
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn options_are_read_bare_and_under_their_name() {
        let mut options = Options::default();
        options.update(&json!({ "pedantic": true, "strict": "yes" }));
        assert!(options.pedantic && !options.strict);
        options.update(&json!({ "aon": { "strict": true, "pedantic": false } }));
        assert!(!options.pedantic && options.strict);
        options.update(&Value::Null);
        assert!(options.strict);
    }
}
