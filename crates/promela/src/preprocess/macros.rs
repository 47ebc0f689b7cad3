//! Macro definitions and their expansion.

use std::rc::Rc;

use rustc_hash::FxHashMap;
use source::Span;

use super::{MAX_TOKENS, Preprocessor};
use crate::lex::{Kind, Token};
use crate::names::NameId;

/// How deep macro calls may stand in arguments of macro calls.
const MAX_ARGUMENT_DEPTH: usize = 64;

/// How long a token made by `#` or `##` may be.
const MAX_SPELLING: usize = 1 << 16;

/// A macro.
#[derive(Debug, PartialEq)]
pub(super) struct Macro {
    /// The parameters of a function-like macro.
    parameters: Option<Vec<NameId>>,
    /// The last parameter takes all remaining arguments.
    variadic: bool,
    body: Vec<Part>,
    span: Span,
}

/// A token of a macro's body.
#[derive(Debug)]
struct Part {
    token: Token,
    /// The parameter it names.
    parameter: Option<usize>,
}

impl PartialEq for Part {
    fn eq(&self, other: &Part) -> bool {
        (self.token.kind, self.token.text, self.parameter)
            == (other.token.kind, other.token.text, other.parameter)
    }
}

impl Macro {
    pub(super) fn object(body: Vec<Token>, span: Span) -> Macro {
        let body = body.into_iter().map(|token| Part { token, parameter: None }).collect();
        Macro { parameters: None, variadic: false, body, span }
    }

    fn same_as(&self, other: &Macro) -> bool {
        (&self.parameters, self.variadic, &self.body) == (&other.parameters, other.variadic, &other.body)
    }
}

/// Tokens that are read before anything else.
pub(super) struct Frame {
    tokens: Vec<Token>,
    position: usize,
    source: FrameSource,
    /// A line ended inside the macro call: what follows it is on a new line.
    newline_after: bool,
}

#[derive(Clone, Copy, PartialEq)]
enum FrameSource {
    /// The expansion of a macro, which is not expanded again inside it.
    Macro(NameId),
    /// Tokens to be expanded on their own: reading does not go on behind them.
    Apart,
}

impl Preprocessor<'_> {
    pub(super) fn define(&mut self, span: Span, rest: &[Token]) {
        let Some(name) = self.macro_name(rest) else {
            return self.malformed(span, "#define needs a name");
        };
        if self.names.get(name) == "defined" {
            return self.malformed(span, "`defined` cannot be a macro");
        }
        let name_span = rest[0].span;
        let is_function = rest.get(1).is_some_and(|token| token.kind == Kind::LeftParen && !token.spaced);
        let mut definition = Macro { parameters: None, variadic: false, body: Vec::new(), span: name_span };
        let mut body = &rest[1..];
        if is_function {
            let Some(close) = body.iter().position(|token| token.kind == Kind::RightParen) else {
                return self.malformed(name_span, "the parameters of this macro have no `)`");
            };
            if !self.parameters(&mut definition, &body[1..close]) {
                return self.malformed(name_span, "the parameters of a macro are names separated by commas");
            }
            body = &body[close + 1..];
        }
        let parameters = definition.parameters.iter().flatten().enumerate();
        let positions: FxHashMap<NameId, usize> = parameters.map(|(index, &name)| (name, index)).collect();
        let part = |&token: &Token| {
            let parameter = positions.get(&token.text).copied().filter(|_| token.kind == Kind::Name);
            Part { token, parameter }
        };
        definition.body = body.iter().map(part).collect();
        let pasted = [definition.body.first(), definition.body.last()];
        if pasted.iter().flatten().any(|part| part.token.kind == Kind::HashHash) {
            return self.malformed(name_span, "`##` must stand between two tokens");
        }
        if let Some(old) = self.macros.get(&name).filter(|old| !old.same_as(&definition)) {
            let message = format!("macro `{}` was defined differently before", self.names.get(name));
            self.reports.warn("W0811", name_span, message).related(old.span, "first definition");
        }
        self.macros.insert(name, Rc::new(definition));
    }

    /// Reads `a, b, ...`.
    fn parameters(&mut self, definition: &mut Macro, tokens: &[Token]) -> bool {
        let mut parameters = Vec::new();
        let mut rest = tokens;
        while !rest.is_empty() {
            rest = match rest {
                [dots, dot] if dots.kind == Kind::DotDot && dot.kind == Kind::Dot => {
                    parameters.push(self.names.intern("__VA_ARGS__"));
                    definition.variadic = true;
                    &[]
                }
                [name, dots, dot]
                    if name.kind == Kind::Name && dots.kind == Kind::DotDot && dot.kind == Kind::Dot =>
                {
                    parameters.push(name.text);
                    definition.variadic = true;
                    &[]
                }
                [name] if name.kind == Kind::Name => {
                    parameters.push(name.text);
                    &[]
                }
                [name, comma, more @ ..]
                    if name.kind == Kind::Name && comma.kind == Kind::Comma && !more.is_empty() =>
                {
                    parameters.push(name.text);
                    more
                }
                _ => return false,
            };
        }
        definition.parameters = Some(parameters);
        true
    }

    /// The next token, unexpanded.
    fn raw(&mut self) -> Token {
        self.steps(1);
        if let Some(token) = self.unread.take() {
            return token;
        }
        while let Some(frame) = self.frames.last_mut() {
            if let Some(&token) = frame.tokens.get(frame.position) {
                frame.position += 1;
                return token;
            }
            match frame.source {
                FrameSource::Apart => return Token::end(self.use_span),
                FrameSource::Macro(name) => {
                    self.newline |= frame.newline_after;
                    self.active.remove(&name);
                    self.frames.pop();
                }
            }
        }
        self.next_of_files()
    }

    /// The next token with macros expanded.
    pub(super) fn next_expanded(&mut self) -> Token {
        loop {
            let mut token = self.raw();
            self.newline |= std::mem::take(&mut token.newline);
            if token.kind != Kind::Name || token.fixed {
                return token;
            }
            let Some(definition) = self.macros.get(&token.text).cloned() else {
                return self.line_number(token);
            };
            if self.active.contains(&token.text) {
                token.fixed = true;
                return token;
            }
            if self.frames.is_empty() {
                self.use_span = token.span;
            }
            let mut newline_after = false;
            let body = match &definition.parameters {
                None => self.substitute(&definition, &[]),
                Some(parameters) => {
                    let next = self.raw();
                    if next.kind != Kind::LeftParen {
                        if next.kind != Kind::End {
                            self.unread = Some(next);
                        }
                        return token;
                    }
                    let Some(arguments) = self.arguments(token, parameters.len(), definition.variadic) else {
                        continue;
                    };
                    newline_after = next.newline || std::mem::take(&mut self.newline_in_call);
                    self.substitute(&definition, &arguments)
                }
            };
            self.push(token.text, body, newline_after);
        }
    }

    /// `__LINE__` and `__FILE__` are macros that nobody defines.
    fn line_number(&mut self, mut token: Token) -> Token {
        match self.names.get(token.text) {
            "__LINE__" => {
                let span = if self.frames.is_empty() { token.span } else { self.use_span };
                let line = self.sources.file(span.file).line(span.start);
                token.kind = Kind::Number;
                token.text = self.names.intern(&line.to_string());
            }
            "__FILE__" => {
                token.kind = Kind::Str;
                let name = format!("\"{}\"", self.sources.file(token.span.file).name);
                token.text = self.names.intern(&name);
            }
            _ => {}
        }
        token
    }

    fn push(&mut self, name: NameId, mut tokens: Vec<Token>, newline_after: bool) {
        self.expanded += tokens.len() + 1;
        self.steps(tokens.len());
        if self.expanded > 2 * MAX_TOKENS {
            return self.stop();
        }
        if self.stopped {
            return;
        }
        for token in &mut tokens {
            token.span = self.use_span;
            token.newline = false;
            token.starts_line = false;
        }
        self.active.insert(name);
        self.frames.push(Frame { tokens, position: 0, source: FrameSource::Macro(name), newline_after });
    }

    /// Gives up: the expansion is too large.
    fn stop(&mut self) {
        if !self.stopped {
            self.reports.error("E0210", self.use_span, "the expansion of this macro is too large");
        }
        self.abandon();
    }

    /// Expands tokens that are not followed by anything.
    pub(super) fn expand_apart(&mut self, tokens: Vec<Token>) -> Vec<Token> {
        if self.argument_depth >= MAX_ARGUMENT_DEPTH {
            let message = format!("macro calls are nested more than {MAX_ARGUMENT_DEPTH} deep");
            self.reports.error("E0210", self.use_span, message);
            return tokens;
        }
        self.argument_depth += 1;
        let use_span = self.use_span;
        let newline = self.newline;
        let unread = self.unread.take();
        self.frames.push(Frame { tokens, position: 0, source: FrameSource::Apart, newline_after: false });
        let mut expanded = Vec::new();
        loop {
            let token = self.next_expanded();
            if token.kind == Kind::End {
                break;
            }
            expanded.push(token);
        }
        self.frames.pop();
        self.unread = unread;
        self.newline = newline;
        self.use_span = use_span;
        self.argument_depth -= 1;
        expanded
    }

    /// Reads the arguments of a macro call, behind the opening parenthesis.
    fn arguments(&mut self, name: Token, wanted: usize, variadic: bool) -> Option<Vec<Vec<Token>>> {
        let mut arguments = vec![Vec::new()];
        let mut depth = 0;
        loop {
            let token = self.raw();
            self.newline_in_call |= token.newline;
            match token.kind {
                Kind::End => {
                    let message = format!("this call of macro `{}` has no `)`", self.names.get(name.text));
                    self.reports.error("E0209", self.use_span, message);
                    return None;
                }
                Kind::RightParen if depth == 0 => break,
                Kind::Comma if depth == 0 && !(variadic && arguments.len() == wanted) => {
                    arguments.push(Vec::new());
                    continue;
                }
                Kind::LeftParen => depth += 1,
                Kind::RightParen => depth -= 1,
                _ => {}
            }
            if let Some(last) = arguments.last_mut() {
                last.push(token);
            }
        }
        let given = arguments.len();
        if given + 1 == wanted && variadic {
            arguments.push(Vec::new());
        } else if given != wanted && !(wanted == 0 && given == 1 && arguments[0].is_empty()) {
            let name = self.names.get(name.text);
            let message = format!("macro `{name}` takes {wanted} arguments, but {given} are given");
            self.reports.error("E0209", self.use_span, message);
            return None;
        }
        Some(arguments)
    }

    /// The body of a macro with the arguments put in.
    fn substitute(&mut self, definition: &Macro, arguments: &[Vec<Token>]) -> Vec<Token> {
        let mut output: Vec<Token> = Vec::new();
        let mut expanded: Vec<Option<Vec<Token>>> = vec![None; arguments.len()];
        let body = &definition.body;
        let mut at = 0;
        while let Some(part) = body.get(at) {
            at += 1;
            if output.len() > MAX_TOKENS {
                self.stop();
            }
            if self.stopped {
                return Vec::new();
            }
            let is_function = definition.parameters.is_some();
            if part.token.kind == Kind::Hash
                && is_function
                && let Some(argument) = body.get(at).and_then(|next| next.parameter)
            {
                at += 1;
                let text = self.quoted(arguments.get(argument).map_or(&[], Vec::as_slice));
                output.push(Token { kind: Kind::Str, text, ..part.token });
                continue;
            }
            if part.token.kind == Kind::HashHash {
                let Some(next) = body.get(at) else { break };
                at += 1;
                let right = match next.parameter {
                    Some(argument) => arguments.get(argument).cloned().unwrap_or_default(),
                    None => vec![next.token],
                };
                let is_rest = definition.variadic && next.parameter.is_some_and(|p| p + 1 == arguments.len());
                self.paste(&mut output, right, is_rest);
                continue;
            }
            let before_paste = body.get(at).is_some_and(|next| next.token.kind == Kind::HashHash);
            match part.parameter {
                None => output.push(part.token),
                Some(argument) => {
                    let raw = arguments.get(argument).map_or(&[][..], Vec::as_slice);
                    let start = output.len();
                    if before_paste {
                        if raw.is_empty() {
                            output.push(placeholder(part.token));
                        }
                        output.extend_from_slice(raw);
                    } else {
                        if expanded[argument].is_none() {
                            expanded[argument] = Some(self.expand_apart(raw.to_vec()));
                        }
                        output.extend_from_slice(expanded[argument].as_deref().unwrap_or_default());
                    }
                    if let Some(first) = output.get_mut(start) {
                        first.spaced = part.token.spaced;
                    }
                }
            }
        }
        output.retain(|token| token.kind != Kind::End);
        output
    }

    /// Joins the last token of the output with the first of what follows.
    fn paste(&mut self, output: &mut Vec<Token>, right: Vec<Token>, is_rest: bool) {
        let Some(left) = output.pop() else { return output.extend(right) };
        let Some((first, more)) = right.split_first() else {
            // `, ## __VA_ARGS__` drops the comma if there are no more arguments.
            if !(is_rest && left.kind == Kind::Comma) {
                output.push(left);
            }
            return;
        };
        if is_rest && left.kind == Kind::Comma {
            output.push(left);
            return output.extend(right);
        }
        let left_text = if left.kind == Kind::End { "" } else { left.spelling(&self.names) };
        let joined = format!("{left_text}{}", first.spelling(&self.names));
        // It is read again with each token that is joined to it.
        self.steps(joined.len());
        if joined.len() > MAX_SPELLING {
            return self.stop();
        }
        let mut tokens = self.tokens_of(&joined);
        if let Some(token) = tokens.first_mut() {
            token.spaced = left.spaced;
        }
        output.extend(tokens);
        output.extend_from_slice(more);
    }

    /// An argument as a string.
    fn quoted(&mut self, tokens: &[Token]) -> NameId {
        let mut text = String::from("\"");
        for (i, token) in tokens.iter().enumerate() {
            if i > 0 && (token.spaced || token.newline) {
                text.push(' ');
            }
            let spelling = token.spelling(&self.names);
            if matches!(token.kind, Kind::Str | Kind::Char) {
                text.extend(
                    spelling
                        .chars()
                        .flat_map(|c| matches!(c, '"' | '\\').then_some('\\').into_iter().chain([c])),
                );
            } else {
                text.push_str(spelling);
            }
        }
        text.push('"');
        if text.len() > MAX_SPELLING {
            self.stop();
            text.clear();
        }
        self.names.intern(&text)
    }
}

/// Stands for an empty argument beside `##`.
fn placeholder(token: Token) -> Token {
    Token { kind: Kind::End, ..token }
}
