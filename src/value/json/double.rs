//! Doubles to digits and back, exactly: the double nearest to a decimal, and the shortest digits
//! that give a double back.
//!
//! What has up to fifteen digits, and so nearly everything there is, takes one division. The rest
//! is done with whole numbers of any size, digit by digit: slow, rare, and small. The tables of
//! the standard library are as large as all of our JSON.

use super::decimal::Decimal;
use std::cmp::Ordering;

/// Every decimal of so many digits has a double of its own, so it is also the shortest one for it.
const SAFE_DIGITS: usize = 15;

/// The powers of ten that a double holds exactly.
const POWERS: [f64; 23] = [
    1e0, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15, 1e16,
    1e17, 1e18, 1e19, 1e20, 1e21, 1e22,
];

/// No two doubles, and no point between them, differ only behind so many digits.
const TELLING_DIGITS: usize = 800;

/// The bits of a double's fraction, with the leading one.
const PRECISION: i32 = 53;

/// The exponent of the smallest double with all its bits.
const LEAST_EXPONENT: i32 = -1022;

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
        let (digits, exponent) = short.unwrap_or_else(|| shortest(size));
        Self::new(false, &digits.to_string(), exponent)
    }
}

/// The double nearest to `digits` times ten to `exponent`.
#[cold]
fn nearest(digits: &str, mut exponent: i32) -> f64 {
    let mut above = Whole::from(0);
    for digit in digits.bytes().take(TELLING_DIGITS) {
        above.times(10, u32::from(digit - b'0'));
    }
    if let Some(left) = digits.len().checked_sub(TELLING_DIGITS + 1) {
        // something follows, and it is not only zeros
        above.times(10, 1);
        exponent += left as i32;
    }
    let mut below = Whole::from(1);
    if exponent < 0 { &mut below } else { &mut above }.times_ten_to(exponent.unsigned_abs());

    // the number is `above / below * 2^binary`, the fraction at least one and less than two
    let mut binary = above.bits() - below.bits();
    if binary < 0 { &mut above } else { &mut below }.shift(binary.unsigned_abs());
    if above.compare(&below).is_lt() {
        above.shift(1);
        binary -= 1;
    }
    if binary > 1023 {
        return f64::INFINITY;
    }
    let bits = PRECISION - (LEAST_EXPONENT - binary).max(0);
    if bits < 0 {
        return 0.0;
    }
    let mut kept = 0_u64;
    for _ in 0..bits {
        let one = above.compare(&below).is_ge();
        if one {
            above.minus(&below);
        }
        kept = kept * 2 + u64::from(one);
        above.shift(1);
    }
    // what is left is measured in halves of the last bit
    let up = match above.compare(&below) {
        Ordering::Less => false,
        Ordering::Equal => kept % 2 == 1,
        Ordering::Greater => true,
    };
    (kept + u64::from(up)) as f64 * two_to(binary - bits + 1)
}

/// Two to the power of `exponent`, which is one of a double.
fn two_to(exponent: i32) -> f64 {
    match exponent.checked_sub(LEAST_EXPONENT) {
        Some(over @ 0..) => f64::from_bits((over as u64 + 1) << (PRECISION - 1)),
        Some(_) | None => f64::from_bits(1 << (exponent - LEAST_EXPONENT + PRECISION - 1)),
    }
}

/// The shortest digits of a double above zero, and the power of ten to multiply them with: digits
/// are made until what is left is nearer than any other double.
#[cold]
fn shortest(value: f64) -> (u64, i64) {
    let fraction = value.to_bits() & ((1 << (PRECISION - 1)) - 1);
    let biased = (value.to_bits() >> (PRECISION - 1)) as i32;
    let leading = if biased == 0 { 0 } else { 1 << (PRECISION - 1) };
    let binary = biased.max(1) + LEAST_EXPONENT - PRECISION;
    let even = fraction.is_multiple_of(2);
    // the double below the first of a power of two is half as far away
    let near = fraction == 0 && biased > 1;

    // the value is `rest / unit`; half of the way to the next doubles is `over` and `under`
    let mut rest = Whole::from(leading | fraction);
    let mut unit = Whole::from(1);
    let mut under = Whole::from(1);
    rest.shift(1 + u32::from(near));
    unit.shift(1 + u32::from(near));
    if binary < 0 {
        unit.shift(binary.unsigned_abs());
    } else {
        rest.shift(binary.unsigned_abs());
        under.shift(binary.unsigned_abs());
    }
    let mut over = under.clone();
    over.shift(u32::from(near));

    let reaches = |rest: &Whole, over: &Whole, unit: &Whole| {
        let mut top = rest.clone();
        top.plus(over);
        let order = top.compare(unit);
        order.is_gt() || (even && order.is_eq())
    };
    // a power of ten that is surely not too large: log10(2) is a little above 0.301
    let log = i64::from(rest.bits() - unit.bits() - 1);
    let mut point = (log * 301).div_euclid(1000) - i64::from(log < 0);
    if point < 0 {
        for part in [&mut rest, &mut over, &mut under] {
            part.times_ten_to(point.unsigned_abs() as u32);
        }
    } else {
        unit.times_ten_to(point as u32);
    }
    while reaches(&rest, &over, &unit) {
        unit.times(10, 0);
        point += 1;
    }
    let mut digits = 0;
    loop {
        for part in [&mut rest, &mut over, &mut under] {
            part.times(10, 0);
        }
        point -= 1;
        let mut digit = 0;
        while rest.compare(&unit).is_ge() {
            rest.minus(&unit);
            digit += 1;
        }
        digits = digits * 10 + digit;
        let order = rest.compare(&under);
        let down = order.is_lt() || (even && order.is_eq());
        let up = reaches(&rest, &over, &unit);
        if down || up {
            rest.shift(1);
            let up = up && (!down || rest.compare(&unit).is_ge());
            return (digits + u64::from(up), point);
        }
    }
}

/// A whole number of any size, the low parts first and no zeros on top.
#[derive(Clone)]
struct Whole(Vec<u32>);

impl From<u64> for Whole {
    fn from(value: u64) -> Self {
        let mut whole = Self(vec![value as u32, (value >> 32) as u32]);
        whole.trim();
        whole
    }
}

impl Whole {
    fn trim(&mut self) {
        while self.0.last() == Some(&0) {
            self.0.pop();
        }
    }

    /// How many bits it takes to write.
    fn bits(&self) -> i32 {
        let top = self.0.last().map_or(0, |top| top.leading_zeros());
        self.0.len() as i32 * 32 - top as i32
    }

    fn compare(&self, other: &Self) -> Ordering {
        let parts = self.0.iter().rev().cmp(other.0.iter().rev());
        self.0.len().cmp(&other.0.len()).then(parts)
    }

    /// Multiplies with `factor`, then adds `more`.
    fn times(&mut self, factor: u32, more: u32) {
        let mut carry = u64::from(more);
        for part in &mut self.0 {
            carry += u64::from(*part) * u64::from(factor);
            *part = carry as u32;
            carry >>= 32;
        }
        if carry > 0 {
            self.0.push(carry as u32);
        }
    }

    fn times_ten_to(&mut self, exponent: u32) {
        for _ in 0..exponent / 9 {
            self.times(1_000_000_000, 0);
        }
        for _ in 0..exponent % 9 {
            self.times(10, 0);
        }
    }

    /// Multiplies with two to the power of `bits`.
    fn shift(&mut self, bits: u32) {
        self.times(1 << (bits % 32), 0);
        if !self.0.is_empty() {
            self.0.splice(..0, std::iter::repeat_n(0, bits as usize / 32));
        }
    }

    fn plus(&mut self, other: &Self) {
        if self.0.len() < other.0.len() {
            self.0.resize(other.0.len(), 0);
        }
        let mut carry = 0;
        for (at, part) in self.0.iter_mut().enumerate() {
            carry += u64::from(*part) + u64::from(other.0.get(at).copied().unwrap_or(0));
            *part = carry as u32;
            carry >>= 32;
        }
        if carry > 0 {
            self.0.push(carry as u32);
        }
    }

    /// Takes away what is not larger.
    fn minus(&mut self, other: &Self) {
        let mut borrow = 0;
        for (at, part) in self.0.iter_mut().enumerate() {
            borrow += i64::from(*part) - i64::from(other.0.get(at).copied().unwrap_or(0));
            *part = borrow as u32;
            borrow >>= 32;
        }
        self.trim();
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
    fn the_shortest_digits_are_those_of_the_standard_library() {
        for value in doubles() {
            let decimal = Decimal::of_size(value);
            assert_eq!(decimal.plain(), value.to_string(), "{value:e}");
            let form = decimal.text_form();
            assert_eq!(form.parse(), Ok(value), "{form}");
            assert_eq!(form.contains('e'), value > 0.0 && !(1e-4..1e16).contains(&value), "{form}");
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
