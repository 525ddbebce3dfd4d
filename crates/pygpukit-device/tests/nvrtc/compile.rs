//! Compiling: images, diagnostics, targets, concurrency.

use crate::compiler::toolchain;
use crate::folder::Folder;
use pygpukit_device::Error;
use pygpukit_device::nvrtc::{Arch, CompileError, Severity, Source};
use pygpukit_ptx::{Cubin, Module};
use std::sync::{Arc, Barrier};

const SCALE: &str = "\
__global__ void scale(float* x, float factor, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) x[i] *= factor;
}
";

fn compile_error(source: &Source, options: &[&str]) -> Arc<CompileError> {
    let options: Vec<String> = options.iter().map(|&option| option.into()).collect();
    match toolchain().compile(source, "scale", &options, Arch::DEFAULT, None) {
        Err(Error::Compile(error)) => error,
        other => panic!("{other:?}"),
    }
}

#[test]
fn ptx_and_cubin_from_one_compilation() {
    let source = Source::from_text(SCALE, "scale.cu");
    let image = toolchain()
        .compile(&source, "scale", &[], Arch::DEFAULT, None)
        .unwrap();
    let module = Module::parse(&image.ptx).unwrap();
    let cubin = Cubin::parse(image.cubin.as_deref().unwrap()).unwrap();
    assert_eq!(module.target, "sm_90");
    assert_eq!(image.entry, "_Z5scalePffi");
    let from_ptx = &module.entry(&image.entry).unwrap().parameters;
    let from_cubin = &cubin.kernel(&image.entry).unwrap().parameters;
    assert_eq!(from_ptx.len(), 3);
    for (ptx, cubin) in from_ptx.iter().zip(from_cubin) {
        assert_eq!((ptx.offset, ptx.size), (cubin.offset, cubin.size));
    }
}

#[test]
fn a_virtual_target_has_no_cubin() {
    let source = Source::from_text(SCALE, "scale.cu");
    let arch = "compute_80".parse().unwrap();
    let image = toolchain()
        .compile(&source, "scale", &[], arch, None)
        .unwrap();
    assert_eq!(image.cubin, None);
    assert_eq!(Module::parse(&image.ptx).unwrap().target, "sm_80");
}

#[test]
fn templates_by_name_expression() {
    let text = "template <typename T> __global__ void fill(T* x, T v) { x[threadIdx.x] = v; }";
    let source = Source::from_text(text, "fill.cu");
    let image = toolchain()
        .compile(&source, "fill<double>", &[], Arch::DEFAULT, None)
        .unwrap();
    let module = Module::parse(&image.ptx).unwrap();
    assert_eq!(module.entry(&image.entry).unwrap().parameters[1].size, 8);
}

#[test]
fn errors_have_the_users_lines() {
    let source = Source::from_text(SCALE.replace("factor;", "facto;"), "scale.cu");
    let error = compile_error(&source, &[]);
    let first = &error.diagnostics[0];
    assert_eq!(
        (&*first.file, first.line, first.severity),
        ("scale.cu", 3, Severity::Error)
    );
    assert_eq!(first.text, "identifier \"facto\" is undefined");
    let caret = first.excerpt[1].find('^').unwrap();
    assert!(first.excerpt[0][caret..].starts_with("facto;"));
    assert!(
        error
            .to_string()
            .contains("scale.cu(3): error: identifier \"facto\" is undefined")
    );
}

#[test]
fn errors_of_a_file_have_its_path() {
    let folder = Folder::new("größe-大小");
    folder.file(
        "sub/header.cuh",
        "__device__ float twice(float x) { return 2 * y; }\n",
    );
    let code = SCALE.replace("factor;", "twice(factor);");
    let path = folder.file("sub/kernel.cu", &format!("#include \"header.cuh\"\n{code}"));
    let source = Source::from_path(&path).unwrap();
    let error = compile_error(&source, &[]);
    assert!(error.diagnostics[0].file.ends_with("header.cuh"), "{error}");
    assert_eq!(error.diagnostics[0].line, 1);
    // What was included is read anew.
    folder.file(
        "sub/header.cuh",
        "__device__ float twice(float x) { return 2 * x; }\n",
    );
    let image = toolchain()
        .compile(&source, "scale", &[], Arch::DEFAULT, None)
        .unwrap();
    folder.file(
        "sub/header.cuh",
        "__device__ float twice(float x) { return 3 * x; }\n",
    );
    let changed = toolchain()
        .compile(&source, "scale", &[], Arch::DEFAULT, None)
        .unwrap();
    assert_ne!(image.ptx, changed.ptx);
    let broken = folder.file("broken.cu", &SCALE.replace("int n", "int 7"));
    let error = compile_error(&Source::from_path(&broken).unwrap(), &[]);
    assert_eq!(error.diagnostics[0].file, broken.display().to_string());
    assert_eq!(error.diagnostics[0].line, 1);
}

#[test]
fn missing_headers_and_bad_options_are_explained() {
    let source = Source::from_text(format!("#include <stdint.h>\n{SCALE}"), "scale.cu");
    let error = compile_error(&source, &[]);
    assert!(
        error
            .to_string()
            .contains("help: NVRTC brings no standard headers"),
        "{error}"
    );
    let error = compile_error(&Source::from_text(SCALE, "scale.cu"), &["--no-such-option"]);
    assert!(error.to_string().contains("no-such-option"), "{error}");
    let unknown = toolchain().compile(
        &Source::from_text(SCALE, "scale.cu"),
        "scale",
        &[],
        "sm_17".parse().unwrap(),
        None,
    );
    let text = unknown.unwrap_err().to_string();
    assert!(text.contains("sm_17"), "{text}");
}

#[test]
fn assembler_errors_are_diagnostics() {
    let code = SCALE.replace(
        "if (i",
        "asm volatile(\"bogus.u32 %0, 1;\" : \"=r\"(i)); if (i",
    );
    let error = compile_error(&Source::from_text(code, "scale.cu"), &[]);
    let first = &error.diagnostics[0];
    assert_eq!((&*first.file, first.severity), ("ptx", Severity::Error));
    assert!(first.line > 0 && first.text.contains("bogus"), "{first:?}");
}

#[test]
fn warnings_are_kept_with_the_image() {
    let code = SCALE.replace("int i", "int unused; int i");
    let source = Source::from_text(code, "scale.cu");
    let image = toolchain()
        .compile(&source, "scale", &[], Arch::DEFAULT, None)
        .unwrap();
    assert_eq!(image.diagnostics[0].severity, Severity::Warning);
    assert_eq!(image.diagnostics[0].line, 2);
}

#[test]
fn equal_calls_share_one_image() {
    let (toolchain, start) = (toolchain(), Barrier::new(4));
    let source = Source::from_text(SCALE, "scale.cu");
    let images: Vec<_> = std::thread::scope(|scope| {
        let compile = || {
            start.wait();
            toolchain
                .compile(&source, "scale", &[], Arch::DEFAULT, None)
                .unwrap()
        };
        let threads: Vec<_> = (0..4).map(|_| scope.spawn(compile)).collect();
        threads
            .into_iter()
            .map(|thread| thread.join().unwrap())
            .collect()
    });
    assert!(images.iter().all(|image| Arc::ptr_eq(image, &images[0])));
    let other = toolchain
        .compile(&source, "scale", &["-G".into()], Arch::DEFAULT, None)
        .unwrap();
    assert!(!Arc::ptr_eq(&other, &images[0]));
}

#[test]
fn targets_of_devices() {
    let toolchain = toolchain();
    let arch_for = |capability| toolchain.arch_for(capability, None);
    assert_eq!(arch_for((9, 0)).unwrap().to_string(), "sm_90a");
    let future = arch_for((99, 0)).unwrap();
    assert!(!future.is_real() && future.number() >= 90, "{future}");
    let text = arch_for((3, 0)).unwrap_err().to_string();
    assert!(
        text.contains("the device is sm_30") && text.contains("pygpukit[cu12]"),
        "{text}"
    );
}

#[test]
fn zero_bytes_are_refused() {
    let source = Source::from_text("\0", "scale.cu");
    let error = toolchain()
        .compile(&source, "scale", &[], Arch::DEFAULT, None)
        .unwrap_err();
    assert!(error.to_string().contains("zero byte"));
}
