//! How many tokens a text costs: a trait for whoever knows, and an estimate for everyone else.
//!
//! ```
//! use tuckbox::tokens::{Counter, Estimate};
//!
//! assert_eq!(Estimate.count("hello, world"), 3);
//! assert_eq!(Estimate.count("请假申请"), 4);
//! assert!(!Estimate.exact());
//! ```

/// Counts the tokens of a text.
pub trait Counter {
    /// How many tokens `text` costs.
    fn count(&self, text: &str) -> u64;
    /// True when the count is the model's own.
    fn exact(&self) -> bool;
}

/// An estimate that needs no tables: four ASCII characters or one other character a token.
#[derive(Clone, Copy, Debug, Default)]
pub struct Estimate;

impl Counter for Estimate {
    fn count(&self, text: &str) -> u64 {
        let ascii = text.bytes().filter(u8::is_ascii).count() as u64;
        let others = text.chars().filter(|c| !c.is_ascii()).count() as u64;
        ascii.div_ceil(4) + others
    }

    fn exact(&self) -> bool {
        false
    }
}
