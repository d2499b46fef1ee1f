//! Breaks of GROUPs and CODINGs.

use super::*;

/// True if a PSEUDO is made of what an operation is written as.
fn is_in_a_pseudo(sound: &Sound, operation: &Operation) -> bool {
    let text = operation.sections.iter().find_map(|section| match section {
        Section::Assembler(section) => Some(sound.text(section.span)),
        _ => None,
    });
    let Some(literal) = text.and_then(|text| text.split('"').nth(1)) else { return false };
    // What begins with a mark, as ".hb", stands behind another word.
    let is_ending = literal.starts_with(|letter: char| letter.is_ascii_punctuation());
    let literal = if is_ending { literal.to_owned() } else { format!("\"{literal}") };
    sound.items().any(|item| matches!(item, Item::Pseudo(item) if sound.text(item.span).contains(&literal)))
}

pub(super) fn break_groups(sound: &Sound, push: Push<'_>) {
    let groups: Vec<_> = sound
        .items()
        .filter_map(|item| if let Item::Group(group) = item { Some(group) } else { None })
        .collect();
    let operations = sound.operations();
    for group in &groups {
        let last = &group.members[group.members.len() - 1];
        let first = &group.members[0];
        let name = &group.name.text;
        push(
            "a member twice",
            replaced(last.span, format!("{}, {}", last.text, first.text), &["E0208", "E0202"]),
        );
        push("an unknown member", replaced(last.span, format!("{}, nothing_at_all", last.text), &["E0201"]));
        let itself = replaced(last.span, format!("{}, {name}", last.text), &["E0205"]);
        push("a group in itself", itself.at(group.name.span));
        for member in &group.members {
            let Some(operation) = operations.iter().find(|found| found.name.text == member.text) else {
                continue;
            };
            push(
                "a definition that is missing",
                replaced(operation.span, "", &["E0201", "E0203"]).at(member.span),
            );
            let copy = sound.text(operation.span).replacen(&member.text, "copy_of_it", 1) + "\n";
            if coding(operation).is_some() {
                // The copy stands in the file of its group: what it matches another one matches, too.
                let twice = replaced(last.span, format!("{}, copy_of_it", last.text), &["E0410"]);
                push("two codings that overlap", twice.with(format!("\nOPERATION{}", after_keyword(&copy))));
            }
            push(
                "an operation twice",
                replaced(operation.span, format!("{0}\n{0}", sound.text(operation.span)), &["E0202"]),
            );
            let is_alone = mentions(sound, &member.text) == 1 && !is_in_a_pseudo(sound, operation);
            if group.members.len() > 1 && member.text != first.text && is_alone {
                let comma = Span { start: member.span.start, ..member.span };
                let list = sound.text(group.span);
                let at = (comma.start - group.span.start) as usize;
                let from = list[..at].rfind(',').expect("a comma stands before it") as u32 + group.span.start;
                let gone = Span { file: group.span.file, start: from, end: member.span.end };
                push(
                    "an operation that nothing uses",
                    replaced(gone, "", &["W0201"]).at(operation.name.span),
                );
            }
        }
    }
    let main = operations.iter().find(|operation| operation.name.text == "main").expect("`main` is there");
    push("no main", replaced(main.name.span, "mainly", &["E0204"]).anywhere());
}

/// The text of a definition behind its first word.
fn after_keyword(text: &str) -> &str {
    text.strip_prefix("OPERATION").expect("an operation begins with its word")
}

/// How many groups, INSTANCEs and ACTIVATIONs name an operation.
fn mentions(sound: &Sound, name: &str) -> usize {
    let mut count = 0;
    for item in sound.items() {
        match item {
            Item::Group(group) => count += group.members.iter().filter(|member| member.text == name).count(),
            Item::Operation(operation) => {
                let text = sound.text(operation.span);
                let is_word = |c: char| c.is_alphanumeric() || c == '_';
                count += text.split(|c| !is_word(c)).skip(2).filter(|word| *word == name).count();
            }
            _ => {}
        }
    }
    count
}

pub(super) fn break_codings(sound: &Sound, push: Push<'_>) {
    for operation in sound.operations() {
        let Some(section) = coding(operation) else { continue };
        let resolved = sound.resolved(operation);
        let widths = &["E0401", "E0408", "E0410", "E0422", "E0403", "E0304"];
        let whole = operation.span;
        push("a wider CODING", before(section.items[0].span(), "0b1 ", widths).at(whole));
        push(
            "a REFERENCE that nobody has",
            before(section.span, "REFERENCE { nobody_has_it }; ", &["E0210"]),
        );
        push("an unknown name in CODING", before(section.items[0].span(), "nothing_at_all ", &["E0201"]));
        for item in &section.items {
            match item {
                CodingItem::Field { name, pattern } => {
                    let again = format!("{} {}", sound.text(item.span()), sound.text(item.span()));
                    push("a field coded twice", replaced(item.span(), again, &["E0402", "E0202"]));
                    let width = pattern.bits.len();
                    if width < 100 && !has_when(operation) && pattern.bits.iter().all(Option::is_none) {
                        let never = format!("WHEN {{ {} == {} }}; ", name.text, 1u128 << width);
                        push("what bits can never be", before(section.span, never, &["E0431"]));
                    }
                }
                CodingItem::Name { name, slice: None, span } => {
                    let is_alias = resolved
                        .instances
                        .iter()
                        .find(|instance| instance.alias == name.text && instance.role == InstanceRole::Coded);
                    let Some(width) = is_alias.and_then(|instance| instance.width_bits) else { continue };
                    if width > 1 {
                        // As a whole it may stand twice.
                        let again = format!("{0} {0}[0]", name.text);
                        push("an alias coded twice", replaced(*span, again, &["E0402"]));
                        let some = format!("{}[{}..1] 0b0", name.text, width - 1);
                        push("bits never coded", replaced(*span, some, &["E0403"]));
                    }
                }
                CodingItem::Name { slice: Some(_), span, .. } => {
                    let again = format!("{0} {0}", sound.text(*span));
                    push("a slice coded twice", replaced(*span, again, &["E0402"]));
                }
                CodingItem::Bits(_) => {}
            }
        }
        // A copy that no word reaches: its WHEN allows none.
        let field = section.items.iter().find_map(|item| match item {
            CodingItem::Field { name, .. } => Some(name),
            _ => None,
        });
        let is_signed = field.and_then(|name| resolved.fields.iter().find(|field| field.name == name.text));
        let group = sound.items().find_map(|item| match item {
            Item::Group(group) => group.members.iter().find(|member| member.text == operation.name.text),
            _ => None,
        });
        if let (Some(field), Some(member), false) = (field, group, has_when(operation))
            && is_signed.is_some_and(|field| !field.signed)
            && member.span.file == operation.span.file
        {
            let never = format!("WHEN {{ {} < 0 }}; CODING", field.text);
            let copy = sound.text(operation.span).replacen(&operation.name.text, "copy_of_it", 1);
            let copy = copy.replacen("CODING", &never, 1);
            let twice = replaced(member.span, format!("{}, copy_of_it", member.text), &["W0402"]);
            push("a member that no word reaches", twice.with(format!("\n{copy}\n")));
        }
    }
}

pub(super) fn has_when(operation: &Operation) -> bool {
    operation.sections.iter().any(|section| matches!(section, Section::When(_)))
}
