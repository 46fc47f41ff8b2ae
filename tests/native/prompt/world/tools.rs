//! Random tools, most of them unusual.

use super::Dice;
use tuckbox::Json;
use tuckbox::value::json::Object;

/// Schemas as people and libraries write them.
const SCHEMAS: [&str; 26] = [
    r#"{"type":"object","properties":{"q":{"type":"string"}}}"#,
    r#"{"type":"object","properties":{"q":{"type":"string"}},"required":["q"],"additionalProperties":false}"#,
    "{}",
    "null",
    r#"{"type":"string"}"#,
    r#"{"anyOf":[]}"#,
    "[1]",
    r#"{"type":"object"}"#,
    r#"{"type":"object","properties":{"list":{"type":"array"},"map":{"type":"object"}}}"#,
    r##"{"$ref":"#/$defs/A","$defs":{"A":{"type":"object","properties":{"q":{"type":"string"}}}}}"##,
    r##"{"anyOf":[{"$ref":"#/$defs/A"},{"type":"string"}],"$defs":{"A":{"type":"object"}}}"##,
    r##"{"$ref":"#/$defs/A","$defs":{"A":{"$ref":"#/$defs/A"}}}"##,
    r##"{"type":"object","properties":{"a":{"$ref":"#/$defs/A","description":"d"}},"$defs":{"A":{"type":"object","properties":{"a":{"$ref":"#/$defs/A","description":"e"}}}}}"##,
    r##"{"type":"object","properties":{"a":{"$ref":"#/$defs/Gone"}}}"##,
    r#"{"type":"object","properties":{"größe":{"type":"number"},"a b":{"type":"string"}},"required":["größe"]}"#,
    r#"{"type":"object","properties":{"q":{"type":"str"},"n":{"type":["int","null"]}}}"#,
    r#"{"type":"object","properties":{"q":true,"r":false,"s":"string"}}"#,
    r#"{"type":"object","properties":{"t":{"type":"array","items":[{"type":"string"},{"type":"number"}]}}}"#,
    r#"{"type":"object","properties":[],"required":true}"#,
    r#"{"type":"OBJECT","properties":{"q":{"type":"STRING"}}}"#,
    r#"{"type":"object","properties":{"q":{"enum":[]}},"required":["q","q"]}"#,
    r#"{"type":"object","properties":{"q":{"type":"string"}},"anyOf":[{"required":["q"]}]}"#,
    r#"{"allOf":[{"type":"object","properties":{"q":{"type":"string","minLength":1}}}]}"#,
    r##"{"type":"object","properties":{"n":{"$ref":"#"}}}"##,
    r##"{"oneOf":[{"type":"object","properties":{"n":{"$ref":"#"}}},{"type":"null"}]}"##,
    r#"{"type":["object","null"],"properties":{"q":{"type":"any"}}}"#,
];

impl Dice<'_> {
    /// Returns a tool definition.
    pub fn tool(&mut self) -> Object {
        let object = |json: Json| json.as_object().unwrap().clone();
        let own = |text: &str| object(Json::parse(text).unwrap());
        match self.roll(24) {
            0 => return own(r#"{"type":"web_search"}"#),
            1 => return own(r#"{"description":"nameless"}"#),
            2 => return own(r#"{"type":"web_search_20250305","name":"web_search"}"#),
            3 => return own(r#"{"googleSearch":{}}"#),
            4 => return own(r#"{"functionDeclarations":[{"name":"g1"},{"name":"g2"}]}"#),
            _ => {}
        }
        let schema = self.pick(&SCHEMAS);
        let mut function = Object::default();
        function.insert("name".into(), Json::from(self.tool_name()));
        function.insert("description".into(), Json::from(self.mark()));
        function.insert("parameters".into(), Json::parse(schema).unwrap());
        if self.one_in(2) {
            function.insert("strict".into(), self.one_in(2).into());
        }
        if self.one_in(6) {
            function.insert("title".into(), "A tool".into());
            function.insert("annotations".into(), Json::from([("readOnlyHint", true)]));
        }
        if self.one_in(8) {
            return function;
        }
        object(Json::from([("type", Json::from("function")), ("function", Json::Object(function))]))
    }
}
