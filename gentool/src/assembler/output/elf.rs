//! ELF executables: a segment for each piece of memory, sections, symbols, line information.

use std::collections::HashMap;

use isac_ir::Model;
use isac_parser::source::SourceMap;
use object::elf;
use object::endian::Endianness;
use object::write::StringId;
use object::write::elf::{FileHeader, ProgramHeader, SectionHeader, SectionIndex, Sym, Writer};

use super::OutputError;
use super::line_table::line_sections;
use crate::assembler::{Assembled, AssembledPiece, AssembledSymbol, SectionKind};

/// An ELF executable of the model's machine and class; of its own where the model names none.
///
/// # Errors
/// Nothing to write, or an address that the class does not reach.
pub fn write_elf(model: &Model, program: &Assembled, sources: &SourceMap) -> Result<Vec<u8>, OutputError> {
    if program.pieces.is_empty() {
        return Err(OutputError::Empty);
    }
    let byte = |address: u64| address.checked_mul(program.cell_bytes).ok_or(OutputError::Address(address));
    let mut last = 0;
    for piece in &program.pieces {
        last = last.max(byte(piece.address.saturating_add(piece.size_cells - 1))?);
    }
    let class = model.target.elf_class.unwrap_or(if last > u32::MAX.into() { 64 } else { 32 });
    if class == 32 && last > u32::MAX.into() {
        return Err(OutputError::Address(last));
    }
    let big = model.target.big_endian;
    let debug = line_sections(program, sources, big, if class == 64 { 8 } else { 4 })?;
    let mut buffer = Vec::new();
    let endian = if big { Endianness::Big } else { Endianness::Little };
    let by_number = program.pieces.iter().map(|piece| piece.number).zip(0..).collect();
    let mut file = ElfFile {
        program,
        by_number,
        is_64: class == 64,
        writer: Writer::new(endian, class == 64, &mut buffer),
    };
    file.write(model, &debug).map_err(|error| OutputError::Library(error.to_string()))?;
    drop(file);
    Ok(buffer)
}

struct ElfFile<'p, 'b> {
    program: &'p Assembled,
    /// The index of each piece, by its number.
    by_number: HashMap<usize, usize>,
    is_64: bool,
    writer: Writer<'b>,
}

/// A section while it is laid out.
struct Placed {
    name: StringId,
    offset: u64,
}

impl<'p: 'b, 'b> ElfFile<'p, 'b> {
    fn write(
        &mut self,
        model: &Model,
        debug: &'b [(&'static str, Vec<u8>)],
    ) -> Result<(), object::write::Error> {
        let program = self.program;
        let pieces = &program.pieces;
        self.writer.reserve_file_header();
        self.writer.reserve_program_headers(pieces.len() as u32);
        let mut sections = Vec::new();
        let mut indices = Vec::new();
        for piece in pieces {
            let name = self.writer.add_section_name(piece.section.as_bytes());
            indices.push(self.writer.reserve_section_index());
            let offset = self.writer.reserve(piece.bytes.len() as u64, 4);
            sections.push(Placed { name, offset });
        }
        let mut debug_sections = Vec::new();
        for (name, bytes) in debug {
            let name = self.writer.add_section_name(name.as_bytes());
            self.writer.reserve_section_index();
            let offset = self.writer.reserve(bytes.len() as u64, 1);
            debug_sections.push(Placed { name, offset });
        }
        let symbols = self.reserve_symbols(&indices);
        self.writer.reserve_symtab_section_index();
        self.writer.reserve_symtab();
        self.writer.reserve_strtab_section_index();
        self.writer.reserve_strtab()?;
        self.writer.reserve_shstrtab_section_index();
        self.writer.reserve_shstrtab()?;
        self.writer.reserve_section_headers();

        self.write_headers(model, &sections)?;
        for (piece, placed) in pieces.iter().zip(&sections) {
            self.writer.pad_until(placed.offset);
            self.writer.write(&piece.bytes);
        }
        for ((_, bytes), placed) in debug.iter().zip(&debug_sections) {
            self.writer.pad_until(placed.offset);
            self.writer.write(bytes);
        }
        let locals = self.write_symbols(&symbols, &indices);
        self.writer.write_strtab();
        self.writer.write_shstrtab();
        self.write_section_headers(&sections, debug, &debug_sections, locals);
        Ok(())
    }

    /// Local symbols come first, as ELF demands.
    fn reserve_symbols(&mut self, indices: &[SectionIndex]) -> Vec<(StringId, &'p AssembledSymbol)> {
        let program = self.program;
        let mut ordered: Vec<&AssembledSymbol> = program.symbols.iter().collect();
        ordered.sort_by_key(|symbol| symbol.is_global);
        self.writer.reserve_null_symbol_index();
        ordered
            .into_iter()
            .map(|symbol| {
                let name = self.writer.add_string(symbol.name.as_bytes());
                let section = self.section_of(symbol).map(|index| indices[index]);
                self.writer.reserve_symbol_index(section);
                (name, symbol)
            })
            .collect()
    }

    /// The index of the piece that a symbol is in, if it is not empty.
    fn section_of(&self, symbol: &AssembledSymbol) -> Option<usize> {
        self.by_number.get(&symbol.piece?).copied()
    }

    fn byte(&self, address: u64) -> u64 {
        address.saturating_mul(self.program.cell_bytes)
    }

    fn write_headers(&mut self, model: &Model, sections: &[Placed]) -> Result<(), object::write::Error> {
        let e_flags = elf::FileFlags(0);
        let header = FileHeader {
            os_abi: elf::ELFOSABI_NONE,
            abi_version: 0,
            e_type: elf::ET_EXEC,
            e_machine: elf::Machine(model.target.elf_machine.unwrap_or(0)),
            e_entry: self.byte(self.program.entry),
            e_flags,
        };
        self.writer.write_file_header(&header)?;
        self.writer.write_align_program_headers();
        for (piece, placed) in self.program.pieces.iter().zip(sections) {
            let address = self.byte(piece.address);
            let header = ProgramHeader {
                p_type: elf::PT_LOAD,
                p_flags: elf::ProgramFlags(match piece.kind {
                    SectionKind::Code => elf::PF_R.0 | elf::PF_X.0,
                    SectionKind::ReadOnly => elf::PF_R.0,
                    SectionKind::Data | SectionKind::Zero => elf::PF_R.0 | elf::PF_W.0,
                }),
                p_offset: placed.offset,
                p_vaddr: address,
                p_paddr: address,
                p_filesz: piece.bytes.len() as u64,
                p_memsz: self.byte(piece.size_cells),
                // Nothing is mapped by pages, so that offset and address need not agree.
                p_align: 1,
            };
            self.writer.write_program_header(&header);
        }
        Ok(())
    }

    /// Writes the symbols and gives how many are local, the first one included.
    fn write_symbols(&mut self, symbols: &[(StringId, &AssembledSymbol)], indices: &[SectionIndex]) -> u32 {
        self.writer.write_null_symbol();
        let mut locals = 1;
        for (name, symbol) in symbols {
            let section = self.section_of(symbol).map(|index| indices[index].0);
            let bind = if symbol.is_global { elf::STB_GLOBAL } else { elf::STB_LOCAL };
            locals += u32::from(!symbol.is_global);
            let value = match symbol.piece {
                Some(_) => self.byte(symbol.value as u64),
                None => symbol.value as u64,
            };
            let entry = Sym {
                section,
                st_name: self.writer.string_offset(Some(*name)),
                st_info: elf::SymbolInfo::new(bind, elf::STT_NOTYPE),
                st_other: elf::SymbolOther(0),
                st_shndx: elf::SHN_ABS,
                st_value: if self.is_64 { value } else { value & u64::from(u32::MAX) },
                st_size: 0,
            };
            self.writer.write_symbol(&entry);
        }
        locals
    }

    fn write_section_headers(
        &mut self,
        sections: &[Placed],
        debug: &[(&'static str, Vec<u8>)],
        debug_sections: &[Placed],
        locals: u32,
    ) {
        self.writer.write_null_section_header();
        for (piece, placed) in self.program.pieces.iter().zip(sections) {
            let header = self.section_header(piece, placed);
            self.writer.write_section_header(&header);
        }
        for ((_, bytes), placed) in debug.iter().zip(debug_sections) {
            let header = SectionHeader {
                sh_name: self.writer.section_name_offset(Some(placed.name)),
                sh_type: elf::SHT_PROGBITS,
                sh_flags: elf::SectionFlags(0),
                sh_addr: 0,
                sh_offset: placed.offset,
                sh_size: bytes.len() as u64,
                sh_link: 0,
                sh_info: 0,
                sh_addralign: 1,
                sh_entsize: 0,
            };
            self.writer.write_section_header(&header);
        }
        self.writer.write_symtab_section_header(locals);
        self.writer.write_strtab_section_header();
        self.writer.write_shstrtab_section_header();
    }

    fn section_header(&self, piece: &AssembledPiece, placed: &Placed) -> SectionHeader {
        let zero = piece.kind == SectionKind::Zero;
        let flags = match piece.kind {
            SectionKind::Code => elf::SHF_ALLOC.0 | elf::SHF_EXECINSTR.0,
            SectionKind::ReadOnly => elf::SHF_ALLOC.0,
            SectionKind::Data | SectionKind::Zero => elf::SHF_ALLOC.0 | elf::SHF_WRITE.0,
        };
        SectionHeader {
            sh_name: self.writer.section_name_offset(Some(placed.name)),
            sh_type: if zero { elf::SHT_NOBITS } else { elf::SHT_PROGBITS },
            sh_flags: elf::SectionFlags(flags),
            sh_addr: self.byte(piece.address),
            sh_offset: placed.offset,
            sh_size: self.byte(piece.size_cells),
            sh_link: 0,
            sh_info: 0,
            sh_addralign: 1,
            sh_entsize: 0,
        }
    }
}
