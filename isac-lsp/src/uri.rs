//! Addresses of documents and paths of files.

use std::path::{Path, PathBuf};
use std::str::FromStr;

use isac_parser::source::without_dots;
use lsp_types::Uri;

/// The file that an address names; `None` if it names none.
pub(crate) fn path_of(uri: &Uri) -> Option<PathBuf> {
    let rest = uri.as_str().strip_prefix("file://")?;
    let rest = rest.strip_prefix("localhost").unwrap_or(rest);
    let path = String::from_utf8(decode(rest)?).ok()?;
    // file:///c:/folder names c:/folder.
    let drive = path.as_bytes().get(2) == Some(&b':') && path.as_bytes()[1].is_ascii_alphabetic();
    let path = if drive && cfg!(windows) { &path[1..] } else { &path[..] };
    (path.starts_with('/') || drive).then(|| without_dots(Path::new(path)))
}

/// The address of a file with an absolute path; `None` if it has none.
pub(crate) fn uri_of(path: &Path) -> Option<Uri> {
    let text = path.to_str()?.replace('\\', "/");
    let text = if text.starts_with('/') { text } else { format!("/{text}") };
    let mut address = "file://".to_owned();
    for byte in text.bytes() {
        match byte {
            b'/' | b'-' | b'.' | b'_' | b'~' => address.push(byte as char),
            byte if byte.is_ascii_alphanumeric() => address.push(byte as char),
            byte => address.push_str(&format!("%{byte:02X}")),
        }
    }
    Uri::from_str(&address).ok()
}

/// The bytes behind `%41` and the like; `None` if an escape is not whole.
fn decode(text: &str) -> Option<Vec<u8>> {
    let mut bytes = text.bytes();
    let mut decoded = Vec::new();
    while let Some(byte) = bytes.next() {
        let digit = |byte: Option<u8>| (byte? as char).to_digit(16);
        decoded.push(match byte {
            b'%' => (digit(bytes.next())? * 16 + digit(bytes.next())?) as u8,
            byte => byte,
        });
    }
    Some(decoded)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_path_comes_back_from_its_address() {
        for path in ["/a/b.isac", "/a b/ü%/日本.isac", "/a#?&/b"] {
            assert_eq!(path_of(&uri_of(Path::new(path)).expect("an address")), Some(PathBuf::from(path)));
        }
    }

    #[test]
    fn what_names_no_file_has_no_path() {
        for address in ["untitled:one", "file:relative", "http://a/b.isac", "file:///a%ff"] {
            assert_eq!(Uri::from_str(address).ok().and_then(|uri| path_of(&uri)), None, "{address}");
        }
    }
}
