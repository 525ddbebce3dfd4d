//! Which kernels can be cut.

/// What is known of a kernel and its launch.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct KernelFacts {
    /// Its blocks wait for each other.
    pub grid_sync: bool,
    /// Its blocks come in clusters.
    pub clusters: bool,
    /// It is launched to have all its blocks resident at once.
    pub cooperative: bool,
}

/// Why a kernel cannot be cut.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Obstacle {
    /// Blocks of one slice would wait for blocks of the next for ever.
    #[error("its blocks wait for each other")]
    GridSync,
    /// A box could cut a cluster in two.
    #[error("its blocks come in clusters")]
    Clusters,
    /// It was promised that all blocks are resident at once.
    #[error("it is launched cooperatively")]
    Cooperative,
    /// To cut wrongly makes a result wrong, not to cut only makes it late.
    #[error("nothing is known of how its blocks work together")]
    Unknown,
}

/// Whether a kernel of which that is known can be cut. `None` if nothing is.
///
/// # Errors
/// The [`Obstacle`].
pub const fn check(facts: Option<KernelFacts>) -> Result<(), Obstacle> {
    match facts {
        None => Err(Obstacle::Unknown),
        Some(facts) if facts.grid_sync => Err(Obstacle::GridSync),
        Some(facts) if facts.clusters => Err(Obstacle::Clusters),
        Some(facts) if facts.cooperative => Err(Obstacle::Cooperative),
        Some(_) => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_is_known_to_be_independent_is_cut() {
        let none = KernelFacts::default();
        assert_eq!(check(Some(none)), Ok(()));
        assert_eq!(check(None), Err(Obstacle::Unknown));
        let grid_sync = KernelFacts {
            grid_sync: true,
            ..none
        };
        assert_eq!(check(Some(grid_sync)), Err(Obstacle::GridSync));
        let clusters = KernelFacts {
            clusters: true,
            ..none
        };
        assert_eq!(check(Some(clusters)), Err(Obstacle::Clusters));
        let cooperative = KernelFacts {
            cooperative: true,
            ..none
        };
        let obstacle = check(Some(cooperative)).unwrap_err();
        assert_eq!(obstacle.to_string(), "it is launched cooperatively");
    }
}
