//! The surfaces by the names they have on the command line.

use aon::surface::a2a::{A2a, Profile};
use aon::surface::human::{self, Text};
use aon::surface::mcp::{Mcp, Mode};
use aon::surface::rest::Rest;
use aon::surface::stream::Stream;
use aon::surface::{Call, Surface};
use aon::{Json, ProblemDetails};

use crate::args::{HumanForm, McpMode, ProfileName, SurfaceName};

/// What the options say about how surfaces write.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Settings {
    pub(crate) profile: ProfileName,
    pub(crate) mode: McpMode,
    pub(crate) form: HumanForm,
}

impl Default for Settings {
    fn default() -> Self {
        Self {
            profile: ProfileName::Pspace,
            mode: McpMode::Structured,
            form: HumanForm::Text,
        }
    }
}

impl Settings {
    /// The surface of that name; `None` for `all`, which is several.
    pub(crate) fn surface(self, name: SurfaceName) -> Option<Box<dyn Surface>> {
        Some(match name {
            SurfaceName::Rest => Box::new(Rest::default()),
            SurfaceName::Mcp => Box::new(Mcp::new(match self.mode {
                McpMode::Structured => Mode::Structured,
                McpMode::TextOnly => Mode::TextOnly,
                McpMode::Meta => Mode::Meta,
            })),
            SurfaceName::A2a => Box::new(A2a::new(match self.profile {
                ProfileName::Pspace => Profile::PSPACE,
                ProfileName::A2a10 => Profile::A2A_1_0,
                ProfileName::A2a03 => Profile::A2A_0_3,
            })),
            SurfaceName::Stream => Box::new(Stream::default()),
            SurfaceName::Human => Box::new(human::Page::default()),
            SurfaceName::All => return None,
        })
    }

    /// What a person reads.
    pub(crate) fn human(self, problem: &ProblemDetails) -> String {
        match self.form {
            HumanForm::Text => Text::new().render(problem),
            HumanForm::Html => human::page(problem),
        }
    }

    /// What the surface writes, as one line of JSON; what a person reads as a JSON string.
    pub(crate) fn envelope(
        self,
        name: SurfaceName,
        problem: &ProblemDetails,
        call: &Call<'_>,
    ) -> String {
        let mut out = Vec::new();
        if name == SurfaceName::Human {
            return Json::from(self.human(problem).as_str()).to_string();
        }
        if let Some(surface) = self.surface(name) {
            surface.project(problem, call, &mut out);
        } else {
            for name in SurfaceName::EACH {
                out.push(if out.is_empty() { b'{' } else { b',' });
                out.extend_from_slice(Json::from(name.as_str()).as_str().as_bytes());
                out.push(b':');
                out.extend_from_slice(self.envelope(name, problem, call).as_bytes());
            }
            out.push(b'}');
        }
        String::from_utf8(out).unwrap_or_default()
    }
}
