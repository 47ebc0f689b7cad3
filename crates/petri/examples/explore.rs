//! Explores an example net and says how long it took: `explore ph 13`, `explore stubborn ph 300`.

use std::sync::Arc;

use model::Patience;
use petri::{NetModel, NetOptions, example::example};
use search::{Checks, Method, Options, Order, Preserves, Reduction};

fn main() {
    let mut arguments = std::env::args().skip(1).peekable();
    let plan = Reduction { method: Method::Stubborn, preserves: Preserves::Deadlocks, watched: Vec::new() };
    let reduction = arguments.next_if(|argument| argument == "stubborn").map(|_| plan);
    let arguments = arguments.collect::<Vec<_>>();
    let [family, sizes @ ..] = &arguments[..] else { panic!("explore [stubborn] FAMILY SIZES") };
    let sizes = sizes.iter().map(|size| size.parse().expect("a size is a number")).collect::<Vec<_>>();
    let net = Arc::new(example(family, &sizes).unwrap_or_else(|error| panic!("{}", error.message)));
    let patience = Patience::default();
    let model =
        NetModel::new(net, Vec::new(), NetOptions::default(), &patience).expect("one token is not too many");
    let options =
        Options { order: Order::Any, checks: Checks::NONE, reduction, patient: true, ..Options::default() };
    let statistics = search::run(&model, &options).statistics;
    let (states, edges) = (statistics.states as f64, (statistics.transitions() - 1) as f64);
    println!("{states} states, {edges} edges, {} bytes per state", statistics.state_bytes);
    println!("{:.2} s", statistics.seconds);
    println!("{:.0} states/s, {:.0} ns/edge", states / statistics.seconds, 1e9 * statistics.seconds / edges);
}
