//! The growth of the number of states over the work: a bounded number of points.

use serde::{Deserialize, Serialize};

use cubicle_run::CurvePoint;

/// The most points that are kept: beyond that, every second one is dropped.
pub const MOST_POINTS: usize = 256;

/// Points of a curve, evenly thinned out.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Curve {
    points: Vec<CurvePoint>,
    /// One point in this many is kept (as a power of two).
    thinned: u32,
    seen: u64,
}

impl Curve {
    /// Records a point; `make` computes it only when it is kept.
    pub fn note(&mut self, make: impl FnOnce() -> CurvePoint) {
        let kept = self.seen.trailing_zeros() >= self.thinned;
        self.seen += 1;
        if kept {
            self.points.push(make());
        }
        if self.points.len() > MOST_POINTS {
            let mut even = false;
            self.points.retain(|_| {
                even = !even;
                even
            });
            self.thinned += 1;
        }
    }

    /// Whether it may be that of a breadth-first search that has finished this level: one point for each level so far.
    pub fn ends_with_level(&self, level: usize) -> bool {
        let Self { points, thinned, seen } = self;
        let grows = |a: &CurvePoint, b: &CurvePoint| a.work < b.work && a.states <= b.states;
        points.is_sorted_by(grows)
            && points.last().is_none_or(|last| last.work <= level as u64)
            && *seen == level as u64 + 1
            && points.len() <= MOST_POINTS
            && *thinned < u64::BITS
    }

    /// Records a level of a breadth-first search, and the number of states up to it.
    pub fn note_level(&mut self, depth: usize, states: usize) {
        self.note(|| level(depth, states));
    }

    /// The points of a breadth-first search, and the last level in any case; none where none was recorded.
    pub fn levels(&self, depth: usize, states: usize) -> Vec<CurvePoint> {
        if self.points.is_empty() { Vec::new() } else { self.finish(level(depth, states)) }
    }

    /// The points, and the last one in any case.
    pub fn finish(&self, last: CurvePoint) -> Vec<CurvePoint> {
        let mut points = self.points.clone();
        points.retain(|point| point.work < last.work);
        points.push(last);
        points
    }
}

fn level(depth: usize, states: usize) -> CurvePoint {
    CurvePoint { work: depth as u64, states, techniques: Vec::new() }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn points_are_evenly_thinned_out() {
        let mut curve = Curve::default();
        let point = |work: u64| CurvePoint { work, states: work as usize, techniques: Vec::new() };
        (0..10_000).for_each(|work| curve.note(|| point(work)));
        let points = curve.finish(point(10_000));
        assert!(points.len() <= MOST_POINTS + 1 && points.len() > MOST_POINTS / 4, "{}", points.len());
        let gaps: Vec<u64> =
            points[..points.len() - 1].windows(2).map(|pair| pair[1].work - pair[0].work).collect();
        assert!(gaps.iter().all(|gap| *gap == gaps[0]), "{gaps:?}");
        assert_eq!(points.last().map(|point| point.work), Some(10_000));
    }
}
