//! A JSON number kept as its digits, so that no size of integer and no decimal is ever rounded.

use std::fmt;

/// A JSON number.
///
/// ```
/// use tuckbox::json::{Json, Number};
///
/// let Json::Number(big) = Json::parse("1e20")? else { unreachable!() };
/// assert_eq!(big.text_form(), "1e+20");                  // as the recorded systems print it
/// assert_eq!(big.canonical()?.as_str(), "100000000000000000000"); // as PostgreSQL keeps it
/// assert_eq!(Number::from(7_i64).as_i64(), Some(7));
/// # Ok::<(), tuckbox::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Number(Box<str>);

/// The most digits that PostgreSQL's `numeric` keeps before and behind the point.
const MAX_WHOLE_DIGITS: i64 = 131_072;
const MAX_FRACTION_DIGITS: i64 = 16_383;

impl Number {
    /// Takes text that is already known to follow the JSON number grammar.
    pub(crate) fn from_grammar(text: &str) -> Self {
        Self(text.into())
    }

    /// The digits as they stand.
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// True when it is written without point and exponent.
    pub fn is_integer(&self) -> bool {
        !self.0.contains(['.', 'e', 'E'])
    }

    /// The value as `i64`, if it is written as an integer and fits.
    pub fn as_i64(&self) -> Option<i64> {
        self.0.parse().ok()
    }

    /// The value as `u64`, if it is written as an integer and fits.
    pub fn as_u64(&self) -> Option<u64> {
        self.0.parse().ok()
    }

    /// The nearest double. May be infinite.
    pub fn as_f64(&self) -> f64 {
        self.0.parse().unwrap_or(f64::NAN)
    }

    /// True for any way to write zero.
    pub fn is_zero(&self) -> bool {
        Decimal::of(&self.0).digits.is_empty()
    }

    /// True when both are the same number, however written.
    pub fn same_value(&self, other: &Self) -> bool {
        self.0 == other.0 || Decimal::of(&self.0) == Decimal::of(&other.0)
    }

    /// The whole number this is, if it is one, however written: `1.0` and `1e0` are 1.
    pub fn whole(&self) -> Option<i64> {
        let decimal = Decimal::of(&self.0);
        if decimal.digits.is_empty() {
            return Some(0);
        }
        if decimal.exponent < 0 || decimal.digits.len() as i64 + decimal.exponent > 19 {
            return None;
        }
        let sign = if decimal.negative { "-" } else { "" };
        let zeros = "0".repeat(decimal.exponent as usize);
        format!("{sign}{}{zeros}", decimal.digits).parse().ok()
    }

    /// The text form of the recorded systems: integers as digits, everything else as the shortest
    /// digits that give the same double back, with an exponent below `1e-4` and from `1e16` on.
    pub fn text_form(&self) -> String {
        if self.is_integer() {
            return if &*self.0 == "-0" { "0".to_owned() } else { self.0.to_string() };
        }
        let value = self.as_f64();
        if value.is_finite() { shortest(value) } else { self.0.to_string() }
    }

    /// How the number stands in rendered JSON: its [text form](Self::text_form) unless that would
    /// change the value.
    pub fn json_form(&self) -> String {
        let text = self.text_form();
        if self.is_integer() || Decimal::of(&text) == Decimal::of(&self.0) {
            text
        } else {
            self.0.to_string()
        }
    }

    /// True when [`Number::canonical`] would give it back as it is.
    pub(super) fn is_canonical(&self) -> bool {
        // the shorter of the two limits leaves no number out that is short enough for both
        self.0.len() as i64 <= MAX_FRACTION_DIGITS
            && !self.0.contains(['e', 'E'])
            && !(self.0.starts_with("-0") && self.is_zero())
    }

    /// The form that PostgreSQL's `jsonb` gives back: no exponent, no negative zero.
    ///
    /// # Errors
    /// `limit` when the number has more digits than `jsonb` can keep.
    pub fn canonical(&self) -> crate::Result<Self> {
        let (unsigned, negative) = match self.0.strip_prefix('-') {
            Some(rest) => (rest, true),
            None => (&*self.0, false),
        };
        let (mantissa, exponent) = split_exponent(unsigned);
        let (whole, fraction) = mantissa.split_once('.').unwrap_or((mantissa, ""));
        let whole_digits = whole.len() as i64 + exponent.max(0);
        let fraction_digits = (fraction.len() as i64 - exponent).max(0);
        if whole_digits > MAX_WHOLE_DIGITS || fraction_digits > MAX_FRACTION_DIGITS {
            return Err(crate::Error::limit(format!(
                "the number `{}` has more digits than a store can keep",
                clip(&self.0)
            )));
        }
        let plain = shift(whole, fraction, exponent, fraction_digits as usize);
        let zero = plain.bytes().all(|b| matches!(b, b'0' | b'.'));
        let sign = if negative && !zero { "-" } else { "" };
        Ok(Self(format!("{sign}{plain}").into()))
    }
}

fn clip(text: &str) -> &str {
    text.get(..24).unwrap_or(text)
}

/// Writes `whole.fraction` times ten to `exponent` with exactly `fraction_digits` digits behind
/// the point.
fn shift(whole: &str, fraction: &str, exponent: i64, fraction_digits: usize) -> String {
    let mut digits = format!("{whole}{fraction}");
    let point = whole.len() as i64 + exponent;
    if point <= 0 {
        digits.insert_str(0, &"0".repeat((1 - point) as usize));
    }
    let point = point.max(1) as usize;
    while digits.len() < point + fraction_digits {
        digits.push('0');
    }
    let (head, tail) = digits.split_at(point.min(digits.len()));
    let head = head.trim_start_matches('0');
    let head = if head.is_empty() { "0" } else { head };
    let tail = tail.get(..fraction_digits).unwrap_or(tail);
    if tail.is_empty() { head.to_owned() } else { format!("{head}.{tail}") }
}

fn split_exponent(text: &str) -> (&str, i64) {
    match text.split_once(['e', 'E']) {
        // an exponent that does not fit is far outside every limit
        Some((mantissa, exponent)) => {
            let far = if exponent.starts_with('-') { -1_000_000_000 } else { 1_000_000_000 };
            (mantissa, exponent.parse::<i32>().map_or(far, i64::from))
        }
        None => (text, 0),
    }
}

/// A number as sign, significant digits and power of ten; equal exactly when the values are.
#[derive(PartialEq, Eq)]
struct Decimal {
    negative: bool,
    digits: String,
    exponent: i64,
}

impl Decimal {
    fn of(text: &str) -> Self {
        let (unsigned, negative) = match text.strip_prefix('-') {
            Some(rest) => (rest, true),
            None => (text, false),
        };
        let (mantissa, exponent) = split_exponent(unsigned);
        let (whole, fraction) = mantissa.split_once('.').unwrap_or((mantissa, ""));
        let all = format!("{whole}{fraction}");
        let significant = all.trim_start_matches('0');
        let digits = significant.trim_end_matches('0');
        if digits.is_empty() {
            return Self { negative: false, digits: String::new(), exponent: 0 };
        }
        let dropped = significant.len() as i64 - digits.len() as i64;
        Self {
            negative,
            digits: digits.to_owned(),
            exponent: exponent - fraction.len() as i64 + dropped,
        }
    }
}

/// The shortest digits for a finite double, laid out as the recorded systems do.
fn shortest(value: f64) -> String {
    let scientific = format!("{value:e}");
    let (mantissa, exponent) = scientific.split_once('e').unwrap_or((&scientific, "0"));
    let exponent: i32 = exponent.parse().unwrap_or(0);
    if (-4..16).contains(&exponent) {
        let plain = format!("{value}");
        return if plain.contains('.') { plain } else { format!("{plain}.0") };
    }
    let sign = if exponent < 0 { '-' } else { '+' };
    format!("{mantissa}e{sign}{:02}", exponent.unsigned_abs())
}

impl From<i64> for Number {
    fn from(value: i64) -> Self {
        Self(value.to_string().into())
    }
}

impl From<u64> for Number {
    fn from(value: u64) -> Self {
        Self(value.to_string().into())
    }
}

impl Number {
    /// A finite double as a JSON number; `None` for infinities and NaN.
    pub fn from_f64(value: f64) -> Option<Self> {
        value.is_finite().then(|| Self(shortest(value).into()))
    }
}

impl fmt::Display for Number {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn canonical(text: &str) -> String {
        Number::from_grammar(text).canonical().unwrap().0.into()
    }

    #[test]
    fn canonical_is_what_jsonb_prints() {
        for (given, kept) in [
            ("1", "1"),
            ("-0", "0"),
            ("-0.0", "0.0"),
            ("1.50", "1.50"),
            ("1e20", "100000000000000000000"),
            ("1.5e3", "1500"),
            ("1.0e0", "1.0"),
            ("1e-7", "0.0000001"),
            ("12.5e-1", "1.25"),
            ("-1.25e1", "-12.5"),
            ("123456789012345678901234567890", "123456789012345678901234567890"),
        ] {
            assert_eq!(canonical(given), kept, "{given}");
            let number = Number::from_grammar(given);
            assert_eq!(number.is_canonical(), given == kept, "{given}");
        }
    }

    #[test]
    fn numbers_beyond_the_store_are_a_limit() {
        for text in ["1e131072", "1e-16384", "1e999999999999"] {
            let error = Number::from_grammar(text).canonical().unwrap_err();
            assert_eq!(error.code(), crate::Code::Limit, "{text}");
        }
    }

    #[test]
    fn same_value_ignores_the_way_of_writing() {
        let same = |a, b| Number::from_grammar(a).same_value(&Number::from_grammar(b));
        assert!(
            same("1", "1.00") && same("1e2", "100") && same("-0.0", "0") && same("0.10", "1e-1")
        );
        assert!(!same("1", "-1") && !same("9007199254740993", "9007199254740992"));
    }

    #[test]
    fn whole_numbers_are_recognised() {
        let whole = |text| Number::from_grammar(text).whole();
        assert_eq!(whole("1.0"), Some(1));
        assert_eq!(whole("-12e1"), Some(-120));
        assert_eq!(whole("1.5"), None);
        assert_eq!(whole("99999999999999999999"), None);
    }

    #[test]
    fn json_form_never_rounds() {
        let form = |text| Number::from_grammar(text).json_form();
        assert_eq!(form("1e20"), "1e+20");
        assert_eq!(form("12345678901234567890.0"), "12345678901234567890.0");
        assert_eq!(form("1e400"), "1e400");
    }
}
