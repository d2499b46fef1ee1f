//! Ordered maps stored as lists of pairs.
//!
//! JSON's keys are strings, ours are numbers and tuples; a list of `[key, value]` keeps both and
//! the order. A key that comes twice is an error, for it would hide a count.

use std::collections::BTreeMap;

use serde::de::{Deserialize, Deserializer, Error};
use serde::ser::{Serialize, Serializer};

pub(crate) fn serialize<K, V, S>(map: &BTreeMap<K, V>, serializer: S) -> Result<S::Ok, S::Error>
where
    K: Serialize,
    V: Serialize,
    S: Serializer,
{
    serializer.collect_seq(map)
}

pub(crate) fn deserialize<'de, K, V, D>(deserializer: D) -> Result<BTreeMap<K, V>, D::Error>
where
    K: Deserialize<'de> + Ord,
    V: Deserialize<'de>,
    D: Deserializer<'de>,
{
    let mut map = BTreeMap::new();
    for (key, value) in Vec::<(K, V)>::deserialize(deserializer)? {
        if map.insert(key, value).is_some() {
            return Err(D::Error::custom("a key comes twice; expected each key once"));
        }
    }
    Ok(map)
}

#[cfg(test)]
mod tests {
    use crate::Measurement;

    #[test]
    fn a_repeated_key_is_refused() {
        let empty = serde_json::to_string(&Measurement::default()).unwrap();
        let read = |transfers: &str| {
            let json = empty.replace("\"transfers\":[]", &format!("\"transfers\":[{transfers}]"));
            serde_json::from_str::<Measurement>(&json).map(|measurement| measurement.transfers.len())
        };
        assert_eq!(read("[[1,2],3],[[1,3],3]").unwrap(), 2);
        let message = read("[[1,2],3],[[1,2],4]").unwrap_err().to_string();
        assert!(message.starts_with("a key comes twice; expected each key once"), "{message}");
    }
}
