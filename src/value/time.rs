//! Timestamps: milliseconds, written as RFC 3339 in UTC.
//!
//! ```
//! use tuckbox::Timestamp;
//!
//! let time = Timestamp::parse("2026-01-04T18:30:00+08:00").unwrap();
//! assert_eq!(time.to_string(), "2026-01-04T10:30:00.000Z");
//! assert_eq!(time.plus_seconds(90).as_millis() - time.as_millis(), 90_000);
//! ```

use crate::Result;
use crate::value::json::{Field, Json};
use serde::{Serialize, Serializer};
use std::fmt;
use time::{Date, Month, OffsetDateTime, Time, UtcOffset};

/// A timestamp in milliseconds since the start of 1970 in UTC.
///
/// Tuckbox never reads a clock: callers pass the time, see [`Env`](crate::Env). RFC 3339 covers the
/// years 0001 to 9999; other timestamps are clamped to this range.
///
/// ```
/// use tuckbox::Timestamp;
///
/// let noon = Timestamp::parse("2026-01-04T13:00:00+01:00").unwrap();
/// assert_eq!(noon.to_string(), "2026-01-04T12:00:00.000Z");
/// assert_eq!(noon.plus_seconds(90).as_millis() - noon.as_millis(), 90_000);
/// assert_eq!(Timestamp::parse("noon"), None);
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Timestamp(i64);

impl Timestamp {
    /// The start of the year 0001.
    pub(crate) const MIN: Self = Self(-62_135_596_800_000);
    /// The start of the year 1970.
    pub const EPOCH: Self = Self(0);
    /// The last millisecond of the year 9999.
    pub const MAX: Self = Self(253_402_300_799_999);

    /// Returns the timestamp `millis` milliseconds after the start of 1970.
    pub fn from_millis(millis: i64) -> Self {
        Self(millis.clamp(Self::MIN.0, Self::MAX.0))
    }

    /// Returns the milliseconds since the start of 1970.
    pub const fn as_millis(self) -> i64 {
        self.0
    }

    /// Returns the timestamp `seconds` later.
    #[must_use]
    pub fn plus_seconds(self, seconds: i64) -> Self {
        Self::from_millis(self.0.saturating_add(seconds.saturating_mul(1000)))
    }

    /// Reads RFC 3339 and common variants of it.
    ///
    /// It accepts any offset, a space for the `T`, any number of fraction digits, or only a date.
    ///
    /// Seconds and the offset are optional. Without an offset the time is in UTC.
    pub fn parse(text: &str) -> Option<Self> {
        let micros = read_micros(text.trim())?;
        Some(Self::from_millis(micros.div_euclid(1000)))
    }

    /// Reads a timestamp from a caller's value: a string for [`Timestamp::parse`], or milliseconds.
    ///
    /// # Errors
    /// Returns an error if it is neither.
    pub fn from_wire(field: &Field<'_>) -> Result<Self> {
        let time = match field.json() {
            Json::String(text) => Self::parse(text),
            Json::Number(millis) => millis.whole().map(Self::from_millis),
            Json::Null | Json::Bool(_) | Json::Array(_) | Json::Object(_) => None,
        };
        time.ok_or_else(|| match field.json() {
            Json::String(text) => field.error(format!("`{text}` is not an RFC 3339 timestamp")),
            _ => field.expected("an RFC 3339 timestamp or milliseconds"),
        })
    }
}

impl Timestamp {
    fn write(self, out: &mut String) {
        let (seconds, millis) = (self.0.div_euclid(1000), self.0.rem_euclid(1000));
        let time =
            OffsetDateTime::from_unix_timestamp(seconds).unwrap_or(OffsetDateTime::UNIX_EPOCH);
        write_seconds(out, time);
        out.push('.');
        push_digits(out, millis as u32, 100);
        out.push('Z');
    }
}

impl fmt::Display for Timestamp {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut text = String::with_capacity(24);
        self.write(&mut text);
        f.write_str(&text)
    }
}

impl Serialize for Timestamp {
    fn serialize<S: Serializer>(&self, serializer: S) -> std::result::Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl From<Timestamp> for Json {
    fn from(time: Timestamp) -> Self {
        let mut text = String::with_capacity(24);
        time.write(&mut text);
        Self::String(text)
    }
}

/// Writes `2026-01-04T10:30:00`.
///
/// Every card has a timestamp, and formatting with widths is 10 times slower.
pub(crate) fn write_seconds(out: &mut String, time: OffsetDateTime) {
    let (year, month, day) = time.to_calendar_date();
    let (hour, minute, second) = time.to_hms();
    push_digits(out, year.unsigned_abs(), 1000);
    for (mark, part) in [('-', month.into()), ('-', day), ('T', hour), (':', minute), (':', second)]
    {
        out.push(mark);
        push_digits(out, part.into(), 10);
    }
}

/// Writes the digits of a number from the place `highest` down: 10 for two digits.
fn push_digits(out: &mut String, number: u32, highest: u32) {
    let mut place = highest;
    while place > 0 {
        out.push(char::from(b'0' + (number / place % 10) as u8));
        place /= 10;
    }
}

/// Reads a date, or a date and a time, into microseconds since the start of 1970.
///
/// Without an offset the time is in UTC. Digits after the microseconds are cut off.
pub(crate) fn read_micros(text: &str) -> Option<i64> {
    let (date, rest) = read_date(text)?;
    let mut chars = rest.chars();
    let (time, offset) = match chars.next() {
        None => (Time::MIDNIGHT, UtcOffset::UTC),
        // any one character can separate date and time
        Some(_) => read_time(chars.as_str())?,
    };
    let time = date.with_time(time).assume_offset(offset);
    Some(time.unix_timestamp() * 1_000_000 + i64::from(time.microsecond()))
}

fn read_date(text: &str) -> Option<(Date, &str)> {
    let extended = text.as_bytes().get(4) == Some(&b'-');
    let (year, rest) = digits(text, 4)?;
    let (month, rest) = digits(after(rest, '-', extended)?, 2)?;
    let (day, rest) = digits(after(rest, '-', extended)?, 2)?;
    let month = Month::try_from(u8::try_from(month).ok()?).ok()?;
    let year = i32::try_from(year).ok().filter(|year| *year >= 1)?;
    Some((Date::from_calendar_date(year, month, u8::try_from(day).ok()?).ok()?, rest))
}

fn read_time(text: &str) -> Option<(Time, UtcOffset)> {
    let split = text.find(['Z', 'z', '+', '-']).unwrap_or(text.len());
    let (clock, zone) = text.split_at_checked(split)?;
    let (hour, minute, second, micro) = read_clock(clock)?;
    let time = Time::from_hms_micro(hour, minute, second, micro).ok()?;
    let offset = match zone.chars().next() {
        None => UtcOffset::UTC,
        Some('Z' | 'z') => (zone.len() == 1).then_some(UtcOffset::UTC)?,
        Some(sign) => {
            let (hour, minute, second, micro) = read_clock(zone.get(1..)?)?;
            if hour > 23 || micro != 0 {
                return None;
            }
            let seconds = i32::from(hour) * 3600 + i32::from(minute) * 60 + i32::from(second);
            UtcOffset::from_whole_seconds(if sign == '-' { -seconds } else { seconds }).ok()?
        }
    };
    Some((time, offset))
}

/// Reads `10`, `10:30`, `10:30:00` and `10:30:00.5`, also without colons.
fn read_clock(text: &str) -> Option<(u8, u8, u8, u32)> {
    let extended = text.as_bytes().contains(&b':');
    let (hour, rest) = digits(text, 2)?;
    let mut parts = [u8::try_from(hour).ok()?, 0, 0];
    let mut rest = rest;
    let mut seconds_seen = false;
    for (index, part) in parts.iter_mut().enumerate().skip(1) {
        if rest.is_empty() {
            break;
        }
        let (value, tail) = digits(after(rest, ':', extended)?, 2)?;
        *part = u8::try_from(value).ok().filter(|value| *value < 60)?;
        seconds_seen = index == 2;
        rest = tail;
    }
    let [hour, minute, second] = parts;
    let micro = match rest.strip_prefix(['.', ',']) {
        None if rest.is_empty() => 0,
        Some(fraction) if seconds_seen && !fraction.is_empty() => {
            if !fraction.bytes().all(|byte| byte.is_ascii_digit()) {
                return None;
            }
            let six: String = fraction.chars().chain("000000".chars()).take(6).collect();
            six.parse().ok()?
        }
        _ => return None,
    };
    Some((hour, minute, second, micro))
}

fn after(text: &str, mark: char, wanted: bool) -> Option<&str> {
    if wanted { text.strip_prefix(mark) } else { Some(text) }
}

fn digits(text: &str, count: usize) -> Option<(u32, &str)> {
    let (head, rest) = text.split_at_checked(count)?;
    let plain = head.bytes().all(|byte| byte.is_ascii_digit());
    Some((plain.then(|| head.parse().ok())??, rest))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn timestamps_have_many_notations_and_one_output() {
        for (given, written) in [
            ("2026-01-04T10:30:00Z", "2026-01-04T10:30:00.000Z"),
            ("2026-01-04T10:30:00.123456+00:00", "2026-01-04T10:30:00.123Z"),
            ("2026-01-04 18:30:00+08", "2026-01-04T10:30:00.000Z"),
            ("2026-01-04T10:30", "2026-01-04T10:30:00.000Z"),
            ("2026-01-04", "2026-01-04T00:00:00.000Z"),
            ("20260104T103000-0130", "2026-01-04T12:00:00.000Z"),
            ("1969-12-31T23:59:59.999Z", "1969-12-31T23:59:59.999Z"),
            ("0001-01-01T00:00:00+10:00", "0001-01-01T00:00:00.000Z"),
        ] {
            assert_eq!(Timestamp::parse(given).unwrap().to_string(), written, "{given}");
        }
    }

    #[test]
    fn other_text_is_not_a_timestamp() {
        for text in [
            "",
            "not a date",
            "2026-13-01",
            "2026-02-30",
            "2026-01-04T25:00:00Z",
            "2026-01-04T10:60",
            "2026-01-04T10:30:00.Z",
            "2026-01-04T10:30:00ZZ",
            "2026-01-04T",
            "0",
        ] {
            assert_eq!(Timestamp::parse(text), None, "{text}");
        }
        let value = Json::Bool(true);
        let error = Timestamp::from_wire(&Field::root(&value)).unwrap_err();
        assert_eq!(
            error.message(),
            "expected an RFC 3339 timestamp or milliseconds, found a boolean"
        );
    }

    #[test]
    fn timestamps_are_clamped_to_years_that_rfc_3339_covers() {
        assert_eq!(Timestamp::MAX.plus_seconds(i64::MAX), Timestamp::MAX);
        assert_eq!(Timestamp::MAX.to_string(), "9999-12-31T23:59:59.999Z");
        assert_eq!(Timestamp::MIN.plus_seconds(i64::MIN).to_string(), "0001-01-01T00:00:00.000Z");
    }
}
