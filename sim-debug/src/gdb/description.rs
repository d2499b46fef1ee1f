//! gdb's target description: which processor this is and what registers it has.

use super::layout::Layout;
use crate::show::line;

/// The description as XML, ended by a line break (gdb manual, "Target Description Format").
#[must_use]
pub fn render_description(layout: &Layout) -> String {
    let mut text = String::from(
        "<?xml version=\"1.0\"?>\n<!DOCTYPE target SYSTEM \"gdb-target.dtd\">\n<target version=\"1.0\">\n",
    );
    if let Some(architecture) = layout.architecture {
        line(&mut text, format_args!("  <architecture>{architecture}</architecture>"));
    }
    let features = layout.features.iter().filter(|_| layout.is_told);
    for feature in features.filter(|feature| !feature.registers.is_empty()) {
        line(&mut text, format_args!("  <feature name=\"{}\">", feature.name));
        if feature.registers.iter().any(|register| register.width_bits == 256) {
            line(&mut text, format_args!("    <vector id=\"wide\" type=\"uint128\" count=\"2\"/>"));
        }
        for register in &feature.registers {
            let kind = match (register.source.is_pc, register.width_bits) {
                (true, _) => "code_ptr",
                (false, 8) => "uint8",
                (false, 16) => "uint16",
                (false, 128) => "uint128",
                (false, 256) => "wide",
                (false, _) => "int",
            };
            line(
                &mut text,
                format_args!(
                    "    <reg name=\"{}\" bitsize=\"{}\" type=\"{kind}\" regnum=\"{}\"/>",
                    register.name, register.width_bits, register.number
                ),
            );
        }
        line(&mut text, format_args!("  </feature>"));
    }
    text + "</target>\n"
}
