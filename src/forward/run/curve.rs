//! The growth of the number of states over the work: a bounded number of points.

use cubicle_run::CurvePoint;

/// The most points that are kept: beyond that, every second one is dropped.
pub const MOST_POINTS: usize = 256;

/// Points of a curve, evenly thinned out.
#[derive(Clone, Debug, Default)]
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

    /// The parts of the curve: the points, how thin they are, and how many were seen.
    pub fn parts(&self) -> (&[CurvePoint], u32, u64) {
        (&self.points, self.thinned, self.seen)
    }

    /// Rebuilds a curve from [`Curve::parts`].
    pub const fn from_parts(points: Vec<CurvePoint>, thinned: u32, seen: u64) -> Self {
        Self { points, thinned, seen }
    }

    pub fn is_empty(&self) -> bool {
        self.points.is_empty()
    }

    /// The points, and the last one in any case.
    pub fn finish(&self, last: CurvePoint) -> Vec<CurvePoint> {
        let mut points = self.points.clone();
        points.retain(|point| point.work < last.work);
        points.push(last);
        points
    }
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
