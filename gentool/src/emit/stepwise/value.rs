//! Telling the values that are read and written, where a simulator does.

use isac_ir::behavior::UNCOUNTED;
use proc_macro2::TokenStream;
use quote::quote;

use crate::emit::body::BodyEmitter;
use crate::emit::expression::number;

impl BodyEmitter<'_> {
    /// The resource that a map is.
    pub(in crate::emit) fn map_resource(&self, map: u32) -> u32 {
        self.emitter.model.registers.len() as u32 + map
    }

    /// A value that is read by an access, told if that is asked for.
    pub(in crate::emit) fn told_read(&self, access: u32, resource: u32, value: TokenStream) -> TokenStream {
        if !self.tells(access) {
            return value;
        }
        let resource = number(resource.into());
        quote!({ let value = #value; step.note_read(at, #resource, value) })
    }

    /// What tells what was written, which is called `value`, behind a write, if that is asked for.
    pub(in crate::emit) fn tell_write(&self, access: u32, resource: u32) -> Option<TokenStream> {
        let resource = number(resource.into());
        self.tells(access).then(|| quote!(step.note_write(at, #resource, value);))
    }

    /// A read, with what tells its address, which is called `address`, behind it, if that is asked for.
    pub(in crate::emit) fn tell_read_address(
        &self,
        access: u32,
        resource: u32,
        read: TokenStream,
    ) -> TokenStream {
        if !self.tells(access) {
            return read;
        }
        let resource = number(resource.into());
        quote!(let value = #read; step.note_read_address(at, #resource, address); value)
    }

    /// What tells a write to memory, its `value` and its `address`, behind it, if that is asked for.
    pub(in crate::emit) fn tell_store(&self, access: u32, resource: u32) -> Option<TokenStream> {
        let write = self.tell_write(access, resource)?;
        let resource = number(resource.into());
        Some(quote!(#write step.note_written_address(at, #resource, address);))
    }

    fn tells(&self, access: u32) -> bool {
        self.emitter.tells_values && access != UNCOUNTED
    }
}
