//! The exported model: what it holds is what its shapes say, and both forms say the same.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

use gentool::export::schema::{print_json_schema, print_xsd};
use gentool::export::shape::{Kind, MODEL, SHAPES, shape};
use gentool::export::{export_model, print_json, print_xml};
use gentool::lower::lower_model;
use isac_parser::diagnostic::{Diagnostics, Style};
use isac_parser::load_model;
use isac_parser::source::{FileSystem, SourceMap};
use quick_xml::Reader;
use quick_xml::events::{BytesStart, Event};
use serde_json::{Map, Value, json};

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("..")
}

fn export(model: &str) -> Value {
    let (mut sources, mut findings) = (SourceMap::new(), Diagnostics::new());
    let path = root().join(model);
    let checked = load_model(&path, &FileSystem, &BTreeMap::new(), &mut sources, &mut findings);
    let checked = checked.unwrap_or_else(|| panic!("{}", findings.render(&sources, Style::Plain)));
    let name = path.file_stem().expect("a file has a name").to_string_lossy().into_owned();
    export_model(&checked, &lower_model(&checked, &sources, &name))
}

fn models() -> Vec<String> {
    let mut found: Vec<String> =
        ["tiny8", "rv32im", "pdp11", "rv32im5", "timing-demo", "rv32imc", "rv64imac"]
            .map(|name| format!("models/{name}/{name}.isac"))
            .to_vec();
    for entry in fs::read_dir(root().join("tests/models")).expect("the folder can be read") {
        let name = entry.expect("an entry").file_name().to_string_lossy().into_owned();
        if name.ends_with(".isac") {
            found.push(format!("tests/models/{name}"));
        }
    }
    found.sort();
    found
}

/// Says where a value is not of its shape.
fn check(name: &str, value: &Value, place: &str, wrong: &mut Vec<String>) {
    let Some(members) = value.as_object() else {
        wrong.push(format!("{place} is no object"));
        return;
    };
    let shape = shape(name);
    for unknown in members.keys().filter(|key| shape.members.iter().all(|member| member.name != *key)) {
        wrong.push(format!("{place} has a member `{unknown}`"));
    }
    for member in shape.members {
        let place = format!("{place}/{}", member.name);
        let Some(value) = members.get(member.name) else {
            if !member.optional {
                wrong.push(format!("{place} is missing"));
            }
            continue;
        };
        let fits = match member.kind {
            Kind::Text => value.is_string(),
            Kind::Word(words) => value.as_str().is_some_and(|word| words.contains(&word)),
            Kind::Number => value.is_u64(),
            Kind::Hexadecimal => value.as_str().is_some_and(|text| {
                text.strip_prefix("0x").is_some_and(|digits| u128::from_str_radix(digits, 16).is_ok())
            }),
            Kind::Flag => value.is_boolean(),
            Kind::One(of) => {
                check(of, value, &place, wrong);
                true
            }
            Kind::Many(of, _) => {
                let list = value.as_array();
                for (index, value) in list.into_iter().flatten().enumerate() {
                    check(of, value, &format!("{place}/{index}"), wrong);
                }
                list.is_some()
            }
        };
        if !fits {
            wrong.push(format!("{place} is {value}"));
        }
    }
}

#[test]
fn every_model_is_of_the_shape_that_the_schemas_state() {
    for model in models() {
        let mut wrong = Vec::new();
        check(MODEL, &export(&model), &model, &mut wrong);
        assert_eq!(wrong, Vec::<String>::new());
    }
}

/// The attributes of an element as members of their kinds.
fn members_of(element: &BytesStart<'_>, name: &str) -> Map<String, Value> {
    let mut members = Map::new();
    for attribute in element.attributes() {
        let attribute = attribute.expect("attributes are well-formed");
        let key = attribute.key.as_ref().to_owned();
        let text = quick_xml::escape::unescape(&attribute.value).expect("values are escaped").into_owned();
        let kind = shape(name).members.iter().find(|member| member.name == key).expect("a known member").kind;
        members.insert(
            key,
            match kind {
                Kind::Number => json!(text.parse::<u64>().expect("a number")),
                Kind::Flag => json!(text == "true"),
                _ => json!(text),
            },
        );
    }
    members
}

/// An element read back; lists that are left out are empty.
fn read(reader: &mut Reader<&[u8]>, start: &BytesStart<'_>, is_empty: bool, name: &str) -> Value {
    let mut members = members_of(start, name);
    let mut is_open = !is_empty;
    while is_open {
        match reader.read_event().expect("the text is well-formed") {
            Event::Start(child) => {
                let value = read_member(reader, &child, false, name);
                members.insert(child.name().as_ref().to_owned(), value);
            }
            Event::Empty(child) => {
                let value = read_member(reader, &child, true, name);
                members.insert(child.name().as_ref().to_owned(), value);
            }
            Event::End(_) => is_open = false,
            Event::Text(text) => assert_eq!(text.trim(), ""),
            other => panic!("{other:?}"),
        }
    }
    for member in shape(name).members {
        if let (Kind::Many(..), false) = (member.kind, member.optional) {
            members.entry(member.name).or_insert(json!([]));
        }
    }
    Value::Object(members)
}

fn read_member(reader: &mut Reader<&[u8]>, child: &BytesStart<'_>, is_empty: bool, of: &str) -> Value {
    let key = child.name().as_ref().to_owned();
    let member = shape(of).members.iter().find(|member| member.name == key).expect("a known member");
    let Kind::Many(each, _) = member.kind else {
        let Kind::One(one) = member.kind else { panic!("{key} is an attribute") };
        return read(reader, child, is_empty, one);
    };
    let mut list = Vec::new();
    loop {
        match reader.read_event().expect("the text is well-formed") {
            Event::Start(item) => list.push(read(reader, &item, false, each)),
            Event::Empty(item) => list.push(read(reader, &item, true, each)),
            Event::End(_) => return Value::Array(list),
            _ => {}
        }
    }
}

/// The same without empty lists that may be missing: XML writes no empty list.
fn without_empty(name: &str, value: &Value) -> Value {
    let mut members = value.as_object().expect("an object").clone();
    for member in shape(name).members {
        match (member.kind, members.get(member.name).cloned()) {
            (Kind::Many(..), Some(Value::Array(list))) if list.is_empty() && member.optional => {
                members.remove(member.name);
            }
            (Kind::Many(of, _), Some(Value::Array(list))) => {
                let list = list.iter().map(|value| without_empty(of, value)).collect();
                members.insert(member.name.to_owned(), Value::Array(list));
            }
            (Kind::One(of), Some(value)) => {
                members.insert(member.name.to_owned(), without_empty(of, &value));
            }
            _ => {}
        }
    }
    Value::Object(members)
}

#[test]
fn both_forms_say_the_same() {
    for model in models() {
        let content = export(&model);
        let parsed: Value = serde_json::from_str(&print_json(&content)).expect("it is JSON");
        assert_eq!(parsed, content, "{model}");
        let text = print_xml(&content);
        let mut reader = Reader::from_str(&text);
        let back = loop {
            match reader.read_event().expect("the text is well-formed") {
                Event::Start(start) => break read(&mut reader, &start, false, MODEL),
                Event::Eof => panic!("nothing is written"),
                _ => {}
            }
        };
        assert_eq!(back, without_empty(MODEL, &content), "{model}");
    }
}

/// A reader of XML makes spaces of blanks in attributes that are no references.
#[test]
fn blanks_and_markup_in_texts_come_back() {
    let written = "a\tb\nc\r d<&>\"'\u{e9}";
    let mut content = export("models/tiny8/tiny8.isac");
    content["name"] = Value::String(format!("{written}\u{1}\u{ffff}"));
    let text = print_xml(&content);
    assert!(
        text.contains("a&#9;b&#10;c&#13; d&lt;&amp;&gt;&quot;&apos;\u{e9}\u{fffd}\u{fffd}\""),
        "{}",
        &text[..200]
    );
    let mut reader = Reader::from_str(&text);
    let name = loop {
        match reader.read_event().expect("the text is well-formed") {
            Event::Start(start) => break members_of(&start, MODEL)["name"].clone(),
            Event::Eof => panic!("nothing is written"),
            _ => {}
        }
    };
    assert_eq!(name, Value::String(format!("{written}\u{fffd}\u{fffd}")));
}

#[test]
fn the_same_description_is_written_in_the_same_way() {
    let model = "models/rv32im5/rv32im5.isac";
    assert_eq!(print_xml(&export(model)), print_xml(&export(model)));
    assert_eq!(print_json(&export(model)), print_json(&export(model)));
}

/// `UPDATE_EXPECT=1` writes the schemas anew.
#[test]
fn the_schemas_are_those_of_the_shapes() {
    for (path, text) in [("docs/model.xsd", print_xsd()), ("docs/model.schema.json", print_json_schema())] {
        let path = root().join(path);
        if std::env::var_os("UPDATE_EXPECT").is_some() {
            fs::write(&path, &text).expect("the schema can be written");
        }
        assert_eq!(fs::read_to_string(&path).expect("the schema is there"), text, "{}", path.display());
    }
}

#[test]
fn every_shape_is_used_and_every_member_names_one() {
    let names: BTreeSet<&str> = SHAPES.iter().map(|shape| shape.name).collect();
    assert_eq!(names.len(), SHAPES.len(), "a shape has two meanings");
    let used = SHAPES.iter().flat_map(|shape| shape.members).filter_map(|member| match member.kind {
        Kind::One(of) | Kind::Many(of, _) => Some(of),
        _ => None,
    });
    let used: BTreeSet<&str> = used.chain([MODEL]).collect();
    assert_eq!(used, names);
}

#[test]
fn what_an_instruction_is_made_of_can_be_read() {
    let content = export("models/tiny8/tiny8.isac");
    let operations = content["operations"].as_array().expect("a list");
    let add = operations.iter().find(|operation| operation["name"] == "add").expect("`add` is there");
    assert_eq!(
        add["coding"],
        json!([
            { "kind": "fixed", "width": 2, "digits": "00" },
            { "kind": "alias", "width": 2, "name": "dst", "low": 0 },
            { "kind": "alias", "width": 2, "name": "src", "low": 0 },
        ])
    );
    assert_eq!(add["texts"][0]["items"][0], json!({ "kind": "literal", "text": "add" }));
    assert_eq!(content["time"][0]["target"], "main");
    assert_eq!(content["pc"]["parts"][0]["register"], "pc");
}
