//! Random expressions over small numbers.

use super::unit::{Generator, Variable};

impl Generator {
    /// A variable to assign to.
    pub fn place(&mut self) -> Variable {
        let n = self.globals.len() + self.locals.len();
        let k = self.prng.below(n);
        let mut variable = self.globals.iter().chain(&self.locals).nth(k).expect("k is below n").clone();
        while let Some(at) = variable.text.find('@') {
            let index = self.index();
            variable.text.replace_range(at..=at, &index);
        }
        variable
    }

    fn index(&mut self) -> String {
        let simple =
            self.globals.iter().chain(&self.locals).filter(|v| v.is_small() && !v.text.contains('@'));
        let names: Vec<String> = simple.map(|v| v.text.clone()).collect();
        match self.prng.below(4) {
            0 if self.features.errors && !names.is_empty() => self.prng.pick(&names).clone(),
            1 if !names.is_empty() => format!("{} % 2", self.prng.pick(&names)),
            _ => self.prng.below(2).to_string(),
        }
    }

    fn constant(&mut self) -> String {
        match self.prng.below(20) {
            0 => "255".into(),
            1 => "(-1)".into(),
            2 if !self.mtypes.is_empty() => self.prng.pick(&self.mtypes.clone()).clone(),
            3 => "3".into(),
            4..=7 => "2".into(),
            8..=13 => "1".into(),
            _ => "0".into(),
        }
    }

    fn leaf(&mut self) -> String {
        match self.prng.below(20) {
            0 => "_pid".into(),
            1 => "_nr_pr".into(),
            2 if self.features.last => "_last".into(),
            3 if !self.channels.is_empty() => {
                let channel = self.prng.pick(&self.channels).name.clone();
                format!("len({channel})")
            }
            4..=9 => self.constant(),
            10 if !self.counters.is_empty() => self.prng.pick(&self.counters.clone()).clone(),
            _ => self.place().text,
        }
    }

    /// An expression.
    pub fn expression(&mut self, depth: usize) -> String {
        if depth == 0 || self.prng.chance(40) {
            return self.leaf();
        }
        match self.prng.below(14) {
            0 => format!("(-{})", self.expression(depth - 1)),
            1 => format!("(~{})", self.expression(depth - 1)),
            2 => format!("(!{})", self.expression(depth - 1)),
            3 => {
                let condition = self.condition(depth - 1);
                format!("({condition} -> {} : {})", self.expression(depth - 1), self.expression(depth - 1))
            }
            4 => {
                let op = *self.prng.pick(&["&", "|", "^"]);
                format!("({} {op} {})", self.expression(depth - 1), self.expression(depth - 1))
            }
            5 => {
                let op = *self.prng.pick(&["<<", ">>"]);
                format!("({} {op} {})", self.expression(depth - 1), self.prng.range(1, 2))
            }
            6 => {
                let op = *self.prng.pick(&["/", "%"]);
                let divisor =
                    if self.features.errors && self.prng.chance(30) { self.leaf() } else { "2".into() };
                format!("({} {op} {divisor})", self.expression(depth - 1))
            }
            7 => format!("({} * {})", self.expression(depth - 1), self.prng.range(0, 2)),
            8 => self.condition(depth - 1),
            _ => {
                let op = *self.prng.pick(&["+", "+", "-"]);
                format!("({} {op} {})", self.expression(depth - 1), self.expression(depth - 1))
            }
        }
    }

    /// A condition, always in brackets.
    pub fn condition(&mut self, depth: usize) -> String {
        if depth > 0 && self.prng.chance(20) {
            let op = *self.prng.pick(&["&&", "||"]);
            return format!("({} {op} {})", self.condition(depth - 1), self.condition(depth - 1));
        }
        let op = *self.prng.pick(&["==", "!=", "!=", "<", "<=", "<=", ">", ">="]);
        let left = self.place().text;
        let right = if depth > 0 { self.expression(depth - 1) } else { self.constant() };
        format!("({left} {op} {right})")
    }
}
