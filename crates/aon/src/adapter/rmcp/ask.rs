//! Asking the person behind the client for the one value that is missing or wrong.
//!
//! Up to 2025-11-25 the server asks while the call is open; from 2026-07-28 on it answers that input is required, and
//! the client calls again with it. Either way a call is asked about once.

use std::collections::BTreeMap;
use std::time::Duration;

use ::rmcp::RoleServer;
use ::rmcp::model::{
    CallToolRequestParams, CallToolResponse, ClientResult, ElicitRequest, ElicitRequestParams,
    ElicitationAction, ElicitationSchema, EnumSchema, InputRequest, InputRequiredResult,
    PrimitiveSchemaDefinition, ProtocolVersion, ServerRequest,
};
use ::rmcp::service::RequestContext;
use aon_core::{Choice, ChoiceValue, ProblemDetails};
use serde_json::Value;

use crate::arguments;

/// The key of the question among the inputs a client is asked for.
const KEY: &str = "space.possibility/choice";
/// The same where numbers or booleans are to choose from: forms give text, and the call that comes again brings nothing
/// but the key to tell what the text spells.
const SPELLED_KEY: &str = "space.possibility/spelled-choice";
/// How long a person may think.
const PATIENCE: Duration = Duration::from_secs(300);

/// One value to be chosen.
pub(super) struct Question<'a> {
    pointer: String,
    choices: &'a [Choice],
    message: String,
}

/// What became of a question.
pub(super) enum Answer {
    /// The arguments with the chosen value.
    Chosen(Box<CallToolRequestParams>),
    /// The client is to call again with it.
    Later(CallToolResponse),
    /// Nobody answered, or did not want to.
    Nothing,
}

impl<'a> Question<'a> {
    /// The question a problem asks: about the one field it has valid values for.
    pub(super) fn of(problem: &'a ProblemDetails) -> Option<Self> {
        let mut fields = problem.valid_values().iter();
        let (field, choices) = fields.next().filter(|(_, choices)| !choices.is_empty())?;
        let paths = problem.field_paths();
        let path = match paths.as_slice() {
            [only] => only.clone(),
            _ => return None,
        };
        let about = path.rsplit('/').next().unwrap_or_default();
        let same = about == field.replace('~', "~0").replace('/', "~1") || path == field;
        if fields.next().is_some() || !same {
            return None;
        }
        Some(Self {
            pointer: path,
            choices,
            message: problem
                .detail()
                .or(problem.title())
                .unwrap_or("Choose a value.")
                .to_owned(),
        })
    }

    pub(super) async fn ask(
        &self,
        request: &CallToolRequestParams,
        context: &RequestContext<RoleServer>,
    ) -> Answer {
        let able = context
            .client_capabilities()
            .and_then(|able| able.elicitation)
            .is_some_and(|able| able.form.is_some() || able.url.is_none());
        if !able {
            return Answer::Nothing;
        }
        let params = ElicitRequestParams::FormElicitationParams {
            meta: None,
            message: self.message.clone(),
            requested_schema: self.schema(),
        };
        let later = context
            .protocol_version()
            .is_some_and(|version| version >= ProtocolVersion::V_2026_07_28);
        if later {
            let request = InputRequest::Elicitation(ElicitRequest::new(params));
            let mut values = self.choices.iter().map(Choice::value);
            let texts = values.all(|value| value.as_str().is_some());
            let key = if texts { KEY } else { SPELLED_KEY };
            let requests = BTreeMap::from([(key.to_owned(), request)]);
            return Answer::Later(InputRequiredResult::from_input_requests(requests).into());
        }
        let request_to_client = ServerRequest::ElicitRequest(ElicitRequest::new(params));
        let asked = context.peer.send_request(request_to_client);
        let content = match tokio::time::timeout(PATIENCE, asked).await {
            Ok(Ok(ClientResult::ElicitResult(answer)))
                if answer.action == ElicitationAction::Accept =>
            {
                answer.content
            }
            Ok(_) | Err(_) => None,
        };
        let chosen = content.and_then(|content| {
            let word = content.get(name(&self.pointer))?.as_str()?.to_owned();
            let choice = self
                .choices
                .iter()
                .find(|choice| choice.value().to_string() == word)?;
            with(request.clone(), &self.pointer, choice.value())
        });
        chosen.map_or(Answer::Nothing, |request| Answer::Chosen(Box::new(request)))
    }

    /// A form with one choice; its name says where the answer belongs.
    fn schema(&self) -> ElicitationSchema {
        let values: Vec<String> = self
            .choices
            .iter()
            .map(|choice| choice.value().to_string())
            .collect();
        let titles: Vec<String> = self
            .choices
            .iter()
            .map(|choice| {
                let own = || choice.value().to_string();
                choice.label().map_or_else(own, str::to_owned)
            })
            .collect();
        let plain = || EnumSchema::builder(values.clone());
        let choice = if titles == values {
            plain()
        } else {
            plain()
                .enum_titles(titles)
                .unwrap_or_else(|_differ| plain())
        };
        let field = name(&self.pointer).to_owned();
        let properties = BTreeMap::from([(
            field.clone(),
            PrimitiveSchemaDefinition::Enum(choice.build()),
        )]);
        ElicitationSchema::new(properties).with_required(vec![field])
    }
}

/// What a call brought that was asked about before.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Brought {
    /// It was not asked about.
    Nothing,
    /// A value, now among the arguments.
    Choice,
    /// The person did not want to choose.
    Refusal,
}

/// Takes the answer to a question of ours out of a call that comes again.
///
/// The client could have put the value into the arguments itself, so nothing about it needs to be believed: the tool
/// checks it like any other.
pub(super) fn take_answer(request: &mut CallToolRequestParams) -> Brought {
    let Some((key, answer)) = request.input_responses.as_mut().and_then(|responses| {
        let mut keys = [KEY, SPELLED_KEY].into_iter();
        keys.find_map(|key| Some((key, responses.remove(key)?)))
    }) else {
        return Brought::Nothing;
    };
    let accepted = answer.get("action").and_then(Value::as_str) == Some("accept");
    let content = answer.get("content").and_then(Value::as_object);
    let (true, Some(content)) = (accepted, content) else {
        return Brought::Refusal;
    };
    for (name, value) in content {
        let Value::String(word) = value else {
            continue;
        };
        let pointer = if name.starts_with('/') {
            name.clone()
        } else {
            format!("/{}", name.replace('~', "~0").replace('/', "~1"))
        };
        let value = match serde_json::from_str(word) {
            Ok(Value::Number(number)) if key == SPELLED_KEY => ChoiceValue::Number(number),
            Ok(Value::Bool(value)) if key == SPELLED_KEY => ChoiceValue::Bool(value),
            Ok(_) | Err(_) => ChoiceValue::Text(word.clone().into()),
        };
        if let Some(changed) = with(request.clone(), &pointer, &value) {
            *request = changed;
        }
    }
    Brought::Choice
}

/// What a field is called in the form: its name at the top, its pointer anywhere else.
fn name(pointer: &str) -> &str {
    match pointer.strip_prefix('/') {
        Some(name) if !name.contains(['/', '~']) && !name.is_empty() => name,
        _ => pointer,
    }
}

fn with(
    mut request: CallToolRequestParams,
    pointer: &str,
    value: &ChoiceValue,
) -> Option<CallToolRequestParams> {
    let mut given = Value::Object(request.arguments.take().unwrap_or_default());
    arguments::set(&mut given, pointer, value)?;
    let Value::Object(given) = given else {
        return None;
    };
    request.arguments = Some(given);
    Some(request)
}
