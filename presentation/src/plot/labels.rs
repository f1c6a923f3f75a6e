//! Labels beside points. No label covers another label or a point, and none leaves the picture. A point whose label has
//! no room is named in its title only.

use super::canvas::text_width;

/// Height of a label.
const HEIGHT: f64 = 12.0;
/// Between two labels.
const APART: f64 = 5.0;
/// From a point to its label.
const NEAR: f64 = 7.0;
/// From here on a line leads to the label.
const LED: f64 = 12.0;

/// A rectangle that is taken.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Box {
    /// Left edge.
    pub(super) left: f64,
    /// Upper edge.
    pub(super) top: f64,
    /// Right edge.
    pub(super) right: f64,
    /// Lower edge.
    pub(super) bottom: f64,
}

impl Box {
    /// The square round a point.
    pub(super) fn round(point: (f64, f64), reach: f64) -> Box {
        Box {
            left: point.0 - reach,
            top: point.1 - reach,
            right: point.0 + reach,
            bottom: point.1 + reach,
        }
    }

    /// With room to its left and right, so that two labels are two words.
    fn padded(&self) -> Box {
        Box {
            left: self.left - APART,
            right: self.right + APART,
            ..*self
        }
    }

    fn meets(&self, other: &Box) -> bool {
        self.left < other.right
            && other.left < self.right
            && self.top < other.bottom
            && other.top < self.bottom
    }

    fn is_inside(&self, other: &Box) -> bool {
        self.left >= other.left
            && self.right <= other.right
            && self.top >= other.top
            && self.bottom <= other.bottom
    }
}

/// The position of a label.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Place {
    /// The space that the label takes.
    pub(super) taken: Box,
    /// Where a line to it ends, if it needs one.
    pub(super) lead: Option<(f64, f64)>,
}

/// The areas that labels must not cover.
pub(super) struct Room {
    area: Box,
    taken: Vec<Box>,
    /// The areas that a label may cover if there is no better place.
    crossed: Vec<Box>,
}

impl Room {
    /// An area with points in it, and lines that are better not covered, as points along them.
    pub(super) fn new(area: Box, points: &[(f64, f64)], lines: &[(f64, f64)]) -> Room {
        Room {
            area,
            taken: points.iter().map(|point| Box::round(*point, 4.5)).collect(),
            crossed: lines.iter().map(|point| Box::round(*point, 1.0)).collect(),
        }
    }

    /// A place for a label of that point, which is taken then.
    pub(super) fn place(&mut self, point: (f64, f64), text: &str) -> Option<Place> {
        let mut best: Option<(usize, Place)> = None;
        for (rank, place) in candidates(point, text_width(text)).into_iter().enumerate() {
            let is_free = place.taken.is_inside(&self.area)
                && !self.taken.iter().any(|taken| taken.meets(&place.taken));
            if !is_free {
                continue;
            }
            let crossed = self
                .crossed
                .iter()
                .filter(|line| line.meets(&place.taken))
                .count();
            let badness = rank + crossed.min(3) * 6;
            if best.is_none_or(|(least, _)| badness < least) {
                best = Some((badness, place));
            }
        }
        let (_, place) = best?;
        self.taken.push(place.taken.padded());
        Some(place)
    }
}

/// Places for a label, the best first.
fn candidates(point: (f64, f64), width: f64) -> Vec<Place> {
    const WAYS: [(f64, f64); 8] = [
        (1.0, 0.0),
        (-1.0, 0.0),
        (1.0, -1.0),
        (-1.0, 1.0),
        (1.0, 1.0),
        (-1.0, -1.0),
        (0.0, -1.0),
        (0.0, 1.0),
    ];
    let mut places = Vec::new();
    for distance in [NEAR, 16.0, 28.0, 42.0] {
        for way in WAYS {
            places.push(beside(point, width, way, distance));
        }
    }
    places
}

fn beside(point: (f64, f64), width: f64, way: (f64, f64), distance: f64) -> Place {
    let reach = match way {
        (across, down) if across != 0.0 && down != 0.0 => distance * 0.75,
        _ => distance,
    };
    let near = (point.0 + way.0 * reach, point.1 + way.1 * reach);
    let left = match way.0 {
        across if across > 0.0 => near.0,
        across if across < 0.0 => near.0 - width,
        _ => near.0 - width / 2.0,
    };
    let top = match way.1 {
        down if down > 0.0 => near.1 - 3.0,
        down if down < 0.0 => near.1 - HEIGHT + 3.0,
        _ => near.1 - HEIGHT / 2.0,
    };
    Place {
        taken: Box {
            left,
            top,
            right: left + width,
            bottom: top + HEIGHT,
        },
        lead: (distance > LED).then_some(near),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    const AREA: Box = Box {
        left: 0.0,
        top: 0.0,
        right: 500.0,
        bottom: 300.0,
    };

    #[test]
    fn a_lonely_point_has_its_name_to_the_right() {
        let mut room = Room::new(AREA, &[(100.0, 100.0)], &[]);
        let place = room
            .place((100.0, 100.0), "name")
            .map(|place| place.taken.left);
        assert_eq!(place, Some(107.0));
    }

    proptest! {
        #[test]
        fn names_cover_nothing(points in prop::collection::vec((0.0f64..500.0, 0.0f64..300.0), 1..30)) {
            let mut room = Room::new(AREA, &points, &[]);
            let places: Vec<Box> = points.iter().filter_map(|point| room.place(*point, "a name")).map(|place| place.taken).collect();
            for (number, place) in places.iter().enumerate() {
                prop_assert!(place.is_inside(&AREA));
                prop_assert!(places[..number].iter().all(|other| !other.meets(place)));
                prop_assert!(points.iter().all(|point| !Box::round(*point, 4.0).meets(place)));
            }
        }
    }
}
