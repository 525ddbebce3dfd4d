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
    let disabled = "#if 0\n__global__ void k(int wrong) {}\n#endif\n__global__ void k(float x) {}";
    assert_eq!(read(disabled, "k").parameters[0].name, "x");
}

proptest::proptest! {
    /// Any order of C's pieces is read or refused, without panic.
    #[test]
    fn any_source(pieces in proptest::collection::vec(proptest::sample::select(&[
        "__global__", "void", "k", "(", ")", "{", "}", "<", ">", "[", "]", ",", ";", "*", "const",
        "float", "template", "typedef", "using", "=", "namespace", "::", ":", "x", "1", "\"s\"",
        "#define A\n", "\n#if 0\n", "\n#endif\n", "unsigned", "__align__",
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

#[test]
fn a_type_may_trail() {
    let signature = read("__global__ auto k(int n) -> void { }", "k");
    assert_eq!(signature.parameters[0].name, "n");
}

#[test]
fn template_arguments_are_closed() {
    let source = "template <class T> __global__ void k(T* x) {}";
    for open in ["k<float", "k<float> x", "k<pair<int, int>"] {
        assert!(
            refusal(source, open).contains("do not end with `>`"),
            "{open}"
        );
    }
    assert_eq!(read(source, "k<float>").expression, "k<float>");
}
