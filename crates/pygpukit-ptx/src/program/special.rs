//! Special registers.

use crate::execute::{LaneMask, Special};

/// What a name that starts with `%` stands for, if it does not change within a block.
pub(super) fn special(name: &str) -> Option<Special> {
    let axis = |name: &str| match name {
        "x" => Some(0),
        "y" => Some(1),
        "z" => Some(2),
        _ => None,
    };
    if let Some((register, suffix)) = name.split_once('.') {
        let axis = axis(suffix)?;
        return Some(match register {
            "%tid" => Special::Thread(axis),
            "%ntid" => Special::Threads(axis),
            // Without clusters each block is one of its own.
            "%ctaid" | "%clusterid" => Special::Block(axis),
            "%nctaid" | "%nclusterid" => Special::Blocks(axis),
            "%cluster_ctaid" => Special::Fixed(0),
            "%cluster_nctaid" => Special::Fixed(1),
            _ => return None,
        });
    }
    Some(match name {
        "%laneid" => Special::Lane,
        "%warpid" => Special::Warp,
        "%nwarpid" => Special::Warps,
        "%lanemask_eq" => Special::LaneMask(LaneMask::Equal),
        "%lanemask_lt" => Special::LaneMask(LaneMask::Less),
        "%lanemask_le" => Special::LaneMask(LaneMask::LessOrEqual),
        "%lanemask_gt" => Special::LaneMask(LaneMask::Greater),
        "%lanemask_ge" => Special::LaneMask(LaneMask::GreaterOrEqual),
        "%total_smem_size" => Special::SharedBytes,
        "%dynamic_smem_size" => Special::DynamicSharedBytes,
        "%smid" | "%cluster_ctarank" => Special::Fixed(0),
        "%nsmid" | "%cluster_nctarank" => Special::Fixed(1),
        "WARP_SZ" => Special::Fixed(32),
        name => {
            let number = name.strip_prefix("%envreg")?;
            number.parse::<u32>().ok().filter(|number| *number < 32)?;
            Special::Fixed(0)
        }
    })
}
