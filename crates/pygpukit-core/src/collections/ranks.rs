//! How many are ahead of one.

use smallvec::SmallVec;

/// A set of keys that knows how many are smaller than a given one: a B+ tree
/// whose inner nodes count (Knuth, The Art of Computer Programming 3, 6.2.3 and
/// 6.2.4).
///
/// Adding, removing and counting take O(log n). Nodes that are left are used
/// again.
#[derive(Debug)]
pub(crate) struct Ranks<K> {
    leaves: Vec<Leaf<K>>,
    inners: Vec<Inner<K>>,
    free_leaves: Vec<u32>,
    free_inners: Vec<u32>,
    /// The root, a leaf if the height is 0.
    root: u32,
    height: u32,
    len: usize,
}

const FANOUT: usize = 32;
/// Two neighbours that together hold no more than this become one.
const SPARSE: usize = FANOUT / 2;

#[derive(Clone, Debug, Default)]
struct Leaf<K> {
    keys: SmallVec<[K; FANOUT]>,
}

#[derive(Clone, Debug, Default)]
struct Inner<K> {
    /// No key of a child is less than its bound here, apart from the first's.
    bounds: SmallVec<[K; FANOUT]>,
    children: SmallVec<[Child; FANOUT]>,
}

#[derive(Clone, Copy, Debug)]
struct Child {
    node: u32,
    /// Keys below it.
    count: u32,
}

impl<K: Copy + Ord> Inner<K> {
    /// The child where `key` is or would be.
    fn towards(&self, key: K) -> usize {
        self.bounds[1..].partition_point(|&bound| bound <= key)
    }
}

impl<K: Default> Default for Ranks<K> {
    fn default() -> Self {
        Self {
            leaves: vec![Leaf::default()],
            inners: Vec::new(),
            free_leaves: Vec::new(),
            free_inners: Vec::new(),
            root: 0,
            height: 0,
            len: 0,
        }
    }
}

impl<K: Copy + Default + Ord> Ranks<K> {
    pub(crate) fn len(&self) -> usize {
        self.len
    }

    /// How many are smaller than `key`.
    pub(crate) fn smaller(&self, key: K) -> usize {
        let mut node = self.root;
        let mut ahead = 0;
        for _ in 0..self.height {
            let inner = &self.inners[node as usize];
            let at = inner.towards(key);
            ahead += total(&inner.children[..at]) as usize;
            node = inner.children[at].node;
        }
        let leaf = &self.leaves[node as usize];
        ahead + leaf.keys.partition_point(|&each| each < key)
    }

    /// Adds `key`, which must not be there; says how many are smaller.
    pub(crate) fn insert(&mut self, key: K) -> usize {
        if self.is_full(self.height, self.root) {
            self.split_root();
        }
        let mut node = self.root;
        let mut ahead = 0;
        for level in (0..self.height).rev() {
            let mut at = self.inners[node as usize].towards(key);
            if self.is_full(level, self.inners[node as usize].children[at].node) {
                self.split_child(level, node, at);
                at = self.inners[node as usize].towards(key);
            }
            let children = &mut self.inners[node as usize].children;
            ahead += total(&children[..at]) as usize;
            let child = &mut children[at];
            child.count += 1;
            node = child.node;
        }
        let keys = &mut self.leaves[node as usize].keys;
        let at = keys.partition_point(|&each| each < key);
        keys.insert(at, key);
        self.len += 1;
        ahead + at
    }

    /// Removes `key`, which must be there.
    pub(crate) fn remove(&mut self, key: K) {
        let mut node = self.root;
        for level in (0..self.height).rev() {
            let mut at = self.inners[node as usize].towards(key);
            if self.merge_child(level, node, at) {
                at = self.inners[node as usize].towards(key);
            }
            let child = &mut self.inners[node as usize].children[at];
            child.count -= 1;
            node = child.node;
        }
        let keys = &mut self.leaves[node as usize].keys;
        if let Ok(at) = keys.binary_search(&key) {
            keys.remove(at);
            self.len -= 1;
        }
        while self.height > 0 && self.inners[self.root as usize].children.len() == 1 {
            let only = self.inners[self.root as usize].children[0].node;
            self.free_inner(self.root);
            self.root = only;
            self.height -= 1;
        }
    }

    /// Whether a node, `level` levels above the leaves, has no room.
    fn is_full(&self, level: u32, node: u32) -> bool {
        self.width(level, node) == FANOUT
    }

    fn width(&self, level: u32, node: u32) -> usize {
        if level == 0 {
            self.leaves[node as usize].keys.len()
        } else {
            self.inners[node as usize].children.len()
        }
    }

    fn split_root(&mut self) {
        let root = self.new_inner();
        let count = u32::try_from(self.len).unwrap_or(u32::MAX);
        let inner = &mut self.inners[root as usize];
        inner.bounds.push(K::default());
        inner.children.push(Child {
            node: self.root,
            count,
        });
        self.root = root;
        self.height += 1;
        self.split_child(self.height - 1, root, 0);
    }

    /// Moves the upper half of a full child, itself `level` levels above the
    /// leaves, into a new one behind it.
    fn split_child(&mut self, level: u32, parent: u32, at: usize) {
        let node = self.inners[parent as usize].children[at].node;
        let (right, bound, count) = if level == 0 {
            let right = self.new_leaf();
            let keys = &mut self.leaves[node as usize].keys;
            let upper: SmallVec<_> = keys.drain(FANOUT / 2..).collect();
            let (bound, count) = (upper[0], upper.len());
            self.leaves[right as usize].keys = upper;
            (right, bound, u32::try_from(count).unwrap_or(u32::MAX))
        } else {
            let right = self.new_inner();
            let inner = &mut self.inners[node as usize];
            let children: SmallVec<_> = inner.children.drain(FANOUT / 2..).collect();
            let bounds: SmallVec<_> = inner.bounds.drain(FANOUT / 2..).collect();
            let (bound, count) = (bounds[0], total(&children));
            self.inners[right as usize] = Inner { bounds, children };
            (right, bound, count)
        };
        let inner = &mut self.inners[parent as usize];
        inner.children[at].count -= count;
        inner.children.insert(at + 1, Child { node: right, count });
        inner.bounds.insert(at + 1, bound);
    }

    /// Joins a child with a neighbour if both together are sparse.
    fn merge_child(&mut self, level: u32, parent: u32, at: usize) -> bool {
        let inner = &self.inners[parent as usize];
        let width = |at: usize| self.width(level, inner.children[at].node);
        let joined = |at: usize| width(at) + width(at + 1) <= SPARSE;
        let left = if at + 1 < inner.children.len() && joined(at) {
            at
        } else if at > 0 && joined(at - 1) {
            at - 1
        } else {
            return false;
        };
        let inner = &mut self.inners[parent as usize];
        let Child { node: from, count } = inner.children.remove(left + 1);
        let bound = inner.bounds.remove(left + 1);
        inner.children[left].count += count;
        let into = inner.children[left].node as usize;
        if level == 0 {
            let keys = std::mem::take(&mut self.leaves[from as usize].keys);
            self.leaves[into].keys.extend(keys);
            self.free_leaves.push(from);
        } else {
            let mut moved = std::mem::take(&mut self.inners[from as usize]);
            moved.bounds[0] = bound;
            self.inners[into].bounds.extend(moved.bounds);
            self.inners[into].children.extend(moved.children);
            self.free_inners.push(from);
        }
        true
    }

    fn new_leaf(&mut self) -> u32 {
        self.free_leaves.pop().unwrap_or_else(|| {
            self.leaves.push(Leaf::default());
            u32::try_from(self.leaves.len() - 1).unwrap_or(u32::MAX)
        })
    }

    fn new_inner(&mut self) -> u32 {
        self.free_inners.pop().unwrap_or_else(|| {
            self.inners.push(Inner::default());
            u32::try_from(self.inners.len() - 1).unwrap_or(u32::MAX)
        })
    }

    fn free_inner(&mut self, node: u32) {
        self.inners[node as usize] = Inner::default();
        self.free_inners.push(node);
    }
}

fn total(children: &[Child]) -> u32 {
    children.iter().map(|child| child.count).sum()
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use std::collections::BTreeSet;

    /// Numbers that come in order, as most do, or anywhere.
    fn ops() -> impl Strategy<Value = Vec<(bool, u128, u128)>> {
        let op = (prop::bool::weighted(0.6), 0_u128..100_000, 0_u128..100_000);
        prop::collection::vec(op, 0..1500)
    }

    proptest! {
        #![proptest_config(ProptestConfig { cases: 60, ..ProptestConfig::default() })]

        #[test]
        fn it_counts_as_a_sorted_list_does(ops in ops(), ordered: bool) {
            let mut ranks = Ranks::<u128>::default();
            let mut model = BTreeSet::new();
            for (at, (add, key, asked)) in (0..).zip(ops) {
                if add {
                    let key = if ordered { at << 40 } else { key };
                    if model.insert(key) {
                        prop_assert_eq!(ranks.insert(key), model.range(..key).count());
                    }
                } else if let Some(&key) = model.range(if ordered { 0 } else { key }..).next() {
                    model.remove(&key);
                    ranks.remove(key);
                }
                prop_assert_eq!(ranks.len(), model.len());
                let asked = if ordered { asked << 24 } else { asked };
                prop_assert_eq!(ranks.smaller(asked), model.range(..asked).count());
            }
        }

        #[test]
        fn nodes_are_used_again(rounds in 1_usize..40) {
            let mut ranks = Ranks::<u128>::default();
            for key in 0..2000 {
                ranks.insert(key);
            }
            let most = ranks.leaves.len();
            for round in 0..rounds as u128 {
                // A queue: in at the back, out at the front.
                for at in 0..2000 {
                    ranks.remove(round * 2000 + at);
                    ranks.insert((round + 1) * 2000 + at);
                }
            }
            prop_assert!(ranks.leaves.len() <= most + most / 4 + 2, "{} of {most}", ranks.leaves.len());
        }
    }
}
