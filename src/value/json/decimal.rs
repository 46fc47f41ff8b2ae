//! A decimal number: sign, significant digits and a power of ten.

/// A decimal number of any size. Equality compares values.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Decimal {
    /// Whether the number is negative; false for zero.
    pub(super) negative: bool,
    /// The digits, without zeros at either end; empty for zero.
    pub(super) digits: String,
    /// The power of ten by which the digits are multiplied.
    pub(super) exponent: i64,
}

impl Decimal {
    /// Creates a decimal from digits, which can begin and end with zeros.
    pub(super) fn new(negative: bool, digits: &str, exponent: i64) -> Self {
        let significant = digits.trim_start_matches('0');
        let digits = significant.trim_end_matches('0');
        if digits.is_empty() {
            return Self { negative: false, digits: String::new(), exponent: 0 };
        }
        let dropped = significant.len() as i64 - digits.len() as i64;
        Self { negative, digits: digits.to_owned(), exponent: exponent + dropped }
    }

    /// Returns the value of text that follows the JSON number grammar.
    pub(super) fn of(text: &str) -> Self {
        let (negative, unsigned) = split_sign(text);
        let (mantissa, exponent) = split_exponent(unsigned);
        let (whole, fraction) = split_point(mantissa);
        Self::new(negative, &[whole, fraction].concat(), exponent - fraction.len() as i64)
    }

    pub(super) fn is_zero(&self) -> bool {
        self.digits.is_empty()
    }

    /// Returns the number without an exponent.
    pub(super) fn plain(&self) -> String {
        let fraction_digits = (-self.exponent).max(0) as usize;
        signed(self.negative, &shift(&self.digits, "", self.exponent, fraction_digits))
    }

    /// Returns the format of the reference systems.
    ///
    /// It always has a fraction. It has an exponent below `1e-4` and from `1e16` on.
    pub(super) fn text_form(&self) -> String {
        let exponent = self.digits.len() as i64 + self.exponent - 1;
        if (-4..16).contains(&exponent) {
            let plain = self.plain();
            return if plain.as_bytes().contains(&b'.') { plain } else { plain + ".0" };
        }
        let first = self.digits.get(..1).unwrap_or("0");
        let rest = self.digits.get(1..).unwrap_or_default();
        let point = if rest.is_empty() { "" } else { "." };
        let direction = if exponent < 0 { "-" } else { "+" };
        let zero = if exponent.unsigned_abs() < 10 { "0" } else { "" };
        let exponent = exponent.unsigned_abs().to_string();
        signed(self.negative, &[first, point, rest, "e", direction, zero, &exponent].concat())
    }
}

/// Returns the text with a sign.
pub(super) fn signed(negative: bool, text: &str) -> String {
    [if negative { "-" } else { "" }, text].concat()
}

/// Splits the sign from a number.
pub(super) fn split_sign(text: &str) -> (bool, &str) {
    match text.strip_prefix('-') {
        Some(rest) => (true, rest),
        None => (false, text),
    }
}

/// Splits a mantissa at the decimal point.
pub(super) fn split_point(mantissa: &str) -> (&str, &str) {
    mantissa.split_once('.').unwrap_or((mantissa, ""))
}

/// Splits a number at `e` or `E`.
fn split_at_e(text: &str) -> Option<(&str, &str)> {
    let at = text.bytes().position(|byte| matches!(byte, b'e' | b'E'))?;
    Some((text.get(..at)?, text.get(at + 1..)?))
}

/// Splits a number into mantissa and exponent.
pub(super) fn split_exponent(text: &str) -> (&str, i64) {
    match split_at_e(text) {
        // an exponent that does not fit exceeds every limit
        Some((mantissa, exponent)) => {
            let far = if exponent.starts_with('-') { -1_000_000_000 } else { 1_000_000_000 };
            (mantissa, exponent.parse::<i32>().map_or(far, i64::from))
        }
        None => (text, 0),
    }
}

/// Writes `whole.fraction` × 10^`exponent` with exactly `fraction_digits` digits after the point.
pub(super) fn shift(whole: &str, fraction: &str, exponent: i64, fraction_digits: usize) -> String {
    let mut digits = [whole, fraction].concat();
    let point = whole.len() as i64 + exponent;
    if point <= 0 {
        digits.insert_str(0, &"0".repeat((1 - point) as usize));
    }
    let point = point.max(1) as usize;
    while digits.len() < point + fraction_digits {
        digits.push('0');
    }
    let (head, tail) = digits.split_at_checked(point).unwrap_or((&digits, ""));
    let head = match head.trim_start_matches('0') {
        "" => "0",
        head => head,
    };
    match tail.get(..fraction_digits).unwrap_or(tail) {
        "" => head.to_owned(),
        tail => [head, ".", tail].concat(),
    }
}

/// Returns the digits of a finite double, for messages.
pub(crate) fn plain_double(value: f64) -> String {
    signed(value.is_sign_negative(), &Decimal::of_size(value).plain())
}

/// Reads a double: sign, digits, point and exponent. One side of the point can be empty.
pub(crate) fn read_double(text: &str) -> Option<f64> {
    let (negative, unsigned) = split_sign(text);
    let unsigned = if negative { unsigned } else { unsigned.strip_prefix('+').unwrap_or(unsigned) };
    let (mantissa, exponent) = match split_at_e(unsigned) {
        Some((mantissa, exponent)) => (mantissa, Some(exponent)),
        None => (unsigned, None),
    };
    let only_digits = |text: &str| text.bytes().all(|byte| byte.is_ascii_digit());
    let (whole, fraction) = split_point(mantissa);
    if !only_digits(whole) || !only_digits(fraction) || matches!(mantissa, "" | ".") {
        return None;
    }
    if let Some(exponent) = exponent {
        let digits = exponent.strip_prefix(['+', '-']).unwrap_or(exponent);
        if digits.is_empty() || !only_digits(digits) {
            return None;
        }
    }
    let size = Decimal::of(unsigned).nearest_double();
    Some(if negative { -size } else { size })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reading_a_double_matches_the_standard_library() {
        for text in [
            "1",
            "+1",
            "-1",
            "1.",
            ".5",
            "-.5e1",
            "1e5",
            "1E+05",
            "1e-5",
            "-0",
            "0.1",
            "1e400",
            "123456789012345678901234567890",
            "",
            ".",
            "+",
            "-",
            "e5",
            ".e5",
            "1e",
            "1e+",
            "1e1.5",
            "+-1",
            "1 ",
            "0x1",
            "1_0",
            "--1",
            "1.2.3",
            "1e5e5",
        ] {
            let ours = read_double(text).map(f64::to_bits);
            assert_eq!(ours, text.parse().ok().map(f64::to_bits), "{text}");
        }
    }

    #[test]
    fn printing_a_double_matches_the_standard_library() {
        for value in [0.0, -0.0, -5.0, 1e300, -1e-7, 0.1, 123456.789] {
            assert_eq!(plain_double(value), value.to_string());
        }
    }
}
