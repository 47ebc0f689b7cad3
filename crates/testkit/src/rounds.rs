//! Comparing random programs, one after the other.
//!
//! `STUBBORN_ROUNDS` says how many, `STUBBORN_SEED` which one to start with.

use std::fmt::Debug;

use crate::random::Outline;
use crate::shrink::shrink;

/// A number from the environment, for those who want another one than the usual.
pub fn setting(name: &str, default: u64) -> u64 {
    std::env::var(name).ok().and_then(|value| value.parse().ok()).unwrap_or(default)
}

/// Compares programs, usually `rounds` of them. Gives what was counted, and how many there were.
///
/// # Panics
/// If there is a difference: with the seed, and with the smallest program found that shows it.
pub fn compare_all<Tally: Default + Debug>(
    make: impl Fn(u64) -> Outline,
    rounds: u64,
    compare: impl Fn(&str, &mut Tally) -> Result<(), String>,
) -> (Tally, u64) {
    let (first, rounds) = (setting("STUBBORN_SEED", 1), setting("STUBBORN_ROUNDS", rounds));
    let mut tally = Tally::default();
    for seed in first..first + rounds {
        let outline = make(seed);
        if let Err(message) = compare(&outline.text(), &mut tally) {
            let fails =
                |text: &str| crate::parse(text).is_ok() && compare(text, &mut Tally::default()).is_err();
            let small = shrink(&outline, fails).text();
            let again = compare(&small, &mut Tally::default());
            panic!("STUBBORN_SEED={seed}\n{message}\nshrunk: {again:?}\n{small}");
        }
    }
    println!("{tally:?}");
    (tally, rounds)
}
