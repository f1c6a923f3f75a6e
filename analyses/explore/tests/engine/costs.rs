//! Work and Depth: the check numbers of document 002, forms, and figures over merged states against those of all computations.

use crate::support::programs::{
    election, fibonacci, modulo, ping_pong, pipeline, receiver, receivers, sieve, triangle,
};
use crate::support::{Act, Actors, ok};
use tally_explore::Delivery::{Any, Causal, Fifo};
use tally_explore::{
    Computations, Cost, Delivery, Departure, Diagram, EdgeKind, Machine, Options, Space,
};

/// A machine with different primes for all parameters.
pub(crate) fn primes() -> Machine {
    Machine {
        send_receiving: 2,
        send_sending: 3,
        new_sending: 5,
        new_receiving: 7,
        replace: 11,
        dispose: 13,
        latency: 100,
        ..Machine::default()
    }
}

fn computed<F: FnMut(&mut Act<'_>)>(
    mut program: Actors<F>,
    delivery: Delivery,
) -> (Space, Option<Computations>) {
    let options = Options {
        delivery,
        ..Options::default()
    };
    let start = program.start();
    let mut space = ok(Space::explore(&mut program, &start, &options, &mut |_| {
        true
    }));
    let computations = ok(space.computations(&mut program, 100_000));
    (space, computations)
}

#[test]
fn the_papers_program_costs_what_the_paper_says() {
    for (times, machine, work, depth) in [(0, Machine::uniform(1), 26, 26), (1, primes(), 332, 684)]
    {
        let (space, computations) = computed(modulo(1, 4, times), Fifo);
        let costs = computations.unwrap().costs(&space, &machine);
        assert_eq!(costs, [Cost { work, depth }; 2]);
    }
}

#[test]
fn forms_are_those_of_the_paper() {
    let (space, computations) = computed(modulo(1, 4, 1), Fifo);
    let computations = computations.unwrap();
    for forms in computations.forms(&space) {
        let work =
            "7·or(send) + 6·os(send) + 3·os(new) + 3·or(new) + 3·o(beh) + 4·o(dispose) + 179";
        assert_eq!(forms.work.to_string(), work);
        let depth =
            "6·or(send) + 5·os(send) + 3·os(new) + 2·or(new) + 3·o(beh) + 3·o(dispose) + 4·L + 156";
        assert_eq!(forms.depth.unwrap().to_string(), depth);
    }
}

/// Work 8·2^k − 6, Depth 26 + 14(k − 2), for the range 1..2^k.
#[test]
fn costs_grow_as_computed_by_hand() {
    for (to, work, depth) in [(4, 26, 26), (8, 58, 40)] {
        let (space, computations) = computed(modulo(1, to, 0), Fifo);
        let machine = Machine::uniform(1);
        for cost in computations.unwrap().costs(&space, &machine) {
            assert_eq!(cost, Cost { work, depth }, "1..{to}");
        }
        let bounds = space.bounds(&machine, 4_096).unwrap();
        assert_eq!(bounds.largest, Cost { work, depth });
    }
}

/// Erratum 7: the states of two orders are equal, but their costs are not.
#[test]
fn merged_states_keep_different_depths() {
    fn act(act: &mut Act<'_>) {
        match (act.behaviour.name, act.message.name) {
            ("Root", "start") => {
                for local in [23, 223] {
                    let leaf = act.create("Leaf", &[local], &[]);
                    act.send(leaf, "go:", &[], &[act.me()]);
                }
                act.becomes("Sum", &[0], &[]);
            }
            ("Leaf", _) => {
                act.work(act.behaviour.numbers[0] as u64);
                act.send(act.arg(0), "add:", &[3], &[]);
                act.dispose();
            }
            _ => act.becomes("Sum", &[act.behaviour.numbers[0] + 3], &[]),
        }
    }
    let program = Actors::new(act as fn(&mut Act<'_>)).actor("Root", &[], &[]);
    let (space, computations) = computed(program.message(0, "start", &[]), Any);
    let costs = computations.unwrap().costs(&space, &primes());
    let depths: Vec<u64> = costs.iter().map(|cost| cost.depth).collect();
    assert_eq!(depths.len(), 2);
    assert_ne!(depths[0], depths[1]);
    let bounds = space.bounds(&primes(), 4_096).unwrap();
    assert_eq!(bounds.least.depth, depths[0].min(depths[1]));
    assert_eq!(bounds.largest.depth, depths[0].max(depths[1]));
}

#[test]
fn games_and_pipelines_cost_what_is_computed_by_hand() {
    let machine = Machine {
        latency: 10,
        ..Machine::default()
    };
    let (space, computations) = computed(ping_pong(3), Fifo);
    // Seven turns, six of which wait for a message.
    let cost = Cost {
        work: 35,
        depth: 95,
    };
    assert_eq!(computations.unwrap().costs(&space, &machine), [cost]);
    let (stages, items, weight) = (3, 4, 7);
    let (space, computations) = computed(pipeline(stages, items, weight), Fifo);
    let (stages, items, weight) = (u64::from(stages), items as u64, weight as u64);
    let cost = Cost {
        work: stages * items * weight,
        depth: stages * 10 + (items + stages - 1) * weight,
    };
    assert_eq!(computations.unwrap().costs(&space, &machine), [cost]);
}

/// Over merged states, the least and the largest costs are those of all computations.
#[test]
fn bounds_are_those_of_all_computations() {
    let mut machines = vec![Machine::uniform(1), primes(), Machine::default()];
    machines.push(Machine {
        gap: 20,
        departure: Departure::Exact,
        ..primes()
    });
    let mut compared = 0;
    for delivery in [Any, Fifo, Causal] {
        let programs = [
            modulo(1, 4, 1),
            modulo(1, 6, 1),
            modulo(1, 8, 1),
            election(&[1, 2, 3]),
            election(&[3, 2, 1]),
            receiver(4, true),
            receiver(4, false),
            receivers(2, 3),
            triangle(),
            ping_pong(3),
            fibonacci(4),
            pipeline(2, 3, 7),
            sieve(5),
        ];
        for program in programs {
            let (space, computations) = computed(program, delivery);
            let Some(computations) = computations else {
                continue;
            };
            for machine in &machines {
                let costs = computations.costs(&space, machine);
                let bounds = space.bounds(machine, 4_096).unwrap();
                assert!(bounds.is_exact);
                let works = || costs.iter().map(|cost| cost.work);
                let depths = || costs.iter().map(|cost| cost.depth);
                assert_eq!(Some(bounds.least.work), works().min());
                assert_eq!(Some(bounds.largest.work), works().max());
                assert_eq!(Some(bounds.least.depth), depths().min());
                assert_eq!(Some(bounds.largest.depth), depths().max());
                compared += 1;
                if machine.is_linear() {
                    for (cost, forms) in costs.iter().zip(computations.forms(&space)) {
                        assert_eq!(forms.work.value(machine), cost.work);
                        assert_eq!(forms.depth.unwrap().value(machine), cost.depth);
                    }
                }
            }
            let bounds = space.bounds(&primes(), 1).unwrap();
            let costs = computations.costs(&space, &primes());
            let holds = |cost: &Cost| {
                cost.depth >= bounds.least.depth && cost.depth <= bounds.largest.depth
            };
            assert!(costs.iter().all(holds));
        }
    }
    assert!(compared > 100, "{compared}");
}

/// The diagram of the computation that writes 1.
fn papers_diagram() -> Diagram {
    let mut program = modulo(1, 4, 1);
    let start = program.start();
    let options = Options::default();
    let mut space = ok(Space::explore(&mut program, &start, &options, &mut |_| {
        true
    }));
    let computations = ok(space.computations(&mut program, 1_000)).expect("there are two");
    let diagram = computations.diagram(0, &space, &primes(), &program);
    diagram.expect("there is a first one")
}

/// The nodes of the computation that writes 1 have the paper's numbers.
#[test]
fn the_papers_nodes() {
    let diagram = papers_diagram();
    assert_eq!(diagram.lifelines, ["r", "a1", "a11", "a12"]);
    let nodes = diagram.nodes.iter().map(|node| {
        let message = node.message.as_deref().unwrap_or("new");
        (
            diagram.lifelines[node.lifeline].as_str(),
            message,
            node.weight,
        )
    });
    let expected = [
        ("r", "start: 1 to: 4", 38),
        ("a1", "new", 7),
        ("a1", "range: r from: 1 to: 4", 48),
        ("a11", "new", 7),
        ("a11", "range: a1 from: 1 to: 2", 41),
        ("a12", "new", 7),
        ("a12", "range: a1 from: 3 to: 4", 41),
        ("a1", "join: 3", 42),
        ("a1", "join: 7", 49),
        ("r", "join: 1", 52),
    ];
    assert_eq!(nodes.collect::<Vec<_>>(), expected);
}

/// Its edges have the paper's weights.
#[test]
fn the_papers_edges() {
    let diagram = papers_diagram();
    let of = |kind: EdgeKind| {
        let edges = diagram.edges.iter().filter(move |edge| edge.kind == kind);
        edges
            .map(|edge| (edge.from + 1, edge.to + 1))
            .collect::<Vec<_>>()
    };
    assert_eq!(of(EdgeKind::New), [(1, 2), (3, 4), (3, 6)]);
    assert_eq!(
        of(EdgeKind::Send),
        [(1, 3), (3, 5), (3, 7), (5, 8), (7, 9), (9, 10)]
    );
    assert_eq!(
        of(EdgeKind::Lifeline),
        [(1, 10), (2, 3), (3, 8), (4, 5), (6, 7), (8, 9)]
    );
    let critical: Vec<usize> = diagram.critical.iter().map(|place| place + 1).collect();
    assert_eq!(critical, [1, 2, 3, 4, 5, 8, 9, 10]);
    let w = [38, 7, 48, 7, 41, 7, 41, 42, 49, 52];
    let d = |nodes: &[usize], ways: u64| -> u64 {
        nodes.iter().map(|node| w[node - 1]).sum::<u64>() + 100 * ways
    };
    for (from, to, arrives) in [
        (1, 2, d(&[1], 1)),
        (1, 3, d(&[1], 1)),
        (1, 10, d(&[1], 0)),
        (2, 3, d(&[1, 2], 1)),
        (3, 4, d(&[1, 2, 3], 2)),
        (3, 8, d(&[1, 2, 3], 1)),
        (4, 5, d(&[1, 2, 3, 4], 2)),
        (5, 8, d(&[1, 2, 3, 4, 5], 3)),
        (7, 9, d(&[1, 2, 3, 4, 7], 3)),
        (8, 9, d(&[1, 2, 3, 4, 5, 8], 3)),
        (9, 10, d(&[1, 2, 3, 4, 5, 8, 9], 4)),
    ] {
        let mut edges = diagram.edges.iter();
        let edge = edges
            .find(|edge| (edge.from + 1, edge.to + 1) == (from, to))
            .unwrap();
        assert_eq!(edge.arrives, arrives, "d{from},{to}");
    }
    assert_eq!(
        diagram.cost,
        Cost {
            work: 332,
            depth: 684
        }
    );
}

/// Brent's bounds, without latency. With a processor for each actor the time is Depth.
#[test]
fn few_processors_take_longer() {
    let machine = Machine {
        latency: 0,
        ..primes()
    };
    let mut program = modulo(1, 8, 1);
    let start = program.start();
    let options = Options::default();
    let mut space = ok(Space::explore(&mut program, &start, &options, &mut |_| {
        true
    }));
    let computations = ok(space.computations(&mut program, 1_000)).unwrap();
    for number in 0..computations.len() {
        let diagram = computations
            .diagram(number, &space, &machine, &program)
            .unwrap();
        let Cost { work, depth } = diagram.cost;
        assert_eq!(diagram.time_on(1), work);
        assert_eq!(diagram.time_on(100), depth);
        for processors in 2..8 {
            let time = diagram.time_on(processors as usize);
            assert!(time >= depth.max(work.div_ceil(processors)));
            assert!(time <= work / processors + depth);
        }
    }
}
