//! Figure 1: sends against time over the applications.

use super::measured::Measured;
use crate::results::{ModelRow, Point, Regression};
use crate::statistics::{correlation, through_origin, with_intercept};

/// The regression over the basket; absent with fewer than three programs.
pub(super) fn over_applications(
    measured: &Measured<'_>,
    models: &[ModelRow],
) -> Option<Regression> {
    let programs = measured.basket.iter();
    let points: Vec<Point> = programs
        .map(|program| Point {
            name: program.application.name.clone(),
            milliseconds: program.milliseconds,
            sends: program.sends,
        })
        .collect();
    let coordinates = coordinates(&points);
    if points.len() < 3 {
        return None;
    }
    Some(Regression {
        through_origin: through_origin(&coordinates)?,
        with_intercept: with_intercept(&coordinates),
        correlation: correlation(&coordinates),
        leave_one_out: models.first()?.leave_one_out.clone(),
        points,
    })
}

/// Points as statistics take them: time is x and sends are y, as in the paper.
pub(super) fn coordinates(points: &[Point]) -> Vec<(f64, f64)> {
    let points = points.iter();
    points
        .map(|point| (point.milliseconds, point.sends))
        .collect()
}
