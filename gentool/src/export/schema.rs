//! The schemas of both forms, made from the shapes.

use std::fmt::Write as _;

use serde_json::{Map, Value, json};

use super::shape::{Kind, MODEL, Member, SHAPES, Shape};

/// The schema of the XML form, as `docs/model.xsd`.
pub fn print_xsd() -> String {
    let mut text = String::from(
        "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n\
         <xs:schema xmlns:xs=\"http://www.w3.org/2001/XMLSchema\" version=\"1\">\n  \
         <xs:annotation>\n    <xs:documentation>\n      \
         What `gentool export --format xml` writes. Lists that are empty are left out. Control\n      \
         characters other than tab, line feed and carriage return are written as U+FFFD.\n    </xs:documentation>\n  </xs:annotation>\n\n",
    );
    let _ = writeln!(text, "  <xs:element name=\"{MODEL}\" type=\"{MODEL}\"/>\n");
    text += "  <xs:simpleType name=\"hexadecimal\">\n    <xs:restriction base=\"xs:string\">\n      \
             <xs:pattern value=\"0x[0-9a-f]{1,32}\"/>\n    </xs:restriction>\n  </xs:simpleType>\n";
    SHAPES.iter().for_each(|shape| xsd_type(shape, &mut text));
    text + "</xs:schema>\n"
}

fn xsd_type(shape: &Shape, text: &mut String) {
    let _ = writeln!(text, "\n  <xs:complexType name=\"{}\">", shape.name);
    let _ = writeln!(text, "    {}", documentation(shape.says));
    let is_element = |member: &&Member| matches!(member.kind, Kind::One(_) | Kind::Many(..));
    if shape.members.iter().any(|member| is_element(&member)) {
        *text += "    <xs:sequence>\n";
        shape.members.iter().filter(is_element).for_each(|member| xsd_element(member, text));
        *text += "    </xs:sequence>\n";
    }
    shape.members.iter().filter(|member| !is_element(member)).for_each(|member| xsd_attribute(member, text));
    *text += "  </xs:complexType>\n";
}

fn xsd_element(member: &Member, text: &mut String) {
    let says = documentation(member.says);
    let name = member.name;
    match member.kind {
        Kind::Many(of, each) => {
            let _ = writeln!(
                text,
                "      <xs:element name=\"{name}\" minOccurs=\"0\">\n        {says}\n        <xs:complexType>\n          \
                 <xs:sequence>\n            <xs:element name=\"{each}\" type=\"{of}\" maxOccurs=\"unbounded\"/>\n          \
                 </xs:sequence>\n        </xs:complexType>\n      </xs:element>"
            );
        }
        Kind::One(of) => {
            let least = if member.optional { " minOccurs=\"0\"" } else { "" };
            let _ = writeln!(
                text,
                "      <xs:element name=\"{name}\" type=\"{of}\"{least}>\n        {says}\n      </xs:element>"
            );
        }
        _ => {}
    }
}

fn xsd_attribute(member: &Member, text: &mut String) {
    let required = if member.optional { "" } else { " use=\"required\"" };
    let says = documentation(member.says);
    let name = member.name;
    let plain = match member.kind {
        Kind::Text => "xs:string",
        Kind::Number => "xs:unsignedLong",
        Kind::Hexadecimal => "hexadecimal",
        Kind::Flag => "xs:boolean",
        Kind::Word(words) => {
            let words: String =
                words.iter().map(|word| format!("<xs:enumeration value=\"{}\"/>", escaped(word))).collect();
            let _ = writeln!(
                text,
                "    <xs:attribute name=\"{name}\"{required}>\n      {says}\n      <xs:simpleType>\n        \
                 <xs:restriction base=\"xs:string\">{words}</xs:restriction>\n      </xs:simpleType>\n    </xs:attribute>"
            );
            return;
        }
        Kind::One(_) | Kind::Many(..) => return,
    };
    let _ = writeln!(
        text,
        "    <xs:attribute name=\"{name}\" type=\"{plain}\"{required}>\n      {says}\n    </xs:attribute>"
    );
}

fn documentation(says: &str) -> String {
    format!("<xs:annotation><xs:documentation>{}</xs:documentation></xs:annotation>", escaped(says))
}

fn escaped(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;").replace('"', "&quot;")
}

/// The schema of the JSON form, as `docs/model.schema.json`.
pub fn print_json_schema() -> String {
    let definitions = SHAPES.iter().map(|shape| (shape.name.to_owned(), json_type(shape)));
    let schema = json!({
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "isac-model",
        "description": "What `gentool export --format json` writes.",
        "$ref": format!("#/$defs/{MODEL}"),
        "$defs": definitions.collect::<Map<String, Value>>(),
    });
    serde_json::to_string_pretty(&schema).expect("a schema is printed") + "\n"
}

fn json_type(shape: &Shape) -> Value {
    let members = shape.members.iter().map(|member| (member.name.to_owned(), json_member(member)));
    let required = shape.members.iter().filter(|member| !member.optional).map(|member| member.name);
    json!({
        "type": "object",
        "description": shape.says,
        "properties": members.collect::<Map<String, Value>>(),
        "required": required.collect::<Vec<&str>>(),
        "additionalProperties": false,
    })
}

fn json_member(member: &Member) -> Value {
    let reference = |of: &str| json!({ "$ref": format!("#/$defs/{of}") });
    let mut value = match member.kind {
        Kind::Text => json!({ "type": "string" }),
        Kind::Word(words) => json!({ "enum": words }),
        Kind::Number => json!({ "type": "integer", "minimum": 0 }),
        Kind::Hexadecimal => json!({ "type": "string", "pattern": "^0x[0-9a-f]{1,32}$" }),
        Kind::Flag => json!({ "type": "boolean" }),
        Kind::One(of) => reference(of),
        Kind::Many(of, _) => json!({ "type": "array", "items": reference(of) }),
    };
    value["description"] = json!(member.says);
    value
}
