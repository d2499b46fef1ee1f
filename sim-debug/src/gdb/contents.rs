//! What registers and memory hold, as gdb reads and writes it.

use std::convert::Infallible;

use gdbstub::target::ext::base::single_register_access::{SingleRegisterAccess, SingleRegisterAccessOps};
use gdbstub::target::ext::base::singlethread::{SingleThreadBase, SingleThreadResumeOps};
use gdbstub::target::{TargetError, TargetResult};

use super::arch::{AllRegisters, RegisterNumber};
use super::layout::GdbRegister;
use super::target::GdbTarget;
use super::value::{from_bytes, to_bytes};

/// Addresses so close to the end of 64 bits are none: `gdbstub` adds to them without asking.
const LAST_ADDRESS: u64 = u64::MAX - (1 << 20);

impl GdbTarget<'_> {
    fn register_bytes(&mut self, register: &GdbRegister) -> Result<Vec<u8>, TargetError<Infallible>> {
        let big_endian = self.layout.big_endian;
        let debugger = self.debugger()?;
        let value = match register.source.is_pc {
            true => {
                let pc = debugger.address();
                isac_ir::bits::Bits::from_u128(debugger.space().of_code(pc).into())
            }
            false => register.source.read(debugger.engine.machine()),
        };
        Ok(to_bytes(value, register.width_bits, big_endian))
    }

    fn set_register(&mut self, register: &GdbRegister, bytes: &[u8]) -> Result<(), TargetError<Infallible>> {
        if bytes.len() * 8 != register.width_bits as usize {
            return Err(TargetError::NonFatal);
        }
        let value = from_bytes(bytes, self.layout.big_endian);
        // gdb writes all registers where it wants to set one: what stays is not set.
        if self.register_bytes(register)? == bytes {
            return Ok(());
        }
        let debugger = self.changed()?;
        match register.source.is_pc {
            true => {
                let pc = debugger.space().to_pc(value.to_u128() as u64);
                let place = debugger.model().pc.clone();
                debugger.engine.machine().write_place(&place, pc.into());
            }
            false => register.source.write(debugger.engine.machine(), value),
        }
        Ok(())
    }
}

impl SingleThreadBase for GdbTarget<'_> {
    fn read_registers(&mut self, registers: &mut AllRegisters) -> TargetResult<(), Self> {
        let mut all: Vec<GdbRegister> = self.layout.registers().cloned().collect();
        all.sort_by_key(|register| register.number);
        for register in &all {
            registers.0.extend(self.register_bytes(register)?);
        }
        Ok(())
    }

    fn write_registers(&mut self, registers: &AllRegisters) -> TargetResult<(), Self> {
        let mut all: Vec<GdbRegister> = self.layout.registers().cloned().collect();
        all.sort_by_key(|register| register.number);
        let mut rest = &registers.0[..];
        for register in &all {
            let size = (register.width_bits / 8) as usize;
            let (bytes, behind) = rest.split_at_checked(size).ok_or(TargetError::NonFatal)?;
            self.set_register(register, bytes)?;
            rest = behind;
        }
        Ok(())
    }

    fn support_single_register_access(&mut self) -> Option<SingleRegisterAccessOps<'_, (), Self>> {
        Some(self)
    }

    fn read_addrs(&mut self, start: u64, data: &mut [u8]) -> TargetResult<usize, Self> {
        let debugger = self.debugger()?;
        let mut read = 0;
        while read < data.len() {
            let address = start.checked_add(read as u64).filter(|address| *address <= LAST_ADDRESS);
            let Some(address) = address else { break };
            let (map, byte) = debugger.space().locate(address);
            if debugger.engine.machine().read_bytes(map, byte, &mut data[read..=read]).is_err() {
                break;
            }
            read += 1;
        }
        // Memory ends here, or never was.
        if read == 0 && !data.is_empty() { Err(TargetError::NonFatal) } else { Ok(read) }
    }

    fn write_addrs(&mut self, start: u64, data: &[u8]) -> TargetResult<(), Self> {
        let debugger = self.changed()?;
        start
            .checked_add(data.len() as u64)
            .filter(|end| *end <= LAST_ADDRESS)
            .ok_or(TargetError::NonFatal)?;
        let (map, byte) = debugger.space().locate(start);
        debugger.engine.machine().write_bytes(map, byte, data).map_err(|_| TargetError::NonFatal)
    }

    fn support_resume(&mut self) -> Option<SingleThreadResumeOps<'_, Self>> {
        Some(self)
    }
}

impl SingleRegisterAccess<()> for GdbTarget<'_> {
    fn read_register(
        &mut self,
        _thread: (),
        RegisterNumber(number): RegisterNumber,
        buffer: &mut [u8],
    ) -> TargetResult<usize, Self> {
        let register = self.layout.register(number).cloned().ok_or(TargetError::NonFatal)?;
        let bytes = self.register_bytes(&register)?;
        buffer.get_mut(..bytes.len()).ok_or(TargetError::NonFatal)?.copy_from_slice(&bytes);
        Ok(bytes.len())
    }

    fn write_register(
        &mut self,
        _thread: (),
        RegisterNumber(number): RegisterNumber,
        bytes: &[u8],
    ) -> TargetResult<(), Self> {
        let register = self.layout.register(number).cloned().ok_or(TargetError::NonFatal)?;
        self.set_register(&register, bytes)
    }
}
