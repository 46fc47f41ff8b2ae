//! Random parts: neutral parts, parts of providers and frameworks, and invalid parts.

use super::Dice;
use tuckbox::Json;

impl Dice<'_> {
    fn json(text: &str) -> Json {
        Json::parse(text).unwrap_or_else(|error| panic!("{error}: {text}"))
    }

    /// Returns a part.
    pub fn part(&mut self) -> Json {
        let mark = self.mark();
        let text = match self.roll(30) {
            0..=8 => {
                let words = Json::from(self.words());
                return Json::from([("type", Json::from("text")), ("text", words)]);
            }
            9 => {
                let uri = ["https://h/a.png", "https://h/a.pdf", "s3://b/k", "https://h/x", "file-1"];
                let format = self.pick(&["null", r#""image/png""#, r#""audio/mpeg""#, r#""a/zip""#]);
                let uri = self.pick(&uri);
                format!(r#"{{"type":"file","file":{{"file_id":"{uri}","format":{format}}}}}"#)
            }
            10 => {
                let mime = self.pick(&["image/png", "image/jpg", "audio/wav", "application/pdf"]);
                let encoding = self.pick(&["base64", "uri", "hex"]);
                format!(
                    r#"{{"type":"media_placeholder","media_info":{{"mime_type":"{mime}","encoding":"{encoding}","content":"AAAA"}}}}"#
                )
            }
            11 => {
                let url = self.pick(&[
                    "https://h/a.jpg",
                    "http://h/a.png",
                    "https://h/x.svg",
                    "data:image/png;base64,AAAA",
                    "data:image/jpg;base64,/9j/AA==",
                    "data:text/html;base64,AAAA",
                    "data:image/png;base64,not base64!",
                    "data:image/png,raw",
                    "ftp://h/a.png",
                ]);
                format!(r#"{{"type":"image_url","image_url":{{"url":"{url}","detail":"low"}}}}"#)
            }
            12 => {
                let format = self.pick(&["wav", "mp3", "ogg"]);
                format!(r#"{{"type":"input_audio","input_audio":{{"data":"AAAA","format":"{format}"}}}}"#)
            }
            13 => self.pick(&[
                r#"{"type":"file","file":{"file_data":"data:application/pdf;base64,AAAA","filename":"a.pdf"}}"#,
                r#"{"type":"input_file","file_url":"https://h/a.pdf"}"#,
                r#"{"type":"input_image","file_id":"file-9","detail":"high"}"#,
                r#"{"type":"image","data":"iVBORw0KGgo=","mimeType":"image/jpeg"}"#,
                r#"{"type":"image","url":"https://h/a.gif"}"#,
                r#"{"type":"video","url":"https://h/a.mp4"}"#,
                r#"{"type":"audio","data":"AA-_","mime_type":"audio/mp3"}"#,
            ])
            .to_owned(),
            14 => self.pick(&[
                r#"{"type":"image","source":{"type":"url","url":"http://h/a.png"}}"#,
                r#"{"type":"image","source":{"type":"base64","media_type":"image/webp","data":"AAAA"}}"#,
                r#"{"type":"document","source":{"type":"file","file_id":"file_011"},"title":"T"}"#,
                r#"{"type":"document","source":{"type":"text","media_type":"text/plain","data":"words"},"citations":{"enabled":true}}"#,
            ])
            .to_owned(),
            15 => self.pick(&[
                r#"{"inlineData":{"mimeType":"image/gif","data":"AAAA"}}"#,
                r#"{"fileData":{"mimeType":"video/mp4","fileUri":"gs://b/v.mp4"}}"#,
                r#"{"executableCode":{"language":"PYTHON","code":"1"}}"#,
                r#"{"type":"resource","resource":{"uri":"file:///a.txt","mimeType":"text/plain","text":"words"}}"#,
                r#"{"type":"resource_link","uri":"https://h/a.pdf","name":"a"}"#,
            ])
            .to_owned(),
            16 | 17 => {
                let (id, name) = (self.call_id(), self.tool_name());
                format!(r#"{{"type":"tool_use","id":"{id}","name":"{name}","input":{{"q":"{mark}"}}}}"#)
            }
            18 | 19 => {
                let id = self.call_id();
                let failed = self.pick(&["true", "false"]);
                format!(
                    r#"{{"type":"tool_result","tool_use_id":"{id}","content":"{mark}","is_error":{failed}}}"#
                )
            }
            20 => {
                let signature = self.pick(&["sig", ""]);
                format!(r#"{{"type":"thinking","thinking":"{mark}","signature":"{signature}"}}"#)
            }
            21 => format!(r#"{{"type":"redacted_thinking","data":"{mark}"}}"#),
            22 => format!(
                r#"{{"type":"reasoning","id":"rs_1","summary":[{{"type":"summary_text","text":"{mark}"}}],"encrypted_content":"e"}}"#
            ),
            23 => format!(r#"{{"type":"refusal","refusal":"{mark}"}}"#),
            24 => format!(
                r#"{{"type":"server_tool_use","id":"srv_{mark}","name":"web_search","input":{{"query":"{mark}"}}}}"#
            ),
            25 => format!(r#"{{"type":"web_search_call","id":"ws_{mark}","status":"completed"}}"#),
            26 => format!(
                r#"{{"type":"text","text":"{mark}","cache_control":{{"type":"ephemeral","ttl":"1h"}}}}"#
            ),
            27 => format!(
                r#"{{"text":"{mark}","thoughtSignature":"sig_{mark}"}}"#
            ),
            28 => format!(
                r#"{{"type":"text","text":"{mark}","citations":[{{"type":"char_location","cited_text":"{mark}"}}]}}"#
            ),
            _ => match self.roll(3) {
                0 => format!(r#"{{"type":"poem","lines":["{mark}"]}}"#),
                1 => format!(r#"{{"type":"text","text":"{mark}","mood":"calm"}}"#),
                _ => "7".to_owned(),
            },
        };
        Self::json(&text)
    }
}
