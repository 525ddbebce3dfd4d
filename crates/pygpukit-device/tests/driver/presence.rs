//! Whether there is a device: every state that a machine can be in.

use crate::fake::{Library, answer, in_child, is_child};
use pygpukit_device::{Device, Presence, cuda_presence, devices};

/// What the child finds: the kind of presence, and its words.
fn found(test: &str, library: Library, settings: &[(&str, &str)]) -> (String, String) {
    let answers = in_child(test, library, settings);
    let [kind, words, count] = &answers[..] else {
        panic!("{answers:?}")
    };
    let is_present = kind == "present";
    assert_eq!(count, if is_present { words } else { "0" }, "devices()");
    (kind.clone(), words.clone())
}

fn tell() {
    let (kind, words) = match cuda_presence() {
        Presence::Absent { reason } => ("absent", reason),
        Presence::Unusable { reason } => ("unusable", reason),
        Presence::Present { count } => ("present", count.to_string()),
    };
    if kind != "present" {
        // Opening one says the same.
        let error = Device::open("cuda").unwrap_err().to_string();
        assert!(error.contains(&words), "{error}");
    }
    answer(kind);
    answer(words);
    answer(
        devices()
            .iter()
            .filter(|id| id.to_string() != "cpu")
            .count(),
    );
}

#[test]
fn a_whole_driver_with_devices() {
    const TEST: &str = "presence::a_whole_driver_with_devices";
    if is_child(TEST) {
        return tell();
    }
    let found = found(TEST, Library::Whole, &[("FAKE_DEVICES", "3")]);
    assert_eq!(found, ("present".into(), "3".into()));
}

#[test]
fn half_a_driver() {
    const TEST: &str = "presence::half_a_driver";
    if is_child(TEST) {
        return tell();
    }
    for (library, words) in [
        (Library::Half, "`cuEventQuery`"),
        (Library::Broken, "libcuda"),
    ] {
        let (kind, text) = found(TEST, library, &[]);
        // A machine with a GPU, where these tests may run too, calls it unusable.
        assert_ne!(kind, "present");
        assert!(text.contains(words), "{text}");
    }
}

#[test]
fn a_driver_without_devices() {
    const TEST: &str = "presence::a_driver_without_devices";
    if is_child(TEST) {
        return tell();
    }
    for settings in [
        ("FAKE_INIT", "100"),
        ("FAKE_DEVICES", "0"),
        ("CUDA_VISIBLE_DEVICES", ""),
    ] {
        let (kind, text) = found(TEST, Library::Whole, &[settings]);
        assert_eq!(kind, "absent", "{settings:?}: {text}");
    }
}

#[test]
fn a_driver_that_cannot_be_used() {
    const TEST: &str = "presence::a_driver_that_cannot_be_used";
    if is_child(TEST) {
        return tell();
    }
    for (setting, words) in [
        (
            ("FAKE_VERSION", "11080"),
            "supports CUDA 11.8; 12.0 or later",
        ),
        (("FAKE_INIT", "3"), "'spawn'"),
        (("FAKE_INIT", "34"), "stub"),
        (
            ("FAKE_INIT", "4711"),
            "cuInit failed: CUDA_ERROR_FAKE (4711): as the test asked",
        ),
    ] {
        let (kind, text) = found(TEST, Library::Whole, &[setting]);
        assert_eq!(kind, "unusable", "{setting:?}: {text}");
        assert!(text.contains(words), "{text}");
    }
}

#[test]
fn devices_that_there_are_not() {
    const TEST: &str = "presence::devices_that_there_are_not";
    if is_child(TEST) {
        let error = Device::open("cuda:2").unwrap_err().to_string();
        assert!(
            error.contains("there are 2 CUDA devices, `cuda:0` to `cuda:1`"),
            "{error}"
        );
        return;
    }
    in_child(TEST, Library::Whole, &[]);
}

#[test]
fn connections_are_set_before_the_driver_starts() {
    const TEST: &str = "presence::connections_are_set_before_the_driver_starts";
    if is_child(TEST) {
        cuda_presence();
        answer(std::env::var("CUDA_DEVICE_MAX_CONNECTIONS").unwrap());
        return;
    }
    assert_eq!(in_child(TEST, Library::Whole, &[]), ["32"]);
    let own = [("CUDA_DEVICE_MAX_CONNECTIONS", "4")];
    assert_eq!(in_child(TEST, Library::Whole, &own), ["4"]);
}
