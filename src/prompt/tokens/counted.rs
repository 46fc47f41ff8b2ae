//! Counts of a counter that runs in the host: the host counts strings, the core adds them.

use super::{Counter, Estimate, LeafKind, TokenCount, leaves};
use crate::prompt::provider::Payload;
use crate::value::{Map as IndexMap, Set as IndexSet};
use crate::{Error, Path, Result};

/// Returns the strings of a payload to count, each once, in order.
///
/// ```
/// use tuckbox::Message;
/// use tuckbox::prompt::provider::{Options, Prompt, Provider, payload};
/// use tuckbox::prompt::tokens::texts;
///
/// let prompt = Prompt::new(vec![Message::system("Be brief."), Message::user("Hello"), Message::user("Hello")]);
/// let made = payload(&prompt, Provider::OpenaiChat, &Options::model("m"))?;
/// assert_eq!(texts(&made), ["Be brief.", "Hello"]);
/// # Ok::<(), tuckbox::Error>(())
/// ```
pub fn texts(payload: &Payload) -> Vec<String> {
    let counted = leaves(payload).into_iter().filter(|leaf| match leaf.kind {
        LeafKind::Media(_) => false,
        LeafKind::Tool
        | LeafKind::Name
        | LeafKind::Text
        | LeafKind::Call
        | LeafKind::Arguments
        | LeafKind::Answer
        | LeafKind::Reasoning
        | LeafKind::Own => true,
    });
    counted.map(|leaf| String::from(&*leaf.text)).collect::<IndexSet<_>>().into_iter().collect()
}

/// A counter that has the counts of some strings and estimates others.
///
/// ```
/// use tuckbox::prompt::tokens::{Counted, Counter};
///
/// let counted = Counted::new(vec!["hello".to_owned()], &[1], true)?;
/// assert!(counted.token_count("hello").exact);
/// assert!(!counted.token_count("something else").exact);
/// # Ok::<(), tuckbox::Error>(())
/// ```
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Counted {
    counts: IndexMap<String, u64>,
    exact: bool,
}

impl Counted {
    /// Returns the counter for strings and their counts, in the same order.
    ///
    /// # Errors
    /// `bad_request` when the numbers of counts and strings differ.
    pub fn new(texts: Vec<String>, counts: &[u64], exact: bool) -> Result<Self> {
        if texts.len() != counts.len() {
            return Err(Error::bad_request(format!(
                "found {} counts for {} strings; expected one for each string of `token_texts`",
                counts.len(),
                texts.len()
            ))
            .at(Path::root().key("counter").key("counts")));
        }
        Ok(Self { counts: texts.into_iter().zip(counts.iter().copied()).collect(), exact })
    }
}

impl Counter for Counted {
    fn count(&self, text: &str) -> u64 {
        self.token_count(text).tokens
    }

    fn exact(&self) -> bool {
        self.exact
    }

    fn token_count(&self, text: &str) -> TokenCount {
        match self.counts.get(text) {
            Some(&tokens) => TokenCount { tokens, exact: self.exact },
            None => TokenCount::estimated(Estimate.count(text)),
        }
    }
}
