//! A small reader of XML and of the parts of XML Schema that `docs/report.xsd` uses, and xmllint
//! where there is one.

use std::collections::BTreeMap;
use std::io::Write;
use std::path::Path;
use std::process::{Command, Stdio};

use quick_xml::Reader;
use quick_xml::events::{BytesStart, Event};

/// Validates with xmllint; where there is none, the structural check has to do.
pub(crate) fn check_by_xmllint(report: &str, schema: &Path) {
    if Command::new("xmllint").arg("--version").output().is_err() {
        return;
    }
    let mut child = Command::new("xmllint")
        .args(["--noout", "--nonet", "--schema"])
        .arg(schema)
        .arg("-")
        .stdin(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    // A report that xmllint gives up on early is told below.
    let _ = child.stdin.take().unwrap().write_all(report.as_bytes());
    let output = child.wait_with_output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
}

/// An element with all that is in it.
#[derive(Debug, Default)]
pub(crate) struct Element {
    pub(crate) name: String,
    pub(crate) attributes: BTreeMap<String, String>,
    pub(crate) text: String,
    pub(crate) children: Vec<Element>,
}

impl Element {
    fn of(start: &BytesStart<'_>) -> Element {
        let attributes = start.attributes().map(|attribute| {
            let attribute = attribute.unwrap();
            (attribute.key.as_ref().to_owned(), attribute.value.into_owned())
        });
        let attributes = attributes.collect();
        Element { name: start.name().as_ref().to_owned(), attributes, ..Element::default() }
    }

    pub(crate) fn read(xml: &str) -> Element {
        let mut reader = Reader::from_str(xml);
        let mut open = vec![Element::default()];
        loop {
            match reader.read_event().unwrap() {
                Event::Start(start) => open.push(Element::of(&start)),
                Event::Empty(start) => open.last_mut().unwrap().children.push(Element::of(&start)),
                Event::End(_) => {
                    let closed = open.pop().unwrap();
                    open.last_mut().unwrap().children.push(closed);
                }
                Event::Text(text) => open.last_mut().unwrap().text.push_str(&text),
                Event::Eof => break,
                _ => {}
            }
        }
        let mut document = open.pop().unwrap();
        assert_eq!((open.len(), document.children.len()), (0, 1));
        document.children.remove(0)
    }

    fn attribute(&self, name: &str) -> &str {
        self.attributes.get(name).map_or("", String::as_str)
    }

    pub(crate) fn children_named<'a>(&'a self, name: &'a str) -> impl Iterator<Item = &'a Element> {
        self.children.iter().filter(move |child| child.name == name)
    }
}

/// The complex types by name.
pub(crate) struct Schema {
    types: BTreeMap<String, ComplexType>,
}

/// Elements of the sequence, and attributes as name and type, with whether they have to be there.
type ComplexType = (Vec<Particle>, Vec<(String, String, bool)>);

struct Particle {
    name: String,
    kind: String,
    is_list: bool,
    is_optional: bool,
}

impl Schema {
    pub(crate) fn read(xsd: &str) -> Schema {
        let schema = Element::read(xsd);
        let types = schema.children_named("xs:complexType").map(|kind| {
            let sequence = kind.children_named("xs:sequence");
            let elements = sequence.flat_map(|sequence| sequence.children_named("xs:element"));
            let particles = elements.map(|element| Particle {
                name: element.attribute("name").to_owned(),
                kind: element.attribute("type").to_owned(),
                is_list: element.attribute("maxOccurs") == "unbounded",
                is_optional: element.attribute("minOccurs") == "0",
            });
            let attributes = kind.children_named("xs:attribute").map(|a| {
                let is_required = a.attribute("use") == "required";
                (a.attribute("name").to_owned(), a.attribute("type").to_owned(), is_required)
            });
            (kind.attribute("name").to_owned(), (particles.collect(), attributes.collect()))
        });
        Schema { types: types.collect() }
    }

    pub(crate) fn check(&self, element: &Element, kind: &str) {
        let Some((particles, attributes)) = self.types.get(kind) else {
            assert!(element.children.is_empty(), "{} has children", element.name);
            return check_value(&element.text, kind);
        };
        let mut known = 0;
        for (name, kind, is_required) in attributes {
            match element.attributes.get(name) {
                Some(value) => check_value(value, kind),
                None => assert!(!is_required, "{} has no {name}", element.name),
            }
            known += usize::from(element.attributes.contains_key(name));
        }
        assert_eq!(element.attributes.len(), known, "attributes of {}", element.name);
        let mut children = element.children.iter().peekable();
        for particle in particles {
            let mut count = 0;
            while children.peek().is_some_and(|child| child.name == particle.name) {
                self.check(children.next().unwrap(), &particle.kind);
                count += 1;
            }
            let least = u32::from(!particle.is_optional);
            assert!(
                count >= least && (particle.is_list || count <= 1),
                "{count} {} in {kind}",
                particle.name
            );
        }
        assert!(children.next().is_none(), "more in {kind} than the schema says");
    }
}

fn check_value(text: &str, kind: &str) {
    let valid = match kind {
        "xs:string" => !text.chars().any(char::is_control),
        "xs:boolean" => matches!(text, "true" | "false"),
        "xs:unsignedInt" => text.parse::<u32>().is_ok(),
        "count" => text.parse::<u64>().is_ok(),
        "address" => text.strip_prefix("0x").is_some_and(is_hexadecimal),
        "word" => is_hexadecimal(text) && text.len().is_multiple_of(2),
        "cpi" => text.split_once('.').is_some_and(|(_, decimals)| decimals.len() == 3),
        "percent" => text.split_once('.').is_some_and(|(_, decimals)| decimals.len() == 2),
        _ => panic!("the schema has no type {kind}"),
    };
    assert!(valid, "`{text}` is no {kind}");
}

fn is_hexadecimal(text: &str) -> bool {
    text.bytes().all(|digit| matches!(digit, b'0'..=b'9' | b'a'..=b'f'))
}
