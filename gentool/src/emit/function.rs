//! FUNCTIONs as functions of Rust: calls that are alike run the same one.
//!
//! A FUNCTION is expanded wherever it is called, since each of its accesses belongs to the
//! operation that calls. Alike are expansions whose text is the same when their variables and
//! labels are named, and their regions numbered, from the expansion on. What differs goes in as
//! an argument: the values, and the counter of the first region.

use std::cell::OnceCell;
use std::collections::{BTreeMap, BTreeSet};

use isac_ir::behavior::{Expr, ExprKind, LocalId, Stmt, walk_statements};
use proc_macro2::{Ident, TokenStream};
use quote::quote;

use super::body::BodyEmitter;
use super::expression::{number, unsigned};
use super::name::{identifier, identifier_of, unique};
use super::{Emitter, Shape};

/// Blocks run faster without calls: a function is what would make too much of them.
const LONG_IN_BLOCKS: usize = 40;

/// The functions that were needed so far.
#[derive(Default)]
pub(super) struct Functions {
    /// By FUNCTION and everything behind the name.
    names: BTreeMap<(u32, String), Ident>,
    taken: BTreeSet<String>,
    items: Vec<TokenStream>,
}

/// An expanded FUNCTION.
#[derive(Clone, Copy)]
pub(super) struct Call<'a> {
    pub function: u32,
    pub arguments: &'a [LocalId],
    pub result: Option<LocalId>,
    pub body: &'a [Stmt],
}

impl<'a> Call<'a> {
    /// Of a statement that is one.
    pub(super) fn of(statement: &'a Stmt) -> Option<Call<'a>> {
        match statement {
            Stmt::Call { function, arguments, result, body } => {
                Some(Call { function: *function, arguments, result: *result, body })
            }
            _ => None,
        }
    }

    /// The least number that a look at each statement gives.
    fn first(self, number: impl Fn(&Stmt) -> Option<u32>) -> Option<u32> {
        let mut first = None;
        walk_statements(self.body, &mut |statement| {
            first = [first, number(statement)].into_iter().flatten().min();
        });
        first
    }

    fn first_region(self) -> Option<u32> {
        self.first(|statement| match statement {
            Stmt::Count(region) => Some(*region),
            _ => None,
        })
    }

    fn first_label(self) -> u32 {
        let first = self.first(|statement| match statement {
            Stmt::Loop { label, .. } | Stmt::Block { label, .. } => Some(*label),
            _ => None,
        });
        first.unwrap_or(0)
    }

    /// True if its statements end what their context runs, and not the instruction.
    fn retries(self) -> bool {
        self.first(|statement| matches!(statement, Stmt::Retry { .. }).then_some(0)).is_some()
    }
}

impl Emitter<'_> {
    /// The expansion that a statement is, if a function of Rust runs it.
    pub(super) fn function_call<'s>(&self, statement: &'s Stmt) -> Option<Call<'s>> {
        let call = Call::of(statement)?;
        let is_long = || {
            let mut count = 0;
            walk_statements(call.body, &mut |_| count += 1);
            count >= LONG_IN_BLOCKS
        };
        let is_function = match self.shape {
            Shape::Stepwise => true,
            Shape::Blocks => is_long(),
            // Counters are known where everything is in one place.
            Shape::Timed => false,
        };
        is_function.then_some(call)
    }

    /// Calls `visit` for every statement but those that a function runs, outer ones first.
    pub(super) fn walk_own<'s>(&self, statements: &'s [Stmt], visit: &mut dyn FnMut(&'s Stmt)) {
        for statement in statements {
            visit(statement);
            if self.function_call(statement).is_none() {
                statement.children().into_iter().for_each(|child| self.walk_own(child, visit));
            }
        }
    }

    /// The import of a file whose statements may call functions.
    pub(super) fn import_functions(&self, path: TokenStream) -> TokenStream {
        match self.functions.borrow().items.is_empty() {
            true => TokenStream::new(),
            false => quote!(use #path functions;),
        }
    }

    /// The module of functions, when everything that calls them is emitted.
    pub(super) fn declare_functions(&self) -> TokenStream {
        match self.functions.borrow().items.is_empty() {
            true => TokenStream::new(),
            false => quote!(
                pub mod functions;
            ),
        }
    }

    /// The file of functions, when everything else is emitted; `None` if there are none.
    pub(super) fn emit_functions(&self) -> Option<TokenStream> {
        let functions = self.functions.borrow();
        let items = (!functions.items.is_empty()).then_some(&functions.items)?;
        let prelude = match self.shape {
            Shape::Blocks | Shape::Timed => quote!(sim_runtime::kernel::prelude),
            Shape::Stepwise => quote!(sim_runtime::stepwise::prelude),
        };
        Some(quote! {
            #![allow(unused, unused_comparisons, clippy::all)]

            use #prelude::*;

            use super::functions;
            use super::processor::Processor;

            #(#items)*
        })
    }

    /// The name of the function with this text, which is new if there is none.
    fn keep_function(&self, function: u32, is_fallible: bool, rest: TokenStream) -> Ident {
        let key = (function, rest.to_string());
        let mut functions = self.functions.borrow_mut();
        if let Some(name) = functions.names.get(&key) {
            return name.clone();
        }
        let source = &self.model.functions[function as usize];
        let name = identifier(&unique(&source.name, &mut functions.taken));
        let docs = format!(" FUNCTION `{}` ({}).", source.name, source.location);
        let errors = is_fallible.then(|| {
            quote! {
                ///
                /// # Errors
                /// The trap that ends it.
            }
        });
        let generics = match self.shape {
            Shape::Blocks | Shape::Timed => quote!(<const R: usize>),
            Shape::Stepwise => quote!(<P: Profiling>),
        };
        functions.items.push(quote! {
            #[doc = #docs]
            #errors
            pub fn #name #generics #rest
        });
        functions.names.insert(key, name.clone());
        name
    }
}

impl<'a> BodyEmitter<'a> {
    /// Emits the statements of an expansion.
    fn of_call(&self, call: Call<'a>) -> BodyEmitter<'a> {
        let own = self.emitter.own_locals(call);
        let mut taken: BTreeSet<String> =
            super::body::NAMES_IN_USE.iter().map(|name| name.to_string()).collect();
        let locals = (0..).zip(&self.body.locals).map(|(local, entry)| match own.contains(&local) {
            true => identifier(&unique(&entry.name, &mut taken)),
            false => identifier_of("_unnamed"),
        });
        BodyEmitter {
            emitter: self.emitter,
            operation: self.operation,
            body: self.body,
            statements: call.body,
            call: Some(call),
            first_region: call.first_region().unwrap_or(0),
            first_label: call.first_label(),
            locals: locals.collect(),
            bindings: Vec::new(),
            value: identifier_of("new"),
            uses: OnceCell::new(),
        }
    }

    /// Calls the function of an expansion: `let z: u16 = functions::add(p, step, base + 2, x, y)?;`.
    pub(super) fn call_function(&self, call: Call<'a>) -> TokenStream {
        let is_fallible = self.emitter.shape == Shape::Stepwise
            || self.emitter.statements_are_fallible(self.operation, self.body, call.body);
        let name = self.of_call(call).emit_function(call, is_fallible);
        let at = self.takes_context(call).then(|| quote!(, at));
        let base = call.first_region().map(|region| {
            let counter = self.counter(region);
            quote!(, #counter)
        });
        let arguments = call.arguments.iter().map(|local| &self.locals[*local as usize]);
        let mark = is_fallible.then(|| quote!(?));
        let value = quote!(functions::#name(p, step #at #base #(, #arguments)*) #mark);
        match call.result {
            Some(result) => self.assign(result, value),
            None => quote!(#value;),
        }
    }

    /// The skeleton: `fn add(p, step, base, left: u16, right: u16) -> Result<u16, Trap>`; gives its
    /// name.
    fn emit_function(&self, call: Call<'a>, is_fallible: bool) -> Ident {
        let emitted = self.statements();
        let width = |local: LocalId| unsigned(self.body.locals[local as usize].width);
        let (ty, value) = match call.result {
            Some(local) => {
                let (ty, name) = (width(local), &self.locals[local as usize]);
                (quote!(#ty), quote!(#name))
            }
            None => (quote!(()), quote!(())),
        };
        let (ty, value) = match is_fallible {
            true => (quote!(Result<#ty, Trap>), quote!(Ok(#value))),
            false => (ty, value),
        };
        let end = (!emitted.diverges).then_some(value);
        let (step, counter) = match self.emitter.shape {
            Shape::Blocks | Shape::Timed => (quote!(&mut Step<R>), quote!(usize)),
            Shape::Stepwise => (quote!(&mut Step<Processor, P>), quote!(u32)),
        };
        let at = self.takes_context(call).then(|| quote!(, at: usize));
        let base = call.first_region().map(|_| quote!(, base: #counter));
        let parameters = call.arguments.iter().map(|local| {
            let (name, ty) = (&self.locals[*local as usize], width(*local));
            let is_set = self.uses(*local).sets > 0;
            let mutable = is_set.then(|| quote!(mut));
            quote!(, #mutable #name: #ty)
        });
        let statements = emitted.tokens;
        let rest = quote! {
            (p: &mut Processor, step: #step #at #base #(#parameters)*) -> #ty {
                #statements
                #end
            }
        };
        self.emitter.keep_function(call.function, is_fallible, rest)
    }

    /// True for an expansion whose function is told the context that it runs in.
    fn takes_context(&self, call: Call<'_>) -> bool {
        call.retries() || self.emitter.tells_values
    }

    /// The counter of a region.
    pub(super) fn counter(&self, region: u32) -> TokenStream {
        match region - self.first_region {
            0 => quote!(base),
            offset => {
                let offset = number(offset.into());
                quote!(base + #offset)
            }
        }
    }
}

impl Emitter<'_> {
    /// The variables that an expansion's own statements use, its result and arguments included.
    fn own_locals(&self, call: Call<'_>) -> BTreeSet<LocalId> {
        let mut locals: BTreeSet<LocalId> = call.arguments.iter().copied().chain(call.result).collect();
        let mut read = |expr: &Expr| {
            if let ExprKind::Local(local) = expr.kind {
                locals.insert(local);
            }
        };
        let mut set = BTreeSet::new();
        self.walk_own(call.body, &mut |statement| {
            statement.expressions().into_iter().for_each(|expr| expr.walk(&mut read));
            match statement {
                Stmt::Set { local, .. } => drop(set.insert(*local)),
                Stmt::LinuxCall { result, .. } | Stmt::Semihost { result, .. } => drop(set.insert(*result)),
                Stmt::Call { arguments, result, .. } => set.extend(arguments.iter().copied().chain(*result)),
                _ => {}
            }
        });
        locals.extend(set);
        locals
    }
}
