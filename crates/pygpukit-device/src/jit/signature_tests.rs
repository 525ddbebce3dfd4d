use super::super::c_type::{CType, Pointee};
use super::*;
use pygpukit_core::array::DType;

fn read(source: &str, function: &str) -> Signature {
    Signature::read(source, function).unwrap()
}

fn refusal(source: &str, function: &str) -> String {
    Signature::read(source, function).unwrap_err().to_string()
}

/// The type of one parameter.
fn ctype(declaration: &str) -> CType {
    let source = format!("__global__ void k({declaration}) {{}}");
    let signature = read(&source, "k");
    assert_eq!(signature.parameters.len(), 1, "{declaration}");
    signature.parameters[0].ctype.clone()
}

fn pointee(declaration: &str) -> Pointee {
    match ctype(declaration) {
        CType::Pointer(pointee) => pointee,
        other @ (CType::Scalar(_) | CType::Sized) => panic!("{declaration}: {other:?}"),
    }
}

#[test]
fn names_and_types_in_order() {
    let source = "
        // __global__ void scale(int wrong) {}
        /* __global__ void scale(int wrong) {} */
        const char* text = \"__global__ void scale(int wrong) {}\";
        __device__ void helper(int wrong) {}
        extern \"C\" __global__ void __launch_bounds__(256, 2)
        scale(const float* __restrict__ x, float *out, float factor = 2.0f, unsigned long long n) {
            helper(n);
        }";
    let signature = read(source, "scale");
    let found: Vec<(&str, &str)> = signature
        .parameters
        .iter()
        .map(|parameter| (&*parameter.name, &*parameter.declared))
        .collect();
    assert_eq!(
        found,
        [
            ("x", "const float*"),
            ("out", "float*"),
            ("factor", "float"),
            ("n", "unsigned long long"),
        ]
    );
    assert_eq!(signature.parameters[2].ctype, CType::Scalar(DType::Float32));
}

#[test]
fn scalar_types() {
    for (declaration, dtype) in [
        ("bool b", DType::Bool),
        ("char c", DType::Int8),
        ("signed char c", DType::Int8),
        ("unsigned char c", DType::UInt8),
        ("short s", DType::Int16),
        ("short unsigned int s", DType::UInt16),
        ("const int n", DType::Int32),
        ("unsigned n", DType::UInt32),
        ("long long n", DType::Int64),
        ("long long unsigned int n", DType::UInt64),
        ("size_t n", DType::UInt64),
        ("std::size_t n", DType::UInt64),
        ("int64_t n", DType::Int64),
        ("uint16_t n", DType::UInt16),
        ("volatile float f", DType::Float32),
        ("double const d", DType::Float64),
        ("__half h", DType::Float16),
        ("half h", DType::Float16),
        ("__nv_bfloat16 h", DType::BFloat16),
        ("float2 z", DType::Complex64),
        ("cuDoubleComplex z", DType::Complex128),
        ("cuda::std::complex<float> z", DType::Complex64),
        ("const __grid_constant__ int n", DType::Int32),
        ("[[maybe_unused]] int n", DType::Int32),
        ("int", DType::Int32),
    ] {
        assert_eq!(ctype(declaration), CType::Scalar(dtype), "{declaration}");
    }
    for declaration in [
        "float4 v",
        "struct Pair p",
        "Pair p",
        "REAL x",
        "dim3 d",
        "std::array<float, 3> a",
        "void (*callback)(int)",
        "PARAM(float, x)",
        "long double d",
    ] {
        assert_eq!(ctype(declaration), CType::Sized, "{declaration}");
    }
}

#[test]
fn references_and_pointers_to_functions() {
    let found = |declaration: &str| {
        let signature = read(&format!("__global__ void k({declaration}) {{}}"), "k");
        let parameter = signature.parameters.into_iter().next().unwrap();
        (parameter.name, parameter.declared, parameter.ctype)
    };
    let int = CType::Pointer(Pointee {
        accepts: &[DType::Int32],
        align: 4,
        is_const: true,
    });
    let reference = ("a".to_owned(), "const int&".to_owned(), int);
    assert_eq!(found("const int& a"), reference);
    for (declaration, name, declared) in [
        ("void (*callback)(int)", "callback", "void(*)(int)"),
        (
            "void (*const callback)(int, float)",
            "callback",
            "void(* const)(int, float)",
        ),
        ("int (&rows)[4]", "rows", "int(&)[4]"),
        ("float (*table[3])(int)", "table", "float(*[3])(int)"),
        ("void (*(*f)(int))(float)", "f", "void(*(*)(int))(float)"),
        ("void (*)(int)", "_0", "void(*)(int)"),
        ("void (*(*)(int))(float)", "_0", "void(*(*)(int))(float)"),
        ("PARAM(float, x)", "_0", "PARAM(float, x)"),
    ] {
        let expected = (name.to_owned(), declared.to_owned(), CType::Sized);
        assert_eq!(found(declaration), expected, "{declaration}");
    }
    let far = found("float*& x");
    assert_eq!((&*far.0, &*far.1), ("x", "float*&"));
}

#[test]
fn pointer_types() {
    let float = &[DType::Float32][..];
    for (declaration, accepts, align, is_const) in [
        ("float* x", float, 4, false),
        ("float x[]", float, 4, false),
        ("float x[16][4]", &[], 8, false),
        ("const float *__restrict__ x", float, 4, true),
        ("float const * const x", float, 4, true),
        ("float* const x", float, 4, false),
        ("float4* x", float, 16, false),
        ("const float3* x", float, 4, true),
        (
            "float2* x",
            &[DType::Float32, DType::Complex64][..],
            8,
            false,
        ),
        ("char* x", &[DType::Int8, DType::UInt8][..], 1, false),
        ("unsigned char* x", &[DType::UInt8][..], 1, false),
        ("const void* x", &[], 1, true),
        ("Pair* x", &[], 1, false),
        ("REAL* x", &[], 1, false),
        ("float** x", &[], 8, false),
        ("const float* const* x", &[], 8, false),
        (
            "const cuda::std::complex<double>* x",
            &[DType::Float64, DType::Complex128][..],
            16,
            true,
        ),
    ] {
        let expected = Pointee {
            accepts,
            align,
            is_const,
        };
        assert_eq!(pointee(declaration), expected, "{declaration}");
    }
}

#[test]
fn aliases_are_followed_unless_ambiguous() {
    let source = "
        typedef float real;
        using pointer = const real*;
        typedef int twice; namespace a { typedef long twice; }
        #define MACRO float
        __global__ void k(real a, real* b, pointer c, pointer* d, twice e, MACRO f, const real* g) {}";
    let types: Vec<CType> = read(source, "k")
        .parameters
        .into_iter()
        .map(|p| p.ctype)
        .collect();
    let pointer = |is_const| {
        CType::Pointer(Pointee {
            accepts: &[DType::Float32],
            align: 4,
            is_const,
        })
    };
    let far = CType::Pointer(Pointee {
        accepts: &[],
        align: 8,
        is_const: false,
    });
    let expected = [
        CType::Scalar(DType::Float32),
        pointer(false),
        pointer(true),
        far,
        CType::Sized,
        CType::Sized,
        pointer(true),
    ];
    assert_eq!(types, expected);
    // An alias of itself ends.
    assert_eq!(
        read("typedef a a; __global__ void k(a x) {}", "k").parameters[0].ctype,
        CType::Sized
    );
}

#[test]
fn parameters_without_names_have_numbers() {
    let signature = read("__global__ void k(int, float* _0, const int) {}", "k");
    let names: Vec<&str> = signature.parameters.iter().map(|p| &*p.name).collect();
    assert_eq!(names, ["_0", "_1", "_2"]);
    assert!(read("__global__ void k() {}", "k").parameters.is_empty());
    assert!(read("__global__ void k(void);", "k").parameters.is_empty());
}

#[test]
fn attributes_and_macros_are_passed() {
    for before in [
        "__launch_bounds__(128)",
        "__launch_bounds__(MAX_THREADS * 2, (1 + 1))",
        "__cluster_dims__(2, 1, 1) __maxnreg__(32)",
        "__attribute__((noinline))",
        "BOUNDS(256)",
    ] {
        for order in [format!("void {before}"), format!("{before} void")] {
            let source = format!("static __global__ {order} k(int n) {{}}");
            assert_eq!(read(&source, "k").parameters[0].name, "n", "{source}");
        }
    }
    let by_macro = "#define KERNEL extern \"C\" __global__\nKERNEL void k(int n) {}";
    assert_eq!(read(by_macro, "k").parameters[0].name, "n");
}

#[test]
fn namespaces_and_templates() {
    let source = "
        namespace a::b { __global__ void k(int n) {} }
        namespace { __global__ void hidden(int n) {} }
        extern \"C\" { __global__ void plain(int n) {} }
        template <typename T, int N = 3> __global__ void fill(T* x, int n) {}
        __global__ void after(int n) {}";
    assert_eq!(read(source, "k").expression, "a::b::k");
    assert_eq!(read(source, "b::k").expression, "a::b::k");
    assert_eq!(read(source, "hidden").expression, "hidden");
    assert_eq!(read(source, "plain").expression, "plain");
    let fill = read(source, "fill<float, 4>");
    assert_eq!(fill.expression, "fill<float, 4>");
    assert!(matches!(
        fill.parameters[0].ctype,
        CType::Pointer(Pointee { accepts: [], .. })
    ));
    let text = refusal(source, "fill");
    assert!(
        text.contains("is a template") && text.contains("fill<float>"),
        "{text}"
    );
    assert_eq!(read(source, "after").parameters.len(), 1);
}

#[test]
fn what_is_not_there_is_named() {
    let source = "__global__ void a(int n) {} __device__ void f() {} __global__ void b() {}";
    assert_eq!(
        refusal(source, "f"),
        "there is no kernel `f`; the source has `a`, `b`"
    );
    assert!(refusal("void f() {}", "f").contains("has no `__global__` function"));
    assert!(refusal("", "").contains("there is no kernel"));
}

#[test]
fn one_kernel_per_name() {
    let declared = "__global__ void k(int);\n__global__ void k(int n) {}";
    assert_eq!(read(declared, "k").parameters[0].name, "n");
    for source in [
        "__global__ void k(int n) {} __global__ void k(float x) {}",
        "__global__ void k(int n) {} __global__ void k() {}",
        "namespace a { __global__ void k() {} } namespace b { __global__ void k() {} }",
    ] {
        assert!(
            refusal(source, "k").contains("several kernels are named"),
            "{source}"
        );
    }
    let text = refusal(
        "\n#ifdef A\n__global__ void k(int n) {}\n#else\n__global__ void\nk(int m) {}\n#endif",
        "k",
    );
    assert!(text.contains("on lines 3 and 5"), "{text}");
    let twins = "#if A > 1\n__global__ void k(int n) { f(); }\n#else\n__global__ void k(int /* count */ n) {}\n#endif";
    assert_eq!(read(twins, "k").parameters[0].name, "n");
    let templates = "__global__ void k(int n) {}\ntemplate <class T> __global__ void k(int n) {}";
    assert!(refusal(templates, "k").contains("on lines 1 and 2"));
    let chosen = "#if 1\n__global__ void k(int n) {}\n#else\n__global__ void k(float x) {}\n#endif";
    assert_eq!(read(chosen, "k").parameters[0].name, "n");
    let commented = "// old: \\\n__global__ void k(float x) {}\n__global__ void k(int n) {}";
    assert_eq!(read(commented, "k").parameters[0].name, "n");
    let disabled = "#if 0\n__global__ void k(int wrong) {}\n#endif\n__global__ void k(float x) {}";
    assert_eq!(read(disabled, "k").parameters[0].name, "x");
}

#[test]
fn other_spellings() {
    let trailing = "__global__ auto k(int n) -> void { f(x->y); }\n__global__ auto l() -> void;";
    assert_eq!(read(trailing, "k").parameters[0].name, "n");
    assert!(read(trailing, "l").parameters.is_empty());
    let digraphs =
        "%:define KERNEL __global__\nKERNEL void k(float x<::>, A<::B> y) <% x<:0:> = 1; %>";
    let parameters = read(digraphs, "k").parameters;
    assert_eq!(parameters[0].declared, "float[]");
    assert_eq!(parameters[1].name, "y");
}

#[test]
fn template_arguments_have_an_end() {
    let source = "template <class T> __global__ void f(T* x) {}";
    for bad in [
        "f<float",
        "f<float>>",
        "f<float>x",
        "f<",
        "f<A<float>",
        "f<(1>2>",
        "f<float>()",
    ] {
        let text = refusal(source, bad);
        assert!(
            text.contains(&format!("func=\"{bad}\" is no name of a kernel")),
            "{text}"
        );
    }
    for good in [
        "f<float>",
        "f <A<float> >",
        "f<A<float>>",
        "f<(1 > 2)>",
        "f<1 << 2>",
        "f<>",
        "f<::A>",
    ] {
        assert_eq!(read(source, good).parameters[0].name, "x", "{good}");
    }
}

proptest::proptest! {
    /// Any order of C's pieces is read or refused, without panic.
    #[test]
    fn any_source(pieces in proptest::collection::vec(proptest::sample::select(&[
        "__global__", "void", "k", "(", ")", "{", "}", "<", ">", "[", "]", ",", ";", "*", "const",
        "float", "template", "typedef", "using", "=", "namespace", "::", ":", "x", "1", "\"s\"",
        "#define A\n", "\n#if 0\n", "\n#else\n", "&", "->", "<:", "%>", "\\\n", "\n#endif\n", "unsigned", "__align__",
    ][..]), 0..48)) {
        let _ = Signature::read(&pieces.join(" "), "k");
    }

    /// Names come back as they were written, whatever the layout of the source.
    #[test]
    fn names_survive(names in proptest::collection::btree_set("p[a-z]{1,8}", 0..6), space in "[ \n\t]{1,3}") {
        let parameters: Vec<String> = names.iter().map(|name| format!("const{space}float{space}*{space}{name}")).collect();
        let source = format!("__global__{space}void k({})\n{{ }}", parameters.join(","));
        let found: Vec<String> = read(&source, "k").parameters.into_iter().map(|p| p.name).collect();
        proptest::prop_assert!(names.iter().eq(&found));
    }
}

#[test]
fn twins_of_a_condition_are_one_kernel() {
    let twins = "#ifdef FAST\n__global__ void k(float* x, int n) { a(); }\n#else\n\
                 __global__ void k(float* x, int n) { b(); }\n#endif";
    assert_eq!(read(twins, "k").parameters.len(), 2);
    let commented = "// __global__ void k(int n) {} \\\n __global__ void k(long n) {}\n\
                     __global__ void k(float* x) {}";
    assert_eq!(read(commented, "k").parameters[0].name, "x");
}
