//! The example nets have as many markings and firings as the literature says.

mod explore;

use explore::Graph;
use model::Patience;
use petri::{example::example, lola};

fn sizes(family: &str, sizes: &[u64]) -> (usize, usize) {
    let net = example(family, sizes).unwrap();
    let graph = Graph::of(&net, usize::MAX).unwrap();
    assert!(graph.markings.iter().flatten().all(|&tokens| tokens <= 1), "{family} {sizes:?} is safe");
    (graph.markings.len(), graph.n_edges())
}

#[test]
fn philosophers() {
    for n in 2..=8 {
        let threes = 3_usize.pow(n);
        assert_eq!(sizes("ph", &[n.into()]), (threes - 1, 2 * n as usize * threes / 3 - n as usize));
    }
    assert_eq!(sizes("ph", &[5]), (242, 805));
    assert_eq!(sizes("ph", &[10]), (59_048, 393_650));
}

#[test]
fn data_access() {
    for n in 1..=10 {
        let n_markings = (1 << n) + n;
        assert_eq!(sizes("da-a", &[n as u64]), (n_markings, n * (1 << n) + 2 * n));
    }
}

#[test]
fn readers_and_writers() {
    assert_eq!(sizes("da-b", &[5]), (217, 770));
    assert_eq!(sizes("da-b", &[8]), (2_368, 12_416));
    assert_eq!(sizes("da-b", &[10]), (11_364, 71_880));
    let (r, w) = (5, 3);
    let n_edges = 32 * (r + w) + w * r * 16 + 2 * w * w;
    assert_eq!(sizes("da-b", &[5, 3]), (32 * (w + 1) + w * w, n_edges));
}

#[test]
fn simple_grids() {
    assert_eq!(sizes("simple", &[2, 2]), (7, 16));
    assert_eq!(sizes("simple", &[2, 3]), (63, 304));
    assert_eq!(sizes("simple", &[3, 2]), (35, 144));
    assert_eq!(sizes("simple", &[4, 2]), (743, 5_664));
    assert_eq!(sizes("simple", &[2, 5]), (55_447, 688_478));
    if !cfg!(debug_assertions) {
        assert_eq!(sizes("simple", &[3, 3]), (70_633, 897_594));
        assert_eq!(sizes("simple", &[5, 2]), (254_475, 3_689_792));
    }
}

#[test]
fn echo() {
    let net = example("echo", &[2, 3]).unwrap();
    let graph = Graph::of(&net, usize::MAX).unwrap();
    assert_eq!((graph.markings.len(), graph.n_edges()), (2_628, 9_994));
    assert_eq!(graph.successors.iter().filter(|successors| successors.is_empty()).count(), 1);
}

#[test]
fn examples_are_written_as_they_are_made() {
    for (family, sizes) in
        [("ph", &[4][..]), ("da-a", &[3]), ("da-b", &[3, 2]), ("simple", &[2, 3]), ("echo", &[3, 3])]
    {
        let mut net = example(family, sizes).unwrap();
        let mut text = Vec::new();
        lola::write_net(&net, &mut text).unwrap();
        net.name.clear();
        assert_eq!(
            lola::read_net(std::str::from_utf8(&text).unwrap(), &Patience::default()).unwrap().unwrap(),
            net
        );
    }
}
