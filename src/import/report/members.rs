//! Members of an object as JSON text.

use crate::value::json::{Number, write_string, write_whole};

/// The members of an object that is being written.
pub(super) struct Members<'a> {
    pub out: &'a mut String,
    pub is_first: bool,
}

impl Members<'_> {
    pub fn key(&mut self, key: &str) -> &mut String {
        if !std::mem::take(&mut self.is_first) {
            self.out.push(',');
        }
        write_string(key, self.out);
        self.out.push(':');
        self.out
    }

    pub fn text(&mut self, key: &str, value: Option<&str>) {
        let out = self.key(key);
        match value {
            Some(value) => write_string(value, out),
            None => out.push_str("null"),
        }
    }

    pub fn count(&mut self, key: &str, value: Option<u64>) {
        let out = self.key(key);
        match value {
            Some(value) => write_whole(value, out),
            None => out.push_str("null"),
        }
    }

    pub fn number(&mut self, key: &str, value: Option<f64>) {
        let number = value.and_then(Number::from_f64);
        self.key(key).push_str(number.as_ref().map_or("null", |number| number.as_str()));
    }

    pub fn whole(&mut self, key: &str, value: usize) {
        self.count(key, Some(value as u64));
    }
}
