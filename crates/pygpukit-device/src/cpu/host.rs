//! The host: its cores, its memory, its name.

use crate::error::{Error, Result};
use std::fs;
use std::path::Path;

/// Cores that this process may use.
pub(super) fn cores() -> usize {
    std::thread::available_parallelism().map_or(1, std::num::NonZero::get)
}

/// The processor's name.
pub(super) fn name() -> String {
    let info = fs::read_to_string("/proc/cpuinfo").unwrap_or_default();
    let name = info.lines().find_map(|line| {
        let (key, value) = line.split_once(':')?;
        (key.trim() == "model name").then(|| value.trim().to_owned())
    });
    name.unwrap_or_else(|| format!("{} processor", std::env::consts::ARCH))
}

/// Bytes of the last-level cache; 0 if unknown.
pub(super) fn last_level_cache() -> u32 {
    let size = |index| {
        let path = format!("/sys/devices/system/cpu/cpu0/cache/index{index}/size");
        let text = fs::read_to_string(path).ok()?;
        let kibibytes: u32 = text.trim().strip_suffix('K')?.parse().ok()?;
        kibibytes.checked_mul(1024)
    };
    (0..8).filter_map(size).max().unwrap_or(0)
}

/// Bytes of memory that arrays may use: `PYGPUKIT_CPU_MEMORY`, else 80 % of
/// what this process may have.
pub(super) fn capacity() -> Result<u64> {
    match std::env::var("PYGPUKIT_CPU_MEMORY") {
        Ok(text) if !text.is_empty() => parse_bytes(&text).ok_or_else(|| {
            Error::Value(format!(
                "`PYGPUKIT_CPU_MEMORY={text}` is not a size; use bytes, or a number with kB, MB, GB, \
                 TB (powers of 1000) or KiB, MiB, GiB, TiB (of 1024)"
            ))
        }),
        _ => Ok(physical_memory().min(cgroup_limit().unwrap_or(u64::MAX)) / 5 * 4),
    }
}

/// A number of bytes: `4096`, `1.5GB`, `2 GiB`, `4Gi`.
fn parse_bytes(text: &str) -> Option<u64> {
    let text = text.trim();
    let end = text
        .find(|c: char| !c.is_ascii_digit() && c != '.')
        .unwrap_or(text.len());
    let (number, unit) = text.split_at(end);
    let factor: u64 = match unit.trim().to_ascii_lowercase().as_str() {
        "" | "b" => 1,
        "kb" => 1000,
        "mb" => 1000_u64.pow(2),
        "gb" => 1000_u64.pow(3),
        "tb" => 1000_u64.pow(4),
        "ki" | "kib" => 1 << 10,
        "mi" | "mib" => 1 << 20,
        "gi" | "gib" => 1 << 30,
        "ti" | "tib" => 1 << 40,
        _ => return None,
    };
    if let Ok(whole) = number.parse::<u64>() {
        return whole.checked_mul(factor).filter(|&bytes| bytes > 0);
    }
    let bytes = number.parse::<f64>().ok()? * factor as f64;
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "the range was checked"
    )]
    (1.0..u64::MAX as f64)
        .contains(&bytes)
        .then_some(bytes as u64)
}

#[cfg(unix)]
fn physical_memory() -> u64 {
    // SAFETY: `sysconf` reads a constant of the system.
    let (pages, page) = unsafe {
        (
            libc::sysconf(libc::_SC_PHYS_PAGES),
            libc::sysconf(libc::_SC_PAGESIZE),
        )
    };
    match (u64::try_from(pages), u64::try_from(page)) {
        (Ok(pages), Ok(page)) if pages > 0 && page > 0 => pages.saturating_mul(page),
        _ => UNKNOWN_MEMORY,
    }
}

#[cfg(not(unix))]
fn physical_memory() -> u64 {
    UNKNOWN_MEMORY
}

/// What is assumed where the system does not say.
const UNKNOWN_MEMORY: u64 = 4 << 30;

/// The smallest memory limit of the control groups that this process is in,
/// version 2 or 1.
fn cgroup_limit() -> Option<u64> {
    let groups = fs::read_to_string("/proc/self/cgroup").ok()?;
    limit_of(&groups, Path::new("/sys/fs/cgroup"))
}

/// Reads the limits of the groups listed as in `/proc/self/cgroup`, and of those
/// that they are in. In a container the listed path may not exist: the limit is
/// then at the root of what is mounted.
fn limit_of(groups: &str, mount: &Path) -> Option<u64> {
    groups
        .lines()
        .filter_map(|line| {
            let mut parts = line.splitn(3, ':').skip(1);
            let (controllers, group) = (parts.next()?, parts.next()?);
            let (root, file) = if controllers.is_empty() {
                (mount.to_owned(), "memory.max")
            } else if controllers.split(',').any(|name| name == "memory") {
                (mount.join("memory"), "memory.limit_in_bytes")
            } else {
                return None;
            };
            let group = group.trim_start_matches('/');
            Path::new(group)
                .ancestors()
                .filter_map(|group| {
                    let text = fs::read_to_string(root.join(group).join(file)).ok()?;
                    text.trim().parse::<u64>().ok() // "max" is no limit
                })
                .min()
        })
        .min()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes() {
        for (text, bytes) in [
            ("1", 1),
            ("4096", 4096),
            ("4GB", 4_000_000_000),
            ("1.5 kB", 1500),
            ("2GiB", 2 << 30),
            ("512Mi", 512 << 20),
        ] {
            assert_eq!(parse_bytes(text), Some(bytes), "{text}");
        }
        for text in [
            "",
            "0",
            "-1",
            "GB",
            "1XB",
            "1.2.3",
            "0.1",
            "99999999999999999999",
        ] {
            assert_eq!(parse_bytes(text), None, "{text}");
        }
    }

    #[test]
    fn control_groups_of_both_versions() {
        let mount = std::env::temp_dir().join(format!("pygpukit-cgroup-{}", std::process::id()));
        let write = |path: &str, text: &str| {
            let path = mount.join(path);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, text).unwrap();
        };
        write("a/b/memory.max", "max\n");
        write("a/memory.max", "5000\n");
        write("memory/memory.limit_in_bytes", "7000\n");
        assert_eq!(limit_of("0::/a/b\n", &mount), Some(5000));
        assert_eq!(limit_of("0::/elsewhere\n", &mount), None);
        assert_eq!(
            limit_of("4:cpu,memory:/docker/x\n0::/a\n", &mount),
            Some(5000)
        );
        assert_eq!(limit_of("4:memory:/docker/x\n", &mount), Some(7000));
        assert_eq!(limit_of("4:cpu:/a\nnonsense", &mount), None);
        fs::remove_dir_all(&mount).unwrap();
    }

    #[test]
    fn a_machine_has_a_name_cores_and_memory() {
        assert!(!name().is_empty() && cores() > 0);
        assert!(physical_memory() > 1 << 20);
    }
}
