/// Which infinite runs count.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Fairness {
    /// All.
    #[default]
    None,
    /// Those in which every process that is enabled from some point on moves infinitely often.
    Weak,
    /// Those in which every process that is enabled infinitely often moves infinitely often.
    Strong,
}
