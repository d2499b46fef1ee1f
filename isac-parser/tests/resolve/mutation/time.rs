//! Breaks of ACTIVATIONs, stages and reserved names.

use super::*;

pub(super) fn break_time(sound: &Sound, push: Push<'_>) {
    let stages: Vec<(&str, &str)> = (sound.model.pipelines.iter())
        .flat_map(|pipeline| {
            pipeline.stages.iter().map(|stage| (pipeline.name.as_str(), stage.name.as_str()))
        })
        .collect();
    for operation in sound.operations() {
        let is_operand = operation.sections.iter().any(|section| matches!(section, Section::Expression(_)));
        let activates = operation.sections.iter().any(|section| matches!(section, Section::Activation(_)));
        if is_operand || activates || operation.name.text == "reset" {
            continue;
        }
        let at = Span { start: operation.span.end - 1, end: operation.span.end - 1, ..operation.span };
        let closing = sound.text(operation.span).rfind('}').expect("an operation ends") as u32;
        let at = Span { start: operation.span.start + closing, end: operation.span.start + closing, ..at };
        let text = "ACTIVATION { goes_round; }; ";
        let round = "\nOPERATION goes_round { ACTIVATION { goes_round; }; };\n";
        push("a circle without delay", before(at, text, &["E0601"]).with(round));
        let far = "ACTIVATION { far_away DELAY (-1); }; ";
        push("a negative DELAY", before(at, far, &["E0605"]));
        let group = "ACTIVATION { never_chosen; }; ";
        let chosen = "\nGROUP never_chosen = main;\n";
        push("a group that nothing chooses", before(at, group, &["E0602"]).with(chosen).edited());
        let Some((pipeline, stage)) = &operation.stage else { continue };
        let position =
            stages.iter().position(|known| *known == (pipeline.text.as_str(), stage.text.as_str()));
        if let Some(position) = position.filter(|position| *position > 0) {
            let (_, earlier) = stages[position - 1];
            let back =
                format!("\nOPERATION goes_back IN {}.{earlier} {{ BEHAVIOR {{ }}; }};\n", pipeline.text);
            push("a way back", before(at, "ACTIVATION { goes_back; }; ", &["E0606"]).with(back).edited());
        }
    }
    for operation in sound.operations() {
        let (Some((pipeline, stage)), Some(section)) = (&operation.stage, behavior(operation)) else {
            continue;
        };
        let of = sound.model.pipelines.iter().find(|known| known.name == pipeline.text);
        let others = of.into_iter().flat_map(|of| &of.stages).filter(|known| known.name != stage.text);
        if let Some((register, _)) = others.flat_map(|stage| &stage.registers).next() {
            let register = &sound.model.registers[register.index()];
            if register.count.is_none() {
                let text = format!(" {} = 0; ", register.name);
                push("a latch written elsewhere", before(inside(sound, section), text, &["E0607"]));
            }
        }
    }
}

/// What the names that the language reserves ask for.
pub(super) fn break_reserved(sound: &Sound, push: Push<'_>) {
    let end = sound.items().last().map(item_span).expect("a model has items");
    let nothing = Span { start: end.end, end: end.end, ..end };
    let handler = sound.items().find_map(|item| match item {
        Item::Function(function) if function.name.text == "memory_fault" => Some(function),
        _ => None,
    });
    let wrong = "a handler of faults of another signature";
    match handler {
        Some(handler) => {
            let parameters =
                Span { start: handler.name.span.end, end: handler.body.span.start, ..handler.span };
            push(wrong, replaced(parameters, "(bit[64] address) ", &["E0316"]));
        }
        None => {
            let text = "\nFUNCTION void memory_fault(bit[16] address) { }\n";
            push(wrong, replaced(nothing, "", &["E0316"]).with(text));
        }
    }
    let later = "\nOPERATION goes_later { };\n";
    let activation = "ACTIVATION { goes_later; };";
    let wrong = "an ACTIVATION of `reset`";
    match sound.operations().into_iter().find(|operation| operation.name.text == "reset") {
        Some(reset) => {
            let brace = sound.text(reset.span).find('{').expect("an operation has a brace") as u32 + 1;
            let at = Span { start: reset.span.start + brace, ..reset.span };
            push(wrong, before(at, activation, &["E0904"]).with(later).edited());
        }
        None => {
            let text = format!("{later}OPERATION reset {{ {activation} }};\n");
            push(wrong, replaced(nothing, "", &["E0904"]).with(text));
        }
    }
    let main = sound.operations().into_iter().find(|operation| operation.name.text == "main");
    let section = main.and_then(|main| {
        main.sections.iter().find_map(|section| match section {
            Section::Activation(section) => Some(section.span),
            _ => None,
        })
    });
    let section = section.expect("`main` activates something");
    push("paths that double", before(inside(sound, section), " way0; ", &["E0610"]).with(doubling_paths()));
}

/// Operations of which each activates the next one in two ways, sixteen times.
fn doubling_paths() -> String {
    let mut text = "\nRESOURCE { REGISTER bit[1] fork; };\nOPERATION way16 { };\n".to_owned();
    for level in 0..16 {
        let next = level + 1;
        text += &format!(
            "OPERATION way{level} {{ ACTIVATION {{ IF (fork) {{ left{level}; }} ELSE {{ right{level}; }} }}; }};\n\
             OPERATION left{level} {{ ACTIVATION {{ way{next}; }}; }};\n\
             OPERATION right{level} {{ ACTIVATION {{ way{next}; }}; }};\n"
        );
    }
    text
}
