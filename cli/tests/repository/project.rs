//! The project whose history is made up: the JSON example's classes in files of their own, tests, and how many sends more than at
//! the first commit each test costs after some of the edits.

use std::collections::BTreeMap;
use std::rc::Rc;

use serde_json::Value;

const EXAMPLE: &str = include_str!("../../../examples/json.st");

/// The file that a test reads.
pub(crate) const DATA: &str = "data/catalogue.json";
pub(crate) const VALUES: &str = "src/JsonValues.st";
pub(crate) const READER: &str = "src/JsonReader.st";
pub(crate) const WRITER: &str = "src/JsonWriter.st";
pub(crate) const STATISTICS: &str = "src/JsonStatistics.st";
pub(crate) const TESTS: &str = "tests/JsonTest.st";
pub(crate) const README: &str = "README.md";

/// The files of a commit.
pub(crate) type Files = BTreeMap<String, Rc<str>>;

/// A test, the document that it reads, and whether it writes it, or counts what is in it, afterwards.
pub(crate) struct Test {
    pub(crate) name: &'static str,
    document: &'static str,
    body: &'static str,
    is_visited: bool,
    is_written: bool,
}

pub(crate) const SUITE: [Test; 6] = [
    Test {
        name: "JsonTest>>testNumbers",
        document: "[1, -23, 4.5e1, 600]",
        body: "self assert: (JsonReader read: DOCUMENT) size equals: 4",
        is_visited: false,
        is_written: false,
    },
    Test {
        name: "JsonTest>>testStrings",
        document: r#"["one", "two", "three and four"]"#,
        body: "self assert: (JsonReader read: DOCUMENT) elements first value equals: 'one'",
        is_visited: false,
        is_written: false,
    },
    Test {
        name: "JsonTest>>testLongArray",
        document: "[0,1,2,3,4,5,6,7,8,9,0,1,2,3,4,5,6,7,8,9,0,1,2,3,4,5,6,7,8,9]",
        body: "self assert: (JsonReader read: DOCUMENT) size equals: 30",
        is_visited: false,
        is_written: false,
    },
    Test {
        name: "JsonTest>>testWriting",
        document: r#"{"a":[1,[2,[3]]],"b":{"long name":"text"},"c":[]}"#,
        body: "self assert: (JsonWriter write: (JsonReader read: DOCUMENT)) equals: DOCUMENT",
        is_visited: true,
        is_written: true,
    },
    Test {
        name: "JsonTest>>testStatistics",
        document: r#"[{"a":1},{"b":[true,false,null]},[[]]]"#,
        body: "self assert: (JsonStatistics of: (JsonReader read: DOCUMENT)) deepest equals: 3",
        is_visited: true,
        is_written: false,
    },
    Test {
        name: "JsonTest>>testCatalogue",
        document: "",
        body: "self assert: (JsonReader read: (File contentsOf: 'data/catalogue.json')) size equals: 2",
        is_visited: false,
        is_written: false,
    },
];

const CATALOGUE: &str = "{\"title\": \"Stationery\", \"items\": [1, 2, 3]}";

/// What edits have added to the sends of methods since the first commit.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Extra {
    /// At each activation of `JsonReader>>advance`.
    pub(crate) advance: i64,
    /// At each activation of `JsonWriter>>character:`.
    pub(crate) character: i64,
    /// At each activation of `JsonStatistics>>enter`.
    pub(crate) enter: i64,
    /// At each activation of `OrderedCollection>>do:`.
    pub(crate) walk: i64,
    /// Whether `JsonArray>>add:` looks at every element that is there already.
    pub(crate) is_quadratic: bool,
    /// Spaces more in the file that a test reads.
    pub(crate) spaces: i64,
}

/// Sends of stepping over a space: isSpace, == in it, advance, +, > and at: in that.
const SENDS_OF_A_SPACE: i64 = 6;

impl Extra {
    /// How many sends more a test costs than at the first commit.
    pub(crate) fn sends(&self, test: &Test) -> i64 {
        let is_file = test.document.is_empty();
        let text = if is_file { CATALOGUE } else { test.document };
        let spaces = if is_file { self.spaces } else { 0 };
        let document = serde_json::from_str(text).expect("a document");
        let parts = Parts::of(&document);
        let mut sends = spaces * SENDS_OF_A_SPACE;
        // The reader advances once for each character, and once to stand at the first or behind the last.
        sends += self.advance * (text.chars().count() as i64 + spaces + 1);
        if self.is_quadratic {
            sends += parts.pairs;
        }
        if test.is_written {
            sends += self.character * parts.characters;
        }
        if test.is_visited {
            sends += self.walk * parts.containers;
            if !test.is_written {
                sends += self.enter * parts.containers;
            }
        }
        sends
    }
}

/// What is in a document.
#[derive(Default)]
struct Parts {
    /// Arrays and objects.
    containers: i64,
    /// Characters of names and strings.
    characters: i64,
    /// Pairs of elements of the same array.
    pairs: i64,
}

impl Parts {
    fn of(document: &Value) -> Parts {
        let mut parts = Parts::default();
        parts.add(document);
        parts
    }

    fn add(&mut self, value: &Value) {
        match value {
            Value::String(text) => self.characters += text.chars().count() as i64,
            Value::Array(elements) => {
                let size = elements.len() as i64;
                self.containers += 1;
                self.pairs += size * (size - 1) / 2;
                elements.iter().for_each(|element| self.add(element));
            }
            Value::Object(members) => {
                self.containers += 1;
                for (name, member) in members {
                    self.characters += name.chars().count() as i64;
                    self.add(member);
                }
            }
            Value::Null | Value::Bool(_) | Value::Number(_) => {}
        }
    }
}

/// The text between two marks of the example; the second is not in it.
fn part(from: &str, to: &str) -> String {
    let start = EXAMPLE.find(from).expect("the beginning");
    let length = EXAMPLE[start..].find(to).expect("the end");
    EXAMPLE[start..start + length].trim_end().to_string() + "\n"
}

/// A replacement that has to be possible, once.
pub(crate) fn replaced(text: &str, old: &str, new: &str) -> String {
    assert_eq!(text.matches(old).count(), 1, "{old:?} in\n{text}");
    text.replace(old, new)
}

/// The files of the first commit.
pub(crate) fn first() -> Files {
    let values = part("Error subclass: JsonError", "Object subclass: JsonReader");
    // It counts its elements itself, so that what an edit adds here is known.
    let values = replaced(
        &values,
        "| elements |\n\n    initialize [ elements := OrderedCollection new ]",
        "| elements count |\n\n    initialize [ elements := OrderedCollection new. count := 0 ]",
    );
    let values = replaced(
        &values,
        "        elements add: aValue\n",
        "        elements add: aValue.\n        count := count + 1\n",
    );
    let statistics = part(
        "Object subclass: JsonStatistics",
        "Object subclass: JsonExample",
    );
    let statistics = replaced(
        &statistics,
        "    leave [ \"Come back up.\"",
        "    deepest [ ^deepest ]\n    leave [ \"Come back up.\"",
    );
    let files = [
        (
            "tally.toml",
            "[project]\npaths = [\"src\", \"tests\"]\n".to_string(),
        ),
        (README, "# JSON\n\nA reader and a writer.\n".to_string()),
        (DATA, CATALOGUE.to_string()),
        (VALUES, values),
        (
            READER,
            part("Object subclass: JsonReader", "Object subclass: JsonWriter"),
        ),
        (
            WRITER,
            part(
                "Object subclass: JsonWriter",
                "Object subclass: JsonStatistics",
            ),
        ),
        (STATISTICS, statistics),
        (TESTS, tests()),
    ];
    files
        .into_iter()
        .map(|(path, text)| (path.to_string(), text.into()))
        .collect()
}

fn tests() -> String {
    let mut text =
        "\"What the reader and the writer promise.\"\nTestCase subclass: JsonTest [\n".to_string();
    for test in &SUITE {
        let (_, selector) = test.name.split_once(">>").expect("a selector");
        let literal = format!("'{}'", test.document);
        let body = test.body.replace("DOCUMENT", &literal);
        text.push_str(&format!("    {selector} [ {body} ]\n"));
    }
    text + "]\n"
}
