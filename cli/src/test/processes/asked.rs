//! How the tests of this command let a worker die. A build with debug assertions does to itself what the environment says; in
//! any other build there is nothing here.

use tally_workbench::testing::discovery::Test;

#[cfg(not(debug_assertions))]
pub(super) fn obey(_: &Test) {}

/// Ends as `TALLY_TEST_DIES` says for a test: pairs such as `ATest>>testA=abort`, separated by spaces.
#[cfg(debug_assertions)]
pub(super) fn obey(test: &Test) {
    let asked = std::env::var("TALLY_TEST_DIES").unwrap_or_default();
    let pairs = asked.split(' ').filter_map(|pair| pair.split_once('='));
    let name = test.name();
    for (_, way) in pairs.filter(|(asked, _)| *asked == name) {
        match way {
            "abort" => std::process::abort(),
            "memory" => std::alloc::handle_alloc_error(std::alloc::Layout::new::<u64>()),
            "overflow" => {
                std::hint::black_box(deep(1));
            }
            "panic" => panic!("as the environment says"),
            code => std::process::exit(code.parse().unwrap_or(1)),
        }
    }
}

/// Never ends before the stack does.
#[cfg(debug_assertions)]
#[expect(unconditional_recursion, reason = "the stack is to overflow")]
fn deep(depth: u64) -> u64 {
    let page = std::hint::black_box([depth; 512]);
    page[7] + deep(page[9])
}
