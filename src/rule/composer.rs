//! The composer's policy: decided once for a project.

use crate::Result;
use crate::value::json::Field;
use serde::Serialize;

/// Where the summary of the history stands.
///
/// Shown by the example of [`Composer`].
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum CompressionPlace {
    /// Among the blocks, before the checkpoint's messages.
    #[default]
    BeforeCheckpoint,
    /// After the checkpoint's messages, before what comes with this call.
    AfterCheckpoint,
}

/// The policy under which prompts are composed. It belongs to the settings of a project: no call
/// can override it.
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
    /// The one switch: whether shared blocks are injected. Nothing means the default of each
    /// process. A process whose row follows no switch is not changed by it.
    pub enable_share_context: Option<bool>,
    /// Where the summary of the history stands.
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
                        "unknown place `{other}`; known are `before_checkpoint`, `after_checkpoint`"
                    )));
                }
            },
        };
        Ok(Self { enable_share_context: share.transpose()?, compression })
    }
}
