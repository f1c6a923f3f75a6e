//! A small model of processors with two servers, which shares no code with the machine: a search over all states of a program, with nothing left out.
//!
//! A server has a queue, from which it takes one item after the other. Who has its lock sends there. An unlock is the last item of a lock's owner.
//! All that want locks stand in one list, in the order in which they wanted them. The first whose locks are all free gets them, then the next one.

use std::collections::{BTreeMap, BTreeSet, HashSet, VecDeque};
use std::fmt::Write;

/// The names of the servers in programs.
const SERVERS: [&str; 2] = ["s", "t"];

/// What a client does.
#[derive(Clone, Debug)]
pub(super) enum Act {
    /// It locks these servers for what it does then, if the log of the first one has at least this length.
    Scope {
        servers: Vec<usize>,
        length: Option<usize>,
        acts: Vec<Act>,
    },
    /// It lets a server add the letter to its log.
    Note(usize, char),
    /// It does so, and shows the log that is answered.
    Ask(usize, char),
    /// It does so, and does not wait for the log.
    Future(usize, char),
    /// It waits for the log that was answered when this letter was added, and shows it.
    Value(char),
    /// It shows the letter.
    Show(char),
}

/// What some clients do, and whether the script, which has started them, shows both logs under one lock.
#[derive(Clone, Debug)]
pub(super) struct Plan {
    pub(super) clients: Vec<Vec<Act>>,
    pub(super) is_shown_together: bool,
}

/// What a run writes, and whether it comes to its end.
pub(super) type Ending = (String, bool);

// --- the program -----------------------------------------------------------------------------------

/// The class of a client, as text.
struct Body {
    methods: Vec<String>,
    futures: Vec<char>,
}

impl Body {
    /// The statements. Servers that are locked are arguments.
    fn statements(&mut self, acts: &[Act], locked: &[usize]) -> String {
        let name = |server: usize| match locked.contains(&server) {
            true => format!("p{}", SERVERS[server]),
            false => SERVERS[server].to_string(),
        };
        let mut text = String::new();
        for act in acts {
            let statement = match act {
                Act::Note(server, letter) => format!("{} note: '{letter}'", name(*server)),
                Act::Ask(server, letter) => {
                    let query = format!("{} asked: '{letter}'", name(*server));
                    format!("Transcript show: '<', ({query}), '>'")
                }
                Act::Future(server, letter) => {
                    self.futures.push(*letter);
                    format!("f{letter} := {} future asked: '{letter}'", name(*server))
                }
                Act::Value(letter) => format!("Transcript show: '{{', f{letter} value, '}}'"),
                Act::Show(letter) => format!("Transcript show: '{letter}'"),
                Act::Scope {
                    servers,
                    length,
                    acts,
                } => {
                    let call: Vec<String> = servers.iter().map(|one| name(*one)).collect();
                    self.scope(servers, *length, acts, &call)
                }
            };
            let _ = write!(text, "{statement}. ");
        }
        text
    }

    /// A call of a new method that locks the servers.
    fn scope(
        &mut self,
        servers: &[usize],
        length: Option<usize>,
        acts: &[Act],
        arguments: &[String],
    ) -> String {
        // Only arguments of the method are locked by it.
        let body = self.statements(acts, servers);
        let number = self.methods.len();
        let keyword = |place: usize| match place {
            0 => format!("m{number}:"),
            _ => "and:".to_string(),
        };
        let mut head = String::new();
        let mut call = "self".to_string();
        for (place, server) in servers.iter().enumerate() {
            let keyword = keyword(place);
            let _ = write!(head, "{keyword} p{} ", SERVERS[*server]);
            let _ = write!(call, " {keyword} {}", arguments[place]);
        }
        let condition = length.map(|length| {
            let server = SERVERS[servers[0]];
            format!("self require: [p{server} isLong: {length}]. ")
        });
        let condition = condition.unwrap_or_default();
        self.methods
            .push(format!("{head}[ <separate> {condition}{body}]"));
        call
    }
}

impl Plan {
    /// The program.
    pub(super) fn text(&self) -> String {
        let mut text = "\
Object subclass: Server [
    | log |
    initialize [ log := '' ]
    note: x [ log := log, x ]
    asked: x [ log := log, x. ^log ]
    isLong: n [ ^log size >= n ]
    log [ ^log ]
]
"
        .to_string();
        for (number, acts) in self.clients.iter().enumerate() {
            let mut body = Body {
                methods: Vec::new(),
                futures: Vec::new(),
            };
            let statements = body.statements(acts, &[]);
            let futures: String = body.futures.iter().map(|one| format!("f{one} ")).collect();
            let methods = body.methods.join("\n    ");
            let _ = writeln!(
                text,
                "Object subclass: C{number} [\n    | s t {futures}|\n    {methods}\n    runWith: a and: b [ s := a. t := b. {statements}]\n]"
            );
        }
        text.push_str("| s t |\ns := Server separate new. t := Server separate new.\n");
        for number in 0..self.clients.len() {
            let _ = writeln!(text, "C{number} separate new runWith: s and: t.");
        }
        text.push_str(match self.is_shown_together {
            true => "[:x :y | Transcript show: '|', x log, ',', y log] separate: s with: t.\n",
            false => "Transcript show: '|', s log, ',', t log.\n",
        });
        text
    }
}

// --- the model -------------------------------------------------------------------------------------

/// How a call is made.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
enum Way {
    Command,
    Query,
    Future,
    /// A query that adds nothing.
    Look,
}

/// What a client does at once.
#[derive(Clone, Debug)]
enum Deed {
    Start(usize),
    Lock(Vec<usize>, Option<usize>),
    Unlock(Vec<usize>),
    /// The answer gets this name. If the server is not locked, the call locks it for itself.
    Call(usize, Way, char, bool),
    /// Shows an answer between two texts, if it is there.
    Answer(char, &'static str, &'static str),
    Letter(char),
    /// Shows the answers with the names 0 and 1.
    Logs,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
enum Stage {
    Asleep,
    Ready,
    /// It waits for locks, for its condition, or for an answer.
    Waits,
    /// Its condition has this value.
    Decided(bool),
}

#[derive(Clone, Debug, PartialEq, Eq, Hash)]
struct Client {
    done: usize,
    stage: Stage,
    answers: BTreeMap<char, String>,
}

#[derive(Clone, Debug, PartialEq, Eq, Hash)]
enum Item {
    Unlock,
    /// A client's call, and whether it gives the lock back.
    Call(usize, Way, char, bool),
    /// Whether the log has this length.
    Test(usize, usize),
}

#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
struct Server {
    log: String,
    is_locked: bool,
    queue: VecDeque<Item>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
enum Chance {
    Open,
    /// Its condition is evaluated.
    Tests,
    /// Its condition was false, and none of its servers has come back since.
    Failed,
}

#[derive(Clone, Debug, PartialEq, Eq, Hash)]
struct Wish {
    client: usize,
    servers: Vec<usize>,
    chance: Chance,
    length: Option<usize>,
    /// A call that locks its server for itself.
    call: Option<Item>,
}

#[derive(Clone, Debug, PartialEq, Eq, Hash)]
struct State {
    clients: Vec<Client>,
    servers: [Server; 2],
    wishes: Vec<Wish>,
    output: String,
}

fn deeds(acts: &[Act], locked: &[usize], all: &mut Vec<Deed>) {
    for act in acts {
        match act {
            Act::Note(server, letter) => {
                let is_locked = locked.contains(server);
                all.push(Deed::Call(*server, Way::Command, *letter, is_locked));
            }
            Act::Ask(server, letter) => {
                let is_locked = locked.contains(server);
                all.push(Deed::Call(*server, Way::Query, *letter, is_locked));
                all.push(Deed::Answer(*letter, "<", ">"));
            }
            Act::Future(server, letter) => {
                let is_locked = locked.contains(server);
                all.push(Deed::Call(*server, Way::Future, *letter, is_locked));
            }
            Act::Value(letter) => all.push(Deed::Answer(*letter, "{", "}")),
            Act::Show(letter) => all.push(Deed::Letter(*letter)),
            Act::Scope {
                servers,
                length,
                acts,
            } => {
                let new = servers.iter().filter(|one| !locked.contains(one));
                let new: Vec<usize> = new.copied().collect();
                let all_locked = [locked, &new].concat();
                all.push(Deed::Lock(new.clone(), *length));
                deeds(acts, &all_locked, all);
                all.push(Deed::Unlock(new));
            }
        }
    }
}

impl Plan {
    /// What the script does, and then what each client does.
    fn deeds(&self) -> Vec<Vec<Deed>> {
        let mut script: Vec<Deed> = (1..=self.clients.len()).map(Deed::Start).collect();
        let both = vec![0, 1];
        let is_locked = self.is_shown_together;
        if is_locked {
            script.push(Deed::Lock(both.clone(), None));
        }
        script.push(Deed::Call(0, Way::Look, '0', is_locked));
        script.push(Deed::Call(1, Way::Look, '1', is_locked));
        script.push(Deed::Logs);
        if is_locked {
            script.push(Deed::Unlock(both));
        }
        let clients = self.clients.iter().map(|acts| {
            let mut all = Vec::new();
            deeds(acts, &[], &mut all);
            all
        });
        [script].into_iter().chain(clients).collect()
    }

    /// All endings; none if there are more states than this.
    pub(super) fn endings(&self, most_states: usize) -> Option<BTreeSet<Ending>> {
        let deeds = self.deeds();
        let start = State::start(deeds.len());
        let mut seen = HashSet::from([start.clone()]);
        let mut left = vec![start];
        let mut endings = BTreeSet::new();
        while let Some(state) = left.pop() {
            let next = state.next(&deeds);
            if next.is_empty() {
                endings.insert((state.output.clone(), state.is_at_end(&deeds)));
            }
            for one in next {
                if seen.insert(one.clone()) {
                    left.push(one);
                }
            }
            if seen.len() > most_states {
                return None;
            }
        }
        Some(endings)
    }
}

impl State {
    fn start(clients: usize) -> State {
        let client = |number: usize| Client {
            done: 0,
            stage: match number {
                0 => Stage::Ready,
                _ => Stage::Asleep,
            },
            answers: BTreeMap::new(),
        };
        State {
            clients: (0..clients).map(client).collect(),
            servers: Default::default(),
            wishes: Vec::new(),
            output: String::new(),
        }
    }

    fn is_at_end(&self, deeds: &[Vec<Deed>]) -> bool {
        let mut clients = self.clients.iter().zip(deeds);
        let is_done = |(client, deeds): (&Client, &Vec<Deed>)| {
            client.stage == Stage::Ready && client.done == deeds.len()
        };
        self.wishes.is_empty() && clients.all(is_done)
    }

    /// The states that follow at once.
    fn next(&self, deeds: &[Vec<Deed>]) -> Vec<State> {
        let mut all = Vec::new();
        for (number, client) in self.clients.iter().enumerate() {
            let mut state = self.clone();
            let is_possible = match client.stage {
                Stage::Ready => match deeds[number].get(client.done) {
                    Some(deed) => state.act(number, deed),
                    None => false,
                },
                Stage::Decided(value) => {
                    state.decide(number, value);
                    true
                }
                Stage::Asleep | Stage::Waits => false,
            };
            if is_possible {
                all.push(state);
            }
        }
        for number in 0..self.servers.len() {
            let mut state = self.clone();
            if let Some(item) = state.servers[number].queue.pop_front() {
                state.serve(number, item);
                all.push(state);
            }
        }
        all
    }

    /// The client has done what it does now.
    fn goes_on(&mut self, client: usize) {
        let client = &mut self.clients[client];
        client.done += 1;
        client.stage = Stage::Ready;
    }

    /// The client does this, if it can.
    fn act(&mut self, client: usize, deed: &Deed) -> bool {
        match deed {
            Deed::Start(other) => {
                self.clients[*other].stage = Stage::Ready;
                self.goes_on(client);
            }
            Deed::Lock(servers, _) if servers.is_empty() => self.goes_on(client),
            Deed::Lock(servers, length) => {
                self.clients[client].stage = Stage::Waits;
                self.wish(client, servers.clone(), *length, None);
            }
            Deed::Unlock(servers) => {
                for server in servers {
                    self.servers[*server].queue.push_back(Item::Unlock);
                }
                self.goes_on(client);
            }
            Deed::Call(server, way, letter, is_locked) => {
                match way {
                    Way::Command | Way::Future => self.goes_on(client),
                    Way::Query | Way::Look => self.clients[client].stage = Stage::Waits,
                }
                let item = Item::Call(client, *way, *letter, !is_locked);
                match is_locked {
                    true => self.servers[*server].queue.push_back(item),
                    false => self.wish(client, vec![*server], None, Some(item)),
                }
            }
            Deed::Answer(name, before, after) => {
                let Some(answer) = self.clients[client].answers.get(name) else {
                    return false;
                };
                self.output += &format!("{before}{answer}{after}");
                self.goes_on(client);
            }
            Deed::Letter(letter) => {
                self.output.push(*letter);
                self.goes_on(client);
            }
            Deed::Logs => {
                let answers = &self.clients[client].answers;
                self.output += &format!("|{},{}", answers[&'0'], answers[&'1']);
                self.goes_on(client);
            }
        }
        true
    }

    /// The client's condition was true, or false.
    fn decide(&mut self, client: usize, value: bool) {
        let tests = |wish: &Wish| wish.client == client && wish.chance == Chance::Tests;
        let Some(place) = self.wishes.iter().position(tests) else {
            return;
        };
        if value {
            self.wishes.remove(place);
            return self.goes_on(client);
        }
        self.wishes[place].chance = Chance::Failed;
        self.clients[client].stage = Stage::Waits;
        for server in self.wishes[place].servers.clone() {
            self.servers[server].is_locked = false;
        }
        self.grant();
    }

    fn wish(
        &mut self,
        client: usize,
        servers: Vec<usize>,
        length: Option<usize>,
        call: Option<Item>,
    ) {
        self.wishes.push(Wish {
            client,
            servers,
            chance: Chance::Open,
            length,
            call,
        });
        self.grant();
    }

    /// Gives locks to all that can have them, the earliest first.
    fn grant(&mut self) {
        let mut place = 0;
        while let Some(wish) = self.wishes.get(place) {
            let mut wanted = wish.servers.iter();
            let is_possible =
                wish.chance == Chance::Open && wanted.all(|one| !self.servers[*one].is_locked);
            if !is_possible {
                place += 1;
                continue;
            }
            let wish = wish.clone();
            for server in &wish.servers {
                self.servers[*server].is_locked = true;
            }
            let first = wish.servers[0];
            if let Some(length) = wish.length {
                self.wishes[place].chance = Chance::Tests;
                let test = Item::Test(wish.client, length);
                self.servers[first].queue.push_back(test);
                place += 1;
                continue;
            }
            self.wishes.remove(place);
            match wish.call {
                Some(call) => self.servers[first].queue.push_back(call),
                None => self.goes_on(wish.client),
            }
        }
    }

    fn serve(&mut self, server: usize, item: Item) {
        match item {
            Item::Unlock => self.unlock(server),
            Item::Test(client, length) => {
                let value = self.servers[server].log.len() >= length;
                self.clients[client].stage = Stage::Decided(value);
            }
            Item::Call(client, way, letter, is_alone) => {
                let log = &mut self.servers[server].log;
                if way != Way::Look {
                    log.push(letter);
                }
                if way != Way::Command {
                    let answer = log.clone();
                    self.clients[client].answers.insert(letter, answer);
                }
                if let Way::Query | Way::Look = way {
                    self.goes_on(client);
                }
                if is_alone {
                    self.unlock(server);
                }
            }
        }
    }

    fn unlock(&mut self, server: usize) {
        self.servers[server].is_locked = false;
        for wish in &mut self.wishes {
            if wish.chance == Chance::Failed && wish.servers.contains(&server) {
                wish.chance = Chance::Open;
            }
        }
        self.grant();
    }
}
