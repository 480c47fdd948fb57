//! How the example of each problem looks on each surface, for the documentation.

use aon::ProblemDetails;
use aon::surface::Call;
use aon_codegen::Api;
use aon_codegen::ir::Sample;

use crate::args::{HumanForm, SurfaceName};
use crate::output::indented;
use crate::surfaces::Settings;

/// Fills in the samples of all problems.
pub(super) fn fill(api: &mut Api) {
    let settings = Settings {
        form: HumanForm::Text,
        ..Settings::default()
    };
    let surfaces = [
        ("REST", SurfaceName::Rest),
        ("MCP", SurfaceName::Mcp),
        ("A2A", SurfaceName::A2a),
        ("Stream", SurfaceName::Stream),
    ];
    for problem in &mut api.problems {
        let Ok(details) = ProblemDetails::from_slice(problem.example.to_compact().as_bytes())
        else {
            continue;
        };
        for (name, surface) in surfaces {
            let envelope = settings.envelope(surface, &details, &Call::default());
            problem.samples.push(Sample::new(name, indented(&envelope)));
        }
        problem
            .samples
            .push(Sample::new("Terminal", settings.human(&details)));
    }
}
