//! Reads property files. Elements are put together from the inside out, on a stack of those that are open.

use model::{Over, Patience};

use super::build::{Builder, Value};
use crate::formula::Property;
use crate::net::{Names, Net};
use crate::reading::{Read, Reading, refusal, settled};
use crate::xml::{Element, Event, Xml};

/// Elements may not be nested deeper, so that whoever walks over a formula may do so recursively.
const MAX_DEPTH: usize = 500;

/// An element that has not ended yet, with what was inside so far.
pub(super) struct Open<'a> {
    pub(super) element: Element<'a>,
    pub(super) in_formula: bool,
    pub(super) text: String,
    pub(super) values: Vec<Value>,
}

/// Reads the properties in a document, which speak of the places and transitions of a net.
///
/// The quantifier in front of an LTL property is kept, as `Formula::All`. Implications, equivalences and
/// exclusive disjunctions are written out.
///
/// ```
/// # use petri::{Atom, Formula, NetBuilder, Question, contest};
/// let mut net = NetBuilder::new("hello");
/// let t = net.transition("t");
/// let file = "<property-set><property><id>never</id><formula>
///     <all-paths><globally><negation><is-fireable><transition>t</transition></is-fireable></negation>
///     </globally></all-paths></formula></property></property-set>";
/// let properties = contest::read_properties(file, &net.finish(), &model::Patience::default()).unwrap()?;
/// let fireable = Formula::Atom(Atom::Fireable(vec![t]));
/// let always_not = Formula::Always(Box::new(Formula::Not(Box::new(fireable))));
/// assert_eq!(properties[0].question, Question::Formula(Formula::All(Box::new(always_not))));
/// # Ok::<(), Box<source::Diagnostic>>(())
/// ```
///
/// # Errors
/// If it takes longer than there is patience.
pub fn read_properties(text: &str, net: &Net, patience: &Patience) -> Result<Read<Vec<Property>>, Over> {
    patience.check()?;
    settled(properties(text, net, patience))
}

fn properties(text: &str, net: &Net, patience: &Patience) -> Reading<Vec<Property>> {
    let mut xml = Xml::new(text, patience);
    let mut builder = Builder::new(Names::new(net, patience)?);
    let mut open: Vec<Open> = Vec::new();
    let mut has_root = false;
    while let Some(event) = xml.next()? {
        match event {
            Event::Start(element) => {
                if open.is_empty() && element.name() != "property-set" {
                    let message = format!("<{}> is no <property-set>", element.name());
                    return Err(refusal(element.at, "E0330", message));
                }
                if open.len() == MAX_DEPTH {
                    let message = format!("more than {MAX_DEPTH} elements inside each other");
                    return Err(refusal(element.at, "E0336", message));
                }
                has_root = true;
                let in_formula =
                    open.last().is_some_and(|outer| outer.in_formula || outer.element.name() == "formula");
                open.push(Open { element, in_formula, text: String::new(), values: Vec::new() });
            }
            Event::Text(text) => {
                if let Some(innermost) = open.last_mut() {
                    innermost.text += &text;
                }
            }
            Event::End => {
                let ended = open.pop().expect("what ends has begun");
                let value = builder.build(ended)?;
                if let (Some(value), Some(outer)) = (value, open.last_mut()) {
                    outer.values.push(value);
                }
            }
        }
    }
    if has_root { Ok(builder.properties) } else { Err(refusal(0, "E0330", "there is no <property-set>")) }
}
