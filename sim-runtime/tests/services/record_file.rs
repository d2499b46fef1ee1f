//! Intel HEX and S-records, written from their specifications, apart from the code under test.

/// A file of records under construction.
#[derive(Debug, Clone, Default)]
pub(crate) struct RecordFile {
    pub(crate) lines: Vec<String>,
}

impl RecordFile {
    pub(crate) fn text(&self) -> String {
        self.lines.iter().map(|line| format!("{line}\n")).collect()
    }

    /// A record of Intel HEX with the right length and checksum.
    pub(crate) fn hex(mut self, kind: u8, address: u16, data: &[u8]) -> Self {
        let length = u8::try_from(data.len()).expect("at most 255 bytes");
        let [high, low] = address.to_be_bytes();
        let mut bytes = vec![length, high, low, kind];
        bytes.extend(data);
        let sum: u32 = bytes.iter().map(|byte| u32::from(*byte)).sum();
        bytes.push(((0x100 - sum % 0x100) % 0x100) as u8);
        self.lines.push(format!(":{}", digits(&bytes)));
        self
    }

    /// An S-record with the right length and checksum; the address has as many bytes as the type
    /// asks for.
    pub(crate) fn s(mut self, kind: u8, address: u32, data: &[u8]) -> Self {
        let address_bytes = [2, 2, 3, 4, 0, 2, 3, 4, 3, 2][usize::from(kind)];
        let mut bytes = vec![u8::try_from(address_bytes + data.len() + 1).expect("at most 255 bytes")];
        bytes.extend(&address.to_be_bytes()[4 - address_bytes..]);
        bytes.extend(data);
        let sum: u32 = bytes.iter().map(|byte| u32::from(*byte)).sum();
        bytes.push((0xff - sum % 0x100) as u8);
        self.lines.push(format!("S{kind}{}", digits(&bytes)));
        self
    }

    pub(crate) fn line(mut self, line: &str) -> Self {
        self.lines.push(line.to_owned());
        self
    }
}

fn digits(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02X}")).collect()
}
