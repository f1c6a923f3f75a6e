//! Schedules of a program's messages as files: `tally.schedule/1`.

use serde::{Deserialize, Serialize};

use tally_explore::{Delivery, ScheduleStep};
use tally_vm::{MODEL_VERSION, NamedMessage};

use crate::error::{Error, ErrorKind};

/// The format and its version.
const SCHEMA: &str = "tally.schedule/1";

/// An order of messages.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Schedule {
    /// A digest of the program's source texts.
    pub program: u64,
    /// The delivery that allows it.
    pub delivery: Delivery,
    /// The messages in the order in which they arrive.
    pub steps: Vec<ScheduleStep>,
    /// How the run ends.
    pub ending: String,
}

#[derive(Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
#[serde(expecting = "an object")]
struct Document {
    schema: String,
    model: u32,
    /// In 16 hexadecimal digits.
    program: String,
    delivery: String,
    ending: String,
    choices: Vec<Choice>,
}

/// A message that arrives: its target, its text, and who sent it as which of a turn's messages. The script has no turn.
#[derive(Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
#[serde(expecting = "an object with a target and a message")]
struct Choice {
    target: String,
    message: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    sender: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    turn: Option<u32>,
    nth: u32,
}

/// Why a file is no schedule.
pub(crate) fn broken_schedule(name: &str, why: &str) -> Error {
    Error::new(ErrorKind::Usage, format!("{name} is no schedule: {why}"))
}

/// Checks what all files with schedules have: the schema that was found and the known one, the model, and a digest of the program, which it answers.
///
/// # Errors
///
/// They are not those of this version.
pub(crate) fn check_schedule(
    (found, known): (&str, &str),
    model: u32,
    program: &str,
    name: &str,
) -> Result<u64, Error> {
    if found != known {
        let why = format!("its schema is {found}, and {known} is known");
        return Err(broken_schedule(name, &why));
    }
    if model != MODEL_VERSION {
        let why = format!("{name} was made with model {model}, and this is model {MODEL_VERSION}");
        return Err(Error::new(ErrorKind::Incomparable, why));
    }
    let digest = u64::from_str_radix(program, 16);
    digest.map_err(|_| broken_schedule(name, "its program is no digest"))
}

impl Schedule {
    /// The schedule as JSON.
    pub fn json(&self) -> String {
        let choices = self.steps.iter().map(|step| Choice {
            target: step.target.clone(),
            message: step.message.clone(),
            sender: step.sender.as_ref().map(|(sender, _)| sender.clone()),
            turn: step.sender.as_ref().map(|(_, turn)| *turn),
            nth: step.nth,
        });
        let document = Document {
            schema: SCHEMA.to_string(),
            model: MODEL_VERSION,
            program: format!("{:016x}", self.program),
            delivery: self.delivery.name().to_string(),
            ending: self.ending.clone(),
            choices: choices.collect(),
        };
        serde_json::to_string_pretty(&document).unwrap_or_default() + "\n"
    }

    /// The schedule in a text.
    ///
    /// # Errors
    ///
    /// The text, named `name`, is no schedule.
    pub fn read(text: &str, name: &str) -> Result<Schedule, Error> {
        let broken = |why: String| broken_schedule(name, &why);
        let document: Document =
            serde_json::from_str(text).map_err(|error| broken(error.to_string()))?;
        let schemas = (document.schema.as_str(), SCHEMA);
        let program = check_schedule(schemas, document.model, &document.program, name)?;
        let delivery = Delivery::named(&document.delivery)
            .ok_or_else(|| broken(format!("there is no delivery {}", document.delivery)))?;
        let steps = document.choices.into_iter().map(|choice| ScheduleStep {
            target: choice.target,
            message: choice.message,
            sender: choice
                .sender
                .map(|sender| (sender, choice.turn.unwrap_or(0))),
            nth: choice.nth,
        });
        Ok(Schedule {
            program,
            delivery,
            steps: steps.collect(),
            ending: document.ending,
        })
    }

    /// The messages by the names that a machine gives them.
    pub fn messages(&self) -> Vec<NamedMessage> {
        let named = self.steps.iter().map(|step| NamedMessage {
            target: step.target.clone(),
            sender: step.sender.clone(),
            nth: step.nth,
            text: step.to_string(),
        });
        named.collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn schedules_are_read_as_they_were_written() {
        let step = |sender: Option<(String, u32)>| ScheduleStep {
            target: "a1".to_string(),
            message: "join: 7".to_string(),
            sender,
            nth: 2,
        };
        let schedule = Schedule {
            program: 0xAB,
            delivery: Delivery::Fifo,
            steps: vec![step(None), step(Some(("a12".to_string(), 1)))],
            ending: "1".to_string(),
        };
        let text = schedule.json();
        assert_eq!(Schedule::read(&text, "x.schedule"), Ok(schedule));
        for (from, to) in [
            ("/1", "/2"),
            ("00ab", "00xy"),
            ("\"nth\"", "\"other\""),
            ("{", ""),
        ] {
            let error = Schedule::read(&text.replacen(from, to, 1), "x.schedule").unwrap_err();
            assert_eq!(error.kind(), ErrorKind::Usage, "{error}");
        }
        let model = format!("\"model\": {MODEL_VERSION}");
        let error = Schedule::read(&text.replacen(&model, "\"model\": 1", 1), "x.schedule");
        assert_eq!(error.unwrap_err().kind(), ErrorKind::Incomparable);
    }
}
