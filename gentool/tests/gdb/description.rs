//! What gdb is told of each model's registers.

use std::path::Path;

use gentool::lower::lower_model;
use isac_parser::diagnostic::Diagnostics;
use isac_parser::load_model;
use isac_parser::source::{FileSystem, SourceMap};
use quick_xml::Reader;
use quick_xml::events::Event;
use sim_debug::gdb::{Layout, render_description};

use super::bench::root;

fn description(name: &str) -> String {
    let path = root().join(format!("models/{name}/{name}.isac"));
    let (mut sources, mut findings) = (SourceMap::new(), Diagnostics::new());
    let checked = load_model(Path::new(&path), &FileSystem, &Default::default(), &mut sources, &mut findings);
    let model = lower_model(&checked.expect("the model is sound"), &sources, name);
    render_description(&Layout::of_model(&model))
}

/// Attributes of all `reg` elements, as far as they are asked for here.
fn registers(text: &str) -> Vec<(String, u32, u32)> {
    let mut reader = Reader::from_str(text);
    let mut found = Vec::new();
    loop {
        match reader.read_event().expect("the description is well-formed") {
            Event::Eof => return found,
            Event::Empty(tag) if tag.name().as_ref() == "reg" => {
                let value = |name: &str| {
                    let attribute = tag.try_get_attribute(name).expect("attributes are well-formed");
                    attribute.expect("the attribute is there").value.into_owned()
                };
                let number = |name| value(name).parse().expect("a number");
                found.push((value("name"), number("bitsize"), number("regnum")));
            }
            _ => {}
        }
    }
}

#[test]
fn every_model_has_a_description_with_each_register_once() {
    let models = std::fs::read_dir(root().join("models")).expect("the models");
    let mut names: Vec<String> = models
        .map(|entry| entry.expect("an entry").file_name().to_string_lossy().into_owned())
        .filter(|name| root().join(format!("models/{name}/{name}.isac")).exists())
        .collect();
    names.sort();
    assert!(names.len() > 8, "{names:?}");
    for name in names {
        let text = description(&name);
        let registers = registers(&text);
        let mut labels: Vec<&String> = registers.iter().map(|(label, ..)| label).collect();
        let mut numbers: Vec<u32> = registers.iter().map(|(.., number)| *number).collect();
        let count = registers.len();
        labels.sort();
        labels.dedup();
        numbers.sort_unstable();
        numbers.dedup();
        assert_eq!((labels.len(), numbers.len()), (count, count), "{name}: {text}");
        assert!(registers.iter().all(|(_, bits, _)| bits % 8 == 0), "{name}: {text}");
        // gdb lets itself be told nothing of an AVR's registers.
        assert_eq!(count == 0, name == "avr", "{name}: {text}");
    }
}

#[test]
fn the_registers_that_gdb_knows_come_first_and_the_models_own_behind() {
    let text = description("rv32imc");
    assert!(text.contains("<architecture>riscv:rv32</architecture>"), "{text}");
    let registers = registers(&text);
    assert_eq!(registers[0], ("x0".to_owned(), 32, 0));
    assert_eq!(registers[32], ("pc".to_owned(), 32, 32));
    assert!(registers[33..].contains(&("software_interrupt".to_owned(), 8, 33)), "{text}");
}
