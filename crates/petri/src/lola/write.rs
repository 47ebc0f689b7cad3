//! Writes nets and formulas.

use std::fmt::{self, Display, Formatter};
use std::io::{self, Write};

use source::Diagnostic;

use super::{formula, lexer::written, net};
use crate::{Arc, Atom, Comparison, Fair, Formula, Net, PlaceId, Sum};

/// Writes a net so that it can be read again, but for its name and its units. LoLA has no inhibitor arcs:
/// a net with one is an error.
pub fn write_net(net: &Net, out: &mut impl Write) -> io::Result<()> {
    if net.has_inhibitors() {
        let error = Diagnostic::error("E0361", "LoLA has no inhibitor arcs");
        return Err(io::Error::new(io::ErrorKind::InvalidInput, error));
    }
    write!(out, "PLACE")?;
    for group in net.places().chunk_by(|first, second| first.bound == second.bound) {
        if let Some(bound) = group[0].bound {
            write!(out, "\n  SAFE {bound}:")?;
        }
        let names = group.iter().map(|place| net_name(&place.name).to_string());
        write!(out, "\n  {};", names.collect::<Vec<_>>().join(",\n  "))?;
    }
    let marked = net.place_ids().map(|place| Arc { place, weight: net.place(place).initial });
    let marked = marked.filter(|arc| arc.weight > 0).collect::<Vec<_>>();
    writeln!(out, "\n\nMARKING\n  {};", List { net, arcs: &marked })?;
    for id in net.transition_ids() {
        let transition = net.transition(id);
        let fair = match transition.fair {
            Fair::No => "",
            Fair::Weak => " WEAK FAIR",
            Fair::Strong => " STRONG FAIR",
        };
        writeln!(out, "\nTRANSITION {}{fair}", net_name(&transition.name))?;
        writeln!(out, "  CONSUME {};", List { net, arcs: net.pre(id) })?;
        writeln!(out, "  PRODUCE {};", List { net, arcs: net.post(id) })?;
    }
    Ok(())
}

fn net_name(name: &str) -> impl Display {
    written(name, net::KEYWORDS.contains(&name))
}

/// Places with numbers.
struct List<'a> {
    net: &'a Net,
    arcs: &'a [Arc],
}

impl Display for List<'_> {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        for (i, arc) in self.arcs.iter().enumerate() {
            let comma = if i > 0 { ", " } else { "" };
            write!(f, "{comma}{}: {}", net_name(&self.net.place(arc.place).name), arc.weight)?;
        }
        Ok(())
    }
}

/// A formula with the names of a net.
pub fn write_formula<'a>(formula: &'a Formula, net: &'a Net) -> impl Display + 'a {
    Shown { what: formula, net }
}

/// A sum with the names of a net.
pub fn write_sum<'a>(sum: &'a Sum, net: &'a Net) -> impl Display + 'a {
    Shown { what: sum, net }
}

struct Shown<'a, T> {
    what: &'a T,
    net: &'a Net,
}

impl<'a, T> Shown<'a, T> {
    fn with<U>(&self, what: &'a U) -> Shown<'a, U> {
        Shown { what, net: self.net }
    }
}

impl Display for Shown<'_, Formula> {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        let (letter, inner) = match self.what {
            Formula::Constant(true) => return f.write_str("TRUE"),
            Formula::Constant(false) => return f.write_str("FALSE"),
            Formula::Atom(atom) => return self.with(atom).fmt(f),
            Formula::And(all) => return self.with(all).list(f, "AND", "TRUE"),
            Formula::Or(any) => return self.with(any).list(f, "OR", "FALSE"),
            Formula::Until(left, right) => {
                return write!(f, "({} U {})", self.with(&**left), self.with(&**right));
            }
            Formula::Release(left, right) => {
                return write!(f, "({} R {})", self.with(&**left), self.with(&**right));
            }
            Formula::Not(inner) => return write!(f, "NOT {}", self.with(&**inner)),
            Formula::All(inner) => ("A", inner),
            Formula::Exists(inner) => ("E", inner),
            Formula::Next(inner) => ("X", inner),
            Formula::Eventually(inner) => ("F", inner),
            Formula::Always(inner) => ("G", inner),
        };
        use logic::Formula::{All, Always, Eventually, Exists, Next};
        let more_letters = matches!(**inner, All(_) | Exists(_) | Next(_) | Eventually(_) | Always(_));
        write!(f, "{letter}{}{}", if more_letters { "" } else { " " }, self.with(&**inner))
    }
}

impl Shown<'_, Vec<Formula>> {
    fn list(&self, f: &mut Formatter<'_>, operator: &str, empty: &str) -> fmt::Result {
        match &self.what[..] {
            [] => f.write_str(empty),
            [only] => self.with(only).fmt(f),
            [first, rest @ ..] => {
                write!(f, "({}", self.with(first))?;
                for next in rest {
                    write!(f, " {operator} {}", self.with(next))?;
                }
                f.write_str(")")
            }
        }
    }
}

impl Display for Shown<'_, Atom> {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        match self.what {
            Atom::Deadlock => f.write_str("DEADLOCK"),
            Atom::Initial => f.write_str("INITIAL"),
            Atom::Fireable(transitions) => {
                let names = transitions.iter().map(|&id| formula_name(&self.net.transition(id).name));
                let each = names.map(|name| format!("FIREABLE({name})")).collect::<Vec<_>>();
                match &each[..] {
                    [] => f.write_str("FALSE"),
                    [one] => f.write_str(one),
                    several => write!(f, "({})", several.join(" OR ")),
                }
            }
            Atom::Compare(sum, comparison) => {
                let sign = match comparison {
                    Comparison::AtMost => "<=",
                    Comparison::Equal => "=",
                    Comparison::Different => "!=",
                };
                let sum = self.with(sum);
                sum.side(f, " + ", |number| number > 0)?;
                write!(f, " {sign} ")?;
                sum.side(f, " + ", |number| number < 0)
            }
        }
    }
}

impl Display for Shown<'_, Sum> {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        self.side(f, " + ", |number| number > 0)?;
        if self.what.constant < 0 || self.what.terms.iter().any(|(_, factor)| *factor < 0) {
            f.write_str(" - ")?;
            self.side(f, " - ", |number| number < 0)?;
        }
        Ok(())
    }
}

impl Shown<'_, Sum> {
    /// The part of a sum with the numbers that belong here, without their signs; 0 if there are none.
    fn side(&self, f: &mut Formatter<'_>, operator: &str, here: fn(i64) -> bool) -> fmt::Result {
        let mut before = "";
        for &(place, factor) in self.what.terms.iter().filter(|(_, factor)| here(*factor)) {
            write!(f, "{before}{}", Term(self.net, place, factor.unsigned_abs()))?;
            before = operator;
        }
        match self.what.constant {
            constant if here(constant) => write!(f, "{before}{}", constant.unsigned_abs()),
            _ if before.is_empty() => f.write_str("0"),
            _ => Ok(()),
        }
    }
}

/// A place times a number.
struct Term<'a>(&'a Net, PlaceId, u64);

impl Display for Term<'_> {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        let name = formula_name(&self.0.place(self.1).name);
        match self.2 {
            1 => write!(f, "{name}"),
            factor => write!(f, "{factor} * {name}"),
        }
    }
}

fn formula_name(name: &str) -> impl Display {
    written(name, formula::is_reserved(name))
}
