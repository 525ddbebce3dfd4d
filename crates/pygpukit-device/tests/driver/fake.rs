//! The fake driver, and child processes that load it.

use std::path::PathBuf;
use std::process::Command;
use std::sync::OnceLock;

/// Which driver library a child finds.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Library {
    /// One with every function.
    Whole,
    /// One that lacks `cuEventQuery`.
    Half,
    /// A file that is no library.
    Broken,
}

/// True in the child process that `in_child` made for this test.
pub(crate) fn is_child(test: &str) -> bool {
    std::env::var("FAKE_CHILD").is_ok_and(|name| name == test)
}

/// Runs the test again in a process that loads the fake driver with these
/// settings, and fails if it does. Whatever the child prints to stderr fails
/// too. Returns the lines that it printed with `answer`.
pub(crate) fn in_child(test: &str, library: Library, settings: &[(&str, &str)]) -> Vec<String> {
    let output = Command::new(std::env::current_exe().unwrap())
        .args([test, "--exact", "--nocapture", "--test-threads=1"])
        .env("FAKE_CHILD", test)
        .env("LD_LIBRARY_PATH", folder(library))
        .env_remove("CUDA_VISIBLE_DEVICES")
        .env_remove("CUDA_DEVICE_MAX_CONNECTIONS")
        .env_remove("PYGPUKIT_LAUNCH_BLOCKING")
        .envs(settings.iter().copied())
        .output()
        .unwrap();
    let (out, err) = (
        String::from_utf8(output.stdout).unwrap(),
        String::from_utf8(output.stderr).unwrap(),
    );
    assert!(output.status.success(), "{settings:?}: {out}{err}");
    assert_eq!(err, "", "{settings:?}");
    assert!(
        out.contains("1 passed"),
        "no test of the name `{test}`: {out}"
    );
    let answers = out.lines().filter_map(|line| line.split_once(ANSWER));
    answers.map(|(_, answer)| answer.to_owned()).collect()
}

const ANSWER: &str = "answer: ";

/// Tells the parent something.
#[expect(clippy::print_stdout, reason = "the parent reads it")]
pub(crate) fn answer(text: impl std::fmt::Display) {
    println!("{ANSWER}{text}");
}

/// A folder with the library under the driver's name, made once.
fn folder(library: Library) -> PathBuf {
    static ROOT: OnceLock<PathBuf> = OnceLock::new();
    let root = ROOT.get_or_init(|| {
        let root = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join("fake-driver");
        let source = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/driver/fake_driver.c");
        for (name, options) in [("whole", &[][..]), ("half", &["-DINCOMPLETE"])] {
            let folder = root.join(name);
            std::fs::create_dir_all(&folder).unwrap();
            // Into place at once: another test binary may be loading the old one.
            let (made, place) = (
                folder.join(format!("made-{}.so", std::process::id())),
                folder.join("libcuda.so.1"),
            );
            let compiled = Command::new("cc")
                .args(["-shared", "-fPIC", "-w", "-o"])
                .args([made.as_os_str(), source.as_ref()])
                .args(options)
                .status()
                .expect("these tests need a C compiler, `cc`");
            assert!(compiled.success());
            std::fs::rename(&made, &place).unwrap();
        }
        std::fs::create_dir_all(root.join("broken")).unwrap();
        std::fs::write(root.join("broken/libcuda.so.1"), "no library").unwrap();
        root
    });
    root.join(match library {
        Library::Whole => "whole",
        Library::Half => "half",
        Library::Broken => "broken",
    })
}
