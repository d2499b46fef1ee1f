//! The files that a profile is about, as far as it has to know them: to tell them apart.

use std::fmt;

use serde::{Deserialize, Serialize};

/// A file that was loaded.
#[derive(Serialize, Deserialize, Clone, Debug, Default, PartialEq, Eq)]
#[serde(deny_unknown_fields)]
pub struct ProgramImage {
    /// Name of the file, without its folder.
    pub name: String,
    /// Digest of the whole file.
    pub digest: String,
    /// Byte address of the first instruction, if the file names one.
    pub entry: Option<u64>,
    /// What is loaded, by ascending address.
    pub parts: Vec<ImagePart>,
}

/// A contiguous piece of memory that a file fills.
#[derive(Serialize, Deserialize, Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
#[serde(deny_unknown_fields)]
pub struct ImagePart {
    /// Address of the first byte.
    pub address: u64,
    /// Size in bytes.
    pub size_bytes: u64,
    /// Digest of what the file holds of it, without headers of the file at its beginning.
    pub digest: String,
}

/// The first thing in which the files of two profiles differ.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ImageDifference {
    /// So many files were loaded, and so many.
    Number(usize, usize),
    /// The files of these names differ, or one that has this name.
    Image {
        /// Their names.
        names: [String; 2],
        /// Their digests.
        digests: [String; 2],
        /// In what.
        what: ImagePartDifference,
    },
}

/// In what two files differ.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ImagePartDifference {
    /// The address of the first instruction.
    Entry(Option<u64>, Option<u64>),
    /// One has so many bytes at an address, the other that many or none.
    Size {
        /// The address.
        address: u64,
        /// Their sizes there.
        sizes: [Option<u64>; 2],
    },
    /// The bytes of the part at this address.
    Bytes(u64),
    /// Nothing that is loaded: symbols, information for debuggers, remarks.
    NotLoaded,
}

impl ImageDifference {
    /// What the loaded files of two profiles differ in; names do not matter.
    pub fn between(ours: &[ProgramImage], theirs: &[ProgramImage]) -> Option<ImageDifference> {
        if ours.len() != theirs.len() {
            return Some(ImageDifference::Number(ours.len(), theirs.len()));
        }
        let (one, other) = ours.iter().zip(theirs).find(|(one, other)| one.digest != other.digest)?;
        Some(ImageDifference::Image {
            names: [one.name.clone(), other.name.clone()],
            digests: [one.digest.clone(), other.digest.clone()],
            what: one.difference(other),
        })
    }
}

/// What tells programs apart: where each begins and what is loaded, or, where nothing is said of that, the
/// file. Symbols and information for debuggers are no part of it.
pub(crate) type Identity<'a> = (Option<u64>, &'a [ImagePart], &'a str);

/// The programs of these files.
pub(crate) fn identities(images: &[ProgramImage]) -> Vec<Identity<'_>> {
    images.iter().map(ProgramImage::identity).collect()
}

impl ProgramImage {
    fn identity(&self) -> Identity<'_> {
        match self.parts.is_empty() {
            true => (None, &[], &self.digest),
            false => (self.entry, &self.parts, ""),
        }
    }

    fn difference(&self, other: &ProgramImage) -> ImagePartDifference {
        let entries_differ = self.entry != other.entry;
        // Raw and hexadecimal files may not tell it.
        if entries_differ && self.entry.is_some() && other.entry.is_some() {
            return ImagePartDifference::Entry(self.entry, other.entry);
        }
        let mut addresses: Vec<u64> =
            self.parts.iter().chain(&other.parts).map(|part| part.address).collect();
        addresses.sort_unstable();
        for address in addresses {
            let at = |image: &ProgramImage| image.parts.iter().find(|part| part.address == address).cloned();
            let parts = [at(self), at(other)];
            let sizes = parts.each_ref().map(|part| part.as_ref().map(|part| part.size_bytes));
            if sizes[0] != sizes[1] {
                return ImagePartDifference::Size { address, sizes };
            }
            if parts[0] != parts[1] {
                return ImagePartDifference::Bytes(address);
            }
        }
        match entries_differ {
            true => ImagePartDifference::Entry(self.entry, other.entry),
            false => ImagePartDifference::NotLoaded,
        }
    }
}

impl fmt::Display for ImageDifference {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            ImageDifference::Number(ours, theirs) => {
                write!(f, "one is of {ours} files, the other of {theirs}")
            }
            ImageDifference::Image { names: [one, other], digests: [ours, theirs], what } => {
                write!(f, "`{one}` has the digest {ours}, `{other}` {theirs}; {what}")
            }
        }
    }
}

impl fmt::Display for ImagePartDifference {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let size = |size: Option<u64>| size.map_or("nothing".to_owned(), |size| format!("{size} bytes"));
        match self {
            ImagePartDifference::Entry(Some(ours), Some(theirs)) => {
                write!(f, "one begins at {ours:#x}, the other at {theirs:#x}")
            }
            ImagePartDifference::Entry(ours, theirs) => {
                let [ours, theirs] =
                    [ours, theirs].map(|entry| if entry.is_some() { "tells" } else { "does not tell" });
                write!(
                    f,
                    "what they load is the same; one file {ours} where the program begins, the other {theirs}"
                )
            }
            ImagePartDifference::Size { address, sizes: [ours, theirs] } => {
                write!(f, "one has {} at {address:#x}, the other {}", size(*ours), size(*theirs))
            }
            ImagePartDifference::Bytes(address) => {
                write!(f, "the bytes that they load at {address:#x} differ")
            }
            ImagePartDifference::NotLoaded => {
                write!(f, "what they load is the same, the files are not (symbols or debug information)")
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{ImageDifference, ImagePart, ProgramImage};

    fn image(name: &str, entry: Option<u64>, parts: &[(u64, u64, &str)]) -> ProgramImage {
        let parts = parts.iter().map(|&(address, size_bytes, digest)| ImagePart {
            address,
            size_bytes,
            digest: digest.to_owned(),
        });
        ProgramImage { name: name.to_owned(), digest: name.to_owned(), entry, parts: parts.collect() }
    }

    fn told(ours: ProgramImage, theirs: ProgramImage) -> String {
        ImageDifference::between(&[ours], &[theirs]).map_or(String::new(), |found| found.to_string())
    }

    #[test]
    fn the_first_difference_is_told() {
        let one = || image("a", Some(16), &[(16, 4, "x"), (32, 8, "y")]);
        assert_eq!(told(one(), one()), "");
        assert_eq!(
            told(one(), image("b", Some(20), &[])),
            "`a` has the digest a, `b` b; one begins at 0x10, the other at 0x14"
        );
        assert_eq!(
            told(one(), image("b", None, &[])),
            "`a` has the digest a, `b` b; one has 4 bytes at 0x10, the other nothing"
        );
        assert_eq!(
            told(image("b", None, &[(16, 4, "x"), (32, 8, "y")]), one()),
            "`b` has the digest b, `a` a; what they load is the same; one file does not tell where the program \
             begins, the other tells"
        );
        assert_eq!(
            told(one(), image("b", Some(16), &[(16, 4, "x")])),
            "`a` has the digest a, `b` b; one has 8 bytes at 0x20, the other nothing"
        );
        assert_eq!(
            told(one(), image("b", Some(16), &[(16, 4, "z"), (32, 8, "y")])),
            "`a` has the digest a, `b` b; the bytes that they load at 0x10 differ"
        );
        assert_eq!(
            told(one(), image("b", Some(16), &[(16, 4, "x"), (32, 8, "y")])),
            "`a` has the digest a, `b` b; what they load is the same, the files are not (symbols or debug \
             information)"
        );
    }

    #[test]
    fn names_do_not_matter_and_numbers_do() {
        let one = image("a", None, &[]);
        let renamed = ProgramImage { name: "b".to_owned(), ..one.clone() };
        assert_eq!(ImageDifference::between(std::slice::from_ref(&one), &[renamed]), None);
        let difference = ImageDifference::between(&[one], &[]).map(|found| found.to_string());
        assert_eq!(difference.as_deref(), Some("one is of 1 files, the other of 0"));
    }
}
