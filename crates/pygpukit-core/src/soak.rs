//! How long tests run: seconds each, or minutes by `make soak-core`.

/// Built to run for long.
pub(crate) const IS_LONG: bool = option_env!("SOAK").is_some();

/// Where random events start: `SOAK_SEED`, else 1.
pub(crate) fn seed() -> u64 {
    option_env!("SOAK_SEED")
        .and_then(|seed| seed.parse().ok())
        .unwrap_or(1)
}
