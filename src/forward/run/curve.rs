//! How the number of states grew with the work: a bounded number of points.

use cubicle_run::result::CurvePoint;

/// No more points than this are kept: every second one goes when there are more.
pub const MOST_POINTS: usize = 256;

/// Points of a curve, evenly thinned out.
#[derive(Clone, Debug, Default)]
pub struct Curve {
    points: Vec<CurvePoint>,
    /// One of so many points is kept (as a power of two).
    thinned: u32,
    seen: u64,
}

impl Curve {
    /// Notes a point, which `make` makes when it is kept.
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

    /// What it is made of: the points, how thin they are, and how many were seen.
    pub fn parts(&self) -> (&[CurvePoint], u32, u64) {
        (&self.points, self.thinned, self.seen)
    }

    /// From [`Curve::parts`].
    pub const fn from_parts(points: Vec<CurvePoint>, thinned: u32, seen: u64) -> Self {
        Self { points, thinned, seen }
    }

    /// Whether there is no point.
    pub fn is_empty(&self) -> bool {
        self.points.is_empty()
    }

    /// The points, and the last one whatever was left out.
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
