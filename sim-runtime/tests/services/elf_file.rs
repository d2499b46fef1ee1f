//! ELF executables made by hand, so that each field can be wrong.

/// What goes into an ELF file.
#[derive(Debug, Clone)]
pub(crate) struct ElfFile {
    pub(crate) class: u8,
    pub(crate) big_endian: bool,
    pub(crate) kind: u16,
    pub(crate) machine: u16,
    pub(crate) entry: u64,
    pub(crate) segments: Vec<ElfSegment>,
    /// Program header entry size, if it is to be wrong.
    pub(crate) header_size: Option<u16>,
}

/// One program header with its contents; `offset` and `file_size` follow from them unless set.
#[derive(Debug, Clone, Default)]
pub(crate) struct ElfSegment {
    pub(crate) kind: u32,
    pub(crate) address: u64,
    /// Where it is stored, if that is somewhere else.
    pub(crate) stored_at: Option<u64>,
    pub(crate) contents: Vec<u8>,
    pub(crate) memory_size: u64,
    pub(crate) offset: Option<u64>,
    pub(crate) file_size: Option<u64>,
}

pub(crate) const PT_LOAD: u32 = 1;
pub(crate) const PT_INTERP: u32 = 3;

impl ElfFile {
    /// A 32-bit little-endian RISC-V program: code at 0x10000, data with zeros at 0x11000.
    pub(crate) fn program() -> Self {
        Self {
            class: 1,
            big_endian: false,
            kind: 2,
            machine: 243,
            entry: 0x1_0004,
            segments: vec![
                ElfSegment::load(0x1_0000, b"twelve bytes", 12),
                ElfSegment::load(0x1_1000, b"data", 0x20),
            ],
            header_size: None,
        }
    }

    /// The file: headers, then the contents one after the other.
    pub(crate) fn bytes(&self) -> Vec<u8> {
        let wide = self.class == 2;
        let (header, entry) = if wide { (64, 56) } else { (52, 32) };
        let mut out = Out { bytes: Vec::new(), big_endian: self.big_endian, wide };
        let order = if self.big_endian { 2 } else { 1 };
        out.bytes.extend([0x7f, b'E', b'L', b'F', self.class, order, 1, 0]);
        out.bytes.extend([0; 8]);
        out.half(self.kind);
        out.half(self.machine);
        out.number(1, 4);
        out.word(self.entry);
        out.word(header);
        out.word(0);
        out.number(0, 4);
        out.half(u16::try_from(header).expect("small"));
        out.half(self.header_size.unwrap_or(entry));
        out.half(u16::try_from(self.segments.len()).expect("small"));
        out.half(0);
        out.half(0);
        out.half(0);

        let mut offset = header + u64::from(entry) * self.segments.len() as u64;
        for segment in &self.segments {
            out.program_header(segment, offset);
            offset += segment.contents.len() as u64;
        }
        for segment in &self.segments {
            out.bytes.extend(&segment.contents);
        }
        out.bytes
    }
}

impl ElfSegment {
    pub(crate) fn load(address: u64, contents: &[u8], memory_size: u64) -> Self {
        Self { kind: PT_LOAD, address, contents: contents.to_vec(), memory_size, ..Self::default() }
    }
}

struct Out {
    bytes: Vec<u8>,
    big_endian: bool,
    wide: bool,
}

impl Out {
    fn number(&mut self, value: u64, size: usize) {
        let mut bytes = value.to_le_bytes()[..size].to_vec();
        if self.big_endian {
            bytes.reverse();
        }
        self.bytes.extend(bytes);
    }

    fn half(&mut self, value: u16) {
        self.number(value.into(), 2);
    }

    fn word(&mut self, value: u64) {
        self.number(value, if self.wide { 8 } else { 4 });
    }

    fn program_header(&mut self, segment: &ElfSegment, offset: u64) {
        const READ_EXECUTE: u64 = 5;
        self.number(segment.kind.into(), 4);
        if self.wide {
            self.number(READ_EXECUTE, 4);
        }
        self.word(segment.offset.unwrap_or(offset));
        self.word(segment.address);
        self.word(segment.stored_at.unwrap_or(segment.address));
        self.word(segment.file_size.unwrap_or(segment.contents.len() as u64));
        self.word(segment.memory_size);
        if !self.wide {
            self.number(READ_EXECUTE, 4);
        }
        self.word(1);
    }
}
