//! Operations with typed arguments and results.

use crate::arguments::Arguments;
use crate::bindings::exports::tuckbox::core::operations as exported;
use crate::bindings::exports::tuckbox::core::project::ProjectBorrow;
use crate::bindings::tuckbox::core::types;
use crate::project::Project;
use crate::results::{json, list, maybe_integer, maybe_json, maybe_text, text, texts};
use crate::{Component, Exported, env};
use exported::{BoxRow, CardRow, Missing, NewCard};
use tuckbox::value::json::{Field, Fields, Json};
use tuckbox::{Path, Result};

/// Runs a call and reads its value.
fn run<T>(
    call: Arguments<'_>,
    project: &Project,
    of: types::Env,
    read: fn(&Fields<'_>) -> Result<T>,
) -> Exported<T> {
    let value = Json::parse(&project.call(call.object(), env(of)?)?)?;
    Ok(read(&Field::root(&value).object()?)?)
}

fn new_card(project: &Project, index: usize, card: NewCard) -> Result<Json> {
    let path = Path::root().key("cards").index(index);
    let card = Arguments::inside(project, path)
        .maybe("card_id", card.card_id)
        .with("type", card.type_)
        .with("author_id", card.author_id)
        .json("content", &card.content)?
        .maybe_json("metadata", card.metadata)?
        .maybe_json("tool_calls", card.tool_calls)?
        .maybe("tool_call_id", card.tool_call_id)
        .maybe("ttl_seconds", card.ttl_seconds);
    Ok(card.object())
}

fn card_row(of: &Fields<'_>) -> Result<CardRow> {
    Ok(CardRow {
        card_id: text(of, "card_id")?,
        content: json(of, "content")?,
        metadata: json(of, "metadata")?,
        tool_calls: maybe_json(of, "tool_calls"),
        tool_call_id: maybe_text(of, "tool_call_id")?,
        ttl_seconds: maybe_integer(of, "ttl_seconds"),
        tenant_id: maybe_text(of, "tenant_id")?,
        expires_at: maybe_text(of, "expires_at")?,
        deleted_at: maybe_text(of, "deleted_at")?,
    })
}

fn box_row(of: &Fields<'_>) -> Result<BoxRow> {
    Ok(BoxRow {
        box_id: text(of, "box_id")?,
        card_ids: texts(of, "card_ids")?,
        parent_ids: texts(of, "parent_ids")?,
        version: of.required("version")?.count()?,
        deleted_at: maybe_text(of, "deleted_at")?,
    })
}

fn missing(of: &Fields<'_>) -> Result<Missing> {
    Ok(Missing { id: text(of, "id")?, reason: text(of, "reason")?, why: maybe_text(of, "why")? })
}

impl exported::Guest for Component {
    fn put_cards(
        project: ProjectBorrow<'_>,
        arguments: exported::PutCardsArguments,
        env: types::Env,
    ) -> Exported<Vec<String>> {
        let project = project.get::<Project>();
        let cards = arguments.cards.into_iter().enumerate();
        let cards = cards.map(|(index, card)| new_card(project, index, card));
        let call = Arguments::new(project, "put_cards")
            .with("cards", cards.collect::<Result<Vec<Json>>>()?)
            .maybe("operation_id", arguments.operation_id);
        run(call, project, env, |of| texts(of, "card_ids"))
    }

    fn get_cards(
        project: ProjectBorrow<'_>,
        card_ids: Vec<String>,
        env: types::Env,
    ) -> Exported<exported::GetCardsResult> {
        let project = project.get::<Project>();
        let call = Arguments::new(project, "get_cards").with("card_ids", card_ids);
        run(call, project, env, |of| {
            Ok(exported::GetCardsResult {
                cards: list(of, "cards", card_row)?,
                missing_cards: list(of, "missing_cards", missing)?,
            })
        })
    }

    fn create_box(
        project: ProjectBorrow<'_>,
        arguments: exported::CreateBoxArguments,
        env: types::Env,
    ) -> Exported<BoxRow> {
        let project = project.get::<Project>();
        let call = Arguments::new(project, "create_box")
            .with("card_ids", arguments.card_ids)
            .maybe("box_id", arguments.box_id)
            .maybe("parent_ids", arguments.parent_ids)
            .maybe("operation_id", arguments.operation_id);
        run(call, project, env, box_row)
    }

    fn append_to_box(
        project: ProjectBorrow<'_>,
        arguments: exported::AppendToBoxArguments,
        env: types::Env,
    ) -> Exported<BoxRow> {
        let project = project.get::<Project>();
        let call = Arguments::new(project, "append_to_box")
            .with("box_id", arguments.box_id)
            .with("card_ids", arguments.card_ids)
            .maybe("any_version", arguments.any_version)
            .maybe("even_during_turn", arguments.even_during_turn)
            .maybe("operation_id", arguments.operation_id);
        run(call, project, env, box_row)
    }

    fn fork_box(
        project: ProjectBorrow<'_>,
        arguments: exported::ForkBoxArguments,
        env: types::Env,
    ) -> Exported<BoxRow> {
        let project = project.get::<Project>();
        let call = Arguments::new(project, "fork_box")
            .with("box_id", arguments.box_id)
            .maybe("take", arguments.take)
            .maybe("source_agent_id", arguments.source_agent_id)
            .maybe("operation_id", arguments.operation_id);
        run(call, project, env, box_row)
    }

    fn get_boxes(
        project: ProjectBorrow<'_>,
        box_ids: Vec<String>,
        env: types::Env,
    ) -> Exported<exported::GetBoxesResult> {
        let project = project.get::<Project>();
        let call = Arguments::new(project, "get_boxes").with("box_ids", box_ids);
        run(call, project, env, |of| {
            Ok(exported::GetBoxesResult {
                boxes: list(of, "boxes", box_row)?,
                missing_boxes: list(of, "missing_boxes", missing)?,
            })
        })
    }

    fn pack_context(
        project: ProjectBorrow<'_>,
        arguments: exported::PackContextArguments,
        env: types::Env,
    ) -> Exported<exported::PackContextResult> {
        let project = project.get::<Project>();
        let call = Arguments::new(project, "pack_context")
            .with("tool_suffix", arguments.tool_suffix)
            .with("source_agent_id", arguments.source_agent_id)
            .json("arguments", &arguments.arguments)?
            .json("handover", &arguments.handover)?
            .maybe("dialect", arguments.dialect)
            .maybe("check_liveness", arguments.check_liveness)
            .maybe("operation_id", arguments.operation_id);
        run(call, project, env, |of| {
            Ok(exported::PackContextResult {
                context_box_id: text(of, "context_box_id")?,
                target_profile_box_id: text(of, "target_profile_box_id")?,
                profile_name: text(of, "profile_name")?,
                attached_card_ids: texts(of, "attached_card_ids")?,
            })
        })
    }

    fn render(
        project: ProjectBorrow<'_>,
        source: exported::RenderSource,
        env: types::Env,
    ) -> Exported<exported::RenderResult> {
        let project = project.get::<Project>();
        let call = Arguments::new(project, "render");
        let call = match source {
            exported::RenderSource::BoxId(box_id) => call.with("box_id", box_id),
            exported::RenderSource::CardIds(card_ids) => call.with("card_ids", card_ids),
            exported::RenderSource::Cards(cards) => call.json("cards", &cards)?,
        };
        run(call, project, env, |of| {
            Ok(exported::RenderResult {
                messages: json(of, "messages")?,
                tools: maybe_json(of, "tools"),
                source_card_ids: texts(of, "source_card_ids")?,
                entries: json(of, "entries")?,
            })
        })
    }

    fn compose(
        project: ProjectBorrow<'_>,
        arguments: exported::ComposeArguments,
        env: types::Env,
    ) -> Exported<exported::ComposeResult> {
        let project = project.get::<Project>();
        let call = Arguments::new(project, "compose")
            .with("process", arguments.process)
            .with("system_prompt", arguments.system_prompt)
            .maybe_json("contexts", arguments.contexts)?
            .maybe_json("checkpoint_messages", arguments.checkpoint_messages)?
            .maybe("human_message", arguments.human_message)
            .maybe_json("query", arguments.query)?;
        run(call, project, env, |of| {
            Ok(exported::ComposeResult {
                messages: json(of, "messages")?,
                ledger: json(of, "ledger")?,
            })
        })
    }

    fn payload(
        project: ProjectBorrow<'_>,
        arguments: exported::PayloadArguments,
        env: types::Env,
    ) -> Exported<exported::PayloadResult> {
        let project = project.get::<Project>();
        // the named arguments replace those of `options`
        let call = Arguments::inside(project, Path::root())
            .members("options", arguments.options)?
            .with("op", "payload")
            .with("provider", arguments.provider)
            .json("messages", &arguments.messages)?
            .maybe_json("tools", arguments.tools)?
            .maybe("model", arguments.model)
            .maybe("max_output_tokens", arguments.max_output_tokens);
        run(call, project, env, |of| {
            Ok(exported::PayloadResult {
                provider: text(of, "provider")?,
                model: maybe_text(of, "model")?,
                body: json(of, "body")?,
                losses: json(of, "losses")?,
                renamed_tools: json(of, "renamed_tools")?,
            })
        })
    }
}
