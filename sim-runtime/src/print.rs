//! Text of BEHAVIOR's `printf`.

use isac_ir::behavior::{Conversion, PrintFormat, PrintPart};
use isac_ir::bits::sign_extend;

/// The bytes that a `printf` writes; `values` are its arguments in order.
pub fn print_parts(parts: &[PrintPart], values: &[u128]) -> Vec<u8> {
    let mut values = values.iter();
    let mut bytes = Vec::new();
    for part in parts {
        match part {
            PrintPart::Text(text) => bytes.extend_from_slice(text.as_bytes()),
            PrintPart::Value { value, format } => {
                let argument = values.next().copied().unwrap_or(0);
                print_value(*format, argument, value.width, &mut bytes);
            }
        }
    }
    bytes
}

/// One value of `width` bits in a format.
pub fn print_value(format: PrintFormat, value: u128, width: u32, bytes: &mut Vec<u8>) {
    if format.conversion == Conversion::Character {
        pad(format, &[], &[value as u8], bytes);
        return;
    }
    let negative = format.conversion == Conversion::Signed && sign_extend(value, width, 128) >> 127 == 1;
    let magnitude = match negative {
        true => sign_extend(value, width, 128).wrapping_neg(),
        false => value,
    };
    let mut digits = match format.conversion {
        Conversion::Hexadecimal => format!("{magnitude:x}"),
        Conversion::HexadecimalUpper => format!("{magnitude:X}"),
        Conversion::Octal => format!("{magnitude:o}"),
        _ => magnitude.to_string(),
    };
    if let Some(precision) = format.precision {
        // As in C, nothing at all is printed of 0 with no digits.
        digits = if magnitude == 0 { String::new() } else { digits };
        let missing = (precision as usize).saturating_sub(digits.len());
        digits.insert_str(0, &"0".repeat(missing));
    }
    if format.conversion == Conversion::Octal && format.alternate && !digits.starts_with('0') {
        digits.insert(0, '0');
    }
    let prefix = match format.conversion {
        Conversion::Signed if negative => "-",
        Conversion::Signed if format.plus => "+",
        Conversion::Signed if format.space => " ",
        Conversion::Hexadecimal if format.alternate && magnitude != 0 => "0x",
        Conversion::HexadecimalUpper if format.alternate && magnitude != 0 => "0X",
        _ => "",
    };
    pad(format, prefix.as_bytes(), digits.as_bytes(), bytes);
}

/// Fills up to the format's width: zeros behind the prefix, or spaces on one side.
fn pad(format: PrintFormat, prefix: &[u8], text: &[u8], bytes: &mut Vec<u8>) {
    let missing = (format.width as usize).saturating_sub(prefix.len() + text.len());
    let fill = |byte: u8| std::iter::repeat_n(byte, missing);
    match (format.left, format.zero && format.conversion != Conversion::Character) {
        (true, _) => {
            bytes.extend_from_slice(prefix);
            bytes.extend_from_slice(text);
            bytes.extend(fill(b' '));
        }
        (false, true) => {
            bytes.extend_from_slice(prefix);
            bytes.extend(fill(b'0'));
            bytes.extend_from_slice(text);
        }
        (false, false) => {
            bytes.extend(fill(b' '));
            bytes.extend_from_slice(prefix);
            bytes.extend_from_slice(text);
        }
    }
}
