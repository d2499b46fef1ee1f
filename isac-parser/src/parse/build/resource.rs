//! RESOURCE and its declarations.

use pest::iterators::Pair;

use super::{Builder, Children};
use crate::ast::{
    AliasDeclaration, CacheDeclaration, DeviceDeclaration, Expr, MemoryMapDeclaration, Name,
    PipelineDeclaration, RamDeclaration, RangeDeclaration, RangeTarget, RegisterDeclaration,
    RegisterDeclarator, RegisterOption, ResourceDeclaration, ResourceOption, StageDeclaration,
};
use crate::parse::grammar::Rule;

impl Builder<'_> {
    /// One declaration of a RESOURCE section.
    pub(in crate::parse) fn declaration(&mut self, pair: Pair<'_, Rule>) -> ResourceDeclaration {
        match pair.as_rule() {
            Rule::register => ResourceDeclaration::Register(self.register(pair)),
            Rule::alias => ResourceDeclaration::Alias(self.alias(pair)),
            Rule::ram => ResourceDeclaration::Ram(self.ram(pair)),
            Rule::cache => ResourceDeclaration::Cache(self.cache(pair)),
            Rule::device => ResourceDeclaration::Device(self.device(pair)),
            Rule::pipeline => ResourceDeclaration::Pipeline(self.pipeline(pair)),
            _ => ResourceDeclaration::MemoryMap(self.memory_map(pair)),
        }
    }

    fn register(&mut self, pair: Pair<'_, Rule>) -> RegisterDeclaration {
        let span = self.span(&pair);
        let pc = self.pc(&pair);
        let mut children = Children::of(pair);
        let width = self.width(children.expect());
        let mut declarators = Vec::new();
        while let Some(declarator) = children.accept(Rule::declarator) {
            let mut parts = Children::of(declarator);
            let name = self.name(&parts.expect());
            declarators
                .push(RegisterDeclarator { name, count: parts.next().map(|count| self.expression(count)) });
        }
        let options = self.register_options(children.next());
        RegisterDeclaration { pc, width, declarators, options, span }
    }

    fn alias(&mut self, pair: Pair<'_, Rule>) -> AliasDeclaration {
        let span = self.span(&pair);
        let pc = self.pc(&pair);
        let mut children = Children::of(pair);
        let width = self.width(children.expect());
        let name = self.name(&children.expect());
        let place = self.expression(children.expect());
        let options = self.register_options(children.next());
        AliasDeclaration { pc, width, name, place, options, span }
    }

    fn pc(&self, declaration: &Pair<'_, Rule>) -> Option<crate::source::Span> {
        let first = declaration.clone().into_inner().next()?;
        (first.as_rule() == Rule::kw_pc).then(|| self.span(&first))
    }

    fn width(&mut self, pair: Pair<'_, Rule>) -> Expr {
        self.expression(Children::of(pair).expect())
    }

    fn register_options(&mut self, pair: Option<Pair<'_, Rule>>) -> Vec<RegisterOption> {
        let Some(pair) = pair else { return Vec::new() };
        Children::of(pair).map(|option| self.register_option(option)).collect()
    }

    fn register_option(&mut self, pair: Pair<'_, Rule>) -> RegisterOption {
        let span = self.span(&pair);
        let rule = pair.as_rule();
        let mut children = Children::of(pair);
        match rule {
            Rule::reset => RegisterOption::Reset { value: self.expression(children.expect()), span },
            Rule::hardwired => RegisterOption::Hardwired {
                index: self.expression(children.expect()),
                value: self.expression(children.expect()),
                span,
            },
            _ => RegisterOption::Names { names: children.map(|name| self.text(&name)).collect(), span },
        }
    }

    fn ram(&mut self, pair: Pair<'_, Rule>) -> RamDeclaration {
        let span = self.span(&pair);
        let mut children = Children::of(pair);
        let width = self.width(children.expect());
        let (name, options) = self.name_and_options(&mut children);
        RamDeclaration { width, name, options, span }
    }

    fn cache(&mut self, pair: Pair<'_, Rule>) -> CacheDeclaration {
        let span = self.span(&pair);
        let (name, options) = self.name_and_options(&mut Children::of(pair));
        CacheDeclaration { name, options, span }
    }

    fn device(&mut self, pair: Pair<'_, Rule>) -> DeviceDeclaration {
        let span = self.span(&pair);
        let (name, options) = self.name_and_options(&mut Children::of(pair));
        DeviceDeclaration { name, options, span }
    }

    fn name_and_options(&mut self, children: &mut Children<'_>) -> (Name, Vec<ResourceOption>) {
        let name = self.name(&children.expect());
        let options = children.next().map(Children::of).into_iter().flatten();
        (name, options.map(|option| self.resource_option(option)).collect())
    }

    fn resource_option(&mut self, pair: Pair<'_, Rule>) -> ResourceOption {
        let span = self.span(&pair);
        let mut children = Children::of(pair);
        let name = self.name(&children.expect());
        ResourceOption { name, arguments: self.arguments(children.expect()), span }
    }

    fn pipeline(&mut self, pair: Pair<'_, Rule>) -> PipelineDeclaration {
        let span = self.span(&pair);
        let mut children = Children::of(pair);
        let name = self.name(&children.expect());
        let stages = children
            .map(|stage| {
                let mut parts = Children::of(stage);
                StageDeclaration { name: self.name(&parts.expect()), registers: self.names(&mut parts) }
            })
            .collect();
        PipelineDeclaration { name, stages, span }
    }

    fn memory_map(&mut self, pair: Pair<'_, Rule>) -> MemoryMapDeclaration {
        let span = self.span(&pair);
        let mut children = Children::of(pair);
        let name = self.name(&children.expect());
        let mut map = MemoryMapDeclaration { name, address_width: None, ranges: Vec::new(), span };
        for child in children {
            if child.as_rule() == Rule::range {
                let range = self.range(child);
                map.ranges.push(range);
            } else if map.address_width.is_some() {
                let span = self.span(&child);
                self.repeated(span, "ADDRESS");
            } else {
                map.address_width = Some(self.width(child));
            }
        }
        map
    }

    fn range(&mut self, pair: Pair<'_, Rule>) -> RangeDeclaration {
        let span = self.span(&pair);
        let mut children = Children::of(pair);
        let low = self.expression(children.expect());
        let high = self.expression(children.expect());
        let target = children.expect();
        let rule = target.as_rule();
        let mut parts = Children::of(target);
        let name = self.name(&parts.expect());
        let target = if rule == Rule::range_functions {
            RangeTarget::Functions { read: name, write: self.name(&parts.expect()) }
        } else {
            let slice = parts.next().map(|high| (self.expression(high), self.expression(parts.expect())));
            RangeTarget::Resource { name, slice }
        };
        RangeDeclaration { low, high, target, span }
    }
}
