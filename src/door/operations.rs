//! Every operation by its name on the wire, and the part of the product that it belongs to.
//!
//! The WebAssembly module is cut into these parts: the core is always there, every other part is
//! loaded when a call first needs it. Each part is entered through one function in `gate`, and the
//! build puts behind a gate whatever nothing else reaches. To everybody else this is one crate.

use super::{Call, call};
use crate::budget::FitBudget;
use crate::diff::DiffPayloads;
use crate::inspect::{self, Inspect};
use crate::json::{Field, Json};
use crate::pack::PackContext;
use crate::provider::MakePayload;
use crate::render::Render;
use crate::settings::Defaults;
use crate::{Result, cardstore, handoff, plain, reading, recipe, tokens, turn};

type Read = fn(&Json, &Defaults) -> Result<Call>;

macro_rules! operations {
    ($($(#[$doc:meta])* $part:ident = $gate:ident { $($name:literal => $read:expr,)* })*) => {
        /// A part of the product that a host may load on its own.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
        pub enum Part {
            $($(#[$doc])* $part,)*
        }

        impl Part {
            /// Every part, the one that is always there first.
            pub const ALL: &[Self] = &[$(Self::$part,)*];

            /// The name of the part.
            pub const fn as_str(self) -> &'static str {
                match self {
                    $(Self::$part => stringify!($gate),)*
                }
            }

            /// Reads a call of the operation `name`, if it is one of this part.
            pub(super) fn read(
                self,
                name: &str,
                json: &Json,
                defaults: &Defaults,
            ) -> Option<Result<Call>> {
                match self {
                    $(Self::$part => gate::$gate(name, json, defaults),)*
                }
            }
        }

        /// Every operation and its part.
        pub(super) const OPERATIONS: &[(&str, Part)] = &[$($(($name, Part::$part),)*)*];

        /// The ways into the parts. Their names are known to the build.
        mod gate {
            use super::*;

            $(
                #[inline(never)]
                pub(super) fn $gate(
                    name: &str,
                    json: &Json,
                    defaults: &Defaults,
                ) -> Option<Result<Call>> {
                    const READ: &[(&str, Read)] = &[$(($name, $read),)*];
                    let (_, read) = READ.iter().find(|(known, _)| *known == name)?;
                    Some(read(json, defaults))
                }
            )*

            #[inline(never)]
            pub(super) fn agents_recipes(list: &Field<'_>) -> Result<recipe::Recipes> {
                recipe::Recipes::from_json(list)
            }
        }
    };
}

operations! {
    /// The card store, packing, and reading values.
    Core = core {
        "pack_context" => |json, defaults| call(PackContext::from_json_with(json, defaults)?),
        "put_cards" => |json, defaults| {
            call(cardstore::PutCards::from_json(json)?.with_limits(defaults.limits))
        },
        "create_box" => |json, _| call(cardstore::CreateBox::from_json(json)?),
        "append_to_box" => |json, _| call(cardstore::AppendToBox::from_json(json)?),
        "replace_box" => |json, _| call(cardstore::ReplaceBox::from_json(json)?),
        "fork_box" => |json, _| call(cardstore::ForkBox::from_json(json)?),
        "concat_boxes" => |json, _| call(cardstore::ConcatBoxes::from_json(json)?),
        "delete_cards" => |json, _| call(cardstore::DeleteCards::from_json(json)?),
        "delete_box" => |json, _| call(cardstore::DeleteBox::from_json(json)?),
        "get_cards" => |json, _| call(cardstore::GetCards::from_json(json)?),
        "get_boxes" => |json, _| call(cardstore::GetBoxes::from_json(json)?),
        "get_box_cards" => |json, _| call(cardstore::GetBoxCards::from_json(json)?),
        "text_form" => |json, _| call(reading::text_form(json)?),
        "read_content" => |json, defaults| call(reading::read_content(json, &defaults.limits)?),
        "read_card" => |json, _| call(reading::ReadCard::from_json(json)?),
        "read_box" => |json, _| call(reading::read_box(json)?),
    }
    /// Recipes and what the next turn of an agent sees.
    Agents = agents {
        "pack_context_with_instruction" => |json, defaults| {
            call(recipe::PackWithInstruction::from_json(json, defaults)?)
        },
        "delegate_async" => |json, defaults| call(recipe::DelegateAsync::from_json(json, defaults)?),
        "launch_principal" => |json, defaults| {
            call(recipe::DelegateAsync::launch_principal_from_json(json, defaults)?)
        },
        "ask_expert" => |json, defaults| {
            call(recipe::DelegateAsync::ask_expert_from_json(json, defaults)?)
        },
        "fork_join" => |json, defaults| call(recipe::ForkJoin::from_json(json, defaults)?),
        "fork_join_args" => |json, _| call(recipe::ForkJoinArguments::from_json(json)?),
        "run_recipe" => |json, defaults| call(recipe::RunRecipe::from_json(json, defaults)?),
        "check_recipe" => |json, _| call(recipe::CheckRecipe::from_json(json)?),
        "preview_handover" => |json, defaults| {
            call(recipe::PreviewHandover::from_json(json, defaults)?)
        },
        "resolve_current_output_box_id" => |json, _| call(recipe::ResolveOutputBox::from_json(json)?),
        "validate_box_ids_exist" => |json, defaults| {
            call(recipe::ValidateBoxes::from_json(json, defaults)?)
        },
        "turn_view" => |json, defaults| match json.get("after") {
            Some(after) if !after.is_null() => call(turn::TurnAfter::from_json(json, defaults)?),
            Some(_) | None => call(turn::TurnView::from_json(json, defaults)?),
        },
        "turn_boxes" => |json, defaults| call(turn::TurnBoxes::from_json(json, defaults)?),
    }
    /// From cards and layers to the payload, with every token counted.
    Prompt = prompt {
        "render" => |json, _| call(Render::from_json(json)?),
        "payload" => |json, defaults| call(MakePayload::from_json_with(json, defaults)?),
        "token_texts" => |json, defaults| call(tokens::TokenTexts::from_json_with(json, defaults)?),
        "count_tokens" => |json, defaults| call(tokens::CountTokens::from_json_with(json, defaults)?),
        "budget" => |json, defaults| call(FitBudget::from_json_with(json, defaults)?),
        "diff_payloads" => |json, defaults| call(DiffPayloads::from_json_with(json, defaults)?),
        "compose" => |json, _| call(plain::compose(json)?),
        "collect_contexts" => |json, _| call(plain::collect_contexts(json)?),
        "allowed_contexts" => |json, _| call(plain::allowed_contexts(json)?),
        "prompt_tables" => |json, _| call(plain::prompt_tables(json)?),
        "change_memory" => |json, _| call(plain::change_memory(json)?),
        "enter_query" => |json, _| call(plain::enter_query(json)?),
        "write_back" => |json, _| call(plain::write_back(json)?),
    }
    /// Packages of paths and indexes.
    Handoff = handoff {
        "read_handoff" => |json, _| call(handoff::Reading::from_json(&Field::root(json))?),
        "check_handoff" => |json, _| call(handoff::Checking::from_json(&Field::root(json))?),
        "build_handoff" => |json, _| call(handoff::Iteration::from_json(&Field::root(json))?),
        "store_handoff" => |json, _| call(handoff::Persist::from_json(&Field::root(json))?),
        "audit_handoff" => |json, _| call(handoff::Audit::from_json(&Field::root(json))?),
        "plan_handoff" => |json, _| call(handoff::Planning::from_json(&Field::root(json))?),
        "load_handoff" => |json, _| call(handoff::Load::from_json(&Field::root(json))?),
        "make_handoff_cards" => |json, defaults| {
            let cards = handoff::ToCards::from_json(&Field::root(json))?;
            call(handoff::ToCards { limits: defaults.limits, ..cards })
        },
    }
    /// Looking at it all.
    Inspect = inspect {
        "inspect" => |json, defaults| call(Inspect::from_json_with(json, defaults)?),
        "compare" => |json, defaults| call(inspect::Compare::from_json(json, defaults)?),
        "find_cards" => |json, _| call(inspect::FindCards::from_json(json)?),
    }
}

/// Reads the recipes of a host: a way into [`Part::Agents`].
pub(crate) fn read_recipes(list: &Field<'_>) -> Result<recipe::Recipes> {
    gate::agents_recipes(list)
}
