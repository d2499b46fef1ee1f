//! Breaks of assembler texts, PSEUDOs and the marks of the language.

use super::coding::has_when;
use super::*;

pub(super) fn break_texts(sound: &Sound, push: Push<'_>) {
    for operation in sound.operations() {
        let resolved = sound.resolved(operation);
        for section in &operation.sections {
            let Section::Assembler(section) = section else { continue };
            for item in &section.items {
                match item {
                    AssemblerItem::Name(name) if mentions_once(operation, &name.text) => {
                        let alias = resolved.instances.iter().find(|instance| instance.alias == name.text);
                        if let Some(alias) = alias.filter(|alias| alias.role == InstanceRole::Coded) {
                            push(
                                "an alias missing from the text",
                                replaced(name.span, "\"\"", &["W0401"])
                                    .at(alias_span(operation, &alias.alias)),
                            );
                        }
                        push("an unknown name in a text", replaced(name.span, "nothing_at_all", &["E0409"]));
                    }
                    // Results of PSEUDOs would no longer be instructions.
                    AssemblerItem::Text(literal) if sound.model.pseudos.is_empty() => {
                        push(
                            "a literal that begins a comment",
                            replaced(literal.span, "\"//\"", &["W0405"]).at(section.span),
                        );
                    }
                    AssemblerItem::Field { format, .. } => {
                        push("an unknown format", replaced(format.name.span, "Q", &["E0412"]));
                    }
                    _ => {}
                }
            }
        }
    }
    break_members(sound, push);
    // A sibling with another fixed bit and the same text.
    for (id, operation) in sound.model.operations.iter().enumerate() {
        let target = OperationOrGroup::Operation(isac_parser::model::OperationId(id as u32));
        let is_member = sound.model.groups.iter().any(|group| group.members.contains(&target));
        let Some(ast) = sound.operations().into_iter().find(|ast| ast.name.text == operation.name) else {
            continue;
        };
        let free = coding(ast).and_then(|section| {
            section.items.iter().find_map(|item| match item {
                CodingItem::Field { name, pattern }
                    if pattern.bits.len() > 1 && pattern.bits.iter().all(Option::is_none) =>
                {
                    Some((name, pattern))
                }
                _ => None,
            })
        });
        let (Some((name, pattern)), true, false, false) =
            (free, is_member, operation.assembler.is_empty(), has_when(ast))
        else {
            continue;
        };
        let group = sound.items().find_map(|item| match item {
            Item::Group(group) => group.members.iter().find(|member| member.text == operation.name),
            _ => None,
        });
        let Some(member) = group.filter(|member| member.span.file == ast.span.file) else { continue };
        let is_plain = operation.fields.iter().any(|field| field.name == name.text && !field.signed);
        let text = sound.text(ast.span);
        if !is_plain || text.matches(&format!("{}=", name.text)).count() != 2 {
            continue;
        }
        // The copy is the same text with a field of which one bit less is coded: another word.
        let shorter = format!("0b1 {}=0bx[{}]", name.text, pattern.bits.len() - 1);
        let copy = text.replacen(&operation.name, "copy_of_it", 1).replacen(
            sound.text(name.span.to(pattern.span)),
            &shorter,
            1,
        );
        let twice = replaced(member.span, format!("{}, copy_of_it", member.text), &["E0414"]);
        push("two texts that cannot be told apart", twice.with(format!("\n{copy}\n")));
    }
}

/// Takes away the only text of operations that texts are made of; results of PSEUDOs may need it, too.
fn break_members(sound: &Sound, push: Push<'_>) {
    if !sound.model.pseudos.is_empty() {
        return;
    }
    let is_part_of_a_text = |id: usize| {
        let target = OperationOrGroup::Operation(isac_parser::model::OperationId(id as u32));
        sound.model.operations.iter().any(|owner| {
            owner.assembler.iter().flatten().any(|item| match item {
                isac_parser::model::AssemblerItem::Instance(instance) => {
                    owner.instances[instance.index()].target == target
                }
                _ => false,
            })
        })
    };
    for (id, resolved) in sound.model.operations.iter().enumerate() {
        let named = |ast: &&Operation| ast.name.text == resolved.name;
        let Some(ast) = sound.operations().into_iter().find(named) else { continue };
        let texts: Vec<_> =
            ast.sections.iter().filter(|section| matches!(section, Section::Assembler(_))).collect();
        if let ([Section::Assembler(text)], true) = (&texts[..], is_part_of_a_text(id)) {
            push("a member without a text", replaced(text.span, "", &["W0404"]).at(ast.name.span));
        }
    }
}

/// True if the texts of an operation name an alias once.
fn mentions_once(operation: &Operation, name: &str) -> bool {
    let items = operation.sections.iter().filter_map(|section| match section {
        Section::Assembler(section) => Some(&section.items),
        _ => None,
    });
    items.flatten().filter(|item| matches!(item, AssemblerItem::Name(found) if found.text == name)).count()
        == 1
}

fn alias_span(operation: &Operation, alias: &str) -> Span {
    let aliases = operation.sections.iter().filter_map(|section| match section {
        Section::Instance(section) => Some(&section.aliases),
        _ => None,
    });
    aliases.flatten().find(|name| name.text == alias).expect("the alias is declared").span
}

pub(super) fn break_pseudos(sound: &Sound, push: Push<'_>) {
    for item in sound.items() {
        let Item::Pseudo(pseudo) = item else { continue };
        for result in &pseudo.results {
            let Some(PseudoItem::Text(first)) = result.first() else { continue };
            push("a result that is no instruction", replaced(first.span, "\"zz_nothing\"", &["E0415"]));
            if let [.., PseudoItem::Name(last)] = result.as_slice() {
                push(
                    "a result that goes on",
                    replaced(last.span, format!("{} \"@\"", last.text), &["E0415"]),
                );
            }
        }
    }
}

pub(super) fn break_syntax(sound: &Sound, push: Push<'_>) {
    for item in sound.items() {
        let span = item_span(item);
        let text = sound.text(span);
        if let Some(brace) = text.rfind('}') {
            let brace = Span { start: span.start + brace as u32, end: span.start + brace as u32 + 1, ..span };
            push("a brace that is missing", replaced(brace, "", &["E0101", "E0105"]).anywhere());
        }
        push("a stray token", before(span, "= ", &["E0101"]));
    }
}
