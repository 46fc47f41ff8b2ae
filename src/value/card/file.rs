//! References to files: what a file is and where it lies, never its bytes.

use super::{coerce, uri};
use crate::Result;
use crate::value::json::{Field, Fields, Json, Number, Object};
use crate::value::time::{read_micros, write_seconds};
use time::OffsetDateTime;

/// A file that a card refers to.
///
/// ```
/// use tuckbox::value::card::FileKind;
/// use tuckbox::value::json::Field;
/// use tuckbox::{Content, json};
///
/// let wire = json!({"__type__": "PdfFileContent", "uri": "s3://contracts/7.pdf", "checksum": "sha256:0f",
///     "page_count": 3, "preview": {"uri": "https://example.org/7.png", "width": 200}});
/// let Content::File(file) = Content::from_wire(&Field::root(&wire))? else { panic!() };
/// assert_eq!(file.type_name(), "PdfFileContent");
/// assert!(matches!(file.kind, FileKind::Pdf { page_count: Some(_) }));
/// assert_eq!(file.preview.unwrap().uri, "https://example.org/7.png");
/// # Ok::<(), tuckbox::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct FileRef {
    /// Where it lies: `s3://bucket/key` or an `https` address.
    pub uri: String,
    /// Never empty.
    pub checksum: String,
    /// The version tag of the place where it lies.
    pub etag: Option<String>,
    /// Its length in bytes.
    pub size: Option<Number>,
    /// Its MIME type.
    pub content_type: Option<String>,
    /// Until when the address is good, as RFC 3339 in UTC.
    pub expires_at: Option<String>,
    /// A picture of it.
    pub preview: Option<Preview>,
    /// What kind of file it is, and what is known about that kind.
    pub kind: FileKind,
}

/// What kind of file it is.
///
/// Shown by the example of [`FileRef`].
#[derive(Clone, Debug, PartialEq)]
pub enum FileKind {
    /// Any file: `FileContent`.
    Any,
    /// `ImageFileContent`
    Image {
        /// In pixels, above zero.
        width: Option<Number>,
        /// In pixels, above zero.
        height: Option<Number>,
        /// Such as `png`.
        format: Option<String>,
    },
    /// `PdfFileContent`
    Pdf {
        /// Not negative.
        page_count: Option<Number>,
    },
    /// `TextFileContent`
    Text,
    /// `VideoFileContent`
    Video {
        /// Above zero.
        duration_seconds: Option<f64>,
        /// In pixels, above zero.
        width: Option<Number>,
        /// In pixels, above zero.
        height: Option<Number>,
        /// Such as `h264`.
        codec: Option<String>,
        /// Above zero.
        bitrate: Option<Number>,
    },
    /// `AudioFileContent`
    Audio {
        /// Above zero.
        duration_seconds: Option<f64>,
        /// Such as `opus`.
        codec: Option<String>,
        /// Above zero.
        bitrate: Option<Number>,
    },
}

/// A picture of a file.
///
/// Shown by the example of [`FileRef`].
#[derive(Clone, Debug, PartialEq)]
pub struct Preview {
    /// Where it lies.
    pub uri: String,
    /// Its MIME type.
    pub content_type: Option<String>,
    /// In pixels, above zero.
    pub width: Option<Number>,
    /// In pixels, above zero.
    pub height: Option<Number>,
    /// Its length in bytes.
    pub size: Option<Number>,
    /// Of the picture.
    pub checksum: Option<String>,
    /// The version tag of the place where it lies.
    pub etag: Option<String>,
    /// The second of the video it was taken from.
    pub source_frame_ts: Option<f64>,
}

const COMMON: [&str; 8] =
    ["__type__", "uri", "checksum", "etag", "size", "content_type", "expires_at", "preview"];

type ReadKind = fn(&Fields<'_>) -> Result<FileKind>;

impl FileRef {
    /// The wire names of the kinds of file.
    pub(super) const TYPES: [&str; 6] = [
        "FileContent",
        "ImageFileContent",
        "PdfFileContent",
        "TextFileContent",
        "VideoFileContent",
        "AudioFileContent",
    ];

    /// The wire name of its kind.
    pub const fn type_name(&self) -> &'static str {
        match self.kind {
            FileKind::Any => "FileContent",
            FileKind::Image { .. } => "ImageFileContent",
            FileKind::Pdf { .. } => "PdfFileContent",
            FileKind::Text => "TextFileContent",
            FileKind::Video { .. } => "VideoFileContent",
            FileKind::Audio { .. } => "AudioFileContent",
        }
    }

    /// Reads the fields of a file whose wire name is `type_name`; nothing if that is no file.
    pub(super) fn read(type_name: &str, fields: &Fields<'_>) -> Option<Result<Self>> {
        let (own, kind): (&[&str], ReadKind) = match type_name {
            "FileContent" => (&[], |_| Ok(FileKind::Any)),
            "TextFileContent" => (&[], |_| Ok(FileKind::Text)),
            "ImageFileContent" => (&["width", "height", "format"], image),
            "PdfFileContent" => (&["page_count"], pdf),
            "VideoFileContent" => {
                (&["duration_seconds", "width", "height", "codec", "bitrate"], video)
            }
            "AudioFileContent" => (&["duration_seconds", "codec", "bitrate"], audio),
            _ => return None,
        };
        Some(Self::read_kind(fields, own, kind))
    }

    fn read_kind(fields: &Fields<'_>, own: &[&str], kind: ReadKind) -> Result<Self> {
        fields.only(&[&COMMON, own].concat())?;
        let checksum = fields.required("checksum")?;
        if checksum.string()?.is_empty() {
            return Err(checksum.error("`checksum` is empty"));
        }
        Ok(Self {
            uri: uri::read(&fields.required("uri")?)?,
            checksum: checksum.string()?.to_owned(),
            etag: coerce::optional_text(fields, "etag")?,
            size: coerce::optional_count(fields, "size")?,
            content_type: coerce::optional_text(fields, "content_type")?,
            expires_at: fields.optional("expires_at").map(|field| moment(&field)).transpose()?,
            preview: fields.optional("preview").map(|field| Preview::read(&field)).transpose()?,
            kind: kind(fields)?,
        })
    }

    /// The file on the wire, with its `__type__`, every field present.
    pub(super) fn write(&self) -> Object {
        let mut out = Object::default();
        out.insert("uri".into(), self.uri.as_str().into());
        out.insert("checksum".into(), self.checksum.as_str().into());
        put(&mut out, "etag", self.etag.as_deref());
        put_number(&mut out, "size", self.size.as_ref());
        put(&mut out, "content_type", self.content_type.as_deref());
        put(&mut out, "expires_at", self.expires_at.as_deref());
        let preview = self.preview.as_ref().map(Preview::write);
        out.insert("preview".into(), preview.into());
        self.kind.write(&mut out);
        out.insert("__type__".into(), self.type_name().into());
        crate::value::json::sort_keys(&mut out);
        out
    }
}

fn image(fields: &Fields<'_>) -> Result<FileKind> {
    Ok(FileKind::Image {
        width: coerce::optional_positive(fields, "width")?,
        height: coerce::optional_positive(fields, "height")?,
        format: coerce::optional_text(fields, "format")?,
    })
}

fn pdf(fields: &Fields<'_>) -> Result<FileKind> {
    Ok(FileKind::Pdf { page_count: coerce::optional_count(fields, "page_count")? })
}

fn video(fields: &Fields<'_>) -> Result<FileKind> {
    Ok(FileKind::Video {
        duration_seconds: coerce::optional_duration(fields, "duration_seconds")?,
        width: coerce::optional_positive(fields, "width")?,
        height: coerce::optional_positive(fields, "height")?,
        codec: coerce::optional_text(fields, "codec")?,
        bitrate: coerce::optional_positive(fields, "bitrate")?,
    })
}

fn audio(fields: &Fields<'_>) -> Result<FileKind> {
    Ok(FileKind::Audio {
        duration_seconds: coerce::optional_duration(fields, "duration_seconds")?,
        codec: coerce::optional_text(fields, "codec")?,
        bitrate: coerce::optional_positive(fields, "bitrate")?,
    })
}

impl FileKind {
    fn write(&self, out: &mut Object) {
        match self {
            Self::Any | Self::Text => {}
            Self::Image { width, height, format } => {
                put_number(out, "width", width.as_ref());
                put_number(out, "height", height.as_ref());
                put(out, "format", format.as_deref());
            }
            Self::Pdf { page_count } => put_number(out, "page_count", page_count.as_ref()),
            Self::Video { duration_seconds, width, height, codec, bitrate } => {
                put_real(out, "duration_seconds", *duration_seconds);
                put_number(out, "width", width.as_ref());
                put_number(out, "height", height.as_ref());
                put(out, "codec", codec.as_deref());
                put_number(out, "bitrate", bitrate.as_ref());
            }
            Self::Audio { duration_seconds, codec, bitrate } => {
                put_real(out, "duration_seconds", *duration_seconds);
                put(out, "codec", codec.as_deref());
                put_number(out, "bitrate", bitrate.as_ref());
            }
        }
    }
}

impl Preview {
    fn read(field: &Field<'_>) -> Result<Self> {
        let fields = field.object()?;
        fields.only(&[
            "uri",
            "content_type",
            "width",
            "height",
            "size",
            "checksum",
            "etag",
            "source_frame_ts",
        ])?;
        Ok(Self {
            uri: uri::read(&fields.required("uri")?)?,
            content_type: coerce::optional_text(&fields, "content_type")?,
            width: coerce::optional_positive(&fields, "width")?,
            height: coerce::optional_positive(&fields, "height")?,
            size: coerce::optional_count(&fields, "size")?,
            checksum: coerce::optional_text(&fields, "checksum")?,
            etag: coerce::optional_text(&fields, "etag")?,
            source_frame_ts: coerce::optional_position(&fields, "source_frame_ts")?,
        })
    }

    fn write(&self) -> Object {
        let mut out = Object::default();
        out.insert("uri".into(), self.uri.as_str().into());
        put(&mut out, "content_type", self.content_type.as_deref());
        put_number(&mut out, "width", self.width.as_ref());
        put_number(&mut out, "height", self.height.as_ref());
        put_number(&mut out, "size", self.size.as_ref());
        put(&mut out, "checksum", self.checksum.as_deref());
        put(&mut out, "etag", self.etag.as_deref());
        put_real(&mut out, "source_frame_ts", self.source_frame_ts);
        crate::value::json::sort_keys(&mut out);
        out
    }
}

fn put(out: &mut Object, key: &str, text: Option<&str>) {
    out.insert(key.to_owned(), text.into());
}

fn put_number(out: &mut Object, key: &str, number: Option<&Number>) {
    out.insert(key.to_owned(), number.map_or(Json::Null, |number| Json::Number(number.clone())));
}

fn put_real(out: &mut Object, key: &str, value: Option<f64>) {
    let number = value.and_then(Number::from_f64).and_then(|number| number.canonical().ok());
    put_number(out, key, number.as_ref());
}

/// From here on a number of seconds is one of milliseconds.
const SECONDS_END: f64 = 2e10;

/// Reads a moment as text, or as seconds or milliseconds since the start of 1970, and writes it
/// the one way it is kept: in UTC, with six fraction digits or none.
fn moment(field: &Field<'_>) -> Result<String> {
    let micros = match field.json() {
        Json::String(text) => read_micros(text),
        Json::Number(number) => micros_since_1970(number.as_f64()),
        Json::Null | Json::Bool(_) | Json::Array(_) | Json::Object(_) => None,
    };
    micros.and_then(written).ok_or_else(|| match field.json() {
        Json::String(text) => field.error(format!("`{text}` is not a date with a time")),
        Json::Number(number) => field.error(format!("`{number}` is outside the years 1 to 9999")),
        _ => field.expected("a date with a time"),
    })
}

fn micros_since_1970(value: f64) -> Option<i64> {
    let micros_a_unit = if value.abs() > SECONDS_END { 1_000 } else { 1_000_000 };
    // further out no year can be written
    let whole = (value.abs() < 1e15).then_some(value.floor() as i64)?;
    let rest = (value - value.floor()) * micros_a_unit as f64;
    whole.checked_mul(micros_a_unit)?.checked_add(rest.round() as i64)
}

fn written(micros: i64) -> Option<String> {
    let moment = OffsetDateTime::from_unix_timestamp(micros.div_euclid(1_000_000)).ok()?;
    if moment.year() < 1 {
        return None;
    }
    let mut text = String::with_capacity(27);
    write_seconds(&mut text, moment);
    let fraction = micros.rem_euclid(1_000_000);
    if fraction > 0 {
        text.push_str(&format!(".{fraction:06}"));
    }
    text.push('Z');
    Some(text)
}
