//! What is printed has the tokens that were read.

use pygpukit_ptx::Module;
use std::path::Path;

/// All PTX that the tests have.
#[expect(clippy::unwrap_used, reason = "a helper of tests")]
fn texts() -> Vec<(String, String)> {
    let tests = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests");
    let mut found = Vec::new();
    for folder in ["data", "kernels"] {
        for file in std::fs::read_dir(tests.join(folder)).expect("a folder of the tests") {
            let path = file.unwrap().path();
            if path.extension().is_some_and(|extension| extension == "ptx") {
                let text = std::fs::read_to_string(&path).unwrap();
                found.push((path.display().to_string(), text));
            }
        }
    }
    found
}

/// The text without comments and white space.
fn dense(text: &str) -> String {
    let mut found = String::new();
    for line in text.lines() {
        let code = line.split("//").next().unwrap_or_default();
        found.extend(code.chars().filter(|c| !c.is_whitespace()));
    }
    found
}

#[test]
fn printing_gives_back_every_token() {
    let texts = texts();
    assert!(texts.len() >= 2);
    for (path, text) in texts {
        let module = Module::parse(&text).unwrap_or_else(|error| panic!("{path}: {error}"));
        let printed = module.to_string();
        assert_eq!(dense(&printed), dense(&text), "{path}");
        let again = Module::parse(&printed).unwrap();
        assert_eq!(again.to_string(), printed, "{path}");
        assert_eq!(again.entries, module.entries, "{path}");
    }
}
