//! A JSON number that keeps its digits: integers and decimals of any size stay exact.

use super::decimal::{Decimal, shift, signed, split_exponent, split_point, split_sign};
use super::double::{SAFE_DIGITS, is_shortest};
use std::borrow::Cow;
use std::fmt;

/// A JSON number.
///
/// ```
/// use tuckbox::value::json::{Json, Number};
///
/// let Json::Number(big) = Json::parse("1e20")? else { unreachable!() };
/// assert_eq!(big.text_form(), "1e+20");                  // as the reference systems print it
/// assert_eq!(big.canonical()?.as_str(), "100000000000000000000"); // as PostgreSQL stores it
/// assert_eq!(Number::from(7_i64).as_i64(), Some(7));
/// # Ok::<(), tuckbox::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Number(Box<str>);

/// Maximum number of digits that PostgreSQL's `numeric` stores before and after the point.
const MAX_WHOLE_DIGITS: i64 = 131_072;
const MAX_FRACTION_DIGITS: i64 = 16_383;

impl Number {
    /// Creates a number from text that follows the JSON number grammar.
    pub(crate) fn from_grammar(text: &str) -> Self {
        Self(text.into())
    }

    /// Returns the digits verbatim.
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// Returns whether the number has no point and no exponent.
    pub fn is_integer(&self) -> bool {
        !self.0.bytes().any(|byte| matches!(byte, b'.' | b'e' | b'E'))
    }

    /// Returns the value as `i64`, if it is written as an integer and fits.
    pub fn as_i64(&self) -> Option<i64> {
        self.0.parse().ok()
    }

    /// Returns the value as `u64`, if it is written as an integer and fits.
    pub fn as_u64(&self) -> Option<u64> {
        self.0.parse().ok()
    }

    /// Returns the nearest double, which can be infinite.
    pub fn as_f64(&self) -> f64 {
        let (negative, unsigned) = split_sign(&self.0);
        let size = Decimal::of(unsigned).nearest_double();
        if negative { -size } else { size }
    }

    /// Returns whether the number is zero in any notation.
    pub(crate) fn is_zero(&self) -> bool {
        Decimal::of(&self.0).is_zero()
    }

    /// Returns whether both numbers have the same value in any notation.
    pub fn same_value(&self, other: &Self) -> bool {
        self.0 == other.0 || Decimal::of(&self.0) == Decimal::of(&other.0)
    }

    /// Returns the integer value in any notation, if there is one: `1.0` and `1e0` are 1.
    pub fn whole(&self) -> Option<i64> {
        // nearly all integers are plain digits
        if let Ok(whole) = self.0.parse() {
            return Some(whole);
        }
        let decimal = Decimal::of(&self.0);
        if decimal.is_zero() {
            return Some(0);
        }
        if decimal.exponent < 0 || decimal.digits.len() as i64 + decimal.exponent > 19 {
            return None;
        }
        decimal.plain().parse().ok()
    }

    /// Returns the text form of the reference systems.
    ///
    /// Integers are digits. Other numbers are the shortest digits that read as the same double,
    /// with an exponent below `1e-4` and from `1e16` on.
    pub fn text_form(&self) -> Cow<'_, str> {
        if self.is_integer() {
            return Cow::Borrowed(if &*self.0 == "-0" { "0" } else { &self.0 });
        }
        if self.is_text_form() {
            return Cow::Borrowed(&self.0);
        }
        // handle the sign separately, because a double can be a negative zero
        let (negative, unsigned) = split_sign(&self.0);
        match Decimal::of(unsigned).round_to_double() {
            Some(size) => Cow::Owned(signed(negative, &size.text_form())),
            None => Cow::Borrowed(&self.0),
        }
    }

    /// Returns whether a fraction is already in text form.
    fn is_text_form(&self) -> bool {
        let (_, unsigned) = split_sign(&self.0);
        let (whole, fraction) = split_point(unsigned);
        let zeros = fraction.bytes().take_while(|byte| *byte == b'0').count();
        let is_plain = !fraction.is_empty()
            && whole.len() <= 16
            && (whole != "0" || fraction == "0" || zeros < 4)
            && fraction.bytes().all(|byte| byte.is_ascii_digit());
        let is_short = whole.len() + fraction.len() <= SAFE_DIGITS
            && (fraction == "0" || !fraction.ends_with('0'));
        is_plain && (is_short || is_shortest(unsigned))
    }

    /// Returns the [text form](Self::text_form), or the digits if that changes the value.
    pub(crate) fn json_form(&self) -> Cow<'_, str> {
        match self.text_form() {
            // a new text can have another value
            Cow::Owned(text) if Decimal::of(&text) != Decimal::of(&self.0) => {
                Cow::Borrowed(&self.0)
            }
            text => text,
        }
    }

    /// Returns whether [`Number::canonical`] returns the same digits.
    pub(super) fn is_canonical(&self) -> bool {
        // a number within the lower of both limits is within both
        self.0.len() as i64 <= MAX_FRACTION_DIGITS
            && !self.0.bytes().any(|byte| matches!(byte, b'e' | b'E'))
            && !(self.0.starts_with("-0") && self.is_zero())
    }

    /// Returns the canonical form, or `None` if the number has more digits than `jsonb` supports.
    pub(super) fn to_canonical(&self) -> Option<Self> {
        let (negative, unsigned) = split_sign(&self.0);
        let (mantissa, exponent) = split_exponent(unsigned);
        let (whole, fraction) = split_point(mantissa);
        let whole_digits = whole.len() as i64 + exponent.max(0);
        let fraction_digits = (fraction.len() as i64 - exponent).max(0);
        if whole_digits > MAX_WHOLE_DIGITS || fraction_digits > MAX_FRACTION_DIGITS {
            return None;
        }
        let plain = shift(whole, fraction, exponent, fraction_digits as usize);
        let zero = plain.bytes().all(|b| matches!(b, b'0' | b'.'));
        Some(Self(signed(negative && !zero, &plain).into()))
    }
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
    /// Converts a finite double to a JSON number; returns `None` for infinities and NaN.
    pub fn from_f64(value: f64) -> Option<Self> {
        let text = || signed(value.is_sign_negative(), &Decimal::of_size(value).text_form());
        value.is_finite().then(|| Self(text().into()))
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
    fn the_canonical_form_matches_jsonb() {
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
    fn numbers_with_too_many_digits_are_a_limit_error() {
        for text in ["1e131072", "1e-16384", "1e999999999999"] {
            let error = Number::from_grammar(text).canonical().unwrap_err();
            assert_eq!(error.code(), crate::Code::Limit, "{text}");
        }
    }

    #[test]
    fn same_value_ignores_the_notation() {
        let same = |a, b| Number::from_grammar(a).same_value(&Number::from_grammar(b));
        assert!(
            same("1", "1.00") && same("1e2", "100") && same("-0.0", "0") && same("0.10", "1e-1")
        );
        assert!(!same("1", "-1") && !same("9007199254740993", "9007199254740992"));
    }

    #[test]
    fn whole_numbers_are_recognized() {
        let whole = |text| Number::from_grammar(text).whole();
        assert_eq!(whole("1.0"), Some(1));
        assert_eq!(whole("-12e1"), Some(-120));
        assert_eq!(whole("1.5"), None);
        assert_eq!(whole("99999999999999999999"), None);
    }

    #[test]
    fn a_number_in_text_form_stays_verbatim() {
        let mut verbatim = 0;
        for (whole, fraction) in
            ["0", "1", "10", "999999999999999", "1234567890123456", "99999999999999999"]
                .into_iter()
                .flat_map(|whole| {
                    [
                        "0",
                        "5",
                        "10",
                        "25",
                        "00",
                        "0001",
                        "00001",
                        "1234567890123456",
                        "12345678901234561",
                        "3",
                    ]
                    .map(|fraction| (whole, fraction))
                })
        {
            for sign in ["", "-"] {
                let number = Number::from_grammar(&format!("{sign}{whole}.{fraction}"));
                let size = Decimal::of(&format!("{whole}.{fraction}")).round_to_double().unwrap();
                let slowly = signed(!sign.is_empty(), &size.text_form());
                assert_eq!(number.text_form(), slowly, "{number}");
                assert!(!number.is_text_form() || number.as_str() == slowly, "{number}");
                verbatim += usize::from(number.is_text_form());
            }
        }
        assert!(verbatim > 40, "{verbatim}");
    }

    #[test]
    fn json_form_never_rounds() {
        let form = |text| Number::from_grammar(text).json_form().into_owned();
        assert_eq!(form("1e20"), "1e+20");
        assert_eq!(form("12345678901234567890.0"), "12345678901234567890.0");
        assert_eq!(form("1e400"), "1e400");
    }
}
