//! The machines that price programs of actors: `[machine.NAME]`.

use tally_explore::{COSTS, Departure, MOST_TICKS, Machine};
use toml::de::DeValue;

use super::{Reading, Value};

const EXPECTED: &str = "a number of ticks";

impl Reading {
    pub(super) fn machines(&mut self, value: &Value<'_>) {
        let Some(table) = self.table(value, "tables of costs, [machine.NAME]") else {
            return;
        };
        for (key, value) in table {
            let Some(costs) = self.table(value, "a table of costs, [machine.NAME]") else {
                continue;
            };
            let mut machine = Machine::default();
            for (key, value) in costs {
                self.cost(&mut machine, key, value);
            }
            let name = key.get_ref().to_string();
            if Machine::named(&name, &[]).is_ok() {
                let message = format!("the machine {name} is always there");
                self.complain(message, key.span(), "expected another name");
            }
            self.settings.machines.push((name, machine));
        }
    }

    fn cost(
        &mut self,
        machine: &mut Machine,
        key: &toml::Spanned<toml::de::DeString<'_>>,
        value: &Value<'_>,
    ) {
        let name = key.get_ref().as_ref();
        match name {
            "send" | "new" => {
                let parts = "a table, { sending = 3, receiving = 2 }";
                let Some(table) = self.table(value, parts) else {
                    return;
                };
                for (part, value) in table {
                    match part.get_ref().as_ref() {
                        side @ ("sending" | "receiving") => {
                            self.ticks(machine, &format!("{name}.{side}"), value);
                        }
                        _ => self.unknown(part, &["sending", "receiving"]),
                    }
                }
            }
            "departure" => match value.get_ref() {
                DeValue::String(text) if let Some(departure) = Departure::named(text) => {
                    machine.departure = departure;
                }
                _ => self.mistyped(value, "\"end\" or \"exact\""),
            },
            _ if COSTS.iter().any(|(cost, _)| *cost == name) => self.ticks(machine, name, value),
            _ => {
                let known = [
                    "send",
                    "new",
                    "replace",
                    "dispose",
                    "latency",
                    "gap",
                    "departure",
                ];
                self.unknown(key, &known);
            }
        }
    }

    fn ticks(&mut self, machine: &mut Machine, name: &str, value: &Value<'_>) {
        let Some(ticks) = self.number(value, EXPECTED) else {
            return;
        };
        if ticks <= MOST_TICKS {
            machine.set(name, ticks);
            return;
        }
        self.complain(
            "the number is too large",
            value.span(),
            format!("expected {EXPECTED}, at most {MOST_TICKS}"),
        );
    }
}
