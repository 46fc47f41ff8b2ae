//! The double nearest to a decimal with any number of digits.
//!
//! A 128-bit range that contains the number nearly always decides: both ends round to the same
//! double. Otherwise big integers are compared. The standard library does the same with a table of
//! powers of five. That table is as large as the JSON code of this crate.

use std::cmp::Ordering;

/// Number of digits that always fit into 64 bits.
const HEAD_DIGITS: usize = 19;

/// Number of digits that decides every comparison with the middle of two doubles.
///
/// A middle has fewer digits, so later digits only break ties.
const MIDDLE_DIGITS: usize = 770;

/// Returns the double nearest to `digits` × 10^`exponent`.
///
/// A tie rounds to even. The result can be infinite. The digits neither begin nor end with a zero,
/// and the number is between `1e-400` and `1e400`.
pub(super) fn nearest(digits: &str, exponent: i32) -> f64 {
    let (head, rest) = digits.split_at_checked(HEAD_DIGITS).unwrap_or((digits, ""));
    let Ok(head) = head.parse::<u64>() else { return 0.0 };
    let power = Approximate::power_of_ten(exponent.saturating_add(rest.len() as i32));
    let low = power.times(Approximate::of(head)).to_double();
    let above = if rest.is_empty() { head } else { head.saturating_add(1) };
    let high = power.times(Approximate::of(above)).upper().to_double();
    if low.to_bits() == high.to_bits() {
        return low;
    }
    match compare_to_middle(digits, exponent, low) {
        Ordering::Less => low,
        Ordering::Greater => high,
        Ordering::Equal if low.to_bits().is_multiple_of(2) => low,
        Ordering::Equal => high,
    }
}

/// A positive number that is equal to the exact one or slightly less.
#[derive(Clone, Copy)]
struct Approximate {
    /// The significant bits; the highest one is set.
    bits: u128,
    /// The power of two by which the bits are multiplied.
    exponent: i32,
}

impl Approximate {
    /// Maximum error of a product of powers.
    ///
    /// Each of 9 squarings doubles the error and adds less than 8. The 9 products add these errors.
    /// The sum is less than 2^14.
    const MAX_ERROR: u128 = 1 << 14;

    fn of(whole: u64) -> Self {
        let zeros = whole.leading_zeros();
        Self { bits: u128::from(whole) << zeros << 64, exponent: -64 - zeros as i32 }
    }

    /// Returns 10^`exponent`, by squaring.
    fn power_of_ten(exponent: i32) -> Self {
        let mut square = match exponent {
            // the binary digits of 1/5 have a period of 4
            ..0 => Self { bits: u128::MAX / 5 * 4, exponent: -130 },
            0.. => Self::of(5),
        };
        let one = Self::of(1);
        let mut power = Self { exponent: one.exponent + exponent, ..one };
        let mut left = exponent.unsigned_abs();
        while left > 0 {
            if left % 2 == 1 {
                power = power.times(square);
            }
            square = square.times(square);
            left /= 2;
        }
        power
    }

    fn times(self, other: Self) -> Self {
        let halves = |bits: u128| (bits >> 64, bits & u128::from(u64::MAX));
        let ((high, low), (other_high, other_low)) = (halves(self.bits), halves(other.bits));
        let bits = high * other_high + ((high * other_low) >> 64) + ((low * other_high) >> 64);
        let zeros = bits.leading_zeros();
        let exponent = self.exponent + other.exponent + 128 - zeros as i32;
        Self { bits: bits << zeros, exponent }
    }

    /// Returns an upper bound of the exact number.
    fn upper(self) -> Self {
        Self { bits: self.bits.saturating_add(Self::MAX_ERROR), ..self }
    }

    /// Returns the nearest double; a tie rounds to even.
    fn to_double(self) -> f64 {
        const LOWEST: i32 = -1022;
        let exponent = self.exponent + 127;
        if exponent > 1023 {
            return f64::INFINITY;
        }
        // a double below the lowest exponent has fewer bits
        let dropped = 75 + (LOWEST - exponent).max(0) as u32;
        let kept = self.bits.checked_shr(dropped).unwrap_or(0);
        let Some(half) = 1_u128.checked_shl(dropped - 1) else { return 0.0 };
        let rest = self.bits - kept.checked_shl(dropped).unwrap_or(0);
        let up = rest > half || rest == half && kept % 2 == 1;
        let kept = kept as u64 + u64::from(up);
        // the highest bit of `kept` adds 1 to the exponent
        f64::from_bits(((exponent.max(LOWEST) - LOWEST) as u64).wrapping_shl(52) + kept)
    }
}

/// Compares a decimal with the middle between a double and the next one.
fn compare_to_middle(digits: &str, exponent: i32, double: f64) -> Ordering {
    let (head, rest) = digits.split_at_checked(MIDDLE_DIGITS).unwrap_or((digits, ""));
    let exponent = exponent + rest.len() as i32;
    let (significant, binary) = match (double.to_bits() >> 52, double.to_bits() << 12 >> 12) {
        (0, bits) => (bits, -1074),
        (biased, bits) => (bits | 1 << 52, biased as i32 - 1075),
    };
    let mut decimal = Whole::of_digits(head);
    let mut middle = Whole::of(2 * significant + 1);
    let smaller = if exponent < 0 { &mut middle } else { &mut decimal };
    smaller.times_power_of_five(exponent.unsigned_abs());
    let shift = exponent - (binary - 1);
    let smaller = if shift < 0 { &mut middle } else { &mut decimal };
    smaller.times_power_of_two(shift.unsigned_abs());
    decimal.compare(&middle).then(if rest.is_empty() { Ordering::Equal } else { Ordering::Greater })
}

/// An unsigned integer of any size, in base 2^32.
///
/// The lowest digit is first, and the highest is not 0.
struct Whole(Vec<u32>);

impl Whole {
    fn of(whole: u64) -> Self {
        let mut made = Self(Vec::new());
        made.times_plus(1, (whole >> 32) as u32);
        made.times_power_of_two(32);
        made.times_plus(1, whole as u32);
        made
    }

    /// Returns the number of decimal digits.
    fn of_digits(digits: &str) -> Self {
        let mut made = Self(Vec::new());
        for some in digits.as_bytes().chunks(9) {
            let value = some.iter().fold(0, |value, digit| value * 10 + u32::from(digit - b'0'));
            made.times_plus(10_u32.pow(some.len() as u32), value);
        }
        made
    }

    fn times_plus(&mut self, factor: u32, plus: u32) {
        let mut carry = u64::from(plus);
        for digit in &mut self.0 {
            carry += u64::from(*digit) * u64::from(factor);
            *digit = carry as u32;
            carry >>= 32;
        }
        if carry > 0 {
            self.0.push(carry as u32);
        }
    }

    fn times_power_of_five(&mut self, power: u32) {
        /// The exponent of the largest power of 5 below 2^32.
        const STEP: u32 = 13;
        for _ in 0..power / STEP {
            self.times_plus(5_u32.pow(STEP), 0);
        }
        self.times_plus(5_u32.pow(power % STEP), 0);
    }

    fn times_power_of_two(&mut self, power: u32) {
        self.times_plus(1 << (power % 32), 0);
        let zeros = if self.0.is_empty() { 0 } else { power as usize / 32 };
        self.0.splice(..0, std::iter::repeat_n(0, zeros));
    }

    fn compare(&self, other: &Self) -> Ordering {
        let by_size = self.0.len().cmp(&other.0.len());
        by_size.then_with(|| self.0.iter().rev().cmp(other.0.iter().rev()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Tests digits of every length, at every size of a double and slightly beyond.
    #[test]
    fn reading_random_digits_matches_the_standard_library() {
        let mut state = 11_u64;
        let mut random = |below: u64| {
            state = state.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
            (state >> 33) % below
        };
        for _ in 0..60_000 {
            let length = if random(50) == 0 { 1 + random(900) } else { 1 + random(40) };
            let digits: String = (0..length).map(|_| char::from(b'1' + random(9) as u8)).collect();
            let exponent = random(680) as i32 - 350 - length as i32;
            let text = format!("{digits}e{exponent}");
            assert_eq!(Ok(nearest(&digits, exponent)), text.parse(), "{text}");
        }
    }

    /// Tests ties, which the range alone does not decide.
    #[test]
    fn the_middle_of_two_doubles_rounds_to_the_even_one() {
        for odd in [9007199254740993_u64, 9007199254740995, 18014398509481990, 36028797018963980] {
            assert_eq!(nearest(&odd.to_string(), 0), odd as f64, "{odd}");
            assert_eq!(nearest(&format!("{odd}{}1", "0".repeat(800)), -801), (odd + 1) as f64);
        }
    }
}
