//! Remedies for what C has and this language does not.

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

/// What is meant instead of a token, by the words before it, in a section of C.
pub(super) fn instead(found: &str, before: &str, two_before: &str, section: &str) -> Option<String> {
    if !matches!(section, "BEHAVIOR" | "FUNCTION" | "LOCAL" | "EXPRESSION") {
        return None;
    }
    if let Some(remedy) = without(before) {
        return Some(remedy);
    }
    let remedy = match found {
        "[" => "there are no arrays of variables; a register file or a RAM holds many values",
        "=" if section == "LOCAL" => "a LOCAL begins at 0; assign to it in BEHAVIOR",
        ":" if matches!(two_before, "{" | "}" | ";") => {
            "there are no labels but `case` and `default`; use a loop, `break` or `continue`"
        }
        _ => return None,
    };
    Some(remedy.to_owned())
}
