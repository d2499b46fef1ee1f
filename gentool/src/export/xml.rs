//! The content as XML: scalars are attributes, things are elements, lists are elements around
//! those of their members.

use quick_xml::Writer;
use quick_xml::events::{BytesDecl, BytesEnd, BytesStart, Event};
use serde_json::Value;

use super::shape::{Kind, MODEL, Shape, shape};

/// The content as XML, indented by two blanks.
pub fn print_xml(content: &Value) -> String {
    let mut writer = Writer::new_with_indent(Vec::new(), b' ', 2);
    write(&mut writer, Event::Decl(BytesDecl::new("1.0", Some("UTF-8"), None)));
    write_thing(&mut writer, MODEL, shape(MODEL), content);
    let text = String::from_utf8(writer.into_inner()).expect("what is written is UTF-8");
    text + "\n"
}

fn write(writer: &mut Writer<Vec<u8>>, event: Event<'_>) {
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
            _ => start.push_attribute((member.name, scalar(value).as_str())),
        }
    }
    if !has_elements {
        return write(writer, Event::Empty(start));
    }
    write(writer, Event::Start(start));
    for member in shape_of.members {
        match (member.kind, thing.get(member.name)) {
            (Kind::One(of), Some(value)) => write_thing(writer, member.name, shape(of), value),
            (Kind::Many(of, each), Some(Value::Array(list))) if !list.is_empty() => {
                write(writer, Event::Start(BytesStart::new(member.name)));
                list.iter().for_each(|value| write_thing(writer, each, shape(of), value));
                write(writer, Event::End(BytesEnd::new(member.name)));
            }
            _ => {}
        }
    }
    write(writer, Event::End(BytesEnd::new(name)));
}

/// A text, number or flag; XML cannot hold control characters, which become U+FFFD.
fn scalar(value: &Value) -> String {
    let text = match value {
        Value::String(text) => text.clone(),
        other => other.to_string(),
    };
    text.chars().map(|letter| if letter.is_control() { '\u{fffd}' } else { letter }).collect()
}
