//! Which profile a request gets ([S6]): by its extension, by its version, or by having neither.
//!
//! [S6]: https://github.com/aon-rs/aon/blob/main/docs/contract.md#s6

use std::borrow::Cow;

use aon_core::ProblemDetails;

use super::{EXTENSION_URI, Profile};

/// The profiles a server speaks.
///
/// Our extension activated: `pspace`. Version `1.0` or `0.3`: the official ones. No version: `a2a-0.3`, because the
/// specification says that an absent one means 0.3.
///
/// # Examples
///
/// Every choice is overridden in one line:
///
/// ```
/// use aon::surface::a2a::{Profile, Profiles};
///
/// let ours = Profiles::new().with_absent(Profile::PSPACE);
/// assert_eq!(ours.pick(None, None)?.name(), "pspace");
/// assert_eq!(Profiles::new().pick(None, None)?.name(), "a2a-0.3");
/// assert_eq!(Profiles::new().pick(Some("1.0"), None)?.name(), "a2a-1.0");
/// assert!(Profiles::new().pick(Some("9.9"), None).is_err());
/// assert_eq!(Profiles::only(Profile::A2A_1_0).pick(Some("9.9"), None)?.name(), "a2a-1.0");
/// # Ok::<(), aon::ProblemDetails>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct Profiles {
    versions: Vec<(Cow<'static, str>, Profile)>,
    absent: Profile,
    extension: Profile,
}

impl Profiles {
    /// What the specification says.
    pub fn new() -> Self {
        Self {
            versions: vec![
                ("1.0".into(), Profile::A2A_1_0),
                ("0.3".into(), Profile::A2A_0_3),
            ],
            absent: Profile::A2A_0_3,
            extension: Profile::PSPACE,
        }
    }

    /// One for all requests, whatever their headers.
    pub fn only(profile: Profile) -> Self {
        Self {
            versions: Vec::new(),
            absent: profile.clone(),
            extension: profile,
        }
    }

    /// Sets that of requests without a version.
    #[must_use]
    pub fn with_absent(mut self, profile: Profile) -> Self {
        self.absent = profile;
        self
    }

    /// Sets that of requests that activate our extension.
    #[must_use]
    pub fn with_extension(mut self, profile: Profile) -> Self {
        self.extension = profile;
        self
    }

    /// Sets that of requests of a version such as `1.0`.
    #[must_use]
    pub fn with_version(mut self, version: impl Into<Cow<'static, str>>, profile: Profile) -> Self {
        let version = version.into();
        self.versions.retain(|(known, _)| *known != version);
        self.versions.insert(0, (version, profile));
        self
    }

    /// The profile for a request, from its `A2A-Version` and its `A2A-Extensions`. A patch number is ignored.
    ///
    /// # Errors
    ///
    /// The problem `version_not_supported`, to be answered with [`Profiles::newest`].
    pub fn pick(
        &self,
        version: Option<&str>,
        extensions: Option<&str>,
    ) -> Result<&Profile, ProblemDetails> {
        if is_activated(extensions) {
            return Ok(&self.extension);
        }
        let version = version.map(str::trim).filter(|version| !version.is_empty());
        let (Some(version), [_, ..]) = (version, self.versions.as_slice()) else {
            return Ok(&self.absent);
        };
        let mut numbers = version.splitn(3, '.');
        let wanted = (numbers.next(), numbers.next());
        let found = self.versions.iter().find(|(known, _)| {
            let mut numbers = known.splitn(3, '.');
            (numbers.next(), numbers.next()) == wanted
        });
        found
            .map(|(_, profile)| profile)
            .ok_or_else(|| self.not_supported())
    }

    /// The profile an unknown version is refused with.
    pub fn newest(&self) -> &Profile {
        let newest = self.versions.first();
        newest.map_or(&self.absent, |(_, profile)| profile)
    }

    fn not_supported(&self) -> ProblemDetails {
        let versions = self.versions.iter().map(|(version, _)| version.to_string());
        crate::jsonrpc::version_not_supported()
            .with_detail(
                "The A2A-Version of the request is not supported; use one of the versions in valid_values.",
            )
            .with_valid_values("A2A-Version", versions.collect::<Vec<_>>())
    }
}

impl Default for Profiles {
    fn default() -> Self {
        Self::new()
    }
}

/// Whether an extension header names our extension.
pub fn is_activated(extensions: Option<&str>) -> bool {
    extensions.is_some_and(|list| list.split(',').any(|uri| uri.trim() == EXTENSION_URI))
}

/// The version a request names in its query, `?A2A-Version=1.0`, for one without the header.
pub fn version_in_query(query: &str) -> Option<&str> {
    let mut pairs = query.split('&').filter_map(|pair| pair.split_once('='));
    pairs
        .find(|(name, _)| name.eq_ignore_ascii_case("A2A-Version"))
        .map(|(_, version)| version)
}
