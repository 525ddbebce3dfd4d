//! Whether there is a CUDA device, and whether it can be used.

use super::driver::{self, Code, Failure, LoadError, code};
use crate::device::Presence;
use std::fs;
use std::path::Path;
use std::sync::OnceLock;

/// The oldest driver that works: 525, for CUDA 12.0.
const OLDEST: (u32, u32) = (12, 0);

/// Looks once a process; a forked child looks for itself. Prints nothing.
pub(crate) fn presence() -> Presence {
    static FOUND: OnceLock<(u32, Presence)> = OnceLock::new();
    let process = crate::process::current();
    let (looked, found) = FOUND.get_or_init(|| (process, look()));
    if *looked == process {
        found.clone()
    } else {
        look()
    }
}

/// What the driver says.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Found {
    NotLoaded(LoadError),
    Failed {
        failure: Failure,
        name: String,
        text: String,
    },
    Devices {
        version: (u32, u32),
        count: u32,
    },
}

fn look() -> Presence {
    if std::env::var_os("CUDA_VISIBLE_DEVICES").is_some_and(|devices| devices.is_empty()) {
        return Presence::Absent {
            reason: "CUDA_VISIBLE_DEVICES is empty, which hides every GPU".into(),
        };
    }
    judge(ask(), hardware(Path::new("/")))
}

fn ask() -> Found {
    let driver = match driver::load() {
        Ok(driver) => driver,
        Err(error) => return Found::NotLoaded(error.clone()),
    };
    let answer = || {
        driver.init()?;
        let version = driver.version()?;
        let count = driver.device_count()?;
        Ok(Found::Devices { version, count })
    };
    answer().unwrap_or_else(|failure: Failure| {
        let (name, text) = failure.describe();
        Found::Failed {
            failure,
            name,
            text,
        }
    })
}

/// What the answers of driver and machine mean. `hardware` names the sign of an
/// NVIDIA GPU, if there is one.
fn judge(found: Found, hardware: Option<&str>) -> Presence {
    let broken = |reason: String| match hardware {
        Some(sign) => Presence::Unusable {
            reason: format!("{reason}, though there is an NVIDIA GPU ({sign})"),
        },
        None => Presence::Absent {
            reason: format!("{reason}, and no NVIDIA GPU was found"),
        },
    };
    match found {
        Found::NotLoaded(LoadError::NotFound(why)) => broken(format!(
            "the NVIDIA driver library could not be loaded ({why})"
        )),
        Found::NotLoaded(LoadError::Incomplete { library, missing }) => broken(format!(
            "the driver library `{library}` lacks `{missing}`: it is incomplete or too old, \
             version 525 or later is needed"
        )),
        Found::Failed { failure, .. } if failure.code == code::NO_DEVICE => Presence::Absent {
            reason: "the NVIDIA driver finds no device".into(),
        },
        Found::Failed {
            failure,
            name,
            text,
        } => Presence::Unusable {
            reason: explain(failure, &name, &text),
        },
        Found::Devices { count: 0, .. } => Presence::Absent {
            reason: "the NVIDIA driver finds no device".into(),
        },
        Found::Devices { version, .. } if version < OLDEST => Presence::Unusable {
            reason: format!(
                "the NVIDIA driver supports CUDA {}.{}; {}.{} or later is needed (driver 525)",
                version.0, version.1, OLDEST.0, OLDEST.1
            ),
        },
        Found::Devices { count, .. } => Presence::Present { count },
    }
}

fn explain(Failure { call, code }: Failure, name: &str, text: &str) -> String {
    const STUB: Code = 34;
    let hint = match code {
        code::NOT_INITIALIZED => {
            "; CUDA was in use before this process was forked, start processes with the 'spawn' \
             method (multiprocessing.set_start_method(\"spawn\"))"
        }
        STUB => "; the library found is the toolkit's stub, remove its folder from LD_LIBRARY_PATH",
        _ => "",
    };
    format!("{call} failed: {name} ({code}): {text}{hint}")
}

/// A sign of an NVIDIA GPU under `root`: the kernel driver's, or the PCI bus's.
fn hardware(root: &Path) -> Option<&'static str> {
    for (sign, file) in [
        ("/proc/driver/nvidia", "proc/driver/nvidia/version"),
        ("/dev/nvidia0", "dev/nvidia0"),
        ("/dev/dxg", "usr/lib/wsl/lib/libcuda.so.1"),
    ] {
        if root.join(file).exists() {
            return Some(sign);
        }
    }
    let devices = fs::read_dir(root.join("sys/bus/pci/devices")).ok()?;
    let is_gpu = |device: &Path| {
        let reads = |file: &str, start: &str| {
            fs::read_to_string(device.join(file)).is_ok_and(|text| text.starts_with(start))
        };
        // NVIDIA's vendor id and the class of display controllers.
        reads("vendor", "0x10de") && reads("class", "0x03")
    };
    devices
        .flatten()
        .any(|device| is_gpu(&device.path()))
        .then_some("on the PCI bus")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn failed(code: Code) -> Found {
        Found::Failed {
            failure: Failure {
                call: "cuInit",
                code,
            },
            name: "CUDA_ERROR_SO".into(),
            text: "so".into(),
        }
    }

    fn reason(presence: Presence) -> (&'static str, String) {
        match presence {
            Presence::Absent { reason } => ("absent", reason),
            Presence::Unusable { reason } => ("unusable", reason),
            Presence::Present { count } => ("present", count.to_string()),
        }
    }

    #[test]
    fn no_driver_is_absent_only_without_a_gpu() {
        let not_found = Found::NotLoaded(LoadError::NotFound("no such file".into()));
        let half = Found::NotLoaded(LoadError::Incomplete {
            library: "libcuda.so.1",
            missing: "cuEventQuery",
        });
        for (found, words) in [(not_found, "no such file"), (half, "`cuEventQuery`")] {
            let (verdict, text) = reason(judge(found.clone(), None));
            assert_eq!(verdict, "absent");
            assert!(text.contains(words), "{text}");
            let (verdict, text) = reason(judge(found, Some("/dev/nvidia0")));
            assert_eq!(verdict, "unusable");
            assert!(
                text.contains(words) && text.contains("/dev/nvidia0"),
                "{text}"
            );
        }
    }

    #[test]
    fn a_driver_that_fails_is_unusable_unless_it_has_no_device() {
        let verdict = |found| reason(judge(found, None));
        assert_eq!(verdict(failed(code::NO_DEVICE)).0, "absent");
        let (unusable, text) = verdict(failed(999));
        assert_eq!(unusable, "unusable");
        assert!(
            text.contains("cuInit failed: CUDA_ERROR_SO (999): so"),
            "{text}"
        );
        assert!(verdict(failed(code::NOT_INITIALIZED)).1.contains("'spawn'"));
    }

    #[test]
    fn versions_before_12_are_too_old() {
        let devices = |version, count| judge(Found::Devices { version, count }, None);
        assert_eq!(devices((12, 0), 3), Presence::Present { count: 3 });
        assert_eq!(reason(devices((13, 0), 0)).0, "absent");
        let (verdict, text) = reason(devices((11, 8), 1));
        assert_eq!(verdict, "unusable");
        assert!(text.contains("11.8") && text.contains("12.0"), "{text}");
    }

    #[test]
    fn hardware_is_seen_on_the_pci_bus() {
        let root = std::env::temp_dir().join(format!("pygpukit-pci-{}", std::process::id()));
        let device = root.join("sys/bus/pci/devices/0000:01:00.0");
        fs::create_dir_all(&device).unwrap();
        assert_eq!(hardware(&root), None);
        fs::write(device.join("vendor"), "0x10de\n").unwrap();
        fs::write(device.join("class"), "0x020000\n").unwrap();
        assert_eq!(hardware(&root), None, "a network card of the same vendor");
        fs::write(device.join("class"), "0x030200\n").unwrap();
        assert_eq!(hardware(&root), Some("on the PCI bus"));
        fs::remove_dir_all(&root).unwrap();
    }
}
