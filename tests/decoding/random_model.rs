//! Random descriptions of small instruction sets: nested groups, operands, WHENs, several widths.

use std::fmt::Write as _;

use crate::support::random::Random;

/// A group that CODINGs may name.
struct Part {
    name: String,
    width: u32,
}

/// The text of a description, the same for the same seed.
pub(crate) fn random_model(seed: u64) -> String {
    let mut random = Random::new(seed);
    let cell_bits = random.pick(&[2, 4, 8]);
    let endian = random.pick(&["LITTLE", "BIG"]);
    let mut text = format!(
        "TARGET {{ ENDIAN ({endian}); }};
RESOURCE {{ PC REGISTER bit[8] pc; RAM bit[{cell_bits}] ram {{ SIZE (64); }}; MEMORY_MAP m {{ RANGE (0, 63) -> ram; }}; }};
OPERATION main {{ INSTANCE instr ALIAS {{ i }}; CODINGROOT {{ i (m[pc]); }}; BEHAVIOR {{ pc++; }}; }};\n"
    );
    let mut parts: Vec<Part> = Vec::new();
    for number in 0..random.below_u64(4) {
        let width = 1 + random.below_u64(3) as u32;
        let is_operand = random.below_u64(3) > 0;
        let name = format!("g{number}");
        add_group(&mut random, &mut text, &name, &[width], is_operand, &parts);
        parts.push(Part { name, width });
    }
    let widths: &[u32] = match (cell_bits, random.below_u64(2)) {
        (2, 0) => &[4],
        (2, _) => &[2, 4, 6],
        (4, 0) => &[4],
        (4, _) => &[4, 8],
        _ => &[8],
    };
    add_group(&mut random, &mut text, "instr", widths, false, &parts);
    text
}

/// A group with its members; some are groups of their own.
fn add_group(
    random: &mut Random,
    text: &mut String,
    name: &str,
    widths: &[u32],
    is_operand: bool,
    parts: &[Part],
) {
    let members = 2 + random.below_u64(3);
    let mut names = Vec::new();
    for number in 0..members {
        let member = format!("{name}m{number}");
        if random.below_u64(8) == 0 && name.len() < 8 {
            add_group(random, text, &member, widths, is_operand, parts);
        } else {
            let width = random.pick(widths);
            add_operation(random, text, &member, width, is_operand, parts);
        }
        names.push(member);
    }
    let _ = writeln!(text, "GROUP {name} = {};", names.join(", "));
}

fn add_operation(
    random: &mut Random,
    text: &mut String,
    name: &str,
    width: u32,
    is_operand: bool,
    parts: &[Part],
) {
    let (mut instances, mut coding) = (String::new(), Vec::new());
    let mut compared: Vec<(String, u32)> = Vec::new();
    let mut left = width;
    // How much is fixed decides how much overlaps.
    let fixed = 1 + random.below_u64(4);
    while left > 0 {
        let fitting: Vec<&Part> = parts.iter().filter(|part| part.width <= left).collect();
        let number = compared.len();
        if !fitting.is_empty() && random.below_u64(3) == 0 {
            let part = fitting[random.below_u64(fitting.len() as u64) as usize];
            let _ = write!(instances, " INSTANCE {} ALIAS {{ a{number} }};", part.name);
            let alias = format!("a{number}");
            if part.width > 1 && random.below_u64(4) == 0 {
                coding.push(format!("{alias}[0]"));
                coding.push(format!("{alias}[{}..1]", part.width - 1));
            } else {
                coding.push(alias.clone());
            }
            compared.push((alias, part.width));
            left -= part.width;
            continue;
        }
        let bits = 1 + random.below_u64(left.min(4).into()) as u32;
        let pattern: String = (0..bits).map(|_| random_bit(random, fixed)).collect();
        if random.below_u64(3) == 0 {
            coding.push(format!("f{number}=0b{pattern}"));
            compared.push((format!("f{number}"), bits));
        } else {
            coding.push(format!("0b{pattern}"));
        }
        left -= bits;
    }
    let when = match compared.is_empty() || random.below_u64(3) > 0 {
        true => String::new(),
        false => format!(" WHEN {{ {} }};", random_condition(random, &compared, 2)),
    };
    let meaning = if is_operand { " EXPRESSION { 0 };" } else { "" };
    let _ = writeln!(
        text,
        "OPERATION {name} {{{instances} CODING {{ {} }};{when}{meaning} }};",
        coding.join(" ")
    );
}

fn random_bit(random: &mut Random, fixed: u64) -> char {
    if random.below_u64(5) < fixed { random.pick(&['0', '0', '1']) } else { 'x' }
}

fn random_condition(random: &mut Random, compared: &[(String, u32)], depth: u32) -> String {
    if depth > 0 && random.below_u64(3) == 0 {
        let left = random_condition(random, compared, depth - 1);
        let right = random_condition(random, compared, depth - 1);
        return match random.below_u64(3) {
            0 => format!("({left}) && ({right})"),
            1 => format!("({left}) || ({right})"),
            _ => format!("!({left})"),
        };
    }
    let (name, width) = &compared[random.below_u64(compared.len() as u64) as usize];
    let others: Vec<&String> = compared
        .iter()
        .filter(|(other, bits)| other != name && bits == width)
        .map(|(name, _)| name)
        .collect();
    if !others.is_empty() && random.below_u64(2) == 0 {
        let other = others[random.below_u64(others.len() as u64) as usize];
        return format!("{name} {} {other}", random.pick(&["==", "!="]));
    }
    if *width > 1 && random.below_u64(3) == 0 {
        return format!("{name}[{}..1] != {}", width - 1, random.below_u64(1 << (width - 1)));
    }
    let relation = random.pick(&["==", "!=", "<", "<=", ">", ">="]);
    let constant = random.below_u64(1 << width);
    match random.below_u64(2) {
        0 => format!("{name} {relation} {constant}"),
        _ => format!("{constant} {relation} {name}"),
    }
}
