//! RESOURCE and its declarations.

use super::Printer;
use crate::ast::{
    Expr, MemoryMapDeclaration, PipelineDeclaration, RangeTarget, RegisterDeclaration, RegisterOption,
    ResourceDeclaration, ResourceOption, ResourceSection,
};

impl Printer {
    pub(super) fn resource(&mut self, section: &ResourceSection) {
        self.put("RESOURCE ");
        self.braced(|printer| {
            for declaration in &section.declarations {
                printer.indent();
                printer.declaration(declaration);
                printer.put("\n");
            }
        });
        self.put(";\n");
    }

    fn declaration(&mut self, declaration: &ResourceDeclaration) {
        match declaration {
            ResourceDeclaration::Register(register) => self.register(register),
            ResourceDeclaration::Alias(alias) => {
                self.put(if alias.pc.is_some() { "PC ALIAS " } else { "ALIAS " });
                self.width(&alias.width);
                self.put(" ");
                self.name(&alias.name);
                self.put(" = ");
                self.expr(&alias.place, 1);
                self.register_options(&alias.options);
            }
            ResourceDeclaration::Ram(ram) => {
                self.put("RAM ");
                self.width(&ram.width);
                self.put(" ");
                self.name(&ram.name);
                self.options(&ram.options);
            }
            ResourceDeclaration::Cache(cache) => {
                self.put("CACHE ");
                self.name(&cache.name);
                self.options(&cache.options);
            }
            ResourceDeclaration::Device(device) => {
                self.put("DEVICE ");
                self.name(&device.name);
                self.options(&device.options);
            }
            ResourceDeclaration::Pipeline(pipeline) => self.pipeline(pipeline),
            ResourceDeclaration::MemoryMap(map) => self.memory_map(map),
        }
    }

    fn register(&mut self, register: &RegisterDeclaration) {
        self.put(if register.pc.is_some() { "PC REGISTER " } else { "REGISTER " });
        self.width(&register.width);
        self.put(" ");
        self.separated(&register.declarators, ", ", |printer, declarator| {
            printer.name(&declarator.name);
            if let Some(count) = &declarator.count {
                printer.put("[");
                printer.expr(count, 1);
                printer.put("]");
            }
        });
        self.register_options(&register.options);
    }

    fn register_options(&mut self, options: &[RegisterOption]) {
        if options.is_empty() {
            self.put(";");
            return;
        }
        self.put(" { ");
        for option in options {
            match option {
                RegisterOption::Reset { value, .. } => {
                    self.put("RESET (");
                    self.expr(value, 1);
                }
                RegisterOption::Hardwired { index, value, .. } => {
                    self.put("HARDWIRED (");
                    self.expr(index, 1);
                    self.put(", ");
                    self.expr(value, 1);
                }
                RegisterOption::Names { names, .. } => {
                    self.put("NAMES (");
                    self.separated(names, ", ", |printer, name| printer.text(name));
                }
            }
            self.put("); ");
        }
        self.put("};");
    }

    fn options(&mut self, options: &[ResourceOption]) {
        if options.is_empty() {
            self.put(";");
            return;
        }
        self.put(" { ");
        for option in options {
            self.name(&option.name);
            self.put(" (");
            self.exprs(&option.arguments);
            self.put("); ");
        }
        self.put("};");
    }

    fn pipeline(&mut self, pipeline: &PipelineDeclaration) {
        self.put("PIPELINE ");
        self.name(&pipeline.name);
        self.put(" { ");
        for stage in &pipeline.stages {
            self.name(&stage.name);
            self.put(" { ");
            self.names(&stage.registers);
            self.put(if stage.registers.is_empty() { "}; " } else { " }; " });
        }
        self.put("};");
    }

    fn memory_map(&mut self, map: &MemoryMapDeclaration) {
        self.put("MEMORY_MAP ");
        self.name(&map.name);
        self.put(" ");
        self.braced(|printer| {
            if let Some(width) = &map.address_width {
                printer.indent();
                printer.put("ADDRESS (");
                printer.expr(width, 1);
                printer.put(");\n");
            }
            for range in &map.ranges {
                printer.indent();
                printer.range(&range.low, &range.high, &range.target);
                printer.put("\n");
            }
        });
        self.put(";");
    }

    fn range(&mut self, low: &Expr, high: &Expr, target: &RangeTarget) {
        self.put("RANGE (");
        self.expr(low, 1);
        self.put(", ");
        self.expr(high, 1);
        self.put(") -> ");
        match target {
            RangeTarget::Resource { name, slice } => {
                self.name(name);
                if let Some((high, low)) = slice {
                    self.put(" [(");
                    self.expr(high, 1);
                    self.put("..");
                    self.expr(low, 1);
                    self.put(")]");
                }
            }
            RangeTarget::Functions { read, write } => {
                self.put("(");
                self.name(read);
                self.put(", ");
                self.name(write);
                self.put(")");
            }
        }
        self.put(";");
    }
}
