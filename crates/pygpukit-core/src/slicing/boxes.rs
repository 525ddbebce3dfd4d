//! Into which boxes of blocks a grid is cut.

/// A box of the blocks of a grid: x first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct GridBox {
    /// Its first block.
    pub origin: [u32; 3],
    /// Its length along each axis.
    pub extent: [u32; 3],
}

impl GridBox {
    /// How many blocks it has.
    pub fn blocks(&self) -> u128 {
        volume(self.extent)
    }
}

/// A grid cut into boxes that follow each other in launch order: x runs fastest, then y,
/// then z. Each block is in exactly one box, and every box holds blocks that are launched
/// right after each other.
///
/// That takes whole planes where a slice has room for one, else whole rows of one plane,
/// else pieces of one row: so nothing has to be divided to find a block's place.
///
/// ```
/// use pygpukit_core::slicing::Boxes;
///
/// let boxes = Boxes::at_most([8, 4, 2], 20);
/// let extents: Vec<_> = boxes.iter().map(|each| each.extent).collect();
/// assert_eq!(extents, [[8, 2, 1]; 4]);
/// assert_eq!(boxes.get(3).unwrap().origin, [0, 2, 1]);
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Boxes {
    grid: [u32; 3],
    /// The axis that is cut into pieces. Those before it are whole, those after it cut
    /// into single blocks.
    axis: usize,
    pieces: Pieces,
}

/// How one axis is cut.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Pieces {
    /// Into pieces of that length, the last one of what is left.
    Of { length: u32 },
    /// Into that many pieces, as alike as can be.
    Even { count: u32 },
}

impl Boxes {
    /// Boxes of at most `blocks` blocks, and at least one.
    pub fn at_most(grid: [u32; 3], blocks: u64) -> Self {
        let mut axis = 2;
        let mut inner = volume([grid[0], grid[1], 1]);
        while axis > 0 && inner > u128::from(blocks) {
            axis -= 1;
            inner /= u128::from(grid[axis]);
        }
        let length = u128::from(blocks).checked_div(inner).unwrap_or(1).max(1);
        let length = u32::try_from(length).unwrap_or(u32::MAX);
        Self {
            grid,
            axis,
            pieces: Pieces::Of { length },
        }
    }

    /// `count` boxes of a row of blocks, as alike as can be: no more than there are blocks.
    pub fn even(blocks: u32, count: u32) -> Self {
        Self {
            grid: [blocks, 1, 1],
            axis: 0,
            pieces: Pieces::Even {
                count: count.clamp(1, blocks.max(1)),
            },
        }
    }

    /// The grid that is cut.
    pub const fn grid(&self) -> [u32; 3] {
        self.grid
    }

    /// How many boxes there are; none of a grid without blocks.
    pub fn count(&self) -> u64 {
        if volume(self.grid) == 0 {
            return 0;
        }
        let outer = self.grid[self.axis + 1..]
            .iter()
            .fold(u128::from(self.along()), |count, &length| {
                count * u128::from(length)
            });
        u64::try_from(outer).unwrap_or(u64::MAX)
    }

    /// The boxes, in launch order.
    pub fn iter(&self) -> impl Iterator<Item = GridBox> {
        let boxes = *self;
        (0..self.count()).filter_map(move |index| boxes.get(index))
    }

    /// The box of that number.
    pub fn get(&self, index: u64) -> Option<GridBox> {
        if index >= self.count() {
            return None;
        }
        let mut origin = [0; 3];
        let mut extent = [1; 3];
        extent[..self.axis].copy_from_slice(&self.grid[..self.axis]);
        let (start, end) = self.piece(remainder(index, self.along()));
        origin[self.axis] = start;
        extent[self.axis] = end - start;
        let mut rest = index / u64::from(self.along());
        let outer = origin.iter_mut().zip(self.grid).skip(self.axis + 1);
        for (origin, length) in outer {
            *origin = remainder(rest, length);
            rest /= u64::from(length);
        }
        Some(GridBox { origin, extent })
    }

    /// Pieces along the axis that is cut.
    fn along(&self) -> u32 {
        match self.pieces {
            Pieces::Of { length } => self.grid[self.axis].div_ceil(length),
            Pieces::Even { count } => count,
        }
    }

    /// Where a piece of the axis begins and ends.
    fn piece(&self, index: u32) -> (u32, u32) {
        let whole = self.grid[self.axis];
        match self.pieces {
            Pieces::Of { length } => {
                // The last piece of the longest axis ends beyond 32 bits, but for this.
                let start = index * length;
                (start, start.saturating_add(length).min(whole))
            }
            Pieces::Even { count } => {
                let end = |pieces| {
                    let blocks = u64::from(whole) * u64::from(pieces) / u64::from(count);
                    // No more than the whole.
                    u32::try_from(blocks).unwrap_or(whole)
                };
                (end(index), end(index + 1))
            }
        }
    }
}

fn volume(extent: [u32; 3]) -> u128 {
    extent.into_iter().map(u128::from).product()
}

/// The remainder of a division by a length, which is below that length.
fn remainder(index: u64, length: u32) -> u32 {
    u32::try_from(index % u64::from(length)).unwrap_or(u32::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// The numbers of a box's blocks in launch order, which must be a run of them.
    fn run(at: &GridBox, grid: [u32; 3]) -> Vec<u128> {
        let [width, height, _] = grid.map(u128::from);
        let axis = |axis: usize| {
            let start = u128::from(at.origin[axis]);
            start..start + u128::from(at.extent[axis])
        };
        axis(2)
            .flat_map(|z| axis(1).map(move |y| (y, z)))
            .flat_map(|(y, z)| axis(0).map(move |x| (z * height + y) * width + x))
            .collect()
    }

    #[test]
    fn planes_then_rows_then_pieces_of_rows() {
        let extents = |blocks| {
            let boxes = Boxes::at_most([4, 3, 2], blocks);
            boxes.iter().map(|each| each.extent).collect::<Vec<_>>()
        };
        assert_eq!(extents(24), [[4, 3, 2]]);
        assert_eq!(extents(23), [[4, 3, 1]; 2]);
        assert_eq!(extents(11), [[4, 2, 1], [4, 1, 1], [4, 2, 1], [4, 1, 1]]);
        assert_eq!(extents(4), [[4, 1, 1]; 6]);
        assert_eq!(extents(3)[..2], [[3, 1, 1], [1, 1, 1]]);
        assert_eq!(extents(0), [[1, 1, 1]; 24]);
    }

    #[test]
    fn the_largest_grid_is_cut() {
        let boxes = Boxes::at_most([u32::MAX, 65_535, 65_535], 1 << 31);
        let last = boxes.get(boxes.count() - 1).unwrap();
        assert_eq!(last.origin, [1 << 31, 65_534, 65_534]);
        assert_eq!(last.extent, [u32::MAX - (1 << 31), 1, 1]);
        assert_eq!(boxes.get(boxes.count()), None);
        assert_eq!(
            Boxes::at_most([u32::MAX; 3], u64::MAX).count(),
            u64::from(u32::MAX)
        );
    }

    proptest! {
        #[test]
        fn every_block_is_in_one_box_in_launch_order(
            grid in prop::array::uniform3(0_u32..12),
            blocks in 0_u64..600,
        ) {
            let boxes = Boxes::at_most(grid, blocks);
            let all: Vec<GridBox> = boxes.iter().collect();
            prop_assert_eq!(all.len() as u64, boxes.count());
            let launched: Vec<u128> = all.iter().flat_map(|each| run(each, grid)).collect();
            let expected: Vec<u128> = (0..volume(grid)).collect();
            prop_assert_eq!(launched, expected);
            let largest = all.iter().map(GridBox::blocks).max().unwrap_or(0);
            prop_assert!(largest <= u128::from(blocks.max(1)));
        }

        #[test]
        fn even_boxes_are_alike(blocks in 0_u32..500, count in 0_u32..80) {
            let boxes = Boxes::even(blocks, count);
            let all: Vec<GridBox> = boxes.iter().collect();
            prop_assert_eq!(all.len() as u64, u64::from(count.max(1).min(blocks)));
            let launched: Vec<u128> = all.iter().flat_map(|each| run(each, [blocks, 1, 1])).collect();
            prop_assert_eq!(launched, (0..u128::from(blocks)).collect::<Vec<_>>());
            let sizes = || all.iter().map(GridBox::blocks);
            prop_assert!(sizes().max().unwrap_or(0) <= sizes().min().unwrap_or(0) + 1);
        }
    }
}
