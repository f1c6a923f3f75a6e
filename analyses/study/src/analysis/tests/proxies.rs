//! Tests of how one number stands for time.

use crate::data::{Cost, Role};
use crate::made::{Made, assert_near};
use crate::results::ProxyRow;
use crate::study;

/// Programs that take 1, 2 and 4 ms for each thousand of work, and the same for each ten sends.
fn programs(role: Role) -> Made {
    let mut made = Made::new();
    for (number, rate) in [1.0, 2.0, 4.0].into_iter().enumerate() {
        let size = [5, 3, 1][number];
        let cost = Cost {
            sends: 10 * size,
            work: 1000 * size,
            ..Cost::default()
        };
        made.whole(
            &format!("program {number}"),
            role,
            rate * size as f64,
            &cost,
        );
    }
    made
}

fn row<'r>(rows: &'r [ProxyRow], group: &str, number: &str) -> Option<&'r ProxyRow> {
    rows.iter()
        .find(|row| row.group == group && row.number == number)
}

#[test]
fn each_program_is_predicted_by_the_factor_of_the_others() {
    let rows = study(&programs(Role::Blind).data()).proxies;
    for number in ["sends", "work"] {
        let row = row(&rows, "blind programs", number).expect("a row");
        let errors = row.leave_one_out.errors.iter().map(|error| error.error);
        // √(2 · 4) / 1, √(1 · 4) / 2 and √(1 · 2) / 4, less 1.
        for (found, expected) in errors.zip([182.843, 0.0, -64.645]) {
            assert_near(found, expected, 0.001);
        }
        assert_near(row.leave_one_out.median.unwrap(), 64.645, 0.001);
        // The logarithms of 1, 2 and 4 deviate by that of 2.
        assert_near(row.spread.unwrap(), 2_f64.ln(), 1e-9);
        let interval = row.median_interval.unwrap();
        assert!(interval.low <= 64.645 && interval.high >= 64.644);
    }
    assert!(row(&rows, "the basket", "work").is_none());
    assert!(row(&rows, "all", "work").is_some());
    assert!(row(&rows, "the paper's applications", "sends").is_some());
}

#[test]
fn programs_without_work_are_left_out() {
    let mut made = programs(Role::Basket);
    for number in 3..9 {
        made.program(&format!("program {number}"), 1.0, 100);
    }
    let rows = study(&made.data()).proxies;
    assert_eq!(row(&rows, "the basket", "work").expect("a row").programs, 3);
}
