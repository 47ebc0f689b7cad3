//! Reads PNML in one pass. What the pass leaves open, because ids may be used before they are defined, is
//! closed at the end: references, then arcs, then units.

use std::borrow::Cow;
use std::collections::HashMap;
use std::num::{IntErrorKind, ParseIntError};

use model::{Over, Pace, Patience};

use super::symbols::{Node, Referent, Symbol, Symbols};
use super::units::{RawUnit, RawUnits};
use crate::net::{Net, NetBuilder, PlaceId};
use crate::reading::{Read, Reading, Stop, refusal, settled};
use crate::xml::{Element, Event, Xml};

/// The code of the error that a coloured net gives.
pub const COLOURED: &str = "E0313";

/// What the tokens of a net are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// Nothing but tokens.
    PlaceTransition,
    /// Tokens with values: symmetric nets and other high-level nets.
    Coloured,
}

/// The kind of the net in a document. Reads no further than where it is said.
///
/// # Errors
/// If it takes longer than there is patience.
pub fn kind(text: &str, patience: &Patience) -> Result<Read<Kind>, Over> {
    settled(kind_in(Xml::new(text, patience)))
}

fn kind_in(mut xml: Xml<'_>) -> Reading<Kind> {
    while let Some(event) = xml.next()? {
        match event {
            Event::Start(element) if element.name() == "net" => return kind_of(&element),
            _ => {}
        }
    }
    Err(no_net())
}

/// Reads the net in a document.
///
/// ```
/// let net = petri::pnml::read(
///     r#"<pnml><net id="hello" type="http://www.pnml.org/version-2009/grammar/ptnet"><page id="page">
///           <place id="p"><initialMarking><text>3</text></initialMarking></place>
///           <transition id="t"/>
///           <arc id="a" source="p" target="t"><inscription><text>2</text></inscription></arc>
///         </page></net></pnml>"#,
///     &model::Patience::default(),
/// )
/// .unwrap()?;
/// assert_eq!(net.initial(), [3]);
/// # Ok::<(), Box<source::Diagnostic>>(())
/// ```
///
/// # Errors
/// If it takes longer than there is patience.
pub fn read(text: &str, patience: &Patience) -> Result<Read<Net>, Over> {
    patience.check()?;
    settled(net(text, patience))
}

fn net(text: &str, patience: &Patience) -> Reading<Net> {
    let mut reader = Reader::new(text, patience);
    let mut open = vec![At::Document];
    while let Some(event) = reader.xml.next()? {
        let at = open[open.len() - 1];
        match event {
            Event::Start(element) => open.push(reader.enter(at, &element)?),
            Event::Text(text) if at.is_text() => reader.text += &text,
            Event::Text(_) => {}
            Event::End => {
                reader.leave(at)?;
                open.pop();
            }
        }
    }
    reader.finish(patience)
}

/// What is being read.
#[derive(Clone, Copy, PartialEq, Eq)]
enum At {
    Document,
    Pnml,
    /// The net or one of its pages.
    Net,
    Place,
    Marking,
    MarkingText,
    Capacity,
    CapacityText,
    Arc,
    Weight,
    WeightText,
    ArcKind,
    ArcKindText,
    Nupn,
    Units,
    Unit,
    UnitPlaces,
    UnitInner,
    /// Something that does not matter, nor what is inside.
    Else,
}

impl At {
    fn is_text(self) -> bool {
        use At::*;
        matches!(self, MarkingText | CapacityText | WeightText | ArcKindText | UnitPlaces | UnitInner)
    }
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum ArcKind {
    Normal,
    Inhibitor,
    Read,
}

/// An arc as it is written.
struct RawArc {
    source: Symbol,
    target: Symbol,
    kind: ArcKind,
    weight: u64,
    at: usize,
}

struct Reader<'a> {
    xml: Xml<'a>,
    /// The text of the innermost element, if it matters, and where that element begins.
    text: String,
    text_at: usize,
    has_net: bool,
    net: NetBuilder,
    /// The places so far: the last one may not be complete.
    n_places: u32,
    symbols: Symbols,
    arcs: Vec<RawArc>,
    units: Option<RawUnits>,
}

impl<'a> Reader<'a> {
    fn new(text: &'a str, patience: &'a Patience) -> Reader<'a> {
        Reader {
            xml: Xml::new(text, patience),
            text: String::new(),
            text_at: 0,
            has_net: false,
            net: NetBuilder::default(),
            n_places: 0,
            symbols: Symbols::default(),
            arcs: Vec::new(),
            units: None,
        }
    }

    /// Begins an element inside another.
    fn enter(&mut self, outer: At, element: &Element) -> Reading<At> {
        let inner = match (outer, element.name()) {
            (At::Document, "pnml") => At::Pnml,
            (At::Document, other) => {
                return Err(refusal(element.at, "E0312", format!("<{other}> is no <pnml>")));
            }
            (At::Pnml, "net") => self.net(element)?,
            (At::Net, "page") => At::Net,
            (At::Net, "place") => self.place(element)?,
            (At::Net, "transition") => self.transition(element)?,
            (At::Net, "referencePlace") => self.reference(element, Referent::Place)?,
            (At::Net, "referenceTransition") => self.reference(element, Referent::Transition)?,
            (At::Net, "arc") => self.arc(element, ArcKind::Normal)?,
            (At::Net, "inhibitorArc") => self.arc(element, ArcKind::Inhibitor)?,
            (At::Net, "toolspecific") => match element.attribute("tool")?.as_deref() {
                Some("nupn") => At::Nupn,
                _ => At::Else,
            },
            (At::Place, "initialMarking") => At::Marking,
            (At::Marking, "text" | "value") => At::MarkingText,
            (At::Place, "capacity") => At::Capacity,
            (At::Capacity, "text" | "value") => At::CapacityText,
            (At::Arc, "inscription") => At::Weight,
            (At::Weight, "text" | "value") => At::WeightText,
            (At::Arc, "type" | "arctype") => {
                if let Some(kind) = element.attribute("value")? {
                    self.arc_kind(&kind, element.at)?;
                }
                At::ArcKind
            }
            (At::ArcKind, "text") => At::ArcKindText,
            (At::Place, "hlinitialMarking") | (At::Arc, "hlinscription") => {
                return Err(coloured(element.at));
            }
            (At::Nupn, "structure") => self.units(element)?,
            (At::Units, "unit") => self.unit(element)?,
            (At::Unit, "places") => At::UnitPlaces,
            (At::Unit, "subunits") => At::UnitInner,
            _ => At::Else,
        };
        if inner.is_text() {
            self.text.clear();
            self.text_at = element.at;
        }
        Ok(inner)
    }

    /// Ends an element.
    fn leave(&mut self, at: At) -> Reading<()> {
        match at {
            At::MarkingText => {
                let initial = self.number("marking")?;
                self.net.place_mut(PlaceId(self.n_places - 1)).initial = initial;
            }
            // Where there is none, PIPE writes 0.
            At::CapacityText if self.number("capacity")? > 0 => {
                return Err(refusal(self.text_at, "E0322", "places with a capacity cannot be read"));
            }
            At::WeightText => {
                let weight = self.number("weight")?;
                if weight == 0 {
                    return Err(refusal(self.text_at, "E0320", "an arc of weight 0 is no arc"));
                }
                self.last_arc().weight = weight;
            }
            At::ArcKindText => {
                let kind = std::mem::take(&mut self.text);
                self.arc_kind(kind.trim(), self.text_at)?;
            }
            At::UnitPlaces => {
                let places = self.text.split_whitespace().map(|id| self.symbols.number(id));
                last_unit(&mut self.units).places.extend(places);
            }
            At::UnitInner => {
                let inner = self.text.split_whitespace().map(str::to_owned);
                last_unit(&mut self.units).inner.extend(inner);
            }
            _ => {}
        }
        Ok(())
    }

    fn net(&mut self, element: &Element) -> Reading<At> {
        if std::mem::replace(&mut self.has_net, true) {
            return Err(refusal(element.at, "E0312", "there is a second net"));
        }
        if kind_of(element)? == Kind::Coloured {
            return Err(coloured(element.at));
        }
        self.net = NetBuilder::new(element.attribute("id")?.unwrap_or_default());
        Ok(At::Net)
    }

    fn place(&mut self, element: &Element) -> Reading<At> {
        let id = self.required(element, "id")?;
        let place = self.net.place(&*id, 0);
        self.n_places += 1;
        self.define(&id, Node::Place(place), element.at)?;
        Ok(At::Place)
    }

    fn transition(&mut self, element: &Element) -> Reading<At> {
        let id = self.required(element, "id")?;
        let transition = self.net.transition(&*id);
        self.define(&id, Node::Transition(transition), element.at)?;
        Ok(At::Else)
    }

    fn reference(&mut self, element: &Element, referent: Referent) -> Reading<At> {
        let id = self.required(element, "id")?;
        let to = self.symbols.number(&self.required(element, "ref")?);
        let reference = self.symbols.reference(to, referent, element.at);
        self.define(&id, reference, element.at)?;
        Ok(At::Else)
    }

    fn define(&mut self, id: &str, node: Node, at: usize) -> Reading<()> {
        let symbol = self.symbols.number(id);
        match self.symbols.define(symbol, node) {
            Node::Missing => Ok(()),
            _ => Err(refusal(at, "E0315", format!("the id `{id}` is used twice"))),
        }
    }

    fn arc(&mut self, element: &Element, kind: ArcKind) -> Reading<At> {
        let source = self.symbols.number(&self.required(element, "source")?);
        let target = self.symbols.number(&self.required(element, "target")?);
        self.arcs.push(RawArc { source, target, kind, weight: 1, at: element.at });
        if let Some(kind) = element.attribute("type")? {
            self.arc_kind(&kind, element.at)?;
        }
        Ok(At::Arc)
    }

    /// Says of which kind the last arc is.
    fn arc_kind(&mut self, kind: &str, at: usize) -> Reading<()> {
        self.last_arc().kind = match kind.to_ascii_lowercase().as_str() {
            "normal" | "ordinary" => ArcKind::Normal,
            "inhibitor" => ArcKind::Inhibitor,
            "read" | "test" => ArcKind::Read,
            _ => return Err(refusal(at, "E0319", format!("arcs of type `{kind}` cannot be read"))),
        };
        Ok(())
    }

    fn last_arc(&mut self) -> &mut RawArc {
        self.arcs.last_mut().expect("an arc has begun")
    }

    fn units(&mut self, element: &Element) -> Reading<At> {
        if self.units.is_some() {
            return Err(refusal(element.at, "E0321", "the units are given twice"));
        }
        let root = self.required(element, "root")?.into_owned();
        let safe = element.attribute("safe")?.as_deref() == Some("true");
        self.units = Some(RawUnits { at: element.at, root, safe, list: Vec::new() });
        Ok(At::Units)
    }

    fn unit(&mut self, element: &Element) -> Reading<At> {
        let name = self.required(element, "id")?.into_owned();
        let unit = RawUnit { name, at: element.at, places: Vec::new(), inner: Vec::new() };
        self.units.as_mut().expect("units have begun").list.push(unit);
        Ok(At::Unit)
    }

    fn required<'e>(&self, element: &'e Element, attribute: &str) -> Reading<Cow<'e, str>> {
        element
            .attribute(attribute)?
            .ok_or_else(|| refusal(element.at, "E0314", format!("<{}> has no {attribute}", element.name())))
    }

    /// The text as a number.
    fn number(&self, what: &str) -> Reading<u64> {
        let text = self.text.trim();
        // PIPE names the colour of the tokens, even if there is only one.
        let digits = text.strip_prefix("Default,").unwrap_or(text);
        digits.parse().map_err(|error: ParseIntError| {
            let why = match error.kind() {
                IntErrorKind::PosOverflow => "is too large",
                _ if digits.starts_with('-') => "is negative",
                _ => "is no number",
            };
            refusal(self.text_at, "E0320", format!("the {what} `{text}` {why}"))
        })
    }

    fn finish(mut self, patience: &Patience) -> Reading<Net> {
        if !self.has_net {
            return Err(no_net());
        }
        let pace = &mut patience.pace();
        self.symbols.resolve(pace)?;
        self.connect(pace)?;
        if let Some(units) = self.units {
            self.net.units(units.finish(&self.symbols, self.n_places as usize, pace)?);
        }
        Ok(self.net.finish_within(patience)?)
    }

    /// Adds the arcs to the net.
    fn connect(&mut self, pace: &mut Pace<'_>) -> Reading<()> {
        // What a read arc asks for beyond what the transition takes from the place is taken and brought back.
        let mut reads = HashMap::new();
        let mut inputs = HashMap::new();
        let has_reads = self.arcs.iter().any(|arc| arc.kind == ArcKind::Read);
        // Those between the same two add up: all together fit, so whichever do, fit, too.
        let mut total = 0_u64;
        for arc in std::mem::take(&mut self.arcs) {
            pace.step()?;
            let RawArc { source, target, kind, weight, .. } = arc;
            if kind != ArcKind::Inhibitor {
                total = total.checked_add(weight).ok_or_else(|| {
                    refusal(arc.at, "E0320", "the weights of the arcs add up to more than 2^64 - 1")
                })?;
            }
            match (self.symbols.node(source), kind, self.symbols.node(target)) {
                (Node::Place(place), ArcKind::Normal, Node::Transition(transition)) => {
                    self.net.input(place, transition, weight);
                    if has_reads {
                        *inputs.entry((place, transition)).or_insert(0) += weight;
                    }
                }
                (Node::Transition(transition), ArcKind::Normal, Node::Place(place)) => {
                    self.net.output(transition, place, weight);
                }
                (Node::Place(place), ArcKind::Inhibitor, Node::Transition(transition)) => {
                    self.net.inhibitor(place, transition, weight);
                }
                (Node::Place(place), ArcKind::Read, Node::Transition(transition))
                | (Node::Transition(transition), ArcKind::Read, Node::Place(place)) => {
                    let read = reads.entry((place, transition)).or_insert(weight);
                    *read = weight.max(*read);
                }
                (from, _, to) => return Err(self.bad_arc(&arc, from, to)),
            }
        }
        for ((place, transition), weight) in reads {
            pace.step()?;
            let missing = weight.saturating_sub(*inputs.get(&(place, transition)).unwrap_or(&0));
            self.net.input(place, transition, missing);
            self.net.output(transition, place, missing);
        }
        Ok(())
    }

    fn bad_arc(&self, arc: &RawArc, from: Node, to: Node) -> Stop {
        let id = |symbol| self.symbols.id(symbol);
        let (code, message) = match (from, to) {
            (Node::Missing, _) => {
                ("E0316", format!("the source of the arc, `{}`, is not there", id(arc.source)))
            }
            (_, Node::Missing) => {
                ("E0316", format!("the target of the arc, `{}`, is not there", id(arc.target)))
            }
            (Node::Place(_), Node::Place(_)) => ("E0318", "an arc between two places".into()),
            (Node::Transition(_), Node::Transition(_)) => ("E0318", "an arc between two transitions".into()),
            _ => ("E0318", "an inhibitor arc from a transition to a place".into()),
        };
        refusal(arc.at, code, message)
    }
}

fn last_unit(units: &mut Option<RawUnits>) -> &mut RawUnit {
    units.as_mut().and_then(|units| units.list.last_mut()).expect("a unit has begun")
}

fn no_net() -> Stop {
    refusal(0, "E0312", "there is no net")
}

fn coloured(at: usize) -> Stop {
    refusal(at, COLOURED, "coloured nets cannot be read")
}

/// What a net says that it is. Where it says nothing, it has nothing but tokens.
fn kind_of(net: &Element) -> Reading<Kind> {
    let uri = net.attribute("type")?.unwrap_or_default();
    let is = |names: &[&str]| names.iter().any(|name| uri.to_ascii_lowercase().contains(name));
    if is(&["symmetricnet", "highlevelnet", "hlpn"]) {
        Ok(Kind::Coloured)
    } else if uri.is_empty() || is(&["ptnet", "p/t", "coremodel"]) {
        Ok(Kind::PlaceTransition)
    } else {
        Err(refusal(net.at, "E0312", format!("nets of type `{uri}` cannot be read")))
    }
}
