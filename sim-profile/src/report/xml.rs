//! Elements of a report as XML, written as they are made.
//!
//! An element is a structure: its fields named `@name` are attributes and come first, all others are
//! elements below it, a list one for each of its members. So a start tag can be written before the
//! elements below it are known, and nothing has to be kept until its end tag is.

use std::fmt::{self, Display, Write as _};
use std::io::{self, Write};

use serde::Serialize;
use serde::ser::{self, Impossible, SerializeSeq, SerializeStruct, Serializer};

use crate::digits::push_decimal;

/// Writes an element and all below it, indented by two, without a line break behind it.
///
/// # Errors
/// `out` fails.
pub(super) fn write_element(
    out: &mut impl Write,
    name: &'static str,
    value: &impl Serialize,
) -> io::Result<()> {
    let text = Vec::with_capacity(2 * FULL);
    let mut document =
        Document { out, text, depth: 0, is_tag_open: false, is_first: true, displayed: String::new() };
    value.serialize(Node { document: &mut document, name }).map_err(|Failure(error)| error)?;
    document.hand_over()
}

/// Bytes of text from which on they are handed over.
const FULL: usize = 1 << 15;

/// Where elements are written to.
struct Document<'w, W> {
    out: &'w mut W,
    /// What is not handed over yet: an element is made of ten pieces, too short for a call of `out` each.
    text: Vec<u8>,
    /// Elements that are open.
    depth: usize,
    /// The start tag written last has room for attributes.
    is_tag_open: bool,
    is_first: bool,
    /// A value as a text, while it is written.
    displayed: String,
}

/// What begins a line: so many spaces are enough for most.
const INDENT: &[u8; 33] = b"\n                                ";

impl<W: Write> Document<'_, W> {
    fn hand_over(&mut self) -> io::Result<()> {
        let written = self.out.write_all(&self.text);
        self.text.clear();
        written
    }

    /// Begins a line for an element below those that are open.
    fn begin_line(&mut self) -> io::Result<()> {
        if self.text.len() >= FULL {
            self.hand_over()?;
        }
        if std::mem::take(&mut self.is_tag_open) {
            self.text.push(b'>');
        }
        if std::mem::take(&mut self.is_first) {
            return Ok(());
        }
        match INDENT.get(..=2 * self.depth) {
            Some(indent) => self.text.extend_from_slice(indent),
            None => {
                self.text.push(b'\n');
                self.text.resize(self.text.len() + 2 * self.depth, b' ');
            }
        }
        Ok(())
    }

    /// A tag, or its beginning: its name between two texts.
    fn push_tag(&mut self, before: &[u8], name: &str, behind: &[u8]) {
        self.text.extend_from_slice(before);
        self.text.extend_from_slice(name.as_bytes());
        self.text.extend_from_slice(behind);
    }

    /// Text between tags, or in an attribute's quotes.
    fn push_text(&mut self, text: &str, is_quoted: bool) {
        let mut rest = text.as_bytes();
        let is_special = |byte: &u8| matches!(byte, b'<' | b'>' | b'&') || is_quoted && *byte == b'"';
        while let Some(at) = rest.iter().position(is_special) {
            self.text.extend_from_slice(&rest[..at]);
            self.text.extend_from_slice(match rest[at] {
                b'<' => b"&lt;",
                b'>' => b"&gt;",
                b'&' => b"&amp;",
                _ => b"&quot;",
            });
            rest = &rest[at + 1..];
        }
        self.text.extend_from_slice(rest);
    }
}

/// An element, a list of elements of one name, or an attribute, if the name begins with `@`.
struct Node<'d, 'w, W> {
    document: &'d mut Document<'w, W>,
    name: &'static str,
}

impl<W: Write> Node<'_, '_, W> {
    fn write_text(self, text: &str) -> Result<(), Failure> {
        let Node { document, name } = self;
        if text.is_empty() && !name.starts_with('@') {
            document.begin_line()?;
            document.push_tag(b"<", name, b"/>");
            return Ok(());
        }
        let is_quoted = name.starts_with('@');
        Node { document, name }.write_value(|document| document.push_text(text, is_quoted))
    }

    /// A value that is not empty and needs no replacement, or does that itself.
    fn write_value(self, push: impl FnOnce(&mut Document<'_, W>)) -> Result<(), Failure> {
        let Node { document, name } = self;
        if let Some(name) = name.strip_prefix('@') {
            document.push_tag(b" ", name, b"=\"");
            push(document);
            document.text.push(b'"');
            return Ok(());
        }
        document.begin_line()?;
        document.push_tag(b"<", name, b">");
        push(document);
        document.push_tag(b"</", name, b">");
        Ok(())
    }

    fn write_number(self, number: u64) -> Result<(), Failure> {
        self.write_value(|document| push_decimal(&mut document.text, number))
    }

    fn write_displayed(self, value: impl Display) -> Result<(), Failure> {
        let mut displayed = std::mem::take(&mut self.document.displayed);
        displayed.clear();
        // A text takes everything.
        let _ = write!(displayed, "{value}");
        let Node { document, name } = self;
        Node { document: &mut *document, name }.write_text(&displayed)?;
        document.displayed = displayed;
        Ok(())
    }
}

impl<W: Write> SerializeSeq for Node<'_, '_, W> {
    type Ok = ();
    type Error = Failure;

    fn serialize_element<T: Serialize + ?Sized>(&mut self, value: &T) -> Result<(), Failure> {
        value.serialize(Node { document: &mut *self.document, name: self.name })
    }

    fn end(self) -> Result<(), Failure> {
        Ok(())
    }
}

impl<W: Write> SerializeStruct for Node<'_, '_, W> {
    type Ok = ();
    type Error = Failure;

    fn serialize_field<T: Serialize + ?Sized>(
        &mut self,
        name: &'static str,
        value: &T,
    ) -> Result<(), Failure> {
        value.serialize(Node { document: &mut *self.document, name })
    }

    fn end(self) -> Result<(), Failure> {
        let Node { document, name } = self;
        document.depth -= 1;
        if std::mem::take(&mut document.is_tag_open) {
            document.text.extend_from_slice(b"/>");
            return Ok(());
        }
        document.begin_line()?;
        document.push_tag(b"</", name, b">");
        Ok(())
    }
}

/// Why something is not written.
#[derive(Debug)]
struct Failure(io::Error);

impl From<io::Error> for Failure {
    fn from(error: io::Error) -> Failure {
        Failure(error)
    }
}

impl Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

impl std::error::Error for Failure {}

impl ser::Error for Failure {
    fn custom<T: Display>(message: T) -> Failure {
        Failure(io::Error::other(message.to_string()))
    }
}

/// What no element of a report holds.
fn refuse<T>(kind: &str) -> Result<T, Failure> {
    Err(ser::Error::custom(format_args!(
        "a report has no {kind}; expected structures, lists, texts, numbers"
    )))
}

/// Values that are written as they are displayed.
macro_rules! write_displayed {
    ($($function:ident: $kind:ty,)*) => {
        $(fn $function(self, value: $kind) -> Result<(), Failure> {
            self.write_displayed(value)
        })*
    };
}

/// The same of what there is most of.
macro_rules! write_numbers {
    ($($function:ident: $kind:ty,)*) => {
        $(fn $function(self, value: $kind) -> Result<(), Failure> {
            self.write_number(value.into())
        })*
    };
}

impl<W: Write> Serializer for Node<'_, '_, W> {
    type Ok = ();
    type Error = Failure;
    type SerializeSeq = Self;
    type SerializeStruct = Self;
    type SerializeTuple = Impossible<(), Failure>;
    type SerializeTupleStruct = Impossible<(), Failure>;
    type SerializeTupleVariant = Impossible<(), Failure>;
    type SerializeMap = Impossible<(), Failure>;
    type SerializeStructVariant = Impossible<(), Failure>;

    write_displayed! {
        serialize_bool: bool, serialize_char: char, serialize_f32: f32, serialize_f64: f64,
        serialize_i8: i8, serialize_i16: i16, serialize_i32: i32, serialize_i64: i64,
    }

    write_numbers! { serialize_u8: u8, serialize_u16: u16, serialize_u32: u32, serialize_u64: u64, }

    fn serialize_str(self, text: &str) -> Result<(), Failure> {
        self.write_text(text)
    }

    fn serialize_none(self) -> Result<(), Failure> {
        Ok(())
    }

    fn serialize_some<T: Serialize + ?Sized>(self, value: &T) -> Result<(), Failure> {
        value.serialize(self)
    }

    fn serialize_seq(self, _length: Option<usize>) -> Result<Self, Failure> {
        Ok(self)
    }

    fn serialize_struct(self, _kind: &'static str, _length: usize) -> Result<Self, Failure> {
        self.document.begin_line()?;
        self.document.push_tag(b"<", self.name, b"");
        self.document.is_tag_open = true;
        self.document.depth += 1;
        Ok(self)
    }

    fn serialize_newtype_struct<T: Serialize + ?Sized>(
        self,
        _kind: &'static str,
        value: &T,
    ) -> Result<(), Failure> {
        value.serialize(self)
    }

    fn serialize_bytes(self, _: &[u8]) -> Result<(), Failure> {
        refuse("bytes")
    }

    fn serialize_unit(self) -> Result<(), Failure> {
        refuse("units")
    }

    fn serialize_unit_struct(self, _: &'static str) -> Result<(), Failure> {
        refuse("units")
    }

    fn serialize_unit_variant(self, _: &'static str, _: u32, _: &'static str) -> Result<(), Failure> {
        refuse("variants")
    }

    fn serialize_newtype_variant<T: Serialize + ?Sized>(
        self,
        _: &'static str,
        _: u32,
        _: &'static str,
        _: &T,
    ) -> Result<(), Failure> {
        refuse("variants")
    }

    fn serialize_tuple(self, _: usize) -> Result<Self::SerializeTuple, Failure> {
        refuse("tuples")
    }

    fn serialize_tuple_struct(
        self,
        _: &'static str,
        _: usize,
    ) -> Result<Self::SerializeTupleStruct, Failure> {
        refuse("tuples")
    }

    fn serialize_tuple_variant(
        self,
        _: &'static str,
        _: u32,
        _: &'static str,
        _: usize,
    ) -> Result<Self::SerializeTupleVariant, Failure> {
        refuse("variants")
    }

    fn serialize_map(self, _: Option<usize>) -> Result<Self::SerializeMap, Failure> {
        refuse("maps")
    }

    fn serialize_struct_variant(
        self,
        _: &'static str,
        _: u32,
        _: &'static str,
        _: usize,
    ) -> Result<Self::SerializeStructVariant, Failure> {
        refuse("variants")
    }
}

#[cfg(test)]
mod tests {
    use serde::Serialize;

    use super::write_element;

    #[derive(Serialize)]
    struct Place {
        #[serde(rename = "@name")]
        name: &'static str,
        count: u64,
        text: Option<&'static str>,
        inner: Vec<Place>,
    }

    fn written(value: &impl Serialize) -> Result<String, String> {
        let mut out = Vec::new();
        write_element(&mut out, "place", value).map_err(|error| error.to_string())?;
        Ok(String::from_utf8(out).expect("a text"))
    }

    #[test]
    fn elements_stand_below_each_other() {
        let place = |name, text, inner| Place { name, count: 7, text, inner };
        let inner =
            vec![place("a \"b\" <c>", None, Vec::new()), place("", Some("x < \"y\" & z"), Vec::new())];
        let expected = "<place name=\"outer\">\n  <count>7</count>\n  \
            <inner name=\"a &quot;b&quot; &lt;c&gt;\">\n    <count>7</count>\n  </inner>\n  \
            <inner name=\"\">\n    <count>7</count>\n    <text>x &lt; \"y\" &amp; z</text>\n  </inner>\n</place>";
        assert_eq!(written(&place("outer", None, inner)).as_deref(), Ok(expected));
    }

    #[test]
    fn an_element_without_elements_is_one_tag() {
        #[derive(Serialize)]
        struct Empty {
            inner: Vec<Place>,
        }
        assert_eq!(written(&Empty { inner: Vec::new() }).as_deref(), Ok("<place/>"));
        assert_eq!(written(&"").as_deref(), Ok("<place/>"));
    }

    #[test]
    fn what_no_report_has_is_refused() {
        let refused = written(&(1, 2));
        assert_eq!(
            refused.unwrap_err(),
            "a report has no tuples; expected structures, lists, texts, numbers"
        );
    }
}
