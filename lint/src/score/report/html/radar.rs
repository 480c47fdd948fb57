//! The five decimals as a shape.

use super::super::put;
use crate::score::{ApiScore, Score, THRESHOLD, TOP};

/// Draws the radar of an API. An axis that does not apply is dashed and has no corner.
pub(super) fn radar(page: &mut String, api: &ApiScore) {
    let told: Vec<String> = api
        .scores
        .iter()
        .map(|(dimension, score)| format!("{dimension} {}", score.shown_decimal()))
        .collect();
    put!(
        page,
        "<svg class=\"radar\" viewBox=\"0 0 240 220\" role=\"img\" aria-label=\"{}\">",
        told.join(", ")
    );
    for level in 1..=TOP {
        let goal = if level == THRESHOLD { " goal" } else { "" };
        put!(
            page,
            "<polygon class=\"ring{goal}\" points=\"{}\"/>",
            corners(AXES.iter().map(|axis| at(*axis, f64::from(level))))
        );
    }
    let with_axes = || api.scores.iter().zip(AXES);
    for ((dimension, score), axis) in with_axes() {
        let (x, y) = at(axis, f64::from(TOP));
        let off = if score.level.is_none() { " off" } else { "" };
        put!(
            page,
            "<line class=\"axis{off}\" x1=\"{CENTRE_X}\" y1=\"{CENTRE_Y}\" x2=\"{x:.1}\" y2=\"{y:.1}\"/>"
        );
        let (x, y) = (CENTRE_X + axis.0 * LABEL, CENTRE_Y + axis.1 * LABEL + 4.0);
        put!(
            page,
            "<text x=\"{x:.1}\" y=\"{y:.1}\">{dimension} {}</text>",
            score.shown_decimal()
        );
    }
    let points: Vec<(f64, f64)> = with_axes()
        .filter_map(|((_, score), axis)| point(score, axis))
        .collect();
    put!(
        page,
        "<polygon class=\"area\" points=\"{}\"/>",
        corners(points.iter().copied())
    );
    for (x, y) in points {
        put!(page, "<circle cx=\"{x:.1}\" cy=\"{y:.1}\" r=\"3.5\"/>");
    }
    page.push_str("</svg>\n");
}

fn point(score: &Score, axis: (f64, f64)) -> Option<(f64, f64)> {
    score
        .decimal
        .map(|decimal| at(axis, f64::from(decimal.hundredths()) / 100.0))
}

fn at(axis: (f64, f64), height: f64) -> (f64, f64) {
    let radius = RADIUS * height / f64::from(TOP);
    (CENTRE_X + axis.0 * radius, CENTRE_Y + axis.1 * radius)
}

fn corners(points: impl Iterator<Item = (f64, f64)>) -> String {
    let points: Vec<String> = points.map(|(x, y)| format!("{x:.1},{y:.1}")).collect();
    points.join(" ")
}

/// Five directions, the first upwards, then clockwise.
const AXES: [(f64, f64); 5] = [
    (0.0, -1.0),
    (0.9511, -0.309),
    (0.5878, 0.809),
    (-0.5878, 0.809),
    (-0.9511, -0.309),
];
const CENTRE_X: f64 = 120.0;
const CENTRE_Y: f64 = 112.0;
const RADIUS: f64 = 78.0;
const LABEL: f64 = 96.0;
