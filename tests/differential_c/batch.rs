//! A batch: one model and one C file with the same cases.
//!
//! Each operation of the model, and each function of the C file, runs a few statements, the
//! cases, one after the other on the same registers and the same memory.

use super::c_text::{self, CText};
use super::description_text;
use super::generate::{FIELDS, FILES, Generator, REGISTERS};
use super::tree::{Function, Stmt, bits};
use crate::support::random::Random;

/// Cases in an operation.
pub(crate) const CASES: usize = 16;
/// FUNCTIONs of a batch.
const FUNCTIONS: usize = 12;

/// Sound cases, the same for the same seed.
pub(crate) struct Batch {
    functions: Vec<Function>,
    operations: Vec<Operation>,
}

/// One instruction of the model.
pub(crate) struct Operation {
    pub(crate) body: Vec<Stmt>,
    /// What its fields hold.
    fields: [u32; 2],
}

impl Operation {
    /// The fields as they stand in the word; what stands in the registers depends on them.
    fn salt(&self) -> u32 {
        self.fields[0] << 10 | self.fields[1]
    }
}

impl Batch {
    pub(crate) fn new(seed: u64, operations: usize) -> Batch {
        let mut functions: Vec<Function> = Vec::new();
        for index in 0..FUNCTIONS {
            let random = Random::of_part(seed ^ 0xf, index);
            // Every other one calls nothing, so that expanding all does not take too much.
            let callable = if index % 2 == 0 { &[][..] } else { &functions[..] };
            let function = Generator::new(random, callable, false).function(&format!("fn{index}"));
            functions.push(function);
        }
        let operations = (0..operations).map(|index| {
            let mut random = Random::of_part(seed, index);
            let fields = [random.value(10), random.value(10)];
            let body = Generator::new(random, &functions, true).behavior(CASES);
            Operation { body, fields }
        });
        let operations = operations.collect();
        Batch { functions, operations }
    }

    /// The instructions' words, by operation.
    pub(crate) fn words(&self) -> Vec<u32> {
        let operations = (0u32..).zip(&self.operations);
        operations.map(|(index, operation)| index << 20 | operation.salt()).collect()
    }

    /// The model.
    pub(crate) fn description(&self) -> String {
        let mut text = "TARGET { ENDIAN (LITTLE); };\nRESOURCE {\n    PC REGISTER bit[32] pc;\n".to_owned();
        for (name, width) in REGISTERS {
            text += &format!("    REGISTER bit[{width}] {name};\n");
        }
        for (name, width, count) in FILES {
            text += &format!("    REGISTER bit[{width}] {name}[{count}];\n");
        }
        text +=
            "    RAM bit[8] ram { SIZE (0x10000); };\n    MEMORY_MAP m { RANGE (0, 0xffff) -> ram; };\n};\n";
        let names: Vec<String> = (0..self.operations.len()).map(|index| format!("c{index}")).collect();
        text += &format!("GROUP instr = {};\n", names.join(", "));
        text += "OPERATION main { ACTIVATION { decode; }; };\n";
        text +=
            "OPERATION decode { CODINGROOT { instr (m[pc]); }; BEHAVIOR { pc += instruction_size; }; };\n";
        for function in &self.functions {
            text += &description_text::function(function);
        }
        for (index, operation) in self.operations.iter().enumerate() {
            let body = description_text::statements(&operation.body, 2);
            text += &format!(
                "OPERATION c{index} {{\n    ASSEMBLER {{ \"c{index}\" fu=#U \",\" fs=#S }};\n    \
                 CODING {{ 0b{index:012b} fu=0bx[10] fs=0bx[10] }};\n    BEHAVIOR {{\n{body}    }};\n}};\n"
            );
        }
        text
    }

    /// The C file: it prints what [`super::runner::run`] says of an engine.
    pub(crate) fn c_source(&self) -> String {
        let mut printer = CText::default();
        let mut text = c_text::PRELUDE.to_owned();
        for (name, width) in REGISTERS {
            text += &format!("static {} {name};\n", c_text::declared(bits(width)));
        }
        for (name, width, count) in FILES {
            text += &format!("static {} {name}[{count}];\n", c_text::declared(bits(width)));
        }
        for function in &self.functions {
            text += &printer.function(function);
        }
        let mut table = String::new();
        for (index, operation) in self.operations.iter().enumerate() {
            let body = printer.statements(&operation.body, None, 1);
            let [fu, fs] = operation.fields;
            let fs = (fs << 22) as i32 >> 22;
            let (first, second) = (FIELDS[0].0, FIELDS[1].0);
            text += &format!(
                "static void c{index}(void) {{\n    const int {first} = {fu}, {second} = {fs};\n{body}}}\n"
            );
            let salt = operation.salt();
            table += &format!("{{c{index}, {salt}}}, ");
        }
        text + &main_source(&table)
    }

    /// The batch with one operation alone, of which so many statements are left out; for
    /// explaining what differs.
    pub(crate) fn shortened(&self, operation: usize, without: &[usize]) -> Batch {
        let Operation { body, fields } = &self.operations[operation];
        let left = body.iter().enumerate().filter(|(index, _)| !without.contains(index));
        let body = left.map(|(_, statement)| statement.clone()).collect();
        Batch { functions: self.functions.clone(), operations: vec![Operation { body, fields: *fields }] }
    }

    pub(crate) fn operations(&self) -> &[Operation] {
        &self.operations
    }
}

/// Runs all functions, each from a state of its own, and after each prints the state.
fn main_source(table: &str) -> String {
    let (mut starts, mut shows) = (String::new(), String::new());
    let mut place = 0;
    for (name, width) in REGISTERS {
        let name = lvalue(name, width);
        let value = c_text::reduced(bits(width), &format!("start_value(salt, {place})"));
        starts += &format!("    {name} = {value};\n");
        shows += &format!("        show({name});\n");
        place += 1;
    }
    for (name, width, count) in FILES {
        let name = lvalue(&format!("{name}[i]"), width);
        let value = c_text::reduced(bits(width), &format!("start_value(salt, {place} + i)"));
        starts += &format!("    for (int i = 0; i < {count}; i++) {name} = {value};\n");
        shows += &format!("        for (int i = 0; i < {count}; i++) show({name});\n");
        place += count;
    }
    format!(
        r#"static void start(unsigned salt) {{
{starts}    for (int i = 0; i < 256; i++) ram[i] = start_value(salt, 1000 + i);
}}
static const struct {{ void (*run)(void); unsigned salt; }} table[] = {{{table}}};
int main(void) {{
    for (unsigned index = 0; index < sizeof table / sizeof *table; index++) {{
        printf("\nc%u\n", index);
        start(table[index].salt);
        int how = setjmp(fault);
        if (how == 0) table[index].run();
        printf("\n%s:", how == 0 ? "ended" : how == 1 ? "division by zero" : "no such element");
{shows}        printf("\nmemory:");
        for (int i = 0; i < 256; i++) printf(" %x", ram[i]);
    }}
    printf("\n");
    return 0;
}}
"#
    )
}

fn lvalue(name: &str, width: u32) -> String {
    if width <= 32 { format!("{name}.f") } else { name.to_owned() }
}
