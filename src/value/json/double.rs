//! Exact conversion between doubles and decimal digits.
//!
//! Nearly all numbers have at most 15 digits and need one division. `ryu` writes the others. Like
//! JavaScript and the reference systems, it selects the even one of two equally near shortest
//! forms. Its small variant is less than half the size of the standard library's code.

use super::decimal::Decimal;
use super::nearest::nearest;

/// Maximum number of digits for which each decimal has its own double.
pub(super) const SAFE_DIGITS: usize = 15;

/// The powers of ten that a double represents exactly.
const POWERS: [f64; 23] = [
    1e0, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15, 1e16,
    1e17, 1e18, 1e19, 1e20, 1e21, 1e22,
];

/// Returns whether `text`, without sign and exponent, has the shortest digits of a double.
pub(super) fn is_shortest(text: &str) -> bool {
    ryu::Buffer::new().format_finite(Decimal::of(text).nearest_double()) == text
}

impl Decimal {
    /// Returns the double nearest to the number without its sign.
    ///
    /// A tie rounds to even. The result can be infinite.
    pub(super) fn nearest_double(&self) -> f64 {
        let point = self.exponent.saturating_add(self.digits.len() as i64);
        if self.digits.is_empty() || point < -400 {
            return 0.0;
        }
        if point > 400 {
            return f64::INFINITY;
        }
        let exponent = self.exponent as i32;
        let power = POWERS.get(exponent.unsigned_abs() as usize);
        if self.digits.len() <= SAFE_DIGITS
            && let (Ok(digits), Some(power)) = (self.digits.parse::<u64>(), power)
        {
            let digits = digits as f64;
            return if exponent < 0 { digits / power } else { digits * power };
        }
        nearest(&self.digits, exponent)
    }

    /// Returns the shortest digits of the nearest double, if it is finite.
    pub(super) fn round_to_double(self) -> Option<Self> {
        let point = self.exponent.saturating_add(self.digits.len() as i64);
        if self.digits.len() <= SAFE_DIGITS && (-300..300).contains(&point) {
            return Some(self);
        }
        let nearest = self.nearest_double();
        nearest.is_finite().then(|| Self { negative: self.negative, ..Self::of_size(nearest) })
    }

    /// Returns the shortest digits that read as the absolute value of a finite double.
    ///
    /// If there are several, the result is the one nearest to the double.
    pub(super) fn of_size(value: f64) -> Self {
        let size = value.abs();
        let short = POWERS.iter().zip(0..).find_map(|(power, places)| {
            let digits = (size * power + 0.5) as u64;
            let fits = digits < 1_000_000_000_000_000 && digits as f64 / power == size;
            fits.then_some((digits, -places))
        });
        match short {
            Some((digits, exponent)) => Self::new(false, &digits.to_string(), exponent),
            None => Self::of(ryu::Buffer::new().format_finite(size)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns special doubles, their neighbors, and doubles from a fixed sequence.
    fn doubles() -> impl Iterator<Item = f64> {
        let special = [
            0.0,
            1.0,
            0.1,
            0.3,
            1e15,
            1e16,
            1e22,
            1e23,
            5e-324,
            2.2250738585072014e-308,
            f64::MAX,
            9007199254740993.0,
            2.0_f64.powi(-1022),
            2.0_f64.powi(-1021),
            4503599627370496.0,
        ];
        let powers = (-1074..1024).map(|exponent| 2.0_f64.powi(exponent));
        let tens = (-320..309).map(|exponent| format!("1e{exponent}").parse().unwrap());
        let near = special.into_iter().chain(powers).chain(tens).flat_map(|value: f64| {
            let bits = value.to_bits();
            [bits.saturating_sub(1), bits, bits + 1].map(f64::from_bits)
        });
        let mut state = 7_u64;
        let random = (0..30_000).map(move |round| {
            state = state.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
            let bits = state ^ (state >> 29);
            match round % 3 {
                0 => f64::from_bits(bits >> 1),
                // near 1, like most numbers
                1 => f64::from_bits((bits >> 12) | ((1003 + bits % 60) << 52)),
                _ => (bits % 10_000_000_000) as f64 / 1e4,
            }
        });
        near.chain(random).filter(|value| value.is_finite())
    }

    #[test]
    fn shortest_digits_have_the_length_of_the_standard_library() {
        for value in doubles() {
            let decimal = Decimal::of_size(value);
            assert_eq!(decimal.plain().len(), value.to_string().len(), "{value:e}");
            let form = decimal.text_form();
            assert_eq!(form.parse(), Ok(value), "{form}");
            assert_eq!(form.contains('e'), value > 0.0 && !(1e-4..1e16).contains(&value), "{form}");
        }
    }

    /// Powers of two between two shortest forms, with the output of Python.
    const TIES: [(i32, &str); 2] =
        [(-25, "2.9802322387695312e-08"), (-24, "5.960464477539063e-08")];

    #[test]
    fn a_tie_between_shortest_forms_goes_to_the_even_one() {
        for (power, form) in TIES {
            assert_eq!(Decimal::of_size(2.0_f64.powi(power)).text_form(), form);
        }
    }

    #[test]
    fn the_nearest_double_matches_the_standard_library() {
        for (round, value) in doubles().enumerate() {
            let text = format!("{value:e}");
            assert_eq!(Decimal::of(&text).nearest_double(), value, "{text}");
            let text = format!("{value:.25e}");
            assert_eq!(Decimal::of(&text).nearest_double(), value, "{text}");
            let next = f64::from_bits(value.to_bits() + 1);
            // each takes as long as a hundred others
            if round % 64 == 0 && value > 1e-290 && next.is_finite() {
                // exactly between two doubles, just below, and just above
                let half = format!("{:.1074}", (next - value) / 2.0);
                let value_text = format!("{value:.1074}");
                for text in [sum(&value_text, &half), sum(&value_text, &half) + "1"] {
                    let theirs: f64 = text.parse().unwrap();
                    assert_eq!(Decimal::of(&text).nearest_double(), theirs, "{text}");
                }
            }
        }
    }

    /// Adds two decimals that have the same number of digits after the point.
    fn sum(a: &str, b: &str) -> String {
        let width = a.len().max(b.len());
        let (a, b) = (format!("{a:0>width$}"), format!("{b:0>width$}"));
        let mut carry = 0;
        let mut out: Vec<char> = Vec::new();
        for (x, y) in a.bytes().rev().zip(b.bytes().rev()) {
            if x == b'.' {
                out.push('.');
                continue;
            }
            let digit = x - b'0' + y - b'0' + carry;
            carry = digit / 10;
            out.push(char::from(b'0' + digit % 10));
        }
        out.push(char::from(b'0' + carry));
        out.iter().rev().collect()
    }

    #[test]
    fn numbers_out_of_range_are_zero_or_infinite() {
        let double = |text: &str| Decimal::of(text).nearest_double();
        assert_eq!(double("1e309"), f64::INFINITY);
        assert_eq!(double("1e999999999999"), f64::INFINITY);
        assert_eq!(double("1.7976931348623159e308"), f64::INFINITY);
        assert_eq!(double("2e-324"), 0.0);
        assert_eq!(double("2.4703282292062327e-324"), 0.0);
        assert_eq!(double("2.4703282292062328e-324"), 5e-324);
        assert_eq!(double("1e-999999999999"), 0.0);
        assert_eq!(double(&format!("0.{}1", "0".repeat(500))), 0.0);
        assert_eq!(double(&format!("9007199254740993.{}1", "0".repeat(2000))), 9007199254740994.0);
        assert_eq!(double(&format!("9007199254740993.{}", "0".repeat(2000))), 9007199254740992.0);
    }
}
