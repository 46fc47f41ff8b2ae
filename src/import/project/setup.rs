//! The configuration of a request: tools, body and profile.

use super::cards::place;
use super::maker::Maker;
use super::names::short;
use crate::import::model::{Request, Tool};
use crate::prompt::provider::sent;
use crate::store::Profile;
use crate::value::card::{Content, NewCard, ToolCall};
use crate::value::ids::Symbol;
use crate::value::json::{Json, Object};
use crate::{Result, Timestamp};
use std::sync::Arc;

/// Cache of the previous request's profile; the next usually shares it.
pub(super) struct LastProfile {
    system: Arc<Vec<String>>,
    config: Json,
    name: String,
    box_id: String,
}

impl Maker<'_> {
    /// Makes the card of tool definitions. Tools with only a name are skipped.
    pub(super) fn tools(
        &mut self,
        tools: &[Tool],
        request: &Request,
        created_at: Timestamp,
    ) -> Option<Symbol> {
        let defined: Vec<Object> = tools
            .iter()
            .filter(|tool| tool.schema.is_some() || tool.description.is_some())
            .map(definition)
            .collect();
        if defined.is_empty() {
            return None;
        }
        let key = Json::from(defined.clone()).to_string();
        self.of_request("import.tools", key, Content::Tools(defined), request, created_at)
    }

    /// Makes the record of a request whose body is known, so that its own provider can get it as it
    /// was sent.
    pub(super) fn sent(
        &mut self,
        request: &Request,
        cards: &[Symbol],
        created_at: Timestamp,
    ) -> Option<Symbol> {
        let (body, api) = (request.body.as_deref()?, request.api?);
        let arguments = Json::Object(sent::record(api, body, self.hashed(cards)));
        let key = arguments.to_string();
        let Json::Object(arguments) = arguments else { return None };
        let call = ToolCall {
            tool_name: "model_request".to_owned(),
            arguments,
            status: "sent".to_owned(),
            target_subject: None,
        };
        self.of_request(sent::CARD_TYPE, key, Content::ToolCall(call), request, created_at)
    }

    /// Makes a card that a request has once.
    fn of_request(
        &mut self,
        kind: &'static str,
        key: String,
        content: Content,
        request: &Request,
        created_at: Timestamp,
    ) -> Option<Symbol> {
        let mut new = NewCard::new("", "", content);
        new.metadata.insert("origin".into(), place(&request.origin, self.findings));
        self.alone(vec![(kind, key, new)], created_at, &request.origin).pop()
    }

    /// Makes the box of the profile of a request.
    pub(super) fn profile(&mut self, request: &Request, created_at: Timestamp) -> Result<String> {
        let config = Json::from([
            ("model", Json::from(request.model.as_deref())),
            ("provider", Json::from(request.api)),
            ("settings", settings(request)),
        ]);
        let name = request.agent.as_ref().or(request.model.as_ref());
        let name = name.map_or("imported", String::as_str);
        match &self.last_profile {
            Some(last_profile)
                if Arc::ptr_eq(&last_profile.system, &request.system)
                    && last_profile.config == config
                    && last_profile.name == name =>
            {
                return Ok(last_profile.box_id.clone());
            }
            Some(_) | None => {}
        }
        let box_id = self.new_profile(name, &config, request, created_at)?;
        let (system, name) = (Arc::clone(&request.system), name.to_owned());
        self.last_profile = Some(LastProfile { system, config, name, box_id: box_id.clone() });
        Ok(box_id)
    }

    fn new_profile(
        &mut self,
        name: &str,
        config: &Json,
        request: &Request,
        created_at: Timestamp,
    ) -> Result<String> {
        // a profile is a template, so braces of the prompt are doubled
        let prompt = request.system.join("\n\n").replace('{', "{{").replace('}', "}}");
        let profile_json = Json::from([
            ("name", Json::from(name)),
            ("system_prompt", Json::from(prompt)),
            ("llm_config", config.clone()),
        ]);
        let key = profile_json.to_string();
        if let Some(known) = self.profiles.get(&key) {
            return Ok(known.clone());
        }
        let hash = short(&["profile", &key]);
        let box_id = format!("profile_{hash}");
        self.profiles.insert(key.as_str(), box_id.clone());
        let card =
            self.of_request("sys.profile", key, Content::Json(profile_json), request, created_at);
        self.put(&box_id, card.as_slice(), Vec::new())?;
        let mut profile = Profile::new(format!("{name} {hash}"), box_id.as_str());
        profile.tags = vec!["imported".to_owned()];
        self.out.profiles.push(profile);
        Ok(box_id)
    }
}

/// Returns the settings of a request: its body without the parts that became cards.
pub(crate) fn settings(request: &Request) -> Json {
    let Some(Json::Object(body)) = request.body.as_deref() else { return Json::Null };
    let cards = [
        "messages",
        "contents",
        "input",
        "system",
        "systemInstruction",
        "system_instruction",
        "instructions",
        "tools",
        "model",
    ];
    Json::Object(
        body.iter()
            .filter(|(key, _)| !cards.contains(&key.as_str()))
            .map(|(key, value)| (key.clone(), value.clone()))
            .collect(),
    )
}

/// Returns the definition of a tool, as a provider reads it.
pub(in crate::import) fn definition(tool: &Tool) -> Object {
    let mut function = Object::default();
    function.insert("name".into(), tool.name.as_str().into());
    if let Some(description) = &tool.description {
        function.insert("description".into(), description.as_str().into());
    }
    if let Some(schema) = &tool.schema {
        function.insert("parameters".into(), schema.clone());
    }
    let mut out = Object::default();
    out.insert("type".into(), "function".into());
    out.insert("function".into(), Json::Object(function));
    out
}
