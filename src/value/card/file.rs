//! References to files: their type and location, not their bytes.

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
    /// The location: `s3://bucket/key` or an `https` URL.
    pub uri: String,
    /// The checksum; not empty.
    pub checksum: String,
    /// The version tag of the storage.
    pub etag: Option<String>,
    /// The length in bytes.
    pub size: Option<Number>,
    /// The MIME type.
    pub content_type: Option<String>,
    /// The expiry time of the URI, in RFC 3339 and UTC.
    pub expires_at: Option<String>,
    /// A preview image.
    pub preview: Option<Preview>,
    /// The kind of the file, with facts about that kind.
    pub kind: FileKind,
}

/// The kind of a file.
///
/// The example of [`FileRef`] shows it.
#[derive(Clone, Debug, PartialEq)]
pub enum FileKind {
    /// Any file: `FileContent`.
    Any,
    /// `ImageFileContent`
    Image {
        /// The width in pixels, greater than 0.
        width: Option<Number>,
        /// The height in pixels, greater than 0.
        height: Option<Number>,
        /// The format, such as `png`.
        format: Option<String>,
    },
    /// `PdfFileContent`
    Pdf {
        /// The number of pages, not negative.
        page_count: Option<Number>,
    },
    /// `TextFileContent`
    Text,
    /// `VideoFileContent`
    Video {
        /// The duration, greater than 0.
        duration_seconds: Option<f64>,
        /// The width in pixels, greater than 0.
        width: Option<Number>,
        /// The height in pixels, greater than 0.
        height: Option<Number>,
        /// The codec, such as `h264`.
        codec: Option<String>,
        /// The bitrate, greater than 0.
        bitrate: Option<Number>,
    },
    /// `AudioFileContent`
    Audio {
        /// The duration, greater than 0.
        duration_seconds: Option<f64>,
        /// The codec, such as `opus`.
        codec: Option<String>,
        /// The bitrate, greater than 0.
        bitrate: Option<Number>,
    },
}

/// A preview image of a file.
///
/// The example of [`FileRef`] shows it.
#[derive(Clone, Debug, PartialEq)]
pub struct Preview {
    /// The location of the image.
    pub uri: String,
    /// The MIME type.
    pub content_type: Option<String>,
    /// The width in pixels, greater than 0.
    pub width: Option<Number>,
    /// The height in pixels, greater than 0.
    pub height: Option<Number>,
    /// The length in bytes.
    pub size: Option<Number>,
    /// The checksum of the image.
    pub checksum: Option<String>,
    /// The version tag of the storage.
    pub etag: Option<String>,
    /// The position in the video, in seconds.
    pub source_frame_ts: Option<f64>,
}

const COMMON: [&str; 8] =
    ["__type__", "uri", "checksum", "etag", "size", "content_type", "expires_at", "preview"];

type ReadKind = fn(&Fields<'_>) -> Result<FileKind>;

impl FileRef {
    /// The wire names of the file kinds.
    pub(super) const TYPES: [&str; 6] = [
        "FileContent",
        "ImageFileContent",
        "PdfFileContent",
        "TextFileContent",
        "VideoFileContent",
        "AudioFileContent",
    ];

    /// Returns the wire name of the kind.
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

    /// Reads a file whose wire name is `type_name`; returns `None` if it is not a file type.
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
            return Err(checksum.error("`checksum` must not be empty"));
        }
        Ok(Self {
            uri: uri::read(&fields.required("uri")?)?,
            checksum: checksum.string()?.to_owned(),
            etag: coerce::optional_text(fields, "etag")?,
            size: coerce::optional_count(fields, "size")?,
            content_type: coerce::optional_text(fields, "content_type")?,
            expires_at: fields.optional("expires_at").map(|field| timestamp(&field)).transpose()?,
            preview: fields.optional("preview").map(|field| Preview::read(&field)).transpose()?,
            kind: kind(fields)?,
        })
    }

    /// Returns the file on the wire, with its `__type__` and every field.
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

/// Lower bound of numbers that count as milliseconds instead of seconds.
const SECONDS_END: f64 = 2e10;

/// Reads a timestamp and returns it in UTC, with 6 fraction digits or none.
///
/// The value is text, or seconds or milliseconds since the start of 1970.
fn timestamp(field: &Field<'_>) -> Result<String> {
    let micros = match field.json() {
        Json::String(text) => read_micros(text),
        Json::Number(number) => micros_since_1970(number.as_f64()),
        Json::Null | Json::Bool(_) | Json::Array(_) | Json::Object(_) => None,
    };
    micros.and_then(written).ok_or_else(|| match field.json() {
        Json::String(text) => field.error(format!("`{text}` is not a date and time")),
        Json::Number(number) => field.error(format!("`{number}` is outside the years 1 to 9999")),
        _ => field.expected("a date and time"),
    })
}

fn micros_since_1970(value: f64) -> Option<i64> {
    let micros_a_unit = if value.abs() > SECONDS_END { 1_000 } else { 1_000_000 };
    // RFC 3339 has no years beyond this
    let whole = (value.abs() < 1e15).then_some(value.floor() as i64)?;
    let rest = (value - value.floor()) * micros_a_unit as f64;
    whole.checked_mul(micros_a_unit)?.checked_add(rest.round() as i64)
}

fn written(micros: i64) -> Option<String> {
    let time = OffsetDateTime::from_unix_timestamp(micros.div_euclid(1_000_000)).ok()?;
    if time.year() < 1 {
        return None;
    }
    let mut text = String::with_capacity(27);
    write_seconds(&mut text, time);
    let fraction = micros.rem_euclid(1_000_000);
    if fraction > 0 {
        text.push_str(&format!(".{fraction:06}"));
    }
    text.push('Z');
    Some(text)
}
