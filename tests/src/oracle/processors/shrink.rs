//! Makes a program smaller as long as it shows the same fault.

use super::language::{End, Method, Program, Role, Statement};

/// The smallest program that can be found by dropping and shortening parts one at a time, and that is still faulty.
pub fn shrink(program: &Program, is_faulty: &mut dyn FnMut(&Program) -> bool) -> Program {
    let mut best = program.clone();
    loop {
        let smaller = candidates(&best).into_iter().find(|p| is_faulty(p));
        match smaller {
            Some(program) => best = program,
            None => return best,
        }
    }
}

/// Programs that are smaller by one part, the largest parts first.
fn candidates(program: &Program) -> Vec<Program> {
    let mut found = Vec::new();
    for (class, methods) in program.classes.iter().enumerate() {
        for (selector, method) in methods.iter().enumerate() {
            let role = program.selectors[selector].role;
            for smaller in smaller_methods(method, role) {
                let mut candidate = program.clone();
                candidate.classes[class][selector] = smaller;
                found.push(candidate);
            }
        }
    }
    found.extend(fewer_nodes(program));
    found
}

fn smaller_methods(method: &Method, role: Role) -> Vec<Method> {
    let mut found = Vec::new();
    let mut add = |change: &dyn Fn(&mut Method)| {
        let mut smaller = method.clone();
        change(&mut smaller);
        if smaller != *method {
            found.push(smaller);
        }
    };
    add(&|smaller| smaller.body.clear());
    for index in 0..method.body.len() {
        add(&|smaller| {
            smaller.body.remove(index);
        });
    }
    add(&|smaller| smaller.condition = None);
    add(&|smaller| smaller.is_scope = smaller.condition.is_some());
    add(&|smaller| {
        smaller.end = match role {
            Role::Either => End::Command,
            Role::Query => End::Counter,
            Role::Failing => End::Divide,
        };
    });
    for (index, statement) in method.body.iter().enumerate() {
        for shorter in shorter(statement) {
            add(&|smaller| smaller.body[index] = shorter);
        }
    }
    found
}

fn shorter(statement: &Statement) -> Vec<Statement> {
    match *statement {
        Statement::Repeat(count) if count > 0 => {
            vec![Statement::Repeat(count / 2), Statement::Repeat(count - 1)]
        }
        Statement::Sleep(time) if time > 0 => vec![Statement::Sleep(time - 1)],
        Statement::Make { .. } | Statement::Guard(_) | Statement::Value(_) => {
            vec![Statement::Repeat(1)]
        }
        Statement::Await(send, _) | Statement::Future(send) => vec![Statement::Discard(send)],
        Statement::Keep(send) => vec![Statement::Discard(send)],
        _ => Vec::new(),
    }
}

fn fewer_nodes(program: &Program) -> Vec<Program> {
    let mut found = Vec::new();
    let last = program.nodes.len() - 1;
    // Without a second processor there is no record.
    if last > 1 {
        let mut fewer = program.clone();
        fewer.nodes.pop();
        let fields = fewer.nodes.iter_mut().flat_map(|node| &mut node.fields);
        fields
            .filter(|field| **field == last)
            .for_each(|field| *field = 0);
        found.push(fewer);
    }
    for (index, node) in program.nodes.iter().enumerate() {
        let mut simple = node.clone();
        simple.class = 0;
        let mut poor = node.clone();
        poor.counter = 0;
        for smaller in [simple, poor] {
            if smaller != *node {
                let mut candidate = program.clone();
                candidate.nodes[index] = smaller;
                found.push(candidate);
            }
        }
    }
    found
}
