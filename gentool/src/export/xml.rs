//! The content as XML: scalars are attributes, things are elements, lists are elements around
//! those of their members.

use std::fmt::Write;

use quick_xml::Writer;
use quick_xml::escape::escape;
use quick_xml::events::attributes::Attribute;
use quick_xml::events::{BytesDecl, BytesEnd, BytesStart, Event};
use quick_xml::name::QName;
use serde_json::Value;

use super::shape::{Kind, MODEL, Shape, shape};

/// The content as XML, indented by two blanks.
pub fn print_xml(content: &Value) -> String {
    let mut writer = Writer::new_with_indent(Vec::new(), b' ', 2);
    write_event(&mut writer, Event::Decl(BytesDecl::new("1.0", Some("UTF-8"), None)));
    write_thing(&mut writer, MODEL, shape(MODEL), content);
    let text = String::from_utf8(writer.into_inner()).expect("what is written is UTF-8");
    text + "\n"
}

fn write_event(writer: &mut Writer<Vec<u8>>, event: Event<'_>) {
    writer.write_event(event).expect("writing to memory succeeds");
}

fn write_thing(writer: &mut Writer<Vec<u8>>, name: &str, shape_of: &Shape, thing: &Value) {
    let mut start = BytesStart::new(name);
    let mut has_elements = false;
    for member in shape_of.members {
        let Some(value) = thing.get(member.name) else { continue };
        match member.kind {
            Kind::One(_) => has_elements = true,
            Kind::Many(..) => has_elements |= value.as_array().is_some_and(|list| !list.is_empty()),
            _ => start.push_attribute(Attribute { key: QName(member.name), value: escaped(value).into() }),
        }
    }
    if !has_elements {
        return write_event(writer, Event::Empty(start));
    }
    write_event(writer, Event::Start(start));
    for member in shape_of.members {
        match (member.kind, thing.get(member.name)) {
            (Kind::One(of), Some(value)) => write_thing(writer, member.name, shape(of), value),
            (Kind::Many(of, each), Some(Value::Array(list))) if !list.is_empty() => {
                write_event(writer, Event::Start(BytesStart::new(member.name)));
                list.iter().for_each(|value| write_thing(writer, each, shape(of), value));
                write_event(writer, Event::End(BytesEnd::new(member.name)));
            }
            _ => {}
        }
    }
    write_event(writer, Event::End(BytesEnd::new(name)));
}

/// A text, number or flag as it stands in an attribute. Blanks beside the space are references, which
/// readers of attributes leave as they are; XML cannot hold other control characters, nor U+FFFE and U+FFFF: they become U+FFFD.
fn escaped(value: &Value) -> String {
    let text = match value {
        Value::String(text) => text.clone(),
        other => other.to_string(),
    };
    let mut written = String::new();
    for letter in escape(text).chars() {
        match letter {
            '\t' | '\n' | '\r' => {
                let _ = write!(written, "&#{};", letter as u32);
            }
            letter if letter.is_control() || matches!(letter, '\u{fffe}' | '\u{ffff}') => {
                written.push('\u{fffd}');
            }
            letter => written.push(letter),
        }
    }
    written
}
