//! A row of any kind in a snapshot.

use super::ResidentCard;
use super::{Agent, Directory, Kind, Profile, StoredFile};
use crate::Result;
use crate::value::boxes::CardBox;
use crate::value::card::Card;
use crate::value::json::Field;

macro_rules! rows {
    ($($name:ident($held:ty, $thing:ty), $as_thing:ident;)*) => {
        /// A row. Cards are numerous and stay inline; the other kinds are boxed.
        #[derive(Clone, Debug, PartialEq)]
        pub(super) enum Row {
            $($name($held),)*
        }

        impl Row {
            $(
                pub fn $as_thing(&self) -> Option<&$thing> {
                    if let Self::$name(thing) = self { Some(thing) } else { None }
                }
            )*
        }
    };
}

rows! {
    Profile(Box<Profile>, Profile), as_profile;
    Box(Box<CardBox>, CardBox), as_box;
    Card(ResidentCard, ResidentCard), as_card;
    Agent(Box<Agent>, Agent), as_agent;
    File(Box<StoredFile>, StoredFile), as_file;
    Directory(Box<Directory>, Directory), as_directory;
}

impl Row {
    /// Reads a row of a kind.
    pub fn read(kind: Kind, row: &Field<'_>) -> Result<Self> {
        Ok(match kind {
            Kind::Profiles | Kind::ProfilesByBox => Self::from(Profile::from_row(row)?),
            Kind::Boxes => Self::from(CardBox::from_row(row)?),
            Kind::Cards => Self::from(Card::from_row(row)?),
            Kind::Agents => Self::from(Agent::from_row(row)?),
            Kind::Files => Self::from(StoredFile::from_row(row)?),
            Kind::Directories => Self::from(Directory::from_row(row)?),
        })
    }

    /// Returns the key of this row for reads of `kind`.
    pub fn key(&self, kind: Kind) -> &str {
        match self {
            Self::Profile(profile) if kind == Kind::ProfilesByBox => profile.box_key(),
            Self::Profile(profile) => &profile.name,
            Self::Box(card_box) => card_box.box_id.as_str(),
            Self::Card(card) => card.card_id().as_str(),
            Self::Agent(agent) => agent.agent_id.as_str(),
            Self::File(file) => &file.path,
            Self::Directory(directory) => &directory.directory,
        }
    }
}

impl From<Profile> for Row {
    fn from(profile: Profile) -> Self {
        Self::Profile(Box::new(profile))
    }
}

impl From<CardBox> for Row {
    fn from(card_box: CardBox) -> Self {
        Self::Box(Box::new(card_box))
    }
}

impl From<Card> for Row {
    fn from(card: Card) -> Self {
        Self::Card(ResidentCard::from(card))
    }
}

impl From<Agent> for Row {
    fn from(agent: Agent) -> Self {
        Self::Agent(Box::new(agent))
    }
}

impl From<StoredFile> for Row {
    fn from(file: StoredFile) -> Self {
        Self::File(Box::new(file))
    }
}

impl From<Directory> for Row {
    fn from(directory: Directory) -> Self {
        Self::Directory(Box::new(directory))
    }
}
