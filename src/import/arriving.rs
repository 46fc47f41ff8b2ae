//! A file that arrives in chunks. A log of independent lines is read as it arrives; the chunks of
//! any other file are kept until the file is complete.

use super::file::{Body, Doc, MARK};
use super::formats::{Format, How, LineReader};
use super::lines::{Feed, Lines};
use super::reading::{Reading, claimed};
use crate::{Error, Result};
use std::borrow::Cow;

/// A file that is not complete yet.
#[derive(Debug)]
pub struct Arriving {
    name: String,
    /// The approximate length of the file.
    size: usize,
    form: Form,
}

#[derive(Debug)]
enum Form {
    /// The format is unknown. It is checked again at this number of bytes.
    Unknown { held: Vec<u8>, look_at: usize },
    /// The whole file is needed before it is read.
    Held(Vec<u8>),
    /// The file is read line by line.
    Lines { format: usize, reader: Box<dyn LineReader>, feed: Feed },
}

/// The number of bytes of the first check. Each further check has twice as many.
const FIRST_LOOK: usize = 1 << 18;

impl Arriving {
    /// Starts a file. A wrong size only costs time.
    pub fn new(name: &str, size: usize) -> Self {
        let form = Form::Unknown { held: Vec::new(), look_at: FIRST_LOOK };
        Self { name: name.to_owned(), size, form }
    }

    /// Returns the number of requests so far.
    pub fn requests(&self) -> usize {
        match &self.form {
            Form::Unknown { .. } | Form::Held(_) => 0,
            Form::Lines { reader, .. } => reader.requests(),
        }
    }

    /// Takes the next bytes.
    ///
    /// # Errors
    /// `limit` if there is not enough memory.
    pub fn push(&mut self, reading: &mut Reading, bytes: &[u8]) -> Result<()> {
        match &mut self.form {
            Form::Unknown { held, look_at } => {
                keep(held, bytes, 0)?;
                if held.len() >= *look_at {
                    let held = std::mem::take(held);
                    self.form = self.look(reading, held);
                }
            }
            Form::Held(held) => keep(held, bytes, self.size)?,
            Form::Lines { reader, feed, .. } => reading.feed_piece(&mut **reader, feed, bytes),
        }
        Ok(())
    }

    /// Detects the format from the start of the file. The result is the same as from the whole
    /// file.
    fn look(&self, reading: &mut Reading, held: Vec<u8>) -> Form {
        let start = held.strip_prefix(MARK).unwrap_or(&held);
        if !matches!(start.trim_ascii_start().first(), Some(b'{' | b'[')) {
            return Form::Held(held);
        }
        let end = start.iter().rposition(|byte| *byte == b'\n').map_or(0, |at| at + 1);
        let (whole, rest) = start.split_at_checked(end).unwrap_or((start, &[]));
        let file = reading.next_file();
        let lines = Lines::new(file, whole.to_vec(), reading.allowance());
        let hopeful = lines.starts_whole() || lines.tally() == (0, 0);
        if hopeful && !lines.tell_enough() {
            let look_at = held.len() * 2;
            return Form::Unknown { held, look_at };
        }
        if !hopeful || !lines.are_a_log() {
            return Form::Held(held);
        }
        let mut feed = lines.go_on();
        let allowance = reading.allowance().clone();
        let doc = Doc { file, name: self.name.clone(), body: Body::Lines(lines), allowance };
        match claimed(&doc) {
            Some((format, Format { how: How::Lines(begin), name, .. })) => {
                reading.set_format(&self.name, name);
                let mut reader = begin(file, &self.name);
                reading.feed(&mut *reader, &doc);
                reading.feed_piece(&mut *reader, &mut feed, rest);
                Form::Lines { format, reader, feed }
            }
            Some((_, Format { how: How::Whole(_) | How::Together(_), .. })) | None => {
                Form::Held(held)
            }
        }
    }

    /// Ends the file.
    pub fn end(self, reading: &mut Reading) {
        match self.form {
            Form::Unknown { held, .. } | Form::Held(held) => {
                reading.file(&self.name, Cow::Owned(held));
            }
            Form::Lines { format, mut reader, feed } => {
                reading.feed_rest(&mut *reader, feed);
                reading.end_reader(format, reader);
            }
        }
    }
}

/// Keeps bytes, and reserves memory for the rest.
fn keep(held: &mut Vec<u8>, bytes: &[u8], size: usize) -> Result<()> {
    let ahead = size.saturating_sub(held.len());
    if ahead > 0 && held.capacity() < size {
        // a size over the possible maximum fails when that many bytes arrive
        let _ = held.try_reserve_exact(ahead);
    }
    let reserved = held.try_reserve(bytes.len());
    reserved.map_err(|_| Error::limit("the file does not fit into the available memory"))?;
    held.extend_from_slice(bytes);
    Ok(())
}
