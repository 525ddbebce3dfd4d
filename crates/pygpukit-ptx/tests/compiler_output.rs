//! What is read from PTX and CUBINs that NVRTC wrote for `data/corpus.cu` and `data/large.cu`.

use pygpukit_ptx::{Cubin, Entry, Facts, Module, Parameter, ParameterKind};

const PTX: &str = include_str!("data/corpus.ptx");
const CUBIN: &[u8] = include_bytes!("data/corpus.cubin");

fn entry(name: &str) -> Entry {
    let module = Module::parse(PTX).expect("readable PTX");
    module.entry(name).expect("a kernel of the corpus").clone()
}

fn facts(name: &str) -> Facts {
    entry(name).facts
}

#[test]
fn module_header() {
    let module = Module::parse(PTX).unwrap();
    assert_eq!(module.version, (9, 5));
    assert_eq!(module.target, "sm_90");
    assert_eq!(module.entries.len(), 10);
    assert!(module.entry("meet_far").is_none());
}

#[test]
fn parameters_lie_where_cpp_puts_them() {
    use ParameterKind::{Bytes, Float, Integer};
    let scale = entry("scale");
    let found = |entry: &Entry| -> Vec<(usize, usize, ParameterKind)> {
        let parameters = entry.parameters.iter();
        parameters.map(|p| (p.offset, p.size, p.kind)).collect()
    };
    assert_eq!(
        found(&scale),
        [(0, 8, Integer), (8, 4, Float), (12, 4, Integer)]
    );
    assert_eq!(scale.parameter_bytes, 16);
    assert_eq!(
        found(&entry("mixed")),
        [
            (0, 8, Integer),
            (8, 16, Bytes),
            (24, 1, Integer),
            (25, 1, Integer),
            (32, 16, Bytes),
            (64, 64, Bytes),
            (128, 2, Integer),
            (136, 8, Integer),
            (144, 8, Integer),
        ]
    );
    assert_eq!(found(&entry("empty")), []);
}

#[test]
fn facts_of_kernels() {
    let plain = Facts::default();
    let conditional = Facts {
        conditional: true,
        ..plain
    };
    assert_eq!(facts("scale"), conditional);
    assert!(facts("scale").is_elementwise());
    assert_eq!(facts("unguarded"), plain);
    assert_eq!(
        facts("dynamic"),
        Facts {
            dynamic_shared: true,
            barrier: true,
            ..plain
        }
    );
    assert_eq!(
        facts("fixed"),
        Facts {
            shared_bytes: 256,
            ..plain
        }
    );
    assert_eq!(
        facts("plane"),
        Facts {
            multidimensional: true,
            ..plain
        }
    );
    assert!(facts("clustered").cluster);
    for name in [
        "dynamic",
        "fixed",
        "calls",
        "plane",
        "clustered",
        "indirect",
    ] {
        assert!(!facts(name).is_elementwise(), "{name}");
    }
}

#[test]
fn callees_count() {
    let through_a_call = facts("calls");
    assert!(through_a_call.barrier && through_a_call.conditional);
    assert_eq!(through_a_call.shared_bytes, 256);
    // A call through a register may reach any function of the module.
    assert!(facts("indirect").barrier);
}

#[test]
fn bounds_of_launches() {
    assert_eq!(entry("mixed").max_threads, Some([128, 1, 1]));
    assert_eq!(entry("mixed").required_threads, None);
    assert_eq!(entry("scale").max_threads, None);
    let text = ".version 8.0\n.entry k ()\n.reqntid 32, 4\n.minnctapersm 2\n{ ret; }";
    let module = Module::parse(text).unwrap();
    assert_eq!(module.entries[0].required_threads, Some([32, 4, 1]));
}

#[test]
fn both_images_agree() {
    let (module, cubin) = (Module::parse(PTX).unwrap(), Cubin::parse(CUBIN).unwrap());
    assert_eq!(module.entries.len(), cubin.kernels.len());
    for entry in &module.entries {
        let kernel = cubin.kernel(&entry.name).unwrap();
        assert_eq!(entry.parameters.len(), kernel.parameters.len());
        let mut is_overaligned = false;
        for (ptx, cubin) in entry.parameters.iter().zip(&kernel.parameters) {
            assert_eq!(ptx.size, cubin.size, "{}", entry.name);
            is_overaligned |= ptx.align > Parameter::LARGEST_ALIGN;
            assert!(
                is_overaligned || ptx.offset == cubin.offset,
                "{}",
                entry.name
            );
        }
        assert_eq!(is_overaligned, entry.name == "mixed");
        if !is_overaligned && !entry.parameters.is_empty() {
            assert_eq!(kernel.parameter_bytes, Some(entry.parameter_bytes));
        }
        assert!(
            kernel
                .registers
                .is_some_and(|count| (1..=255).contains(&count))
        );
        assert!(kernel.shared_bytes >= entry.facts.shared_bytes);
    }
}

#[test]
fn more_than_4096_bytes_of_parameters() {
    let ptx = Module::parse(include_str!("data/large.ptx")).unwrap();
    let cubin = Cubin::parse(include_bytes!("data/large.cubin")).unwrap();
    let (entry, kernel) = (ptx.entry("large").unwrap(), cubin.kernel("large").unwrap());
    let placed: Vec<(usize, usize)> = kernel
        .parameters
        .iter()
        .map(|p| (p.offset, p.size))
        .collect();
    let expected = [(0, 8), (8, 5000), (5008, 20000), (25008, 2), (25016, 8)];
    assert_eq!(placed, expected);
    let declared: Vec<(usize, usize)> = entry
        .parameters
        .iter()
        .map(|p| (p.offset, p.size))
        .collect();
    assert_eq!(declared, expected);
    assert_eq!(kernel.parameter_bytes, Some(25024));
}

#[test]
fn pointer_attributes_do_not_move_parameters() {
    let text = ".version 8.0\n.entry k (.param .u8 a, .param .u64 .ptr .global .align 256 b, \
                .param .align 8 .b8 c[2][8]) { ret; }";
    let module = Module::parse(text).unwrap();
    let offsets: Vec<usize> = module.entries[0]
        .parameters
        .iter()
        .map(|p| p.offset)
        .collect();
    assert_eq!(offsets, [0, 8, 16]);
    assert_eq!(module.entries[0].parameter_bytes, 32);
}

#[test]
fn damage_is_named() {
    for (text, line, message) in [
        ("", 1, "no `.version` line: this is not PTX"),
        ("\n.version x", 2, "an unreadable version"),
        (
            ".version 8.0\n.entry k (",
            2,
            "a parameter list without an end",
        ),
        (".version 8.0\n\n.entry k () {", 3, "a body without an end"),
        (".version 8.0\n.entry", 2, "a function without a name"),
        (
            ".version 8.0\n.entry k (.param .u32 a[])",
            2,
            "`k` has a parameter without a size",
        ),
    ] {
        let error = Module::parse(text).unwrap_err();
        assert_eq!((error.line, &*error.message), (line, message), "{text:?}");
    }
    let error = Cubin::parse(b"\x7fELF\x01\x01").unwrap_err();
    assert!(error.to_string().contains("64-bit ELF"));
    let error = Cubin::parse(&CUBIN[..CUBIN.len() / 2]).unwrap_err();
    assert!(error.to_string().contains("ends before"));
}
