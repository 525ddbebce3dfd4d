//! No input makes the readers panic or hang: random bytes, and real images with
//! pieces changed, removed and repeated.

use proptest::prelude::*;
use pygpukit_ptx::{Cubin, Module};

const PTX: &str = include_str!("data/corpus.ptx");
const CUBIN: &[u8] = include_bytes!("data/corpus.cubin");
const LARGE: &[u8] = include_bytes!("data/large.cubin");

#[derive(Clone, Debug)]
enum Change {
    Set(prop::sample::Index, u8),
    Remove(prop::sample::Index, usize),
    Repeat(prop::sample::Index, usize),
    Cut(prop::sample::Index),
}

fn change() -> impl Strategy<Value = Change> {
    let place = any::<prop::sample::Index>;
    prop_oneof![
        8 => (place(), any::<u8>()).prop_map(|(at, byte)| Change::Set(at, byte)),
        2 => (place(), prop::sample::select(b"{}()[];,\"./0".as_slice()))
            .prop_map(|(at, byte)| Change::Set(at, byte)),
        2 => (place(), 1..64_usize).prop_map(|(at, length)| Change::Remove(at, length)),
        2 => (place(), 1..64_usize).prop_map(|(at, length)| Change::Repeat(at, length)),
        1 => place().prop_map(Change::Cut),
    ]
}

fn changed(image: &[u8], changes: &[Change]) -> Vec<u8> {
    let mut bytes = image.to_vec();
    for change in changes {
        if bytes.is_empty() {
            break;
        }
        match change {
            Change::Set(at, byte) => {
                let at = at.index(bytes.len());
                bytes[at] = *byte;
            }
            Change::Remove(at, length) => {
                let at = at.index(bytes.len());
                let end = bytes.len().min(at + length);
                bytes.drain(at..end);
            }
            Change::Repeat(at, length) => {
                let at = at.index(bytes.len());
                let end = bytes.len().min(at + length);
                let piece = bytes[at..end].to_vec();
                bytes.splice(at..at, piece);
            }
            Change::Cut(at) => bytes.truncate(at.index(bytes.len())),
        }
    }
    bytes
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(512))]

    #[test]
    fn any_text(text in any::<String>()) {
        let _ = Module::parse(&text);
    }

    #[test]
    fn words_in_any_order(words in prop::collection::vec(prop::sample::select(&[
        ".version", "8.0", ".entry", ".func", "k", "(", ")", "{", "}", ".param", ".u64", ".align",
        "8", "[", "]", "18446744073709551615", ".shared", ".b8", ",", ";", "call", "%rd1", "@%p",
        ".maxntid", "bar.sync", "/*", "\"", ".v4", ".b128",
    ][..]), 0..64)) {
        let _ = Module::parse(&words.join(" "));
    }

    #[test]
    fn changed_ptx(changes in prop::collection::vec(change(), 1..12)) {
        let bytes = changed(PTX.as_bytes(), &changes);
        if let Ok(module) = Module::parse(&String::from_utf8_lossy(&bytes)) {
            for entry in &module.entries {
                let mut end = 0;
                for parameter in &entry.parameters {
                    prop_assert!(parameter.offset >= end);
                    end = parameter.offset + parameter.size;
                }
                prop_assert_eq!(end, entry.parameter_bytes);
            }
            let printed = module.to_string();
            let again = Module::parse(&printed).expect("what was printed");
            prop_assert_eq!(again.to_string(), printed);
        }
    }

    #[test]
    fn any_bytes(bytes in prop::collection::vec(any::<u8>(), 0..512)) {
        let _ = Cubin::parse(&bytes);
    }

    #[test]
    fn changed_cubin(changes in prop::collection::vec(change(), 1..12)) {
        let _ = Cubin::parse(&changed(CUBIN, &changes));
        let _ = Cubin::parse(&changed(LARGE, &changes));
    }

    /// The header and the section table lead everywhere else.
    #[test]
    fn changed_cubin_tables(at in 0..64_usize, header in 0..64_usize, value in any::<u64>(), width in 1..9_usize) {
        let mut bytes = CUBIN.to_vec();
        bytes[at..(at + width).min(64)].copy_from_slice(&value.to_le_bytes()[..width.min(64 - at)]);
        let _ = Cubin::parse(&bytes);
        let mut bytes = CUBIN.to_vec();
        let table = usize::try_from(u64::from_le_bytes(bytes[40..48].try_into().unwrap())).unwrap();
        let from = table + header * 64 % (bytes.len() - table - 8);
        bytes[from..from + width].copy_from_slice(&value.to_le_bytes()[..width]);
        let _ = Cubin::parse(&bytes);
    }
}

#[test]
fn nesting_is_not_recursion() {
    let deep = format!(".version 8.0\n.entry k () {}", "{".repeat(200_000));
    assert!(Module::parse(&deep).is_err());
    let calls = format!(
        ".version 8.0\n.entry k () {{ {} }}",
        "call (".repeat(200_000)
    );
    assert!(Module::parse(&calls).is_err());
    let operands = format!(
        ".version 8.0\n.entry k () {{ mov.b64 {}; }}",
        "{".repeat(100_000) + &"}".repeat(100_000)
    );
    assert!(Module::parse(&operands).is_err());
    let scopes = format!(
        ".version 8.0\n.entry k () {{ {} }}",
        "{".repeat(100_000) + &"}".repeat(100_000)
    );
    assert!(Module::parse(&scopes).is_ok());
}
