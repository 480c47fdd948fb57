//! The program behind the demo: possibilities whose sign-in page is hosted or custom.

use std::collections::BTreeMap;
use std::io;
use std::sync::Mutex;
use std::time::Duration;

use serde::Serialize;

/// How people sign in.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, aon::Choices)]
#[serde(rename_all = "snake_case")]
pub(crate) enum AuthUx {
    Hosted,
    Custom,
}

/// What can go wrong with the sign-in page of a possibility.
#[derive(Debug, thiserror::Error, aon::Problem)]
#[problem(namespace = "pspace")]
pub(crate) enum AuthError {
    /// A value that is no way to sign in.
    #[error("auth_ux must be one of \"hosted\" or \"custom\".")]
    #[problem(
        status = 422,
        title = "Invalid auth_ux",
        valid_values(auth_ux = AuthUx),
        remediation(
            request_scope_elevation,
            message = "Set auth_ux to \"hosted\" or \"custom\", then retry.",
            next_action(endpoint_url = "/possibilities/{id}/auth", guide_xri = "pspace://guide:branded-oidc-login"),
            example_request(method = "PATCH", path = "/possibilities/{id}/auth", body = r#"{"auth_ux":"custom"}"#),
        ),
        docs_url = "https://possibility.space/docs/guides/branded-oidc-login#auth-ux",
        mcp_tool = "update_possibility_auth",
        a2a_skill = "possibility_auth_configuration",
    )]
    InvalidAuthUx { given: String },

    /// The possibility is being set up.
    #[error("possibility {id} is still being provisioned")]
    #[problem(
        status = 409,
        code = "still_provisioning",
        title = "Still being provisioned",
        retry_after = 5,
        remediation(
            wait_for_provisioning,
            message = "Wait five seconds, then send the same call again.",
            next_action(endpoint_url = "/possibilities/{id}/auth"),
        ),
        mcp_tool = "get_possibility_auth",
        a2a_skill = "possibility_auth_lookup"
    )]
    StillProvisioning {
        #[problem(extension)]
        id: String,
    },

    /// The store does not answer. What it said stays inside.
    #[error("storage failed")]
    #[problem(status = 503, title = "Storage failed", retry_after = 60)]
    Storage(#[from] io::Error),

    /// Who may do what.
    #[error(transparent)]
    #[problem(transparent)]
    Access(#[from] AccessError),
}

/// What can go wrong before the sign-in page is looked at.
#[derive(Debug, thiserror::Error, aon::Problem)]
#[problem(namespace = "pspace")]
pub(crate) enum AccessError {
    /// No possibility has that id.
    #[error("there is no possibility {id}")]
    #[problem(
        status = 404,
        title = "Possibility not found",
        remediation(
            switch_user,
            message = "List the possibilities you can see, then use one of their ids.",
            next_action(endpoint_url = "/possibilities"),
            example_request(method = "GET", path = "/possibilities"),
        ),
        mcp_tool = "list_possibilities",
        a2a_skill = "possibility_listing"
    )]
    PossibilityNotFound {
        #[problem(extension)]
        id: String,
    },

    /// The call does not say who is calling.
    #[error("this possibility is private: sign in first")]
    #[problem(
        status = 401,
        title = "Sign in first",
        challenge = "Bearer realm=\"pspace\"",
        remediation(
            switch_user,
            message = "Sign in and send the token in the Authorization header.",
            next_action(guide_xri = "pspace://guide:sign-in"),
        )
    )]
    SignInRequired,

    /// The token lacks a scope.
    #[error("changing the sign-in page needs the scope pspace:possibility.write")]
    #[problem(
        status = 403,
        title = "Missing scope",
        remediation(
            request_scope_elevation,
            message = "Ask for a token with the scope pspace:possibility.write.",
            next_action(required_scope = "pspace:possibility.write"),
        )
    )]
    MissingScope,

    /// A custom sign-in page needs a domain of its own.
    #[error("possibility {id} has no domain of its own yet")]
    #[problem(
        status = 409,
        title = "No custom domain",
        remediation(
            register_custom_domain,
            message = "Register a domain for the possibility, or use auth_ux \"hosted\".",
            next_action(guide_xri = "pspace://guide:custom-domains"),
        )
    )]
    CustomDomainMissing {
        #[problem(extension)]
        id: String,
    },

    /// Too many calls.
    #[error("too many changes in a short time")]
    #[problem(
        status = 429,
        title = "Too many changes",
        remediation(
            wait_for_provisioning,
            message = "Wait as long as retry_after says, then send the same call again."
        )
    )]
    TooManyChanges {
        #[problem(retry_after)]
        wait: Duration,
    },

    /// The possibility is gone for good.
    #[error("possibility {id} was retired and cannot be changed any more")]
    #[problem(
        status = 410,
        title = "Possibility retired",
        remediation(none, reason = no_public_equivalent_exists, message = "Nothing brings a retired possibility back."),
    )]
    PossibilityRetired {
        #[problem(extension)]
        id: String,
    },
}

/// The sign-in page of one possibility.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub(crate) struct Auth {
    pub(crate) id: String,
    pub(crate) auth_ux: AuthUx,
}

/// What was set so far. Every id that is not made to fail exists, and starts as hosted.
#[derive(Debug, Default)]
pub(crate) struct Store {
    set: Mutex<BTreeMap<String, AuthUx>>,
}

/// The most ids that are remembered; the demo is not a database.
const MOST: usize = 1000;

/// Sets how people sign in to a possibility.
pub(crate) fn update_auth(store: &Store, id: &str, auth_ux: &str) -> Result<Auth, AuthError> {
    let auth_ux: AuthUx = auth_ux
        .parse()
        .map_err(|_invalid| AuthError::InvalidAuthUx {
            given: auth_ux.to_owned(),
        })?;
    admit(id)?;
    if id == "no-domain" && auth_ux == AuthUx::Custom {
        return Err(AccessError::CustomDomainMissing { id: id.to_owned() }.into());
    }
    let mut set = store.lock()?;
    if set.len() < MOST || set.contains_key(id) {
        set.insert(id.to_owned(), auth_ux);
    }
    Ok(Auth {
        id: id.to_owned(),
        auth_ux,
    })
}

/// Says how people sign in to a possibility.
pub(crate) fn find_auth(store: &Store, id: &str) -> Result<Auth, AuthError> {
    admit(id)?;
    let auth_ux = store.lock()?.get(id).copied().unwrap_or(AuthUx::Hosted);
    Ok(Auth {
        id: id.to_owned(),
        auth_ux,
    })
}

/// Every possibility that was touched, and one that always exists.
pub(crate) fn list(store: &Store) -> Result<Vec<Auth>, AuthError> {
    let set = store.lock()?;
    let acme = (!set.contains_key("acme")).then_some(("acme", AuthUx::Hosted));
    let touched = set.iter().map(|(id, auth_ux)| (id.as_str(), *auth_ux));
    Ok(acme
        .into_iter()
        .chain(touched)
        .map(|(id, auth_ux)| Auth {
            id: id.to_owned(),
            auth_ux,
        })
        .collect())
}

impl Store {
    fn lock(&self) -> Result<std::sync::MutexGuard<'_, BTreeMap<String, AuthUx>>, AuthError> {
        self.set
            .lock()
            .map_err(|_poisoned| io::Error::other("the lock of the store is poisoned").into())
    }
}

/// The ids that fail, and how.
fn admit(id: &str) -> Result<(), AuthError> {
    let own = || id.to_owned();
    match id {
        "missing" => Err(AccessError::PossibilityNotFound { id: own() }.into()),
        "private" => Err(AccessError::SignInRequired.into()),
        "read-only" => Err(AccessError::MissingScope.into()),
        "provisioning" => Err(AuthError::StillProvisioning { id: own() }),
        "busy" => Err(AccessError::TooManyChanges {
            wait: Duration::from_secs(30),
        }
        .into()),
        "broken" => Err(io::Error::other(
            "disk 7 of node db-3 at 10.0.0.12 failed: password=hunter2",
        )
        .into()),
        "retired" => Err(AccessError::PossibilityRetired { id: own() }.into()),
        "crash" => crash(),
        _ => Ok(()),
    }
}

#[expect(
    clippy::panic,
    reason = "the demo shows that a panic becomes a problem too"
)]
fn crash() -> ! {
    panic!("the demo was asked to crash: secret=hunter2")
}
