//! Breaks of BEHAVIORs and RESOURCEs.

use super::*;

pub(super) fn break_bodies(sound: &Sound, push: Push<'_>) {
    for operation in sound.operations() {
        let Some(section) = behavior(operation) else { continue };
        let at = inside(sound, section);
        let wrong: [(&'static str, &str, &'static [&'static str]); 11] = [
            ("an undefined name", " nothing_at_all = 1; ", &["E0201"]),
            ("a jump out of nothing", " break; ", &["E0307"]),
            ("an assignment to a number", " 1 = 2; ", &["E0301"]),
            ("a slice out of bounds", " { bit[8] v = 1; v[9..8] = 0; } ", &["E0304"]),
            ("a constant cut off", " { bit[4] v = 16; v = v; } ", &["W0301"]),
            ("a result where none is expected", " return 1; ", &["E0309"]),
            ("a format without its value", " printf(\"%d\"); ", &["E0311"]),
            ("too few arguments", " halt(); ", &["E0303"]),
            ("a value that is dropped", " { int v = 0; v == 1; } ", &["W0304"]),
            ("a condition that assigns", " { int v = 0; if (v = 1) v = 2; } ", &["W0305"]),
            ("a concatenation without widths", " { int v = (1 + 1) :: 0b1; v = v; } ", &["E0310"]),
        ];
        for (kind, text, codes) in wrong {
            push(kind, before(at, text, codes));
        }
        push("a second BEHAVIOR", before(section, "BEHAVIOR { }; ", &["E0207"]));
    }
    break_writers(sound, push);
    let end = sound.items().last().map(item_span).expect("a model has items");
    let nothing = Span { start: end.end, end: end.end, ..end };
    let recursive = "\nFUNCTION void calls_itself() { calls_itself(); }\n";
    push("recursion", replaced(nothing, "", &["E0313"]).with(recursive));
    push(
        "a FUNCTION that nothing calls",
        replaced(nothing, "", &["W0201"]).with("\nFUNCTION void unused_one() { }\n"),
    );
    let cyclic = "\nCONSTANT ONE_OF_TWO = TWO_OF_TWO; CONSTANT TWO_OF_TWO = ONE_OF_TWO;\n";
    push("a circle of CONSTANTs", replaced(nothing, "", &["E0206"]).with(cyclic));
    push(
        "an INCLUDE of nothing",
        replaced(nothing, "", &["E0111"]).with("\nINCLUDE \"nothing_at_all.isac\";\n"),
    );
}

/// EXPRESSIONs that a FUNCTION writes.
fn break_writers(sound: &Sound, push: Push<'_>) {
    for section in sound.operations().into_iter().flat_map(|operation| &operation.sections) {
        let Section::Expression(ExpressionSection { value, writer: Some(writer), .. }) = section else {
            continue;
        };
        let name = &writer.name.text;
        let functions = sound.items().filter_map(|item| match item {
            Item::Function(function) if function.name.text == *name => Some(function.name.span),
            _ => None,
        });
        for defined in functions {
            push("a writer of something else", replaced(writer.span, format!("{name}(1, 2, 3)"), &["E0323"]));
            push("a writer with another name", replaced(defined, "renamed_one", &["E0201"]).at(writer.span));
        }
        push("a writer that nothing defines", replaced(writer.span, "nothing_at_all", &["E0201"]));
        push("a built-in that writes", replaced(writer.span, "halt", &["E0201"]));
        push("a writer twice", replaced(writer.span, format!("{name}, {name}"), &["E0101"]));
        push("a value that nothing defines", replaced(value.span, "nothing_at_all", &["E0201"]));
    }
}

pub(super) fn break_resources(sound: &Sound, push: Push<'_>) {
    for map in sound.maps() {
        for range in &map.ranges {
            let text = sound.text(range.span);
            push("a RANGE twice", replaced(range.span, format!("{text} {text}"), &["E0506"]));
        }
    }
    for declaration in sound.declarations() {
        match declaration {
            ResourceDeclaration::Register(register) => {
                let text = sound.text(register.span);
                let is_pc = text.starts_with("PC ");
                push(
                    "a register twice",
                    replaced(register.span, format!("{text} {text}"), &["E0202", "E0502"]),
                );
                let width = Span {
                    end: register.span.start + text.find(']').expect("a width") as u32 + 1,
                    ..register.span
                };
                let wide = sound.text(width).split('[').next().unwrap_or_default().to_owned() + "[300]";
                push("a register too wide", replaced(width, wide, &["E0504", "E0503"]));
                if is_pc {
                    push("a second PC", before(register.span, "PC REGISTER bit[8] second_one; ", &["E0502"]));
                    let rest = text.strip_prefix("PC ").unwrap_or_default().to_owned();
                    push("no PC", replaced(register.span, rest, &["E0501"]).anywhere());
                }
                push(
                    "a register that nothing uses",
                    before(register.span, "REGISTER bit[8] unused_one; ", &["W0201"]),
                );
                push(
                    "an ALIAS of itself",
                    before(register.span, "ALIAS bit[8] selfish = selfish; ", &["E0511"]),
                );
            }
            ResourceDeclaration::Ram(ram) => {
                let text = sound.text(ram.span);
                push("an unknown option", replaced(ram.span, text.replacen("SIZE", "SIZ", 1), &["E0509"]));
                let size = text.find("SIZE").expect("a RAM has a size");
                let end = size + text[size..].find(')').expect("the size ends");
                let small = format!("{}SIZE (1{}", &text[..size], &text[end..]);
                push("a RANGE beyond its RAM", replaced(ram.span, small, &["E0507"]));
            }
            _ => {}
        }
    }
}
