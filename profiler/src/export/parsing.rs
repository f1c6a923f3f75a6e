//! Readers of the formats, for tests: what a profile is written as must tell the same numbers.

use std::collections::{BTreeMap, HashMap};

use serde_json::Value;

/// Own sends by function of folded stacks.
pub(crate) fn folded(text: &str) -> BTreeMap<String, u64> {
    let mut own = BTreeMap::new();
    for line in text.lines() {
        let (stack, count) = line.rsplit_once(' ').unwrap();
        let name = stack.rsplit(';').next().unwrap();
        *own.entry(name.to_string()).or_default() += count.parse::<u64>().unwrap();
    }
    own
}

/// Own counts by function of one of a speedscope file's profiles. Events must nest and their places must not fall.
pub(crate) fn speedscope(file: &Value, index: usize) -> BTreeMap<String, u64> {
    let profile = &file["profiles"][index];
    let frames = file["shared"]["frames"].as_array().unwrap();
    let mut own = BTreeMap::new();
    let mut stack: Vec<usize> = Vec::new();
    let mut last = profile["startValue"].as_u64().unwrap();
    for event in profile["events"].as_array().unwrap() {
        let at = event["at"].as_u64().unwrap();
        let frame = usize::try_from(event["frame"].as_u64().unwrap()).unwrap();
        assert!(at >= last && frame < frames.len(), "{event}");
        if let Some(top) = stack.last() {
            let name = frames[*top]["name"].as_str().unwrap();
            *own.entry(name.to_string()).or_default() += at - last;
        }
        last = at;
        match event["type"].as_str().unwrap() {
            "O" => stack.push(frame),
            "C" => assert_eq!(stack.pop(), Some(frame), "{event}"),
            other => panic!("{other}"),
        }
    }
    assert!(stack.is_empty());
    assert_eq!(profile["endValue"].as_u64(), Some(last));
    own
}

/// What a callgrind file says.
#[derive(Default)]
pub(crate) struct Callgrind {
    own: BTreeMap<String, [u64; 5]>,
    /// Own costs by file and line.
    pub(crate) lines: BTreeMap<(String, usize), [u64; 5]>,
    /// Inclusive costs by caller and callee.
    pub(crate) calls: BTreeMap<(String, String), (u64, [u64; 5])>,
    stated: Vec<[u64; 5]>,
}

impl Callgrind {
    /// All own costs together; the file's summary and totals must say the same.
    pub(crate) fn total(&self) -> [u64; 5] {
        let mut total = [0; 5];
        self.own.values().for_each(|costs| add(&mut total, costs));
        assert_eq!(self.stated, [total, total]);
        total
    }

    /// Costs of a function itself.
    pub(crate) fn own(&self, name: &str) -> [u64; 5] {
        self.own[name]
    }

    /// The names of functions.
    pub(crate) fn functions(&self) -> impl Iterator<Item = &str> {
        self.own.keys().map(String::as_str)
    }

    /// A function's own costs and those of its calls.
    pub(crate) fn inclusive(&self, name: &str) -> [u64; 5] {
        let mut sum = self.own[name];
        let out = self.calls.iter().filter(|((caller, _), _)| caller == name);
        out.for_each(|(_, (_, costs))| add(&mut sum, costs));
        sum
    }

    /// The costs of the calls of a function.
    pub(crate) fn incoming(&self, name: &str) -> [u64; 5] {
        let mut sum = [0; 5];
        let into = self.calls.iter().filter(|((_, callee), _)| callee == name);
        into.for_each(|(_, (_, costs))| add(&mut sum, costs));
        sum
    }
}

fn add(sum: &mut [u64; 5], more: &[u64; 5]) {
    sum.iter_mut()
        .zip(more)
        .for_each(|(sum, more)| *sum += more);
}

/// Reads a callgrind file, as far as this crate writes it.
pub(crate) fn callgrind(text: &str) -> Callgrind {
    let mut read = Callgrind::default();
    let mut names: HashMap<(bool, String), String> = HashMap::new();
    let (mut file, mut function, mut callee) = Default::default();
    let mut call: Option<u64> = None;
    for line in text.lines() {
        if let Some((key @ ("fl" | "fn" | "cfi" | "cfn"), value)) = line.split_once('=') {
            let (number, name) = value.split_once(')').unwrap();
            let key_of = (key.ends_with('n'), number.to_string());
            if !name.is_empty() {
                let before = names.insert(key_of.clone(), name[1..].to_string());
                assert_eq!(before, None, "{line}");
            }
            let name = names[&key_of].clone();
            match key {
                "fl" => file = name,
                "fn" => {
                    read.own.entry(name.clone()).or_default();
                    function = name;
                }
                "cfn" => callee = name,
                _ => {}
            }
        } else if let Some(counts) = line.strip_prefix("calls=") {
            call = Some(counts.split_once(' ').unwrap().0.parse().unwrap());
        } else if let Some(costs) = line
            .strip_prefix("summary: ")
            .or(line.strip_prefix("totals: "))
        {
            read.stated.push(numbers(costs).try_into().unwrap());
        } else if line.starts_with(|c: char| c.is_ascii_digit()) {
            let all = numbers(line);
            let costs: [u64; 5] = all[1..].try_into().unwrap();
            match call.take() {
                Some(count) => {
                    assert!(count > 0, "{line}");
                    let key: (String, String) = (String::clone(&function), String::clone(&callee));
                    let edge = read.calls.entry(key).or_default();
                    edge.0 += count;
                    add(&mut edge.1, &costs);
                }
                None => {
                    add(read.own.entry(function.clone()).or_default(), &costs);
                    let line = usize::try_from(all[0]).unwrap();
                    add(
                        read.lines.entry((String::clone(&file), line)).or_default(),
                        &costs,
                    );
                }
            }
        }
    }
    read
}

fn numbers(text: &str) -> Vec<u64> {
    text.split(' ')
        .map(|number| number.parse().unwrap())
        .collect()
}
