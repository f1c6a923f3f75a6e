//! Random statements: loops, processes, redefinitions, handlers.

use super::{CLASSES, EXCEPTIONS, METHODS, Place, SIGNALS, Writer};

impl Writer<'_> {
    pub(super) fn statement(&mut self, depth: u32) -> String {
        if depth == 0 {
            return self.integer(0);
        }
        let d = depth - 1;
        match self.below(26) {
            0..=5 => {
                let name = self.assignable();
                let value = self.integer(d);
                format!("{name} := {value}")
            }
            6..=9 => self.integer(d),
            10 => self.loop_statement(d),
            11 => self.loop_statement(d),
            12 => {
                let (condition, block) = (self.condition(d), self.block(d));
                let word = self.one_of(&["ifTrue:", "ifFalse:"]);
                format!("{condition} {word} {block}")
            }
            13 => self.process_statement(d),
            14 => self.process_statement(d),
            15 => {
                let name = self.some_block();
                let block = match self.below(3) {
                    0 => self.block_with(d),
                    1 => "(A new make: 3)".to_string(),
                    _ => self.block(d),
                };
                format!("{name} := {block}")
            }
            16 => self.redefinition(d),
            17 => {
                let (body, last) = (self.block(d), self.block(d));
                let word = self.one_of(&["ensure:", "ifCurtailed:"]);
                format!("{body} {word} {last}")
            }
            18 => self.handler(d),
            19 => {
                let receiver = self.receiver();
                let (first, second) = (self.message(d), self.message(d));
                format!("{receiver} {first}; {second}; yourself")
            }
            20 => {
                let value = self.integer(d);
                match self.place {
                    Place::Script => format!("x := {value}"),
                    _ => format!("^{value}"),
                }
            }
            21 => {
                let value = self.integer(d);
                format!("Transcript showCr: {value} printString")
            }
            22 => self.one_of(&SIGNALS).to_string(),
            23 => {
                let (value, block) = (self.integer(d), self.block_with(d));
                format!("{value} ifNotNil: {block}")
            }
            24 => self.collection_statement(d),
            _ => {
                let value = self.integer(d);
                format!("{value} printString size")
            }
        }
    }

    pub(super) fn some_block(&mut self) -> String {
        let index = self.below(self.blocks.len().max(1));
        self.blocks
            .get(index)
            .cloned()
            .unwrap_or_else(|| "f".into())
    }

    pub(super) fn loop_statement(&mut self, d: u32) -> String {
        match self.below(13) {
            0 => {
                let body = self.block_with(d);
                format!("1 to: 3 do: {body}")
            }
            1 => {
                let (limit, body) = (self.integer(0), self.block_with(d));
                format!("1 to: ({limit} min: 4) do: {body}")
            }
            2 => {
                let body = self.block_with(d);
                format!("4 to: 1 by: -2 do: {body}")
            }
            3 => {
                let body = self.block(d);
                format!("2 timesRepeat: {body}")
            }
            4 => {
                let body = self.block(d);
                format!("[Root isLit] whileTrue: {body}")
            }
            5 => {
                let body = self.block(d);
                format!("[Root isLit not] whileFalse: {body}")
            }
            6 => {
                let body = self.sequence(d, true);
                format!("[{body}. Root isLit] whileTrue")
            }
            7 => {
                let body = self.block_with(d);
                format!("(1/2) to: 2 do: {body}")
            }
            8 => {
                let block = self.some_block();
                format!("1 to: 3 do: {block}")
            }
            9 => {
                let block = self.some_block();
                format!("2 timesRepeat: {block}")
            }
            10 => {
                let block = self.some_block();
                format!("[Root isLit] whileTrue: {block}")
            }
            11 => {
                let body = self.block_with(d);
                let step = self.one_of(&["1.5", "-1", "(0 - 1)", "2", "(1/2)"]);
                format!("3 to: 1 by: {step} do: {body}")
            }
            _ => {
                let body = self.block_with(d);
                format!("2305843009213693950 to: 2305843009213693952 do: {body}")
            }
        }
    }

    pub(super) fn process_statement(&mut self, d: u32) -> String {
        match self.below(14) {
            0..=2 => {
                let body = self.block(d);
                format!("{body} fork")
            }
            3 => {
                let body = self.block(d);
                let priority = self.one_of(&["50", "30", "40", "60"]);
                format!("{body} forkAt: {priority}")
            }
            4..=5 => "Processor yield".into(),
            6 => {
                let body = self.block(d);
                format!("{body} newProcess resume; terminate")
            }
            7 => {
                let body = self.block(d);
                format!("{body} fork terminate; isTerminated")
            }
            8 => {
                let body = self.block(d);
                format!("({body} fork) in: [:pr | Processor yield. pr terminate. Processor yield]")
            }
            9 => {
                let body = self.block(d);
                format!("[[{body} value. Processor yield. 1] ensure: {body}] fork")
            }
            10 => match self.place {
                Place::Script => {
                    let body = self.block(d);
                    format!("[s wait. {body} value] fork. Processor yield. s signal")
                }
                _ => "Processor yield".into(),
            },
            11 => match self.place {
                Place::Script => "s signal. s wait".into(),
                _ => "Processor yield".into(),
            },
            12 => {
                let body = self.block(d);
                format!("(Semaphore forMutualExclusion) critical: {body}")
            }
            _ => {
                let body = self.block(d);
                let priority = self.one_of(&["50", "30"]);
                format!(
                    "Processor activeProcess in: [:me | {body} fork. me priority: {priority}. Processor yield. me priority: 40]"
                )
            }
        }
    }

    pub(super) fn redefinition(&mut self, _d: u32) -> String {
        let number = match self.place {
            Place::Method(number) => self.below(number + 1),
            _ => 0,
        };
        let method = self.below(METHODS);
        let body = self.inside(Place::Method(number), |this| {
            this.reach_of_method();
            let body = this.sequence(1, true);
            format!("| t u | t := k. u := [k]. Root isLit ifFalse: [^k]. {body}")
        });
        let source = format!("m{method}: k {body}").replace('\'', "''");
        format!("{} compile: '{source}'", CLASSES[number])
    }

    pub(super) fn collection_statement(&mut self, d: u32) -> String {
        let block = self.block_with(d);
        match self.below(8) {
            0 => format!("#(3 1 2) do: {block}"),
            1 => format!("(OrderedCollection new add: 1; add: 2; yourself) do: {block}"),
            2 => format!("(#(3 1 2) collect: {block}) size"),
            3 => format!("(1 to: 3) do: {block}"),
            4 => format!("#(1 2) reverseDo: {block}"),
            5 => format!("(#(4 5) asOrderedCollection) do: {block} separatedBy: [Processor yield]"),
            6 => {
                let name = self.some_block();
                format!("#(1 2) do: {name}")
            }
            _ => format!("(Dictionary new at: 1 put: 2; yourself) do: {block}"),
        }
    }

    pub(super) fn handler(&mut self, d: u32) -> String {
        let (body, class) = (self.block(d), self.one_of(&EXCEPTIONS));
        let name = self.new_name('e');
        self.exceptions.push(name.clone());
        let deed = self.deed(d, &name);
        let before = match self.chance(3) {
            true => format!("{}. ", self.statement(d)),
            false => String::new(),
        };
        self.exceptions.pop();
        format!("({body} on: {class} do: [:{name} | {before}{deed}])")
    }

    /// What a handler block does in the end.
    pub(super) fn deed(&mut self, d: u32, name: &str) -> String {
        let value = self.integer(d.min(1));
        match self.below(17) {
            0..=1 => format!("{name} return: {value}"),
            2 => format!("Root isLit ifTrue: [{name} retry] ifFalse: [{value}]"),
            3..=4 => format!("{name} resume: {value}"),
            5 => format!("{name} pass"),
            6 => format!("{name} outer. {value}"),
            7 => format!("{name} signal. {value}"),
            8 => format!("Root isLit ifTrue: [{name} retryUsing: [{value}]] ifFalse: [{value}]"),
            9 => value,
            10 => match self.place {
                Place::Script => value,
                _ => format!("^{value}"),
            },
            11 => self.one_of(&SIGNALS).to_string(),
            12 => format!("{name} return"),
            13 => format!("({name} resume: {value}) + 1"),
            14 => {
                format!("Root isLit ifTrue: [{name} resignalAs: Oops new] ifFalse: [{value}]")
            }
            15 => format!("{name} messageText size"),
            _ => format!("[{name} return: {value}] ensure: [{value}]"),
        }
    }
}
