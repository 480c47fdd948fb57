//! Marks in private fields, and where they must not show ([P9]).
//!
//! [P9]: https://github.com/aon-rs/aon/blob/main/docs/contract.md#p9

use std::fmt::Write as _;

use aon_core::canary::{Mark, Specimens};
use aon_core::{Json, Namespace, Problem};

use crate::surface::{Call, Surface, a2a, human, mcp, rest, stream};

/// What [`assert_no_leaks`] looked at.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Checked {
    /// Variants of which a value could be built.
    pub variants: Vec<&'static str>,
    /// Variants of which none could be built: a private field has a type without
    /// [`Canary`](aon_core::canary::Canary).
    pub skipped: Vec<&'static str>,
    /// How many marks were put in.
    pub marks: usize,
    /// The outputs each value was looked for in.
    pub outputs: Vec<String>,
}

/// Every surface of this crate, as the leak test and the parity suite mount them.
pub fn surfaces() -> Vec<Box<dyn Surface>> {
    let mut all: Vec<Box<dyn Surface>> = vec![
        Box::new(rest::Rest::default()),
        Box::new(human::Page::default()),
        Box::new(stream::Stream::new(stream::EventContext::NEUTRAL)),
    ];
    for mode in mcp::Mode::ALL {
        all.push(Box::new(mcp::Mcp::new(mode)));
    }
    for profile in a2a::Profile::BUILT_IN {
        all.push(Box::new(a2a::status::HttpJson::new(profile.clone())));
        all.push(Box::new(a2a::A2a::new(profile)));
    }
    all
}

/// Puts a mark in every private field of every variant of `T`, projects each value on every surface, and fails where a
/// mark shows.
///
/// The derive builds the values. A variant with a private field whose type it cannot fill is skipped and named in the
/// result and on standard error; implement [`Canary`](aon_core::canary::Canary) for types of yours. It fails when no value
/// at all could be built.
///
/// # Examples
///
/// ```
/// use aon::testing::assert_no_leaks;
///
/// #[derive(Debug, thiserror::Error, aon::Problem)]
/// enum OrderError {
///     #[error("the order could not be stored")]
///     #[problem(status = 503)]
///     Storage { #[source] cause: std::io::Error, shard: String },
/// }
///
/// assert_eq!(assert_no_leaks::<OrderError>().variants, ["Storage"]);
/// ```
#[track_caller]
pub fn assert_no_leaks<T: Problem + Specimens>() -> Checked {
    let mut checked = Checked {
        variants: Vec::new(),
        skipped: Vec::new(),
        marks: 0,
        outputs: Vec::new(),
    };
    let mut leaks = String::new();
    for specimen in T::specimens() {
        let Some(value) = specimen.value else {
            checked.skipped.push(specimen.variant);
            continue;
        };
        checked.variants.push(specimen.variant);
        checked.marks += specimen.marks.len();
        let outputs = outputs(&value);
        if checked.outputs.is_empty() {
            checked.outputs = outputs.iter().map(|(name, _)| name.clone()).collect();
        }
        for mark in &specimen.marks {
            let shown: Vec<&str> = outputs
                .iter()
                .filter(|(_, text)| text.contains(&mark.text))
                .map(|(name, _)| &**name)
                .collect();
            if !shown.is_empty() {
                leak(specimen.variant, mark, &shown, &mut leaks);
            }
        }
    }
    assert!(
        !checked.variants.is_empty(),
        "no value of {} could be built, so nothing was checked; skipped: {}",
        std::any::type_name::<T>(),
        names(&checked.skipped)
    );
    assert!(
        leaks.is_empty(),
        "private fields of {} show:{leaks}",
        std::any::type_name::<T>()
    );
    if !checked.skipped.is_empty() {
        tell(&checked.skipped);
    }
    checked
}

#[expect(
    clippy::print_stderr,
    reason = "what a test could not check must be seen by who reads its output"
)]
fn tell(skipped: &[&str]) {
    eprintln!("assert_no_leaks could not build: {}", names(skipped));
}

fn names(variants: &[&str]) -> String {
    let named = variants.iter().map(|name| {
        if name.is_empty() {
            "(the struct)"
        } else {
            name
        }
    });
    named.collect::<Vec<_>>().join(", ")
}

fn leak(variant: &str, mark: &Mark, shown: &[&str], out: &mut String) {
    let place = if variant.is_empty() {
        mark.field.to_owned()
    } else {
        format!("{variant}.{}", mark.field)
    };
    // Writing into a String cannot fail.
    let _: std::fmt::Result = write!(out, "\n  {place} on {}", shown.join(", "));
}

/// Everything a value is turned into, each with its name.
fn outputs(value: &impl Problem) -> Vec<(String, String)> {
    let problem = value
        .to_problem()
        .with_request_id(&Namespace::DEFAULT, "leak-test");
    let text = |bytes: Vec<u8>| String::from_utf8_lossy(&bytes).into_owned();
    let mut all = Vec::new();
    let mut direct = Vec::new();
    value.write_json(Some("leak-test"), &mut direct);
    all.push(("json".to_owned(), text(direct)));
    let arguments = Json::trusted("{}");
    let call = Call {
        arguments: Some(&arguments),
        id: Some(&arguments),
    };
    for surface in surfaces() {
        let mut out = Vec::new();
        surface.project(&problem, &call, &mut out);
        all.push((surface.name().to_owned(), text(out)));
    }
    let headers = format!("{:?}", rest::headers(&problem));
    all.push(("headers".to_owned(), headers));
    all.push((
        "text".to_owned(),
        human::Text::new().with_width(0).render(&problem),
    ));
    all.push(("fragment".to_owned(), human::fragment(&problem)));
    all.push((
        "hints".to_owned(),
        aon_core::MachineHints::of(&problem).to_json().to_string(),
    ));
    #[cfg(feature = "axum")]
    {
        let response = crate::axum::respond(value);
        all.push((
            "response headers".to_owned(),
            format!("{:?}", response.headers()),
        ));
    }
    all
}

#[cfg(test)]
mod tests {
    use aon_core::canary::{Canary, Specimen};
    use aon_core::{Entry, Members};

    use super::*;

    #[derive(Debug)]
    struct Careless(String);

    impl std::fmt::Display for Careless {
        fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
            write!(f, "it failed")
        }
    }

    impl std::error::Error for Careless {}

    static ENTRY: Entry = Entry::new("careless", 500, "x://problem/careless", "Careless");

    impl Problem for Careless {
        fn entry(&self) -> Option<&'static Entry> {
            Some(&ENTRY)
        }

        fn members(&self, members: &mut Members<'_>) {
            members.extension("shown", &self.0);
        }
    }

    impl Specimens for Careless {
        fn specimens() -> Vec<Specimen<Self>> {
            vec![Specimen::build("", |canaries| {
                Some(canaries.field("secret", false, |canaries| Self(String::canary(canaries))))
            })]
        }
    }

    #[test]
    #[should_panic(expected = "secret on json, rest, human")]
    fn a_leak_is_named_with_its_surfaces() {
        assert_no_leaks::<Careless>();
    }

    #[test]
    fn every_surface_is_mounted() {
        let names: Vec<&str> = surfaces().iter().map(|surface| surface.name()).collect();
        for name in ["rest", "human", "stream", "mcp", "a2a"] {
            assert!(
                names.iter().any(|known| known.starts_with(name)),
                "{name}: {names:?}"
            );
        }
        assert!(names.len() >= 8, "{names:?}");
    }
}
