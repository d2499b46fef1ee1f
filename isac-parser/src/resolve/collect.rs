//! All definitions of all files, sorted by kind, with their names entered.

use super::names::{Global, Names};
use crate::ast::{self, Item, ResourceDeclaration};
use crate::diagnostic::Diagnostics;
use crate::model::{
    CacheId, DeviceId, FunctionId, GroupId, MapId, OperationId, OperationOrGroup, PipelineId, RamId,
    RegisterId,
};
use crate::source::FileId;

/// The definitions of a description by kind, each in the order of the text.
///
/// The position in a list is the index of the id.
#[derive(Default)]
pub(crate) struct Definitions<'a> {
    pub(crate) constants: Vec<&'a ast::Constant>,
    pub(crate) targets: Vec<&'a ast::Target>,
    pub(crate) registers: Vec<(&'a ast::RegisterDeclaration, &'a ast::RegisterDeclarator)>,
    pub(crate) aliases: Vec<&'a ast::AliasDeclaration>,
    pub(crate) rams: Vec<&'a ast::RamDeclaration>,
    pub(crate) caches: Vec<&'a ast::CacheDeclaration>,
    pub(crate) devices: Vec<&'a ast::DeviceDeclaration>,
    pub(crate) maps: Vec<&'a ast::MemoryMapDeclaration>,
    pub(crate) pipelines: Vec<&'a ast::PipelineDeclaration>,
    pub(crate) groups: Vec<&'a ast::Group>,
    pub(crate) operations: Vec<&'a ast::Operation>,
    pub(crate) functions: Vec<&'a ast::Function>,
    pub(crate) pseudos: Vec<&'a ast::Pseudo>,
}

/// Sorts the definitions and enters their names; reports doubles.
pub(crate) fn collect_definitions<'a>(
    files: &'a [(FileId, ast::File)],
    diagnostics: &mut Diagnostics,
) -> (Definitions<'a>, Names) {
    let mut collector =
        Collector { definitions: Definitions::default(), names: Names::default(), diagnostics };
    for item in files.iter().flat_map(|(_, file)| &file.items) {
        collector.item(item);
    }
    (collector.definitions, collector.names)
}

struct Collector<'a, 'd> {
    definitions: Definitions<'a>,
    names: Names,
    diagnostics: &'d mut Diagnostics,
}

impl<'a> Collector<'a, '_> {
    fn item(&mut self, item: &'a Item) {
        let definitions = &mut self.definitions;
        match item {
            Item::Include(_) => {}
            Item::Target(target) => definitions.targets.push(target),
            Item::Pseudo(pseudo) => definitions.pseudos.push(pseudo),
            Item::Constant(constant) => {
                let what = Global::Constant(definitions.constants.len());
                definitions.constants.push(constant);
                self.names.define_global(&constant.name, what, self.diagnostics);
            }
            Item::Function(function) => {
                let what = Global::Function(FunctionId(index(&definitions.functions)));
                definitions.functions.push(function);
                self.names.define_global(&function.name, what, self.diagnostics);
            }
            Item::Group(group) => {
                let what = OperationOrGroup::Group(GroupId(index(&definitions.groups)));
                definitions.groups.push(group);
                self.names.define_operation(&group.name, what, self.diagnostics);
            }
            Item::Operation(operation) => {
                let id = OperationId(index(&definitions.operations));
                definitions.operations.push(operation);
                let what = OperationOrGroup::Operation(id);
                self.names.define_operation(&operation.name, what, self.diagnostics);
            }
            Item::Resource(section) => {
                for declaration in &section.declarations {
                    self.resource(declaration);
                }
            }
        }
    }

    fn resource(&mut self, declaration: &'a ResourceDeclaration) {
        let definitions = &mut self.definitions;
        match declaration {
            ResourceDeclaration::Register(declaration) => {
                for declarator in &declaration.declarators {
                    let id = RegisterId(index(&self.definitions.registers));
                    self.definitions.registers.push((declaration, declarator));
                    let what = Global::Register(id);
                    self.names.define_global(&declarator.name, what, self.diagnostics);
                }
            }
            ResourceDeclaration::Ram(ram) => {
                let what = Global::Ram(RamId(index(&definitions.rams)));
                definitions.rams.push(ram);
                self.names.define_global(&ram.name, what, self.diagnostics);
            }
            ResourceDeclaration::MemoryMap(map) => {
                let what = Global::Map(MapId(index(&definitions.maps)));
                definitions.maps.push(map);
                self.names.define_global(&map.name, what, self.diagnostics);
            }
            ResourceDeclaration::Alias(alias) => {
                let what = Global::Alias(definitions.aliases.len());
                definitions.aliases.push(alias);
                self.names.define_global(&alias.name, what, self.diagnostics);
            }
            ResourceDeclaration::Cache(cache) => {
                let what = Global::Cache(CacheId(index(&definitions.caches)));
                definitions.caches.push(cache);
                self.names.define_global(&cache.name, what, self.diagnostics);
            }
            ResourceDeclaration::Device(device) => {
                let what = Global::Device(DeviceId(index(&definitions.devices)));
                definitions.devices.push(device);
                self.names.define_global(&device.name, what, self.diagnostics);
            }
            ResourceDeclaration::Pipeline(pipeline) => {
                let what = Global::Pipeline(PipelineId(index(&definitions.pipelines)));
                definitions.pipelines.push(pipeline);
                self.names.define_global(&pipeline.name, what, self.diagnostics);
            }
        }
    }
}

/// The index that the next entry of a table gets.
fn index<T>(table: &[T]) -> u32 {
    u32::try_from(table.len()).expect("a description has fewer than 2^32 definitions")
}
