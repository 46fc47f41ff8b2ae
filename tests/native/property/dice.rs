//! A pseudorandom generator.

/// The source of the rolls.
enum Rolls {
    Thrown,
    /// Generated, and recorded for shrinking.
    Kept(Vec<usize>),
    /// Recorded rolls, followed by zeros.
    Given(std::vec::IntoIter<usize>),
}

/// A small generator (SplitMix64) with the same results on every machine. A roll of zero is the
/// simplest: no entries, the first choice, false.
pub struct Dice {
    state: u64,
    rolls: Rolls,
}

impl Dice {
    pub fn of(throw: u64) -> Self {
        Self { state: throw ^ 0x9e37_79b9_7f4a_7c15, rolls: Rolls::Thrown }
    }

    /// Creates the generator of a seed that records its rolls.
    pub fn keeping(throw: u64) -> Self {
        Self { rolls: Rolls::Kept(Vec::new()), ..Self::of(throw) }
    }

    /// Creates a generator of given rolls.
    pub fn given(rolls: Vec<usize>) -> Self {
        Self { state: 0, rolls: Rolls::Given(rolls.into_iter()) }
    }

    /// Returns the recorded rolls.
    pub fn kept(self) -> Vec<usize> {
        match self.rolls {
            Rolls::Kept(rolls) => rolls,
            Rolls::Thrown | Rolls::Given(_) => Vec::new(),
        }
    }

    fn next(&mut self) -> u64 {
        self.state = self.state.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = self.state;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ (mixed >> 31)
    }

    /// Returns a number below `end`.
    pub fn below(&mut self, end: usize) -> usize {
        if let Rolls::Given(rolls) = &mut self.rolls {
            return rolls.next().unwrap_or(0) % end;
        }
        let roll = (self.next() % end as u64) as usize;
        if let Rolls::Kept(rolls) = &mut self.rolls {
            rolls.push(roll);
        }
        roll
    }

    /// Returns true with a chance in percent.
    pub fn percent(&mut self, chance: usize) -> bool {
        self.below(100) >= 100 - chance
    }

    /// Returns one of the values.
    pub fn pick<'a, T: ?Sized>(&mut self, from: &[&'a T]) -> &'a T {
        from[self.below(from.len())]
    }

    /// Returns a list of fewer than `end` items.
    pub fn fewer<T>(&mut self, end: usize, mut make: impl FnMut(&mut Self) -> T) -> Vec<T> {
        (0..self.below(end)).map(|_| make(self)).collect()
    }
}
