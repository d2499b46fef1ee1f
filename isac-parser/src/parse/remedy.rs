//! Remedies for what C has and this language does not, and for what it has in another form.

use crate::resolve::typing::SERVICES;

/// What to do without a word of C that means nothing here.
pub(super) fn without(word: &str) -> Option<String> {
    let remedy = match word {
        "goto" => "there is no `goto`; use a loop, `break` or `continue`",
        "sizeof" => "there is no `sizeof`; a type says its width, as `bit[8]` does",
        "float" | "double" | "_Complex" | "_Imaginary" => {
            "there are no floating-point numbers; use C's integer types or `bit[N]`"
        }
        "struct" | "union" | "enum" | "typedef" => {
            "no types can be defined; use C's integer types or `bit[N]`"
        }
        "then" => "C's `if` has no `then`: what it decides stands behind the parentheses",
        "elif" | "elsif" | "elseif" => "it is written `else if`",
        "auto" | "const" | "extern" | "inline" | "register" | "restrict" | "static" | "volatile" => {
            return Some(format!("leave `{word}` out; a variable is declared by its type alone"));
        }
        _ => return None,
    };
    Some(remedy.to_owned())
}

/// The section for what other languages of this kind have under another word.
pub(super) fn section_for(word: &str) -> Option<&'static str> {
    match word.to_ascii_uppercase().as_str() {
        "SYNTAX" | "ASM" => Some("the text of an instruction is its ASSEMBLER"),
        "SEMANTICS" | "ACTION" => Some("what an instruction does is its BEHAVIOR"),
        "OPCODE" | "ENCODING" | "BINARY" => Some("the bits of an instruction are its CODING"),
        "DECLARE" | "USE" => {
            Some("operations and groups are named by INSTANCE, as `INSTANCE reg ALIAS { rd };`")
        }
        "VALUE" | "RETURNS" => Some("what an operand stands for is its EXPRESSION"),
        "GROUP" | "LABEL" => Some("a GROUP is a definition of its own, beside the operations"),
        _ => None,
    }
}

/// What to write where a definition has to begin and something else stands.
pub(super) fn definition_for(word: &str) -> &'static str {
    match word {
        _ if is_type(word) => "C stands in a FUNCTION, as `FUNCTION void name(bit[8] a) { ... }`",
        "INSTRUCTION" | "INSN" => "an instruction is an OPERATION, as `OPERATION add { ... };`",
        "CONST" | "DEFINE" | "const" => "a name for a number is a CONSTANT, as `CONSTANT WIDTH = 32;`",
        _ => "the definitions are INCLUDE, CONSTANT, TARGET, RESOURCE, GROUP, OPERATION, FUNCTION and PSEUDO",
    }
}

/// True for a word that begins a definition in other languages.
pub(super) fn is_definition_elsewhere(word: &str) -> bool {
    matches!(word, "INSTRUCTION" | "INSN" | "CONST" | "DEFINE" | "const")
}

/// True for a word that begins a type of C, or could.
pub(super) fn is_type(word: &str) -> bool {
    let words = ["void", "bit", "bool", "char", "int", "long", "short", "signed", "unsigned"];
    let is_sized =
        |rest: &str| rest.starts_with("int") && rest[3..].starts_with(|c: char| c.is_ascii_digit());
    words.contains(&word) || is_sized(word) || word.strip_prefix('u').is_some_and(is_sized)
}

/// How a definition, a section or a declaration is written.
pub(super) fn form_of(word: &str) -> Option<&'static str> {
    let form = match word {
        "INCLUDE" => "`INCLUDE \"file.isac\";`",
        "CONSTANT" => "`CONSTANT name = value;`; values are whole numbers",
        "TARGET" => "`TARGET { ENDIAN (LITTLE); };`",
        "RESOURCE" => "`RESOURCE { REGISTER bit[32] x[16]; };`",
        "GROUP" => "`GROUP name = first, second;`, without braces",
        "OPERATION" => "`OPERATION name IN pipe.STAGE { ... };`, IN where it has a stage",
        "FUNCTION" => "`FUNCTION bit[8] name(bit[8] a, int b) { ... }`, or with `void` for the result",
        "PSEUDO" => "`PSEUDO { \"li\" rd:reg \",\" v:#X } -> { \"addi\" rd \", x0,\" v };`",
        "INSTANCE" => "`INSTANCE reg ALIAS { rd, rs };`",
        "REFERENCE" => "`REFERENCE { rd, rs };`",
        "LOCAL" => "`LOCAL { bit[32] a, b; };`",
        "ASSEMBLER" => "`ASSEMBLER { \"add\" rd \",\" imm=#S };`",
        "CODING" => "`CODING { 0b0110 rd imm=0bx[8] offset[3..0] };`",
        "TAIL" => "`TAIL { imm=0bx[16] };`",
        "WHEN" => "`WHEN { rd != 0 && imm < 8 };`",
        "EXPRESSION" => "`EXPRESSION { x[n] };`",
        "BEHAVIOR" => "`BEHAVIOR { if (a == b) { rd = a + 1; } };`: C's statements, each with its `;`",
        "ACTIVATION" => "`ACTIVATION { first; second DELAY (2); IF (a == 1) { third; } };`",
        "CODINGROOT" => "`CODINGROOT { instr (map[pc]); };`",
        "PC" | "REGISTER" => "`REGISTER bit[32] x[16], y { RESET (0); };`",
        "ALIAS" => "`ALIAS bit[16] X = r[1] :: r[0];`",
        "RAM" => "`RAM bit[8] ram { SIZE (0x1000); };`",
        "CACHE" => "`CACHE c { SIZE (4096); LINE (32); OVER (ram); };`",
        "DEVICE" => "`DEVICE uart { KIND (CONSOLE); };`",
        "PIPELINE" => "`PIPELINE pipe { FE { ir }; EX { }; };`, each stage with its registers",
        "MEMORY_MAP" => "`MEMORY_MAP map { RANGE (0, 0xfff) -> ram; };`",
        _ => return None,
    };
    Some(form)
}

/// What is meant instead of a token of an ACTIVATION, by the words before and behind it.
pub(super) fn activation_for(
    found: &str,
    [two_before, before]: [&str; 2],
    behind: [&str; 3],
) -> Option<String> {
    let begins = matches!(two_before, "{" | "}" | ";");
    match (before, found) {
        // `DELAY (1) name`
        ("DELAY", "(") if begins => Some(match behind {
            [cycles, ")", name] if is_name(name) => {
                format!("DELAY stands behind what it delays: write `{name} DELAY ({cycles})`")
            }
            _ => "DELAY stands behind what it delays, as `name DELAY (1)`".to_owned(),
        }),
        // `name DELAY 1`, `name DELAY = 1`
        ("DELAY", _) if !begins => {
            let cycles = if found == "=" { behind[0] } else { found };
            let is_cycles = cycles.starts_with(|letter: char| letter.is_ascii_alphanumeric() || letter == '_');
            let cycles = if is_cycles { cycles } else { "1" };
            Some(format!("the cycles stand in parentheses: write `{two_before} DELAY ({cycles})`"))
        }
        (_, "(") if is_name(before) => Some(match behind[..2] {
            [")", _] => format!("an operation is named, not called: write `{before};`"),
            [cycles, ")"] => format!("cycles to wait for stand in DELAY: write `{before} DELAY ({cycles})`"),
            _ => format!("an operation is named, not called: write `{before};`"),
        }),
        (_, ",") => Some("each activation ends in `;`, as `first; second DELAY (2);`".to_owned()),
        (_, "." | "IN") if is_name(before) => Some(
            "an operation is activated by its name alone; its stage stands at its definition, as `OPERATION name IN pipe.STAGE`"
                .to_owned(),
        ),
        _ => None,
    }
}

/// The stage that is meant behind IN, where it is not named with its pipeline.
pub(super) fn stage_for(found: &str, [two_before, before]: [&str; 2], behind: [&str; 3]) -> Option<String> {
    let stage = match (two_before, found, behind) {
        ("IN", "(", [stage, ")", _]) if is_name(stage) => format!("{before}.{stage}"),
        // Stages are written in capitals, and pipelines are not.
        ("IN", "{" | ";", _) if before.contains(|letter: char| letter.is_ascii_lowercase()) => {
            return Some(format!(
                "a stage is named behind its pipeline: write `IN {before}.EX`, EX being the stage"
            ));
        }
        ("IN", "{" | ";", _) => format!("pipe.{before}"),
        _ => return None,
    };
    Some(format!("a stage is named with its pipeline: write `IN {stage}`"))
}

/// What a reserved word may have been meant to be.
pub(super) fn name_instead(reserved: &str, section: &str, [two_before, before]: [&str; 2]) -> String {
    let is_stage = section == "PIPELINE" || before == "." || before == "(" && SERVICES.contains(&two_before);
    match reserved {
        "IF" if is_stage => {
            "`IF` is reserved, it decides in ACTIVATION; call the stage otherwise, as `FE`".to_owned()
        }
        _ => "this word is reserved; choose another name".to_owned(),
    }
}

/// What is meant instead of a token, by the words before it, in a section of C.
pub(super) fn instead(found: &str, before: &str, two_before: &str, section: &str) -> Option<String> {
    if !matches!(section, "BEHAVIOR" | "FUNCTION" | "LOCAL" | "EXPRESSION") {
        return None;
    }
    if let Some(remedy) = without(before) {
        return Some(remedy);
    }
    if SERVICES.contains(&before) && is_name(found) {
        return Some(format!(
            "`{before}` is called, as `pipe.{before}({})`",
            if before == "retry" { "" } else { "STAGE" }
        ));
    }
    if matches!(two_before, "{" | "}" | ";") && before != section && is_name(before) && is_name(found) {
        return Some(format!(
            "`{before}` is no type; use C's, as `int`, one of <stdint.h>, as `uint32_t`, or `bit[N]`"
        ));
    }
    let remedy = match found {
        "and" => "it is written `&&`, or `&` for each bit",
        "or" => "it is written `||`, or `|` for each bit",
        ":" if matches!(section, "BEHAVIOR" | "FUNCTION") && before == "]" => "a place is assigned to by `=`",
        "[" => "there are no arrays of variables; a register file or a RAM holds many values",
        "=" if section == "LOCAL" => "a LOCAL begins at 0; assign to it in BEHAVIOR",
        ":" if matches!(two_before, "{" | "}" | ";") => {
            "there are no labels but `case` and `default`; use a loop, `break` or `continue`"
        }
        _ => return None,
    };
    Some(remedy.to_owned())
}

/// True for what a variable may be called.
fn is_name(word: &str) -> bool {
    word.starts_with(|letter: char| letter.is_ascii_alphabetic() || letter == '_')
        && !matches!(word, "if" | "else" | "do" | "while" | "for" | "switch" | "case" | "default" | "return")
}
