//! Doubles to digits and back, exactly: the double nearest to a decimal, and the shortest digits
//! that give a double back.
//!
//! What has up to fifteen digits, and so nearly everything there is, takes one division. The rest is
//! written by `ryu`: of two shortest forms that are equally near it takes the even one, as the
//! recorded systems and JavaScript do, and in its small form it is less than half of the standard
//! library's code.

use super::decimal::Decimal;
use super::nearest::nearest;

/// Every decimal of so many digits has a double of its own, so it is also the shortest one for it.
pub(super) const SAFE_DIGITS: usize = 15;

/// The powers of ten that a double holds exactly.
const POWERS: [f64; 23] = [
    1e0, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15, 1e16,
    1e17, 1e18, 1e19, 1e20, 1e21, 1e22,
];

/// True for the shortest digits of a double, written without sign and exponent.
pub(super) fn is_shortest(text: &str) -> bool {
    ryu::Buffer::new().format_finite(Decimal::of(text).nearest_double()) == text
}

impl Decimal {
    /// The double nearest to the number without its sign; the even one of two as near. May be
    /// infinite.
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

    /// The shortest digits of the double nearest to this number, if it is finite.
    pub(super) fn rounded_to_double(self) -> Option<Self> {
        let point = self.exponent.saturating_add(self.digits.len() as i64);
        if self.digits.len() <= SAFE_DIGITS && (-300..300).contains(&point) {
            return Some(self);
        }
        let nearest = self.nearest_double();
        nearest.is_finite().then(|| Self { negative: self.negative, ..Self::of_size(nearest) })
    }

    /// The shortest digits that give a finite double back, without its sign; of several, those
    /// nearest to it.
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

    /// Doubles of every size: special ones, their neighbours, and bits from a fixed sequence.
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
                // near one, as most numbers are
                1 => f64::from_bits((bits >> 12) | ((1003 + bits % 60) << 52)),
                _ => (bits % 10_000_000_000) as f64 / 1e4,
            }
        });
        near.chain(random).filter(|value| value.is_finite())
    }

    #[test]
    fn the_shortest_digits_are_as_many_as_those_of_the_standard_library() {
        for value in doubles() {
            let decimal = Decimal::of_size(value);
            assert_eq!(decimal.plain().len(), value.to_string().len(), "{value:e}");
            let form = decimal.text_form();
            assert_eq!(form.parse(), Ok(value), "{form}");
            assert_eq!(form.contains('e'), value > 0.0 && !(1e-4..1e16).contains(&value), "{form}");
        }
    }

    /// Powers of two that lie between two shortest forms, and what Python prints.
    const TIES: [(i32, &str); 2] =
        [(-25, "2.9802322387695312e-08"), (-24, "5.960464477539063e-08")];

    #[test]
    fn of_two_shortest_forms_that_are_equally_near_the_even_one_is_taken() {
        for (power, form) in TIES {
            assert_eq!(Decimal::of_size(2.0_f64.powi(power)).text_form(), form);
        }
    }

    #[test]
    fn the_nearest_double_is_that_of_the_standard_library() {
        for (round, value) in doubles().enumerate() {
            let text = format!("{value:e}");
            assert_eq!(Decimal::of(&text).nearest_double(), value, "{text}");
            let text = format!("{value:.25e}");
            assert_eq!(Decimal::of(&text).nearest_double(), value, "{text}");
            let next = f64::from_bits(value.to_bits() + 1);
            if round % 8 == 0 && value > 1e-290 && next.is_finite() {
                // exactly between two doubles, a little below, and a little above
                let half = format!("{:.1074}", (next - value) / 2.0);
                let value_text = format!("{value:.1074}");
                for text in [sum(&value_text, &half), sum(&value_text, &half) + "1"] {
                    let theirs: f64 = text.parse().unwrap();
                    assert_eq!(Decimal::of(&text).nearest_double(), theirs, "{text}");
                }
            }
        }
    }

    /// Adds two decimals with as many digits behind the point.
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
    fn what_no_double_holds_is_nothing_or_infinite() {
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
