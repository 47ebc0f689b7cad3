//! The Petri Net Markup Language (ISO/IEC 15909-2): place/transition nets.
//!
//! The id of a place or transition is its name, as in the properties of the Model Checking Contest; names for
//! people are left out. Pages are put together. Reference places and transitions are what they refer to.
//! Beyond the standard there are
//!
//! - inhibitor arcs, by `<type value="inhibitor"/>` inside the arc, by `<arctype>` or `<type>` with a
//!   `<text>`, by an attribute `type`, or as `<inhibitorArc>`; and read arcs (`read`, `test`) likewise;
//! - units ([NUPN](https://mcc.lip6.fr/nupn.php)), in `<toolspecific tool="nupn">`.
//!
//! Unknown elements are skipped; capacities of places, which would change what a net means, are refused.
//! Coloured nets are recognised, but not read.

mod read;
mod symbols;
#[cfg(test)]
mod tests;
mod units;
mod write;

pub use read::{COLOURED, Kind, kind, read};
pub use write::write;
