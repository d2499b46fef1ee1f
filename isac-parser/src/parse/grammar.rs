//! The parser that pest derives from `grammar.pest`.

#![allow(missing_docs, reason = "the derived rules are documented by the grammar")]

use pest_derive::Parser;

#[derive(Parser)]
#[grammar = "grammar.pest"]
pub(super) struct Grammar;

impl Rule {
    /// True for the words that stand among the pairs without meaning anything there.
    pub(super) fn is_silent_word(self) -> bool {
        matches!(
            self,
            Rule::EOI
                | Rule::kw_include
                | Rule::kw_constant
                | Rule::kw_target
                | Rule::kw_resource
                | Rule::kw_group
                | Rule::kw_operation
                | Rule::kw_function
                | Rule::kw_pseudo
                | Rule::kw_instance
                | Rule::kw_alias
                | Rule::kw_reference
                | Rule::kw_local
                | Rule::kw_assembler
                | Rule::kw_coding
                | Rule::kw_tail
                | Rule::kw_when
                | Rule::kw_expression
                | Rule::kw_behavior
                | Rule::kw_activation
                | Rule::kw_codingroot
                | Rule::kw_if
                | Rule::kw_else
                | Rule::kw_switch
                | Rule::kw_case
                | Rule::kw_default
                | Rule::kw_at
                | Rule::kw_in
                | Rule::kw_delay
                | Rule::kw_pc
                | Rule::kw_register
                | Rule::kw_ram
                | Rule::kw_cache
                | Rule::kw_device
                | Rule::kw_pipeline
                | Rule::kw_memory_map
                | Rule::kw_reset
                | Rule::kw_hardwired
                | Rule::kw_names
                | Rule::kw_address
                | Rule::kw_range
                | Rule::c_if
                | Rule::c_else
                | Rule::c_switch
                | Rule::c_case
                | Rule::c_default
                | Rule::c_while
                | Rule::c_do
                | Rule::c_for
                | Rule::c_break
                | Rule::c_continue
                | Rule::c_return
                | Rule::c_void
        )
    }
}
