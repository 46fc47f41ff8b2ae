//! The environment of a call: the time and random bytes, both passed by the caller.
//!
//! ```
//! use tuckbox::{Env, Timestamp};
//!
//! let env = Env::new(Timestamp::parse("2026-01-04T10:30:00Z").unwrap(), [7; 32]);
//! let mut minter = env.minter();
//! let (first, second) = (minter.card_id(), minter.card_id());
//! assert!(first < second, "ids of one call sort in the order of creation");
//! assert_eq!(env.minter().card_id(), first, "the same `Env` mints the same ids");
//! ```

use crate::value::hex::hex;
use crate::value::json::{Field, Json};
use crate::{BoxId, CardId, Result, Timestamp};
use sha2::{Digest, Sha256};
use uuid::Uuid;

/// The time and the random bytes of one call.
///
/// **Use each `Env` for one call only.** Two calls with the same `Env` mint the same ids.
///
/// ```
/// use tuckbox::value::json::Field;
/// use tuckbox::{Env, Timestamp};
///
/// let env = Env::new(Timestamp::from_millis(1_767_522_600_000), [7; 32]);
/// // hosts in other languages send it as JSON
/// let wire = env.to_wire();
/// assert_eq!(wire.get("now"), Some(&"2026-01-04T10:30:00.000Z".into()));
/// assert_eq!(Env::from_wire(&Field::root(&wire))?, env);
/// # Ok::<(), tuckbox::Error>(())
/// ```
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Env {
    /// The time of the call.
    pub now: Timestamp,
    /// 32 bytes from a cryptographic random source.
    pub entropy: [u8; 32],
}

impl Env {
    /// Creates the environment of a call made at `now`.
    pub const fn new(now: Timestamp, entropy: [u8; 32]) -> Self {
        Self { now, entropy }
    }

    /// Reads `{"now": "2026-01-04T10:30:00Z", "entropy": "64 hex digits"}`.
    ///
    /// # Errors
    /// Returns an error if a key is missing, unknown or malformed.
    pub fn from_wire(field: &Field<'_>) -> Result<Self> {
        let fields = field.object()?;
        fields.only(&["now", "entropy"])?;
        let now = Timestamp::from_wire(&fields.required("now")?)?;
        let entropy = fields.required("entropy")?;
        let bytes = from_hex(entropy.string()?)
            .ok_or_else(|| entropy.error("`entropy` must be 64 hex digits"))?;
        Ok(Self::new(now, bytes))
    }

    /// Returns the environment in the form that [`Env::from_wire`] reads.
    pub fn to_wire(&self) -> Json {
        Json::from([("now", Json::from(self.now)), ("entropy", hex(&self.entropy).into())])
    }

    /// Returns the minter of the ids of this call.
    pub fn minter(&self) -> Minter {
        Minter::new(self)
    }
}

fn from_hex(text: &str) -> Option<[u8; 32]> {
    let mut bytes = [0; 32];
    if text.len() != 64 || !text.bytes().all(|byte| byte.is_ascii_hexdigit()) {
        return None;
    }
    for (at, byte) in bytes.iter_mut().enumerate() {
        *byte = u8::from_str_radix(text.get(at * 2..at * 2 + 2)?, 16).ok()?;
    }
    Some(bytes)
}

/// Counter bits of an id; the [`TAIL_BITS`] after them are random.
const COUNTER_BITS: u32 = 32;
const TAIL_BITS: u32 = 42;
/// Number of ids whose tails come from one hash.
const TAILS: usize = 5;

/// A generator of the ids of one call, seeded by its [`Env`].
///
/// Each id is greater than the one before.
///
/// An id is a UUID v7: the time of the call, a 32-bit counter and a random tail. The counter starts
/// at a random value in the lower half of its range. If the counter overflows, after at least 2³¹
/// ids, the time part advances by 1 ms. So ids always increase.
///
/// ```
/// use tuckbox::value::env::Minter;
/// use tuckbox::{Env, Timestamp};
///
/// let mut minter = Minter::new(&Env::new(Timestamp::from_millis(1_767_522_600_000), [7; 32]));
/// let (card, named) = (minter.card_id(), minter.box_id());
/// assert_eq!((card.as_str().len(), named.as_str().len()), (32, 36));
/// assert!(minter.uuid() < minter.uuid());
/// ```
#[derive(Clone, Debug)]
pub struct Minter {
    millis: u64,
    counter: u64,
    entropy: [u8; 32],
    block: u64,
    tails: [u64; TAILS],
    used: usize,
}

impl Minter {
    /// Creates the minter of a call. Two minters of one `Env` mint the same ids.
    pub fn new(env: &Env) -> Self {
        let mut minter = Self {
            millis: u64::try_from(env.now.as_millis()).unwrap_or(0),
            counter: 0,
            entropy: env.entropy,
            block: 0,
            tails: [0; TAILS],
            used: TAILS,
        };
        minter.counter = minter.tail() >> (TAIL_BITS + 1 - COUNTER_BITS);
        minter
    }

    /// Mints a card id: 32 hex digits.
    pub fn card_id(&mut self) -> CardId {
        CardId::from(&*self.uuid().simple().encode_lower(&mut Uuid::encode_buffer()))
    }

    /// Mints a box id: a hyphenated UUID.
    pub fn box_id(&mut self) -> BoxId {
        BoxId::from(&*self.uuid().hyphenated().encode_lower(&mut Uuid::encode_buffer()))
    }

    /// Mints the id of an operation: a hyphenated UUID.
    pub fn operation_id(&mut self) -> String {
        self.uuid().hyphenated().encode_lower(&mut Uuid::encode_buffer()).to_owned()
    }

    /// Mints a UUID v7 for any other use.
    pub fn uuid(&mut self) -> Uuid {
        let tail = self.tail();
        let counter = self.counter;
        self.counter += 1;
        let millis = self.millis + (counter >> COUNTER_BITS);
        let counter = u128::from(counter & ((1 << COUNTER_BITS) - 1));
        let bits = (counter << TAIL_BITS) | u128::from(tail);
        // UUID v7 has 12 free bits, the variant, then 62 free bits
        let (high, low) = (bits >> 62, bits & ((1 << 62) - 1));
        let value = (u128::from(millis) << 80) | (0x7 << 76) | (high << 64) | (0b10 << 62) | low;
        Uuid::from_u128(value)
    }

    fn tail(&mut self) -> u64 {
        if self.used >= TAILS {
            let mut hash = Sha256::new();
            hash.update(self.entropy);
            hash.update(self.block.to_be_bytes());
            self.block += 1;
            let digest = hash.finalize();
            for (tail, bytes) in self.tails.iter_mut().zip(digest.chunks_exact(6)) {
                let whole = bytes.iter().fold(0, |whole, byte| (whole << 8) | u64::from(*byte));
                *tail = whole & ((1 << TAIL_BITS) - 1);
            }
            self.used = 0;
        }
        let tail = self.tails.get(self.used).copied().unwrap_or(0);
        self.used += 1;
        tail
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn env(entropy: u8) -> Env {
        Env::new(Timestamp::from_millis(1_767_522_600_000), [entropy; 32])
    }

    #[test]
    fn a_million_ids_of_one_call_increase_strictly() {
        let mut minter = env(1).minter();
        let mut last = minter.uuid();
        for _ in 0..1_000_000 {
            let next = minter.uuid();
            assert!(next > last);
            last = next;
        }
    }

    #[test]
    fn ids_increase_after_the_counter_overflows() {
        let mut minter = env(1).minter();
        minter.counter = (1 << COUNTER_BITS) - 2;
        let ids: Vec<CardId> = (0..4).map(|_| minter.card_id()).collect();
        assert!(ids.is_sorted_by(|a, b| a < b), "{ids:?}");
    }

    #[test]
    fn ids_are_uuid_v7_of_the_time_of_the_call() {
        let id = env(9).minter().uuid();
        assert_eq!(id.get_version_num(), 7);
        assert_eq!(id.get_variant(), uuid::Variant::RFC4122);
        assert_eq!(id.as_u128() >> 80, 1_767_522_600_000);
        let (card, boxed) = (env(9).minter().card_id(), env(9).minter().box_id());
        assert_eq!(boxed.as_str().replace('-', ""), card.as_str());
        assert_eq!((card.as_str().len(), boxed.as_str().len()), (32, 36));
    }

    #[test]
    fn calls_at_the_same_time_with_other_entropy_mint_other_ids() {
        let first: Vec<Uuid> = (0..=255).map(|byte| env(byte).minter().uuid()).collect();
        let mut unique = first.clone();
        unique.sort_unstable();
        unique.dedup();
        assert_eq!(unique.len(), first.len());
    }

    #[test]
    fn an_env_survives_a_round_trip_through_json() {
        let wire = env(171).to_wire();
        assert_eq!(Env::from_wire(&Field::root(&wire)).unwrap(), env(171));
        let short = Json::from([("now", Json::from(0_i64)), ("entropy", Json::from("ab"))]);
        let error = Env::from_wire(&Field::root(&short)).unwrap_err();
        assert_eq!(error.to_string(), "bad_request at `entropy`: `entropy` must be 64 hex digits");
    }
}
