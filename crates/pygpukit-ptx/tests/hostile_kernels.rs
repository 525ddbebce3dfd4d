//! No kernel makes the compiler of kernels or the executor panic or hang.

use proptest::prelude::*;
use pygpukit_ptx::{Launch, Memory, Module, Program};
use std::fmt::Write;

const TEXTS: [&str; 7] = [
    include_str!("kernels/vectors.ptx"),
    include_str!("kernels/matrices.ptx"),
    include_str!("kernels/warps.ptx"),
    include_str!("kernels/divergence.ptx"),
    include_str!("kernels/system.ptx"),
    include_str!("kernels/functions.ptx"),
    include_str!("kernels/halves.ptx"),
];

/// Compiles all kernels and runs them with nothing but a little memory.
fn run_all(text: &str) {
    let Ok(module) = Module::parse(text) else {
        return;
    };
    let entries = module.entries.clone();
    let Ok(program) = Program::new(module) else {
        return;
    };
    let mut data = vec![1_u32; 1024];
    let mut memory = Memory::default();
    let address = memory.share(&mut data).to_le_bytes();
    for entry in entries {
        let Ok(kernel) = program.kernel(&entry.name) else {
            continue;
        };
        let parameters: Vec<u8> = address
            .into_iter()
            .cycle()
            .take(entry.parameter_bytes)
            .collect();
        let _ = kernel.launch(&Launch {
            grid: [1, 2, 1],
            block: [33, 2, 1],
            shared: 256,
            parameters: &parameters,
            memory: &memory,
            budget: Some(20_000),
            stop: None,
            output: None,
        });
    }
}

#[test]
fn kernels_with_other_data_than_they_expect() {
    for text in TEXTS {
        run_all(text);
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 256, failure_persistence: None, ..ProptestConfig::default() })]

    /// Lines left out, repeated, exchanged, and one word for another.
    #[test]
    fn changed_kernels(
        which in 0..TEXTS.len(),
        changes in prop::collection::vec((any::<prop::sample::Index>(), any::<prop::sample::Index>(), 0..5_u8), 1..6),
    ) {
        let mut lines: Vec<String> = TEXTS[which].lines().map(String::from).collect();
        for (from, to, kind) in changes {
            let (from, to) = (from.index(lines.len()), to.index(lines.len()));
            match kind {
                0 => { lines.remove(from); }
                1 => { let line = lines[from].clone(); lines.insert(to, line); }
                2 => lines.swap(from, to),
                _ => {
                    // A word of one line in the place of a word of another.
                    let words: Vec<String> = lines[from].split_whitespace().map(String::from).collect();
                    let mut others: Vec<String> = lines[to].split_whitespace().map(String::from).collect();
                    if !words.is_empty() && !others.is_empty() {
                        let place = from % others.len();
                        others[place] = words[to % words.len()].clone();
                        lines[to] = others.join(" ");
                    }
                }
            }
        }
        run_all(&lines.join("\n"));
    }

    /// Instructions of the list with operands of any kind.
    #[test]
    fn any_instructions(parts in prop::collection::vec((any::<prop::sample::Index>(), prop::collection::vec(any::<prop::sample::Index>(), 0..6)), 1..12)) {
        const OPCODES: [&str; 40] = [
            "add.s32", "add.cc.u32", "mad.lo.s32", "mad.wide.u16", "fma.rn.f32", "add.rz.f64", "div.s64",
            "ld.global.u32", "ld.shared.v4.f32", "st.local.u8", "ld.param.u64", "atom.global.add.u32",
            "red.shared.add.f32", "cvt.rzi.s32.f32", "cvt.u8.u32", "mov.b64", "mov.pred", "setp.lt.s32",
            "setp.eq.and.f32", "selp.b32", "shfl.sync.up.b32", "vote.sync.any.pred", "bar.sync", "bar.red.popc.u32",
            "bra", "brx.idx", "ret", "exit", "trap", "call", "call.uni", "prmt.b32", "bfe.u32", "bfi.b64", "lop3.b32",
            "shf.l.wrap.b32", "match.any.sync.b32", "cvta.shared.u64", "ex2.approx.f32", "isspacep.shared",
        ];
        const OPERANDS: [&str; 22] = [
            "%r1", "%r2", "%rd1", "%rd2", "%f1", "%fd1", "%p1", "%h1", "0", "-1", "4294967296", "0f7F800000",
            "[%rd1]", "[s+4]", "[p]", "[%r1+-4]", "{%r1, %r2, %r1, %r2}", "{%rd1, _}", "%p1|%p2", "!%p1", "L", "(v)",
        ];
        let mut body = String::new();
        for (i, (opcode, operands)) in parts.iter().enumerate() {
            if i % 3 == 1 {
                body.push_str("@%p1 ");
            }
            let operands: Vec<&str> = operands.iter().map(|it| OPERANDS[it.index(OPERANDS.len())]).collect();
            writeln!(body, "{} {};", OPCODES[opcode.index(OPCODES.len())], operands.join(", ")).expect("a string");
        }
        run_all(&format!(
            ".version 8.0 .target sm_90 .address_size 64\n.entry k(.param .u64 p) {{\n\
             .reg .b32 %r<4>; .reg .b64 %rd<4>; .reg .f32 %f<2>; .reg .f64 %fd<2>; .reg .pred %p<4>; .reg .b16 %h<2>;\n\
             .shared .b32 s[4]; .local .b64 v;\nld.param.u64 %rd1, [p];\nL:\n{body}ret;\n}}"
        ));
    }
}

#[test]
fn absurd_modules_are_refused() {
    for text in [
        ".entry k() { .shared .b8 s[18446744073709551615]; ret; }",
        ".entry k() { .local .b8 s[9999999999]; ret; }",
        ".entry k() { .shared .align 1073741824 .b8 s[4]; ld.shared.u8 a, [s]; ret; }",
        ".global .align 4 .b8 g[99999999999];\n.entry k() { ret; }",
        ".global .b8 g[4] = {1, 2, 3, 4, 5};\n.entry k() { ret; }",
        ".entry k() { .reg .b32 %r<4294967295>; mov.b32 %r4294967294, %r1; ret; }",
        ".func f() { call f, (); ret; } .entry k() { call f, (); ret; }",
        ".entry k() { L: bra L; }",
        ".entry k() { }",
        ".entry k() { bra L; L: }",
    ] {
        run_all(&format!(".version 8.0 .target sm_90\n{text}"));
    }
    // Functions that double at each level, and braces in braces.
    let mut text = String::from(".version 8.0 .target sm_90\n.func f0() { ret; }\n");
    for i in 1..40 {
        let callee = i - 1;
        writeln!(
            text,
            ".func f{i}() {{{{ call f{callee}, (); call f{callee}, (); ret; }}}}"
        )
        .expect("a string");
    }
    text += ".entry k() { call f39, (); ret; }";
    run_all(&text);
    let deep = "{".repeat(50_000) + &"}".repeat(50_000);
    run_all(&format!(
        ".version 8.0 .target sm_90\n.entry k() {{ {deep} ret; }}"
    ));
}
