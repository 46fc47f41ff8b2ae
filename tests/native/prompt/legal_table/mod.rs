//! Compares Tuckbox with other libraries on the same unusual conversations. The rules in
//! `provider_rules` judge the requests.
//!
//! `cargo xtask bench legal` runs the other libraries, and sets `TUCKBOX_PEERS` to the folder of
//! their bodies.
mod spelling;

use crate::prompt::provider_rules::check;
use std::fs;
use std::path::Path;
use tuckbox::prompt::provider::{Options, Prompt, Provider, payload};
use tuckbox::value::json::{Field, Json};
use tuckbox::value::message::Message;

const CONVERSATIONS: usize = 101;

/// The providers that every library supports, and the models.
const PROVIDERS: [(Provider, &str); 4] = [
    (Provider::Anthropic, "claude-sonnet-4-5"),
    (Provider::Gemini, "gemini-2.5-flash"),
    (Provider::OpenaiChat, "gpt-4.1"),
    (Provider::OpenaiResponses, "gpt-4.1"),
];

/// The results of one provider.
#[derive(Clone, Debug, Default)]
struct Tally {
    legal: usize,
    refused: usize,
    illegal: usize,
    /// Requests for which the library needs to download an image. The test has no network.
    unjudged: usize,
    /// The broken rules.
    why: Vec<String>,
}

impl Tally {
    /// Adds a request, or `None` if the library refused to build one.
    fn add(&mut self, provider: Provider, body: Option<&Json>) {
        match body.map(|body| check(provider, body)) {
            None => self.refused += 1,
            Some(Ok(())) => self.legal += 1,
            Some(Err(rule)) => {
                self.illegal += 1;
                self.why.push(rule);
            }
        }
    }
}

/// Returns the conversations in the format of chat completions. Each is unusual in one way.
fn conversations() -> Vec<Prompt> {
    let read = Json::parse(include_str!("../../../peers/conversations.json")).unwrap();
    let of = |conversation: &Json| {
        let list = |key: &str| conversation.get(key).and_then(Json::as_array).unwrap_or_default();
        let message = |json: &Json| Message::from_json(&Field::root(json)).unwrap();
        let tool = |json: &Json| json.as_object().unwrap().clone();
        let prompt = Prompt::new(list("messages").iter().map(message).collect());
        Prompt { tools: list("tools").iter().map(tool).collect(), ..prompt }
    };
    read.as_array().unwrap().iter().map(of).collect()
}

fn ours(prompts: &[Prompt], provider: Provider, model: &str) -> Tally {
    let mut tally = Tally::default();
    for prompt in prompts {
        let body = payload(prompt, provider, &Options::model(model)).map(|made| made.body());
        tally.add(provider, body.as_ref().ok());
    }
    tally
}

/// Reads the requests of a library for a provider. `null` is a refusal, and `"offline"` is a
/// request that needs a download.
fn theirs(file: &Path, provider: Provider) -> Option<Tally> {
    let read = Json::parse(&fs::read_to_string(file).unwrap()).unwrap();
    let bodies = read.get(provider.as_str())?.as_array().unwrap();
    assert_eq!(bodies.len(), CONVERSATIONS, "{}", file.display());
    let mut tally = Tally::default();
    for body in bodies {
        if body.as_str() == Some("offline") {
            tally.unjudged += 1;
            continue;
        }
        let body = Some(body).filter(|body| !body.is_null());
        tally.add(provider, body.map(|body| spelling::spelled(provider, body)).as_ref());
    }
    Some(tally)
}

fn row(name: &str, tallies: &[Option<Tally>]) {
    let cells = tallies.iter().map(|tally| match tally {
        Some(Tally { legal, refused, illegal, unjudged, why: _ }) => match unjudged {
            0 => format!("{legal} / {refused} / {illegal}"),
            _ => format!("{legal} / {refused} / {illegal} ({unjudged} not judged)"),
        },
        None => "-".to_owned(),
    });
    println!("| {name} | {} |", cells.collect::<Vec<_>>().join(" | "));
}

#[test]
fn tuckbox_builds_no_illegal_request_and_more_legal_ones_than_its_peers() {
    let prompts = conversations();
    assert_eq!(prompts.len(), CONVERSATIONS);
    let own = PROVIDERS.map(|(provider, model)| ours(&prompts, provider, model));
    for (tally, (provider, _)) in own.iter().zip(PROVIDERS) {
        assert_eq!(tally.illegal, 0, "{provider:?}: {:?}", tally.why);
        assert!(tally.legal > 90, "{provider:?}: {tally:?}");
    }
    let Some(folder) = std::env::var_os("TUCKBOX_PEERS") else { return };
    let mut files: Vec<_> =
        fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    files.sort();
    println!("| legal / refused / illegal of {CONVERSATIONS} | {} |", {
        PROVIDERS.map(|(provider, _)| provider.as_str()).join(" | ")
    });
    println!("|---|---|---|---|---|");
    row("Tuckbox", &own.clone().map(Some));
    for file in files {
        let name = file.file_stem().unwrap().to_string_lossy().into_owned();
        let peers = PROVIDERS.map(|(provider, _)| theirs(&file, provider));
        row(&name, &peers);
        for ((peer, own), (provider, _)) in peers.iter().zip(&own).zip(PROVIDERS) {
            let Some(peer) = peer else { continue };
            for rule in &peer.why {
                eprintln!("{name}, {}: {rule:.200}", provider.as_str());
            }
            assert!(own.legal > peer.legal, "{name}, {provider:?}: {peer:?}");
            assert!(own.illegal <= peer.illegal, "{name}, {provider:?}: {peer:?}");
        }
    }
}
