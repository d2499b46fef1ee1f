//! Parts of a program that counters count in.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};

/// Where a counter counts.
#[derive(Serialize, Deserialize, Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[serde(try_from = "String", into = "String")]
pub enum Region {
    /// Everywhere.
    Run,
    /// At the instructions from one address to another, both included.
    Addresses {
        /// The first.
        first: u64,
        /// The last, not below the first.
        last: u64,
    },
    /// In a function, without what it calls.
    Own(String),
    /// In a function and all that it calls, as long as it has not returned.
    Inclusive(String),
}

const OWN: &str = "self:";
const INCLUSIVE: &str = "inclusive:";

impl Region {
    /// The function, if it is one.
    pub fn function(&self) -> Option<&str> {
        match self {
            Region::Own(name) | Region::Inclusive(name) => Some(name),
            Region::Run | Region::Addresses { .. } => None,
        }
    }
}

impl fmt::Display for Region {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Region::Run => f.write_str("run"),
            Region::Addresses { first, last } => write!(f, "{first:#x}-{last:#x}"),
            Region::Own(name) => write!(f, "{OWN}{name}"),
            Region::Inclusive(name) => write!(f, "{INCLUSIVE}{name}"),
        }
    }
}

/// A text that names no region.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum UnknownRegion {
    /// It has none of the forms.
    Form(String),
    /// It has something else where an address should be: the text, and what is wrong.
    Address(String, String),
    /// Its last address is below its first.
    Backwards(String),
}

impl fmt::Display for UnknownRegion {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            UnknownRegion::Form(text) => write!(
                f,
                "`{text}` is no region; expected run, FIRST-LAST (two addresses), self:FUNCTION or \
                 inclusive:FUNCTION"
            ),
            UnknownRegion::Address(text, wrong) => {
                write!(f, "`{text}` is no region from one address to another: {wrong}")
            }
            UnknownRegion::Backwards(text) => {
                write!(f, "the region `{text}` ends before it begins; give the lower address first")
            }
        }
    }
}

impl std::error::Error for UnknownRegion {}

impl Region {
    /// Reads a region as a user writes it, where `number` reads an address, or says what is wrong.
    ///
    /// # Errors
    /// It is none.
    pub fn parse<E: fmt::Display>(
        text: &str,
        number: impl Fn(&str) -> Result<u64, E>,
    ) -> Result<Region, UnknownRegion> {
        let name = |prefix: &str| text.strip_prefix(prefix).filter(|name| !name.is_empty());
        if text == "run" {
            return Ok(Region::Run);
        }
        if let Some(name) = name(OWN) {
            return Ok(Region::Own(name.to_owned()));
        }
        if let Some(name) = name(INCLUSIVE) {
            return Ok(Region::Inclusive(name.to_owned()));
        }
        let is_number = |first: char| first.is_ascii_digit();
        let Some((first, last)) = text.split_once('-').filter(|(first, _)| first.starts_with(is_number))
        else {
            return Err(UnknownRegion::Form(text.to_owned()));
        };
        let address = |part: &str| {
            number(part).map_err(|error| UnknownRegion::Address(text.to_owned(), error.to_string()))
        };
        let (first, last) = (address(first)?, address(last)?);
        match first <= last {
            true => Ok(Region::Addresses { first, last }),
            false => Err(UnknownRegion::Backwards(text.to_owned())),
        }
    }
}

/// As it is stored: what [`fmt::Display`] writes.
impl FromStr for Region {
    type Err = UnknownRegion;

    fn from_str(text: &str) -> Result<Region, UnknownRegion> {
        Region::parse(text, |part| {
            let number = part.strip_prefix("0x").and_then(|digits| u64::from_str_radix(digits, 16).ok());
            number.filter(|number| format!("{number:#x}") == part).ok_or(EXPECTED)
        })
    }
}

const EXPECTED: &str = "expected an address as 0x1f0";

impl TryFrom<String> for Region {
    type Error = UnknownRegion;

    fn try_from(text: String) -> Result<Region, UnknownRegion> {
        text.parse()
    }
}

impl From<Region> for String {
    fn from(region: Region) -> String {
        region.to_string()
    }
}

#[cfg(test)]
mod tests {
    use super::{Region, UnknownRegion};

    #[test]
    fn a_region_is_read_as_it_is_written() {
        for text in ["run", "0x10-0x1f", "self:main", "inclusive:f(int, char)", "self:operator-"] {
            let region: Region = text.parse().expect("a region");
            assert_eq!(region.to_string(), text);
        }
    }

    #[test]
    fn addresses_are_read_by_whoever_knows_how() {
        let read = |text: &str| Region::parse(text, |part| part.parse::<u64>());
        assert_eq!(read("16-31"), Ok(Region::Addresses { first: 16, last: 31 }));
        let error = read("16-x").expect_err("no address").to_string();
        assert_eq!(error, "`16-x` is no region from one address to another: invalid digit found in string");
    }

    #[test]
    fn what_is_no_region_is_told() {
        for text in ["", "main", "self:", "0x10", "main-0x10", "-1-2", "+0x10-0x20"] {
            assert_eq!(text.parse::<Region>(), Err(UnknownRegion::Form(text.to_owned())));
        }
        for text in ["0x10-", "1-0xg", "16-0x20", "0x+10-0x20", "0x10-0x020", "0x10-0X20"] {
            assert!(matches!(text.parse::<Region>(), Err(UnknownRegion::Address(..))), "{text}");
        }
        assert_eq!("0x20-0x10".parse::<Region>(), Err(UnknownRegion::Backwards("0x20-0x10".to_owned())));
    }
}
