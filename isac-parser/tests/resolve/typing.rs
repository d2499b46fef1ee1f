//! The types of expressions, and the conversions between them.

use isac_parser::model::{Expr, ExprKind, Operation, Place, PlaceKind, Stmt, StmtKind, Type};

use super::super::load_text;

/// Loads a machine with one instruction of these statements, and shows their expressions.
#[track_caller]
fn show(statements: &str) -> String {
    let text = format!(
        r#"
RESOURCE {{
    PC REGISTER bit[32] pc; REGISTER bit[32] x[16]; REGISTER bit[8] a; REGISTER bit[64] wide;
    RAM bit[8] ram {{ SIZE (0x100); }};
    MEMORY_MAP defaultmap {{ RANGE (0, 0xff) -> ram; }};
}};
CONSTANT K = 3;
FUNCTION bit[8] low(bit[16] v) {{ return v; }}
FUNCTION void touch() {{ a = 1; }}
OPERATION main {{ INSTANCE i ALIAS {{ i }}; CODINGROOT {{ i (defaultmap[pc]); }}; }};
OPERATION i {{
    INSTANCE r ALIAS {{ r }};
    INSTANCE m ALIAS {{ m }};
    INSTANCE c ALIAS {{ c }};
    ASSEMBLER {{ "i" r m c imm=#S u=#U }};
    CODING {{ r m c imm=0bx[12] u=0bx[5] 0bx[8] }};
    BEHAVIOR {{ {statements} }};
}};
OPERATION r {{ ASSEMBLER {{ n=#NAME(x) }}; CODING {{ n=0bx[4] }}; EXPRESSION {{ x[n] }}; }};
GROUP m = m8, m16;
OPERATION m8 {{ CODING {{ 0b0 }}; EXPRESSION {{ a }}; }};
OPERATION m16 {{ CODING {{ 0b1 }}; EXPRESSION {{ (bit[16])5 }}; }};
OPERATION c {{ CODING {{ 0bxx }}; }};
"#
    );
    let model = load_text(&text);
    let operation: &Operation = model.operations.iter().find(|o| o.name == "i").unwrap();
    let body = operation.behavior.as_ref().unwrap();
    body.statements.iter().map(stmt).collect::<Vec<_>>().join("; ")
}

fn stmt(stmt: &Stmt) -> String {
    let all = |list: &[Stmt]| list.iter().map(self::stmt).collect::<Vec<_>>().join("; ");
    match &stmt.kind {
        StmtKind::Expr(e) => expr(e),
        StmtKind::Declare { local, value } => {
            format!("l{}{}", local.0, value.iter().map(|v| format!(" = {}", expr(v))).collect::<String>())
        }
        StmtKind::If { condition, then, otherwise } => {
            format!("if {} [{}] [{}]", expr(condition), all(then), all(otherwise))
        }
        StmtKind::Block(list) => format!("[{}]", all(list)),
        StmtKind::Loop { condition, test_last, body, step } => format!(
            "loop {} {test_last} [{}] {}",
            condition.iter().map(expr).collect::<String>(),
            all(body),
            step.iter().map(expr).collect::<String>(),
        ),
        StmtKind::Switch { value, sections } => {
            let section =
                |(labels, body): &(Vec<Option<u128>>, Vec<Stmt>)| format!("{labels:?}[{}]", all(body));
            format!("switch {} {}", expr(value), sections.iter().map(section).collect::<String>())
        }
        other => format!("{other:?}"),
    }
}

fn ty(ty: Type) -> String {
    format!("{}{}", if ty.signed { 's' } else { 'u' }, ty.width_bits)
}

/// `value:type`; conversions are written `type(value)`.
fn expr(e: &Expr) -> String {
    let typed = |text: String| match e.ty {
        Some(t) => format!("{text}:{}", ty(t)),
        None => text,
    };
    match &e.kind {
        ExprKind::Const(value) => typed(format!("{value:#x}")),
        ExprKind::Read(place) => self::place(place),
        ExprKind::Field(id) => typed(format!("f{}", id.0)),
        ExprKind::Coded(id) => typed(format!("coded{}", id.0)),
        ExprKind::CodedReference(id) => format!("coded-f{}", id.0),
        ExprKind::Convert(inner) => format!("{}({})", ty(e.ty.unwrap()), expr(inner)),
        ExprKind::Negate(inner) => typed(format!("-({})", expr(inner))),
        ExprKind::BitNot(inner) => typed(format!("~({})", expr(inner))),
        ExprKind::Not(inner) => typed(format!("!({})", expr(inner))),
        ExprKind::Binary { operator, left, right } => {
            typed(format!("{operator:?}({}, {})", expr(left), expr(right)))
        }
        ExprKind::Conditional(c, a, b) => typed(format!("({} ? {} : {})", expr(c), expr(a), expr(b))),
        ExprKind::Slice { base, high, low } => typed(format!("{}[{high}..{low}]", expr(base))),
        ExprKind::Bit { base, index } => typed(format!("{}[{}]", expr(base), expr(index))),
        ExprKind::Concat(parts) => typed(parts.iter().map(expr).collect::<Vec<_>>().join(" :: ")),
        ExprKind::Assign { place, value } => format!("{} = {}", self::place(place), expr(value)),
        ExprKind::AssignWith { place, operator, compute, value } => {
            format!("{} {operator:?}={} {}", self::place(place), ty(*compute), expr(value))
        }
        ExprKind::Call { arguments, .. } => {
            typed(format!("call({})", arguments.iter().map(expr).collect::<Vec<_>>().join(", ")))
        }
        ExprKind::Builtin { builtin, arguments } => {
            typed(format!("{builtin:?}({})", arguments.iter().map(expr).collect::<Vec<_>>().join(", ")))
        }
        ExprKind::Printf { arguments, .. } => {
            format!("printf({})", arguments.iter().map(expr).collect::<Vec<_>>().join(", "))
        }
        ExprKind::Step { place, increment, prefix } => {
            let (sign, place) = (if *increment { "++" } else { "--" }, self::place(place));
            if *prefix { format!("{sign}{place}") } else { format!("{place}{sign}") }
        }
        other => typed(format!("{other:?}")),
    }
}

fn place(p: &Place) -> String {
    let text = match &p.kind {
        PlaceKind::Local(id) => format!("l{}", id.0),
        PlaceKind::Variable(id) => format!("v{}", id.0),
        PlaceKind::Reference(id) => format!("f{}", id.0),
        PlaceKind::Register { register, index: None } => format!("r{}", register.0),
        PlaceKind::Register { register, index: Some(i) } => format!("r{}[{}]", register.0, expr(i)),
        PlaceKind::Memory { cells, fetch, address, .. } => {
            format!("{}{cells}[{}]", if *fetch { "fetch" } else { "mem" }, expr(address))
        }
        PlaceKind::Operand(id) => format!("o{}", id.0),
        PlaceKind::Slice { base, high, low } => format!("{}[{high}..{low}]", place(base)),
        PlaceKind::Bit { base, index } => format!("{}[{}]", place(base), expr(index)),
        PlaceKind::Concat(parts) => parts.iter().map(place).collect::<Vec<_>>().join(" :: "),
        PlaceKind::Conditional(c, a, b) => format!("({} ? {} : {})", expr(c), place(a), place(b)),
        PlaceKind::Written { value, .. } => format!("written({})", expr(value)),
    };
    format!("{text}:{}", ty(p.ty))
}

#[test]
fn narrow_operands_become_int() {
    assert_eq!(show("a = a + a;"), "r2:u8 = u8(Add(s32(r2:u8), s32(r2:u8)):s32)");
    assert_eq!(show("a = -a;"), "r2:u8 = u8(-(s32(r2:u8)):s32)");
    assert_eq!(show("bit[9] s = a - 1;"), "l0 = u9(Subtract(s32(r2:u8), 0x1:s32):s32)");
}

#[test]
fn unsigned_wins_among_equal_widths() {
    assert_eq!(show("pc = r + imm;"), "r0:u32 = Add(o0:u32, u32(f0:s12)):u32");
    assert_eq!(show("wide = wide + imm;"), "r3:u64 = Add(r3:u64, u64(f0:s12)):u64");
    assert_eq!(show("pc = (int32_t)r < imm;"), "r0:u32 = u32(Less(s32(o0:u32), s32(f0:s12)):s32)");
}

#[test]
fn shifts_keep_their_left_type() {
    assert_eq!(show("pc = r << u;"), "r0:u32 = ShiftLeft(o0:u32, s32(f1:u5)):u32");
    assert_eq!(show("pc = u << wide;"), "r0:u32 = u32(ShiftLeft(s32(f1:u5), r3:u64):s32)");
    assert_eq!(show("a <<= wide;"), "r2:u8 ShiftLeft=s32 r3:u64");
}

#[test]
fn compound_assignments_compute_in_the_common_type() {
    assert_eq!(show("a += pc;"), "r2:u8 Add=u32 r0:u32");
    assert_eq!(show("pc += 1;"), "r0:u32 Add=u32 0x1:u32");
}

#[test]
fn constants_are_converted_at_once() {
    assert_eq!(show("pc = -1;"), "r0:u32 = u32(-(0x1:s32):s32)");
    assert_eq!(show("wide = K;"), "r3:u64 = 0x3:u64");
    assert_eq!(show("wide = 0xffffffff + imm;"), "r3:u64 = u64(Add(0xffffffff:u32, u32(f0:s12)):u32)");
}

#[test]
fn slices_bits_and_concatenations_are_places_where_their_parts_are() {
    assert_eq!(show("pc[7..0] = a;"), "r0:u32[7..0]:u8 = r2:u8");
    assert_eq!(show("pc[31] = 1;"), "r0:u32[31..31]:u1 = 0x1:u1");
    assert_eq!(show("pc[u] = 1;"), "r0:u32[f1:u5]:u1 = 0x1:u1");
    assert_eq!(show("a :: x[1] = wide;"), "r2:u8 :: r1[0x1:s32]:u32:u40 = u40(r3:u64)");
    assert_eq!(show("pc = a[3..0] :: u;"), "r0:u32 = u32(r2:u8[3..0]:u4 :: f1:u5:u9)");
    assert_eq!(show("pc = (a + 1)[8];"), "r0:u32 = u32(Add(s32(r2:u8), 0x1:s32):s32[8..8]:u1)");
    assert_eq!(show("pc = 0b01 :: a;"), "r0:u32 = u32(0x1:u2 :: r2:u8:u10)");
    assert_eq!(show("a[3..0][1] = 1;"), "r2:u8[3..0]:u4[1..1]:u1 = 0x1:u1");
}

#[test]
fn a_conditional_of_places_is_a_place() {
    assert_eq!(show("(u ? x[1] : pc) = 2;"), "(f1:u5 ? r1[0x1:s32]:u32 : r0:u32):u32 = 0x2:u32");
    assert_eq!(show("pc = u ? a : a;"), "r0:u32 = u32((f1:u5 ? s32(r2:u8) : s32(r2:u8)):s32)");
}

#[test]
fn aliases_have_the_type_of_what_they_choose() {
    assert_eq!(show("r = m;"), "o0:u32 = u32(o1:s32)");
    assert_eq!(show("pc = c;"), "r0:u32 = u32(coded2:u2)");
    assert_eq!(show("pc = CODED(r);"), "r0:u32 = u32(coded0:u4)");
}

#[test]
fn memory_views_have_their_width_and_sign() {
    assert_eq!(show("a = defaultmap[r + imm];"), "r2:u8 = mem1[Add(o0:u32, u32(f0:s12)):u32]:u8");
    assert_eq!(show("r = defaultmap.s16[u];"), "o0:u32 = u32(mem2[u32(f1:u5)]:s16)");
    assert_eq!(show("defaultmap.u64[wide] = a;"), "mem8[u32(r3:u64)]:u64 = u64(r2:u8)");
    assert_eq!(show("pc = defaultmap.fetch32[pc];"), "r0:u32 = fetch4[r0:u32]:u32");
}

#[test]
fn calls_convert_their_arguments() {
    assert_eq!(show("pc = low(pc);"), "r0:u32 = u32(call(u16(r0:u32)):u8)");
    assert_eq!(show("touch();"), "call()");
    assert_eq!(show("halt(a);"), "Halt(s32(r2:u8))");
    assert_eq!(show("a = sext(imm, 4);"), "r2:u8 = u8(Sext(f0:s12, 0x4:s32):s12)");
    assert_eq!(show("a = clz(wide);"), "r2:u8 = u8(Clz(r3:u64):s32)");
    assert_eq!(show(r#"printf("%d %lu", a, wide);"#), "printf(s32(r2:u8), r3:u64)");
}

#[test]
fn statements_become_few_forms() {
    assert_eq!(show("if (a) touch(); else { a = 1; }"), "if r2:u8 [call()] [r2:u8 = 0x1:u8]");
    assert_eq!(
        show("for (int i = 0; i < 2; i++) touch();"),
        "[l0 = 0x0:s32; loop Less(l0:s32, 0x2:s32):s32 false [call()] l0:s32++]"
    );
    assert_eq!(
        show("switch (a) { case 1: case K: touch(); break; default: ; }"),
        "switch s32(r2:u8) [Some(1), Some(3)][call(); Break][None][]"
    );
    assert_eq!(show("do a = 1; while (a);"), "loop r2:u8 true [r2:u8 = 0x1:u8] ");
}
