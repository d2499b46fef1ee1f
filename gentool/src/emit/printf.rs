//! `printf` as Rust: the text is put together and handed to the host.

use isac_ir::behavior::{Conversion, Expr, PrintFormat, PrintPart};
use proc_macro2::{Literal, TokenStream};
use quote::{format_ident, quote};

use super::body::BodyEmitter;
use super::expression::{number, storage_bits};

impl BodyEmitter<'_> {
    /// Writes pieces of a text to the standard output.
    pub(super) fn print(&self, parts: &[PrintPart]) -> TokenStream {
        let pieces = self.pieces(parts);
        quote! {{
            let mut text = Vec::new();
            #pieces
            p.kernel().host.print(&text);
        }}
    }

    /// Tells the host why the run is about to end.
    pub(super) fn explain(&self, address: &Expr, parts: &[PrintPart]) -> TokenStream {
        let address = self.value(address);
        let pieces = self.pieces(parts);
        quote! {{
            let address: u64 = #address;
            let mut text = Vec::new();
            #pieces
            p.kernel().host.explain(address, &text);
        }}
    }

    /// Puts the pieces of a text behind `text`.
    fn pieces(&self, parts: &[PrintPart]) -> TokenStream {
        let pieces = parts.iter().map(|part| match part {
            PrintPart::Text(text) => {
                let bytes = Literal::byte_string(text.as_bytes());
                quote!(text.extend_from_slice(#bytes);)
            }
            PrintPart::Value { value, format } => {
                let width = number(value.width.into());
                let wide = storage_bits(value.width) == 128;
                let value = self.value(value);
                let value = if wide { value } else { quote!(u128::from(#value)) };
                let format = print_format(*format);
                quote!(print_value(#format, #value, #width, &mut text);)
            }
        });
        quote!(#(#pieces)*)
    }
}

fn print_format(format: PrintFormat) -> TokenStream {
    let conversion = match format.conversion {
        Conversion::Signed => "Signed",
        Conversion::Unsigned => "Unsigned",
        Conversion::Hexadecimal => "Hexadecimal",
        Conversion::HexadecimalUpper => "HexadecimalUpper",
        Conversion::Octal => "Octal",
        Conversion::Character => "Character",
    };
    let conversion = format_ident!("{conversion}");
    let width = number(format.width.into());
    let precision = match format.precision {
        Some(precision) => {
            let precision = number(precision.into());
            quote!(Some(#precision))
        }
        None => quote!(None),
    };
    let PrintFormat { zero, left, plus, space, alternate, .. } = format;
    quote! {
        PrintFormat {
            conversion: Conversion::#conversion,
            width: #width,
            precision: #precision,
            zero: #zero,
            left: #left,
            plus: #plus,
            space: #space,
            alternate: #alternate,
        }
    }
}
