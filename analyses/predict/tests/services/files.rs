//! Services in files.

use serde_json::Value;
use tally_predict::{Service, ServiceDocument};

use super::{Program, exactly, service, thresholds};

fn read(text: &str) -> Result<Service, String> {
    let document: ServiceDocument =
        serde_json::from_str(text).map_err(|error| error.to_string())?;
    document.service().map_err(|error| error.message)
}

fn merges(n: u64) -> u64 {
    match n {
        ..2 => 0,
        _ => merges(n / 2) + merges(n - n / 2) + 3 * n + n % 2,
    }
}

/// Programs with all classes of functions.
const PROGRAMS: &[Program] = &[
    |at| vec![(at[0] * at[0] * at[0]) as u64],
    |at| vec![u64::from(at[0].ilog2()) * 7 + at[0] as u64 / 3],
    |at| vec![if at[0] % 3 == 0 { at[0] as u64 * 5 } else { 2 }],
    |at| vec![thresholds(at[0], 11) * 11 + 5],
    |at| vec![(0..at[0].min(60)).fold((1, 1), |(a, b), _| (b, a + b)).0],
    |at| vec![merges(at[0] as u64)],
    |at| vec![if at[0] < 900 { 4 } else { 9 * at[0] as u64 }],
    |at| vec![((at[0] as f64).powf(1.5) * (3.0 + (at[0] as f64).sin() / 50.0)) as u64],
    |at| vec![(at[0] as u64).wrapping_mul(0x9E37_79B9_7F4A_7C15) >> 48],
];

#[test]
fn services_are_the_same_when_they_are_read_again() {
    let mut classes = std::collections::BTreeSet::new();
    for program in PROGRAMS {
        let one = service(*program);
        let text = serde_json::to_string_pretty(&one.document()).unwrap();
        let again = read(&text).unwrap();
        assert_eq!(again, one, "{text}");
        let document: Value = serde_json::from_str(&text).unwrap();
        assert_eq!(document["schema"], "tally.service/1");
        let parts = document["functions"][0]["parts"].as_array().unwrap();
        for part in parts {
            let function = &part["function"];
            let name = function.as_object().and_then(|all| all.keys().next());
            classes.insert(name.map_or("table", String::as_str).to_string());
        }
        for n in [1_i64, 77, 30] {
            assert_eq!(
                exactly(&again.functions[0], &[n]),
                exactly(&one.functions[0], &[n])
            );
        }
    }
    let all: Vec<&str> = classes.iter().map(String::as_str).collect();
    assert_eq!(
        all,
        ["approximate", "recurrence", "regular", "sum", "table"]
    );
}

/// Whatever a file holds, it is read or refused, and what is read has a value or an error.
#[test]
fn forged_files_are_refused_or_harmless() {
    let forged = ["-1", "0", "1/0", "x", "99999999999999999999"];
    let mut refused = 0;
    for program in PROGRAMS {
        let document = serde_json::to_value(service(*program).document()).unwrap();
        let mut places = Vec::new();
        paths(&document, &mut String::new(), &mut places);
        // The points are many, and alike.
        places.retain(|place| !place.contains("/points/") || place.ends_with("/0/0"));
        for place in places {
            let wrong = forged.iter().map(|text| Value::from(*text));
            let numbers = [-1_i64, 4_000_000_000].into_iter().map(Value::from);
            for value in wrong.chain(numbers).chain([Value::Null]) {
                let mut other = document.clone();
                *other.pointer_mut(&place).unwrap() = value;
                match read(&other.to_string()) {
                    Err(message) => {
                        assert!(!message.is_empty());
                        refused += 1;
                    }
                    Ok(read) => {
                        for n in [0_i64, 5, 200, 1 << 40] {
                            let _ = exactly(&read.functions[0], &[n]);
                        }
                        let _ = read.functions[0].text();
                    }
                }
            }
        }
    }
    assert!(refused > 500, "{refused}");
    assert!(read("{}").is_err());
    assert!(read("[]").is_err());
    let other = serde_json::to_string(&service(PROGRAMS[0]).document()).unwrap();
    assert!(
        read(&other.replace("service/1", "service/9"))
            .unwrap_err()
            .contains("schema")
    );
}

/// The places of all values in a document that hold no others.
fn paths(value: &Value, path: &mut String, found: &mut Vec<String>) {
    let mut inside = |key: &str, value: &Value, path: &mut String| {
        let length = path.len();
        path.push('/');
        path.push_str(key);
        paths(value, path, found);
        path.truncate(length);
    };
    match value {
        Value::Array(all) => {
            for (place, one) in all.iter().enumerate() {
                inside(&place.to_string(), one, path);
            }
        }
        Value::Object(all) => all.iter().for_each(|(key, one)| inside(key, one, path)),
        _ => found.push(path.clone()),
    }
}
