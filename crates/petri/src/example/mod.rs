//! Nets of the literature in any size: the running examples of K. Schmidt, "Explicit State Space
//! Verification". All arcs have weight 1, and no place ever holds more than one token.

mod grid;

use grid::Grid;

use source::Diagnostic;

use crate::reading::Read;
use crate::{Net, NetBuilder, PlaceId};

/// The families, with the names of their sizes and what they model.
pub const FAMILIES: [(&str, &str, &str); 5] = [
    ("ph", "N", "N dining philosophers"),
    ("da-a", "N", "N processes that read and write data"),
    ("da-b", "READERS [WRITERS]", "readers and writers of data, as many of both if one number is given"),
    (
        "simple",
        "D N",
        "processes on a grid with D dimensions and N points in each: no neighbours at work at once",
    ),
    ("echo", "D N", "a message from the centre of such a grid to all, and the answers; N is odd"),
];

/// Larger nets are refused.
const MAX_ARCS: u64 = 10_000_000;

/// Makes the net of a family.
///
/// ```
/// let net = petri::example::example("ph", &[5])?;
/// assert_eq!((net.places().len(), net.transitions().len()), (25, 20));
/// # Ok::<(), Box<source::Diagnostic>>(())
/// ```
pub fn example(family: &str, sizes: &[u64]) -> Read<Net> {
    let mut net = match (family, sizes) {
        ("ph", &[n]) => {
            at_least(n, 2)?;
            limited(n.saturating_mul(12))?;
            philosophers(n as usize)
        }
        ("da-a", &[n]) => {
            at_least(n, 1)?;
            limited(n.saturating_mul(2).saturating_add(10).saturating_mul(n))?;
            data_access(n as usize)
        }
        ("da-b", &[readers] | &[readers, _]) => {
            let writers = sizes.get(1).copied().unwrap_or(readers);
            at_least(readers, 1)?;
            at_least(writers, 1)?;
            let each_writer = readers.saturating_mul(2).saturating_add(8);
            limited(each_writer.saturating_mul(writers).saturating_add(readers.saturating_mul(8)))?;
            readers_and_writers(readers as usize, writers as usize)
        }
        ("simple", &[dimensions, n]) => {
            at_least(dimensions, 1)?;
            at_least(n, 2)?;
            let points = n.saturating_pow(dimensions.try_into().unwrap_or(u32::MAX));
            limited(dimensions.saturating_mul(4).saturating_add(4).saturating_mul(points))?;
            simple(&Grid::new(dimensions as usize, n as usize))
        }
        ("echo", &[dimensions, n]) => {
            at_least(dimensions, 1)?;
            at_least(n, 3)?;
            if n % 2 == 0 {
                return Err(wrong_sizes("the last size must be odd, so that there is a centre"));
            }
            let points = n.saturating_pow(dimensions.try_into().unwrap_or(u32::MAX));
            let neighbours = dimensions.saturating_mul(2);
            let each = neighbours.saturating_add(1).saturating_mul(2).saturating_mul(neighbours);
            limited(each.saturating_mul(points))?;
            echo(&Grid::new(dimensions as usize, n as usize))
        }
        _ => {
            let Some((_, expected, _)) = FAMILIES.iter().find(|(name, ..)| *name == family) else {
                let names = FAMILIES.map(|(name, ..)| name).join(", ");
                let message = format!("there is no family of nets `{family}`; there are {names}");
                return Err(Box::new(Diagnostic::error("E0370", message)));
            };
            return Err(wrong_sizes(&format!("the sizes of `{family}` are {expected}")));
        }
    };
    let sizes = sizes.iter().map(u64::to_string).collect::<Vec<_>>();
    net.name = format!("{family}-{}", sizes.join("-"));
    Ok(net)
}

fn at_least(size: u64, least: u64) -> Read<()> {
    match size < least {
        true => Err(wrong_sizes(&format!("{size} is too small: at least {least}"))),
        false => Ok(()),
    }
}

fn limited(n_arcs: u64) -> Read<()> {
    match n_arcs > MAX_ARCS {
        true => Err(wrong_sizes(&format!("too large: the net would have more than {MAX_ARCS} arcs"))),
        false => Ok(()),
    }
}

fn wrong_sizes(message: &str) -> Box<Diagnostic> {
    Box::new(Diagnostic::error("E0371", message))
}

/// A net in the making.
struct Maker(NetBuilder);

impl Maker {
    fn new() -> Maker {
        Maker(NetBuilder::new(""))
    }

    /// Adds a place for each number below `n`.
    fn places(&mut self, name: &str, n: usize, tokens: u64) -> Vec<PlaceId> {
        (0..n).map(|i| self.0.place(format!("{name}_{i}"), tokens)).collect()
    }

    /// Adds a transition with its arcs.
    fn transition<'a>(
        &mut self,
        name: String,
        inputs: impl IntoIterator<Item = &'a PlaceId>,
        outputs: impl IntoIterator<Item = &'a PlaceId>,
    ) {
        let transition = self.0.transition(name);
        inputs.into_iter().for_each(|place| self.0.input(*place, transition, 1));
        outputs.into_iter().for_each(|place| self.0.output(transition, *place, 1));
    }

    fn finish(self) -> Net {
        self.0.finish()
    }
}

fn philosophers(n: usize) -> Net {
    let mut net = Maker::new();
    let think = net.places("think", n, 1);
    let left = net.places("left", n, 0);
    let eat = net.places("eat", n, 0);
    let right = net.places("right", n, 0);
    let fork = net.places("fork", n, 1);
    for i in 0..n {
        let other = fork[(i + 1) % n];
        net.transition(format!("takeL_{i}"), [&think[i], &fork[i]], [&left[i]]);
        net.transition(format!("takeR_{i}"), [&left[i], &other], [&eat[i]]);
        net.transition(format!("relL_{i}"), [&eat[i]], [&right[i], &fork[i]]);
        net.transition(format!("relR_{i}"), [&right[i]], [&think[i], &other]);
    }
    net.finish()
}

fn data_access(n: usize) -> Net {
    let mut net = Maker::new();
    let idle = net.places("idle", n, 1);
    let read = net.places("read", n, 0);
    let write = net.places("write", n, 0);
    let semaphores = net.places("sem", n, 1);
    for i in 0..n {
        net.transition(format!("beginR_{i}"), [&idle[i], &semaphores[i]], [&read[i]]);
        net.transition(format!("endR_{i}"), [&read[i]], [&idle[i], &semaphores[i]]);
        net.transition(format!("beginW_{i}"), [&idle[i]].into_iter().chain(&semaphores), [&write[i]]);
        net.transition(format!("endW_{i}"), [&write[i]], [&idle[i]].into_iter().chain(&semaphores));
    }
    net.finish()
}

/// A writer that has asked keeps readers from starting, since it holds the key.
fn readers_and_writers(n_readers: usize, n_writers: usize) -> Net {
    let mut net = Maker::new();
    let key = net.0.place("key", 1);
    let idle = net.places("ridle", n_readers, 1);
    let reading = net.places("reading", n_readers, 0);
    let semaphores = net.places("sem", n_readers, 1);
    for i in 0..n_readers {
        net.transition(format!("beginR_{i}"), [&idle[i], &key, &semaphores[i]], [&reading[i], &key]);
        net.transition(format!("endR_{i}"), [&reading[i]], [&idle[i], &semaphores[i]]);
    }
    let idle = net.places("widle", n_writers, 1);
    let pending = net.places("pending", n_writers, 0);
    let writing = net.places("writing", n_writers, 0);
    for i in 0..n_writers {
        net.transition(format!("request_{i}"), [&idle[i], &key], [&pending[i]]);
        let begin = [&pending[i]].into_iter().chain(&semaphores);
        net.transition(format!("beginW_{i}"), begin, [&writing[i], &key]);
        net.transition(format!("endW_{i}"), [&writing[i]], [&idle[i]].into_iter().chain(&semaphores));
    }
    net.finish()
}

fn simple(grid: &Grid) -> Net {
    let mut net = Maker::new();
    let idle = grid.points().map(|v| net.0.place(format!("idle_{}", grid.name(v)), 1)).collect::<Vec<_>>();
    let critical =
        grid.points().map(|v| net.0.place(format!("crit_{}", grid.name(v)), 0)).collect::<Vec<_>>();
    let mut semaphores = vec![Vec::new(); idle.len()];
    for v in grid.points() {
        for w in grid.neighbours(v).filter(|&w| v < w) {
            let semaphore = net.0.place(format!("sem_{}_{}", grid.name(v), grid.name(w)), 1);
            semaphores[v].push(semaphore);
            semaphores[w].push(semaphore);
        }
    }
    for v in grid.points() {
        let free = || [&idle[v]].into_iter().chain(&semaphores[v]);
        net.transition(format!("enter_{}", grid.name(v)), free(), [&critical[v]]);
        net.transition(format!("leave_{}", grid.name(v)), [&critical[v]], free());
    }
    net.finish()
}

/// Propagation of information with feedback. The centre sends to all its neighbours; whoever gets a first
/// message sends to all others, waits for their messages, and answers.
fn echo(grid: &Grid) -> Net {
    let mut net = Maker::new();
    let initial = grid.points().map(|v| net.0.place(format!("idle_{}", grid.name(v)), 1)).collect::<Vec<_>>();
    let done = grid.points().map(|v| net.0.place(format!("done_{}", grid.name(v)), 0)).collect::<Vec<_>>();
    // For each point, by its neighbours in order: the messages from them.
    let mut messages = vec![Vec::new(); initial.len()];
    for v in grid.points() {
        for w in grid.neighbours(v) {
            let message = net.0.place(format!("msg_{}_{}", grid.name(v), grid.name(w)), 0);
            messages[v].push((w, message));
        }
    }
    let sent = |v: usize, to: usize| {
        let (_, message) =
            messages[to].iter().find(|(from, _)| *from == v).expect("neighbours of each other");
        message
    };
    for v in grid.points() {
        let name = grid.name(v);
        if v == grid.centre() {
            let waiting = net.0.place(format!("wait_{name}"), 0);
            let to_all = grid.neighbours(v).map(|w| sent(v, w));
            net.transition(format!("send_{name}"), [&initial[v]], to_all.chain([&waiting]));
            let from_all = messages[v].iter().map(|(_, message)| message);
            net.transition(format!("receive_{name}"), from_all.chain([&waiting]), [&done[v]]);
            continue;
        }
        for (parent, first) in &messages[v] {
            let name = format!("{name}_{}", grid.name(*parent));
            let waiting = net.0.place(format!("wait_{name}"), 0);
            let to_others = grid.neighbours(v).filter(|w| w != parent).map(|w| sent(v, w));
            let from_others = messages[v].iter().filter(|(w, _)| w != parent).map(|(_, message)| message);
            net.transition(format!("receive_{name}"), [&initial[v], first], to_others.chain([&waiting]));
            net.transition(
                format!("send_{name}"),
                from_others.chain([&waiting]),
                [&done[v], sent(v, *parent)],
            );
        }
    }
    net.finish()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nets_have_the_places_transitions_and_arcs_of_the_catalogue() {
        let sizes = |family, sizes: &[u64]| {
            let net = example(family, sizes).unwrap();
            (net.places().len(), net.transitions().len(), net.n_arcs())
        };
        assert_eq!(sizes("ph", &[7]), (35, 28, 84));
        assert_eq!(sizes("da-a", &[6]), (24, 24, 6 * 22));
        assert_eq!(sizes("da-a", &[500]).2, 505_000);
        assert_eq!(sizes("da-b", &[4]), (25, 20, 4 * 16 + 32));
        assert_eq!(sizes("da-b", &[4, 2]), (19, 14, 2 * 16 + 32));
        assert_eq!(sizes("simple", &[2, 5]), (50 + 40, 50, 4 * 25 + 4 * 40));
        assert_eq!((sizes("echo", &[2, 3]).0, sizes("echo", &[2, 3]).1), (63, 42));
        assert_eq!(example("simple", &[3, 2]).unwrap().name, "simple-3-2");
    }

    #[test]
    fn wrong_families_and_sizes_are_refused() {
        let code = |family, sizes: &[u64]| example(family, sizes).unwrap_err().code;
        assert_eq!(code("phil", &[3]), "E0370");
        for (family, sizes) in [
            ("ph", &[][..]),
            ("ph", &[1]),
            ("ph", &[3, 3]),
            ("ph", &[u64::MAX]),
            ("da-a", &[0]),
            ("da-a", &[5_000]),
            ("da-b", &[3, 0]),
            ("da-b", &[1, u64::MAX]),
            ("da-b", &[u64::MAX, 1]),
            ("simple", &[3]),
            ("simple", &[64, 2]),
            ("simple", &[u64::MAX, 2]),
            ("simple", &[2, 1]),
            ("echo", &[2, 4]),
            ("echo", &[2, 1]),
            ("echo", &[u64::MAX, u64::MAX]),
        ] {
            assert_eq!(code(family, sizes), "E0371", "{family} {sizes:?}");
        }
    }
}
