use std::fmt;

use crate::Location;

/// The value of a variable, as people read it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Value {
    /// A number.
    Int(i64),
    /// A symbolic name (an `mtype` value).
    Name(String),
    /// The messages in a channel, oldest first, each with its fields.
    Messages(Vec<Vec<Value>>),
}

impl fmt::Display for Value {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Value::Int(value) => write!(f, "{value}"),
            Value::Name(name) => f.write_str(name),
            Value::Messages(messages) => {
                f.write_str("[")?;
                for (i, fields) in messages.iter().enumerate() {
                    if i > 0 {
                        f.write_str(" ")?;
                    }
                    f.write_str("<")?;
                    for (k, field) in fields.iter().enumerate() {
                        if k > 0 {
                            f.write_str(",")?;
                        }
                        write!(f, "{field}")?;
                    }
                    f.write_str(">")?;
                }
                f.write_str("]")
            }
        }
    }
}

/// A variable of a state: `x`, `a[2]`, `P[1].y`, or a channel.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Variable {
    /// Its full name.
    pub name: String,
    /// Its value.
    pub value: Value,
}

/// What a step does, for people.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct StepText {
    /// The name of the process type; none for a step of the system as a whole.
    pub process: Option<String>,
    /// The acting process.
    pub pid: u16,
    /// The receiver of a rendezvous.
    pub partner: Option<u16>,
    /// Name of the receiver's process type.
    pub partner_name: Option<String>,
    /// The file of the statement.
    pub file: String,
    /// The place of the statement.
    pub location: Location,
    /// The statement.
    pub action: String,
    /// The place and text of the receiver's statement in a rendezvous.
    pub partner_action: Option<(Location, String)>,
    /// A message sent or received in this step, for charts.
    pub message: Option<Message>,
    /// What the step prints.
    pub output: String,
}

/// A message that a step puts into or takes out of a channel.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Message {
    /// The channel's name.
    pub channel: String,
    /// The channel's number in the state.
    pub id: u16,
    /// True if the step sends.
    pub sent: bool,
    /// True if the step receives (in a rendezvous both are true).
    pub received: bool,
    /// The fields.
    pub fields: Vec<Value>,
}
