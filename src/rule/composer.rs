//! The composition policy of a project.

use crate::Result;
use crate::value::json::Field;
use serde::Serialize;

/// The position of the history summary.
///
/// Shown by the example of [`Composer`].
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum CompressionPlace {
    /// Among the blocks, before the checkpoint's messages.
    #[default]
    BeforeCheckpoint,
    /// After the checkpoint's messages, before the messages of this call.
    AfterCheckpoint,
}

/// The policy for composing prompts. It is a project setting, and a call cannot override it.
///
/// ```
/// use tuckbox::Message;
/// use tuckbox::prompt::compose::{ComposeInput, Composer, CompressionPlace, Layer, Process, Query};
///
/// let composer = Composer { compression: CompressionPlace::AfterCheckpoint, ..Composer::default() };
/// let input = ComposeInput::new(Process::React, "s", Query::Runtime("q".into()))
///     .with_context("compression__context", "long ago")
///     .with_checkpoint(vec![Message::user("hello")]);
/// let composed = composer.compose(&input)?;
/// assert_eq!(composed.ledger.entries[2].layer, Layer::Compression);
/// # Ok::<(), tuckbox::Error>(())
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Composer {
    /// Whether shared blocks are injected. `None` is the default of each process. It has no effect
    /// on processes with a fixed choice.
    pub enable_share_context: Option<bool>,
    /// The position of the history summary.
    pub compression: CompressionPlace,
}

impl Composer {
    /// Reads `{"enable_share_context"?: bool, "compression"?: "before_checkpoint" |
    /// "after_checkpoint"}`.
    ///
    /// # Errors
    /// `bad_request` for an unknown key or place.
    pub fn from_json(field: &Field<'_>) -> Result<Self> {
        let fields = field.object()?;
        fields.only(&["enable_share_context", "compression"])?;
        let share = fields.optional("enable_share_context").map(|share| share.boolean());
        let compression = match fields.optional("compression") {
            None => CompressionPlace::default(),
            Some(place) => match place.string()? {
                "before_checkpoint" => CompressionPlace::BeforeCheckpoint,
                "after_checkpoint" => CompressionPlace::AfterCheckpoint,
                other => {
                    return Err(place.error(format!(
                        "unknown place `{other}`; expected `before_checkpoint` or `after_checkpoint`"
                    )));
                }
            },
        };
        Ok(Self { enable_share_context: share.transpose()?, compression })
    }
}
