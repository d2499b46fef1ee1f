//! Statements as Rust.

use isac_ir::behavior::{Expr, Stmt, walk_statements};
use isac_ir::operand::MentionKind;
use isac_ir::root::WordSource;
use proc_macro2::TokenStream;
use quote::quote;
use syn::Lifetime;

use super::Shape;
use super::body::BodyEmitter;
use super::expression::{cast, number, stage_numbers, unsigned};
use super::local::Declaration;
use super::mention::Mentioned;
use super::name::{identifier, joined};

/// Emitted statements, and whether control never comes out at their end.
pub(super) struct Emitted {
    pub tokens: TokenStream,
    pub diverges: bool,
}

impl BodyEmitter<'_> {
    /// The whole body, without what the function around it needs.
    pub(super) fn statements(&self) -> Emitted {
        let hoisted = (0..self.body.locals.len() as u32)
            .filter(|local| matches!(self.declaration(*local), Declaration::Hoisted));
        let hoisted: Vec<TokenStream> = hoisted
            .map(|local| {
                let name = &self.locals[local as usize];
                let ty = unsigned(self.body.locals[local as usize].width);
                quote!(let mut #name: #ty = 0;)
            })
            .collect();
        let places = self.open_places();
        let list = self.list(self.statements);
        let tokens = list.tokens;
        Emitted { tokens: quote!(#places #(#hoisted)* #tokens), diverges: list.diverges }
    }

    /// Statements up to the first behind which nothing is reached.
    fn list(&self, statements: &[Stmt]) -> Emitted {
        let mut tokens = TokenStream::new();
        for (index, statement) in statements.iter().enumerate() {
            let emitted = self.statement(statement);
            tokens.extend(emitted.tokens);
            tokens.extend(self.keep_first_test(statements, index));
            if emitted.diverges {
                return Emitted { tokens, diverges: true };
            }
        }
        Emitted { tokens, diverges: false }
    }

    fn statement(&self, statement: &Stmt) -> Emitted {
        let tokens = match statement {
            Stmt::If { condition, then, otherwise } => return self.branch(condition, then, otherwise),
            Stmt::Loop { label, body } => {
                let emitted = self.list(body).tokens;
                let diverges = !leaves(body, *label);
                let label = self.label_name(*label);
                // The description may have made it endless.
                let tokens = match diverges {
                    true => quote!(loop { step.turn(&mut p.kernel)?; #emitted }),
                    false => quote!(#label: loop { step.turn(&mut p.kernel)?; #emitted }),
                };
                return Emitted { tokens, diverges };
            }
            Stmt::Block { label, body } => {
                let body = match body.split_last() {
                    Some((Stmt::Leave(last), before)) if last == label => before,
                    _ => body,
                };
                let emitted = self.list(body);
                let left = leaves(body, *label);
                let (label, tokens) = (self.label_name(*label), emitted.tokens);
                let tokens = if left { quote!(#label: { #tokens }) } else { quote!({ #tokens }) };
                return Emitted { tokens, diverges: emitted.diverges && !left };
            }
            Stmt::Leave(label) => {
                let label = self.label_name(*label);
                return diverging(quote!(break #label;));
            }
            Stmt::Call { body, .. } => match self.emitter.function_call(statement) {
                Some(call) => self.call_function(call),
                None => return self.list(body),
            },
            Stmt::Halt(status) => {
                let status = self.value(status);
                return diverging(quote!({
                    let status = u64::from(#status);
                    return trap(&mut p.kernel, Trap::Halt, status);
                }));
            }
            Stmt::Illegal => return diverging(quote!(return Err(Trap::Illegal);)),
            Stmt::Unhandled => return diverging(quote!(return Err(Trap::Unhandled);)),
            Stmt::DivisionByZero => return diverging(quote!(return Err(Trap::DivisionByZero);)),
            Stmt::Stall { stage, cycles, maps } => {
                let (pipeline, stage) = stage_numbers(*stage);
                let (operation, cycles) = (self.operation_number(), self.value(cycles));
                let maps = maps.iter().map(|map| number((*map).into()));
                quote!({
                    let cycles = #cycles;
                    step.stall(p, #operation, &[#(#maps),*], (#pipeline, #stage), cycles);
                })
            }
            Stmt::Flush(stage) => {
                let (pipeline, stage) = stage_numbers(*stage);
                quote!(step.flush(#pipeline, #stage);)
            }
            Stmt::Retry { .. } => {
                let operation = self.operation_number();
                return diverging(match self.emitter.shape {
                    Shape::Timed => quote!(return step.retry(#operation);),
                    _ => quote!(return step.retry(at, #operation);),
                });
            }
            Stmt::Cancel => return diverging(quote!(return Err(Trap::Cancel);)),
            simple => self.simple(simple),
        };
        Emitted { tokens, diverges: false }
    }

    fn branch(&self, condition: &Expr, then: &[Stmt], otherwise: &[Stmt]) -> Emitted {
        let keep = self.keep_arms(then, otherwise);
        let (then, otherwise) = (self.list(then), self.list(otherwise));
        let diverges = then.diverges && otherwise.diverges;
        let condition = self.condition(condition);
        let (then, otherwise) = (then.tokens, otherwise.tokens);
        let tokens = match (then.is_empty(), otherwise.is_empty()) {
            (true, true) => quote!(let _ = #condition;),
            (false, true) => quote!(if #condition { #keep #then }),
            (true, false) => quote!(if !(#condition) { #keep #otherwise }),
            (false, false) => quote!(if #condition { #keep #then } else { #otherwise }),
        };
        Emitted { tokens, diverges }
    }

    fn simple(&self, statement: &Stmt) -> TokenStream {
        match statement {
            Stmt::Set { local, value } => self.set_local(*local, value),
            Stmt::SetRegister { register, index, low, value, access } => {
                let (new, place) = (self.value(value), (*register, index.as_ref(), *low));
                match self.tell_write(*access, *register) {
                    Some(tell) => {
                        let write = self.write_register(place, quote!(value), value.width);
                        quote!({ let value = #new; #write #tell })
                    }
                    None => self.write_register(place, new, value.width),
                }
            }
            Stmt::SetMemory { map, cells, address, value, access } => {
                let name = joined(&self.emitter.model.maps[*map as usize].name, &format!("write{cells}"));
                let address = cast(self.value(address), address.width, 64);
                let value = self.value(value);
                let argument = self.emitter.access_argument(*map);
                let touch = self.emitter.emit_touch(*map);
                let tell = self.tell_store(*access, self.map_resource(*map));
                quote!({
                    let value = #value;
                    let address = #address;
                    #touch
                    p.#name #argument(address, value).or_else(|kind| trap(&mut p.kernel, kind, address))?;
                    #tell
                })
            }
            Stmt::SetCellPart { map, address, low, value, access } => {
                self.write_part(*map, address, *low, value, *access)
            }
            Stmt::Touch(access) => self.touch(*access),
            // The reference engine alone counts points.
            Stmt::Visit(_) => TokenStream::new(),
            Stmt::SetVariable { variable, value } if self.emitter.shape == Shape::Blocks => {
                let entry = &self.operation.variables[*variable as usize];
                let name = identifier(&entry.name);
                let value = cast(self.value(value), value.width, entry.width);
                quote!(*#name = #value;)
            }
            Stmt::SetVariable { variable, value } => {
                let (variable, value) = (number((*variable).into()), self.value(value));
                quote!({ let value = #value; step.set_variable(at, #variable, value as u128); })
            }
            Stmt::SetReference { reference, value } => {
                let mention = Mentioned { kind: MentionKind::Write, bound: None };
                self.write_reference(*reference, mention, value)
            }
            Stmt::SetOperand { instance, value, .. } => {
                self.write_operand(*instance, Mentioned { kind: MentionKind::Write, bound: None }, value)
            }
            Stmt::Bind { binding, .. } => self.find_place(*binding),
            Stmt::SetBound { binding, value, .. } => self.write_bound(*binding, value),
            Stmt::Count(region) if self.emitter.shape == Shape::Timed => self.count_region(*region),
            Stmt::Count(region) => {
                let counter = self.counter(*region);
                quote!(step.count(#counter);)
            }
            Stmt::ExtraCycles(cycles) => {
                let cycles = self.value(cycles);
                quote! {{
                    let cycles = #cycles;
                    p.kernel().add_extra_cycles(cycles);
                }}
            }
            Stmt::LinuxCall { result, arguments } => {
                let left = self.emitter.step_left();
                let arguments = arguments.iter().map(|argument| self.value(argument));
                let value = quote!({ let arguments = [#(#arguments),*]; linux_call(p, #left, arguments)? });
                self.assign(*result, value)
            }
            Stmt::Semihost { result, arguments } => {
                let left = self.emitter.step_left();
                let arguments = arguments.iter().map(|argument| self.value(argument));
                let value = quote!({ let arguments = [#(#arguments),*]; semihost(p, #left, arguments)? });
                self.assign(*result, value)
            }
            Stmt::Print(parts) => self.print(parts),
            Stmt::Explain { address, parts } => self.explain(address, parts),
            Stmt::Event(name) => quote!(p.kernel().event(#name);),
            Stmt::Decode { instance, element, source } if self.emitter.shape == Shape::Stepwise => {
                self.decode(*instance, *element, source)
            }
            Stmt::Decode { source, .. } if self.emitter.shape == Shape::Timed => self.decode_turn(source),
            Stmt::OpenNode { label } => {
                let label = number((*label).into());
                quote!(step.open_node(#label);)
            }
            Stmt::CloseNode => quote!(step.close_node();),
            Stmt::Activate { instance, delay } if self.emitter.shape == Shape::Stepwise => {
                let (instance, delay) = (number((*instance).into()), number((*delay).into()));
                quote!(step.activate(at, #instance, #delay);)
            }
            Stmt::Activate { instance, .. } if self.emitter.shape == Shape::Timed => {
                self.take_condition(*instance)
            }
            Stmt::Activate { instance, .. } => {
                let bit = self.emitter.queue_bit(self.operation, *instance);
                let bit = number(1 << bit);
                quote!(step.due |= #bit;)
            }
            _ => TokenStream::new(),
        }
    }

    fn set_local(&self, local: u32, value: &Expr) -> TokenStream {
        let value = self.value(value);
        self.assign(local, value)
    }

    /// An access to what stands behind a map and is no memory.
    fn touch(&self, access: u32) -> TokenStream {
        let resource = self.body.accesses[access as usize].resource;
        let map = resource.checked_sub(self.emitter.model.registers.len() as u32);
        map.map_or(TokenStream::new(), |map| self.emitter.pay_other(&quote!(p), map))
    }

    /// The next element of a CODINGROOT.
    fn decode(&self, instance: u32, element: u32, source: &WordSource) -> TokenStream {
        let (instance, element) = (number(instance.into()), number(element.into()));
        match source {
            WordSource::Map { map, address, .. } => {
                let map = number((*map).into());
                let address = cast(self.value(address), address.width, 64);
                quote!({
                    let address = #address;
                    step.decode_map(p, at, (#instance, #element), (#map, address))?;
                })
            }
            WordSource::Value { parts, address, .. } => {
                let width = number(parts.iter().map(|part| part.width).sum::<u32>().into());
                let word = self.word(parts);
                let address = self.word_address(address.as_ref());
                quote!({
                    let address = #address;
                    let word = #word;
                    step.decode_value(p, at, (#instance, #element), (word, #width), address)?;
                })
            }
        }
    }

    /// Where a word that a value holds stands, if the description says so.
    pub(super) fn word_address(&self, address: Option<&Expr>) -> TokenStream {
        match address {
            Some(address) => {
                let address = cast(self.value(address), address.width, 64);
                quote!(Some(#address))
            }
            None => quote!(None),
        }
    }

    /// A word in parts, the most significant first, as [`isac_ir::bits::Bits`].
    fn word(&self, parts: &[Expr]) -> TokenStream {
        let mut low: u32 = parts.iter().map(|part| part.width).sum();
        let placed = parts.iter().map(|part| {
            low -= part.width;
            let value = cast(self.value(part), part.width, 128);
            let bits = quote!(Bits::from_u128(#value));
            match low {
                0 => bits,
                low => {
                    let low = number(low.into());
                    quote!(#bits.shifted(#low))
                }
            }
        });
        let placed: Vec<TokenStream> = placed.collect();
        quote!(#(#placed)|*)
    }

    fn label_name(&self, label: u32) -> Lifetime {
        Lifetime::new(&format!("'l{}", label - self.first_label), proc_macro2::Span::call_site())
    }
}

fn diverging(tokens: TokenStream) -> Emitted {
    Emitted { tokens, diverges: true }
}

/// True if the statements leave this label anywhere.
fn leaves(statements: &[Stmt], label: u32) -> bool {
    let mut found = false;
    walk_statements(statements, &mut |statement| {
        found |= matches!(statement, Stmt::Leave(left) if *left == label);
    });
    found
}
