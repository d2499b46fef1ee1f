//! Codings backwards and texts: what assembler and disassembler work with.

use isac_ir::behavior::{Expr as IrExpr, Stmt};
use isac_ir::bits::Bits;
use isac_ir::decoder::Run;
use isac_ir::syntax::evaluate::is_computation;
use isac_ir::syntax::{Coding, Computation, Format, PatternItem, Pseudo, PseudoPiece, Text, TextItem};
use isac_parser::model::{
    self as source, AssemblerItem, CodingBit, Expr, Format as SourceFormat, FunctionId, Operation as Source,
};

use super::Lowering;
use super::body::BodyBuilder;
use super::operation::lower_target;

impl Lowering<'_> {
    pub(super) fn lower_texts(&self, operation: &Source) -> Vec<Text> {
        let item = |item: &AssemblerItem| match item {
            AssemblerItem::Text(text) => TextItem::Literal(text.clone()),
            AssemblerItem::Join => TextItem::Join,
            AssemblerItem::Instance(instance) => TextItem::Instance(instance.0),
            AssemblerItem::Field { field, format } => {
                TextItem::Field { field: field.0, format: self.lower_format(Some(operation), format) }
            }
        };
        operation.assembler.iter().map(|text| text.iter().map(item).collect()).collect()
    }

    pub(super) fn lower_pseudos(&self) -> Vec<Pseudo> {
        let piece = |piece: &source::PseudoPiece| match piece {
            source::PseudoPiece::Text(text) => PseudoPiece::Text(text.clone()),
            source::PseudoPiece::Operand(operand) => PseudoPiece::Operand(*operand),
        };
        let line = |pieces: &Vec<source::PseudoPiece>| pieces.iter().map(piece).collect();
        let item = |item: &source::PatternItem| match item {
            source::PatternItem::Text(text) => PatternItem::Literal(text.clone()),
            source::PatternItem::Operand(target) => PatternItem::Operand(lower_target(*target)),
            source::PatternItem::Value(format) => PatternItem::Value(self.lower_format(None, format)),
        };
        let pseudos = self.model.pseudos.iter();
        pseudos
            .map(|pseudo| Pseudo {
                location: self.location(pseudo.span),
                pattern: pseudo.pattern.iter().map(item).collect(),
                condition: pseudo.condition.as_ref().map(line),
                results: pseudo.results.iter().map(line).collect(),
            })
            .collect()
    }

    fn lower_format(&self, operation: Option<&Source>, format: &SourceFormat) -> Format {
        let computed = |value: &Option<Expr>| {
            value.as_ref().and_then(|value| self.lower_computation(operation, value)).map(Box::new)
        };
        match format {
            SourceFormat::Plain => Format::Plain,
            SourceFormat::Unsigned => Format::Unsigned,
            SourceFormat::Signed => Format::Signed,
            SourceFormat::Hexadecimal => Format::Hexadecimal,
            SourceFormat::UnsignedHexadecimal => Format::UnsignedHexadecimal,
            SourceFormat::Name { register, index } => {
                Format::Name { register: register.0, element: computed(index) }
            }
            SourceFormat::Absolute => Format::Absolute,
            SourceFormat::Relative { offset } => Format::Relative { offset: computed(offset) },
            SourceFormat::List { register } => Format::List { register: register.0 },
            SourceFormat::Computed { format, value } => {
                let format = self.lower_format(operation, format);
                match self.lower_computation(operation, value) {
                    Some(value) => Format::Computed { format: Box::new(format), value: Box::new(value) },
                    None => format,
                }
            }
        }
    }

    fn lower_computation(&self, operation: Option<&Source>, value: &Expr) -> Option<Computation> {
        let ty = value.ty?;
        let mut builder = BodyBuilder::new(self, operation, value.span);
        let result = builder.new_local("value", ty.width_bits);
        let lowered = builder.lower_value(value);
        builder.push(Stmt::Set { local: result, value: lowered });
        Some(Computation { body: builder.finish(), parameters: Vec::new(), result, signed: ty.signed })
    }

    /// What a FUNCTION makes of its arguments, if that is all it does.
    pub(super) fn lower_function_value(&self, id: FunctionId) -> Option<Computation> {
        let function = &self.model.functions[id.index()];
        let ty = function.result?;
        if function.parameters == 0 {
            return None;
        }
        let mut builder = BodyBuilder::new(self, None, function.body.span);
        let result = builder.new_local("value", ty.width_bits);
        let widths = function.body.locals[..function.parameters].iter().map(|local| local.ty.width_bits);
        let widths: Vec<u32> = widths.collect();
        let parameters: Vec<u32> = widths.iter().map(|width| builder.new_local("argument", *width)).collect();
        let arguments = widths.iter().zip(&parameters).map(|(width, local)| IrExpr::local(*width, *local));
        let value = builder.expand_call(id, arguments.collect())?;
        builder.push(Stmt::Set { local: result, value });
        let body = builder.finish();
        is_computation(&body).then_some(Computation { body, parameters, result, signed: ty.signed })
    }
}

/// Where the bits of a CODING come from.
pub(super) fn lower_coding(bits: &[CodingBit]) -> Coding {
    let mut coding = Coding {
        width_bits: bits.len() as u32,
        value: Bits::ZERO,
        fields: Vec::new(),
        instances: Vec::new(),
    };
    for (at, bit) in (0..).zip(bits.iter().rev()) {
        match bit {
            CodingBit::Fixed(set) => coding.value = coding.value.with_bit(at, *set),
            CodingBit::Any => {}
            CodingBit::Field { field, bit, .. } => add_bit(&mut coding.fields, field.0, at, *bit),
            CodingBit::Instance { instance, bit } => add_bit(&mut coding.instances, instance.0, at, *bit),
        }
    }
    coding
}

/// Adds a bit to the run before it, where it goes on there.
fn add_bit(runs: &mut Vec<(u32, Run)>, of: u32, from: u32, to: u32) {
    match runs.last_mut() {
        Some((last, run)) if *last == of && run.from + run.width == from && run.to + run.width == to => {
            run.width += 1;
        }
        _ => runs.push((of, Run { from, to, width: 1 })),
    }
}
