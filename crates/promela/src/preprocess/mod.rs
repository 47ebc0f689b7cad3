//! The preprocessor: directives, included files, and the main loop that yields Promela's tokens.
//!
//! It follows `cpp`, which Spin runs over every model: macros are expanded as in C, and a token
//! counts as being on a new line if its source line differs from that of the token before it (the
//! parser needs that, because a line end may stand for a semicolon).

mod condition;
mod include;
mod macros;

use std::path::{Path, PathBuf};
use std::rc::Rc;

use model::{Over, Pace};
use rustc_hash::{FxHashMap, FxHashSet};
use source::{FileId, Sources, Span};

use crate::Options;
use crate::lex::{Cursor, Keyword, Kind, Token};
use crate::names::{NameId, Names};
use crate::reports::Reports;
use macros::{Frame, Macro};

/// The most bytes of source, all files together.
pub const MAX_SOURCE_BYTES: usize = 32 << 20;
/// The most tokens of a model after macro expansion.
pub const MAX_TOKENS: usize = 2_000_000;
/// How deep files may include each other.
pub const MAX_INCLUDE_DEPTH: usize = 64;
/// How many files may be read.
const MAX_FILES: usize = 4096;
/// How many bytes may be read when every inclusion of a file counts.
const MAX_INCLUDED_BYTES: usize = 8 * MAX_SOURCE_BYTES;

/// Reads an included file.
pub(crate) type Loader<'a> = &'a dyn Fn(&Path) -> std::io::Result<Vec<u8>>;

/// What comes out.
pub(crate) struct Output {
    pub(crate) tokens: Vec<Token>,
    pub(crate) names: Names,
    pub(crate) sources: Sources,
}

/// A file that is being read.
struct Open {
    file: FileId,
    cursor: Cursor,
    /// The conditionals that were open when it was entered.
    conditionals_before: usize,
}

/// An `#if` whose `#endif` has not come yet.
struct Conditional {
    span: Span,
    /// One of its groups has been read.
    taken: bool,
    /// Its `#else` has come.
    in_else: bool,
}

struct Preprocessor<'a> {
    sources: Sources,
    names: Names,
    options: &'a Options,
    loader: Loader<'a>,
    reports: &'a mut Reports,
    macros: FxHashMap<NameId, Rc<Macro>>,
    files: Vec<Open>,
    loaded: FxHashMap<PathBuf, FileId>,
    included_bytes: usize,
    conditionals: Vec<Conditional>,
    /// Macro expansions and arguments that are being read, the innermost last.
    frames: Vec<Frame>,
    /// The macros of those expansions.
    active: FxHashSet<NameId>,
    unread: Option<Token>,
    /// The outermost macro use.
    use_span: Span,
    /// A line ended since the last token of the output.
    newline: bool,
    /// A line ended inside the macro call that was read last.
    newline_in_call: bool,
    /// How many tokens macro expansion has made so far.
    expanded: usize,
    argument_depth: usize,
    /// Inside embedded C, where any token may stand: how many braces are open.
    embedded_c: Option<usize>,
    /// A limit was hit: nothing more is read.
    stopped: bool,
    pace: Pace<'a>,
    /// Why nothing more is read, if it takes too long.
    over: Option<Over>,
    /// How many of the texts behind the model have been opened.
    extra: usize,
}

/// Reads a model and everything it includes.
pub(crate) fn preprocess(
    name: &str,
    text: String,
    options: &Options,
    loader: Loader<'_>,
    reports: &mut Reports,
) -> Result<Output, Over> {
    let mut sources = Sources::default();
    let too_large = text.len() > MAX_SOURCE_BYTES;
    let bytes = text.len();
    let file = sources.add(name.to_owned(), if too_large { String::new() } else { text });
    let mut preprocessor = Preprocessor {
        sources,
        names: Names::new(),
        options,
        loader,
        reports,
        macros: FxHashMap::default(),
        files: Vec::new(),
        loaded: FxHashMap::default(),
        included_bytes: 0,
        conditionals: Vec::new(),
        frames: Vec::new(),
        active: FxHashSet::default(),
        unread: None,
        use_span: Span::default(),
        newline: false,
        newline_in_call: false,
        expanded: 0,
        argument_depth: 0,
        embedded_c: None,
        stopped: too_large,
        pace: options.patience.pace(),
        over: None,
        extra: 0,
    };
    if too_large {
        preprocessor.report_too_large(Span::default(), bytes);
    }
    preprocessor.open(file);
    preprocessor.predefine();
    let tokens = preprocessor.run();
    match preprocessor.over {
        Some(over) => Err(over),
        None => Ok(Output { tokens, names: preprocessor.names, sources: preprocessor.sources }),
    }
}

impl Preprocessor<'_> {
    fn run(&mut self) -> Vec<Token> {
        let mut output = Vec::new();
        loop {
            let mut token = self.next_expanded();
            if token.kind == Kind::End || self.reports.full() {
                break;
            }
            if output.len() >= MAX_TOKENS {
                let message = format!("the model has more than {MAX_TOKENS} tokens");
                self.reports.error("E0107", token.span, message);
                break;
            }
            token.newline = std::mem::take(&mut self.newline);
            if self.in_embedded_c(token) || self.checked(&mut token) {
                output.push(token);
            }
        }
        let end = self.files.first().map_or(Span::default(), |main| {
            let length = self.sources.file(main.file).text.len() as u32;
            Span { file: main.file, start: length, end: length }
        });
        output.push(Token::end(end));
        output
    }

    /// Follows `c_code { … }` and its like, whose tokens are not Promela's.
    fn in_embedded_c(&mut self, token: Token) -> bool {
        use Keyword::{CCode, CDecl, CExpr};
        match (self.embedded_c, token.kind) {
            (None, Kind::Name) if matches!(self.names.keyword(token.text), Some(CCode | CDecl | CExpr)) => {
                self.embedded_c = Some(0);
                false
            }
            (None, _) => false,
            (Some(depth), Kind::LeftBrace) => {
                self.embedded_c = Some(depth + 1);
                true
            }
            (Some(depth), Kind::RightBrace) => {
                self.embedded_c = depth.checked_sub(1).filter(|&depth| depth > 0);
                true
            }
            (Some(_), _) => true,
        }
    }

    /// Turns a name into a keyword if it is one, and complains about tokens that are none.
    fn checked(&mut self, token: &mut Token) -> bool {
        let spelling = self.names.get(token.text);
        match token.kind {
            Kind::Name => {
                if let Some(keyword) = self.names.keyword(token.text) {
                    token.kind = Kind::Key(keyword);
                }
            }
            Kind::Number if !spelling.bytes().all(|c| c.is_ascii_digit()) => {
                let message = format!("`{spelling}` is not a number");
                self.reports.error("E0104", token.span, message).help("Promela has decimal numbers only");
                token.text = self.names.intern("0");
            }
            Kind::BadString => {
                self.reports
                    .error("E0102", token.span, "this string has no closing quote")
                    .label("starts here");
                token.kind = Kind::Str;
            }
            Kind::BadChar => {
                self.reports
                    .error("E0103", token.span, "this quote does not belong to a character constant")
                    .help("a character constant is one character between quotes, such as 'a' or '\\n'");
                return false;
            }
            Kind::Unknown | Kind::Hash | Kind::HashHash => {
                let message =
                    format!("`{}` does not belong to any Promela token", token.spelling(&self.names));
                self.reports.error("E0101", token.span, message);
                return false;
            }
            _ => {}
        }
        true
    }

    fn predefine(&mut self) {
        let options = self.options;
        for (name, value) in &options.defines {
            let value = value.as_deref().unwrap_or("1");
            let name = self.names.intern(name);
            let body = self.tokens_of(value);
            self.macros.insert(name, Rc::new(Macro::object(body, Span::default())));
        }
        for name in &options.undefines {
            let name = self.names.intern(name);
            self.macros.remove(&name);
        }
    }

    /// The tokens of a text that does not stand in a file.
    fn tokens_of(&mut self, text: &str) -> Vec<Token> {
        let mut cursor = Cursor::new(FileId::default());
        let next = || {
            let token = cursor.next(text, &mut self.names);
            (token.kind != Kind::End).then_some(token)
        };
        std::iter::from_fn(next).collect()
    }

    fn open(&mut self, file: FileId) {
        let conditionals_before = self.conditionals.len();
        self.files.push(Open { file, cursor: Cursor::new(file), conditionals_before });
    }

    /// So many steps. When there is no patience left, there is nothing more to read.
    fn steps(&mut self, n: usize) {
        if let (None, Err(over)) = (self.over, self.pace.steps(n)) {
            self.over = Some(over);
            self.abandon();
        }
    }

    /// Reads nothing more.
    fn abandon(&mut self) {
        self.stopped = true;
        self.frames.clear();
        self.unread = None;
    }

    /// The next token of the innermost file.
    fn lex(&mut self) -> Token {
        self.steps(1);
        if self.over.is_some() {
            return Token::end(Span::default());
        }
        let Some(open) = self.files.last_mut() else { return Token::end(Span::default()) };
        let text = &self.sources.file(open.file).text;
        let token = open.cursor.next(text, &mut self.names);
        if let Some(comment) = open.cursor.open_comment.take() {
            self.reports.error("E0105", comment, "this comment has no end").label("starts here");
        }
        token
    }

    /// The next token that is not part of a directive.
    fn next_of_files(&mut self) -> Token {
        loop {
            if self.stopped {
                return Token::end(Span::default());
            }
            let token = self.lex();
            match token.kind {
                Kind::Hash if token.starts_line => self.directive(token.span),
                Kind::End => {
                    self.close_conditionals();
                    if !self.go_on() {
                        return token;
                    }
                }
                _ => return token,
            }
        }
    }

    /// Goes on with the next text behind the model, or with the file that includes this one.
    fn go_on(&mut self) -> bool {
        if self.files.len() <= 1 {
            let Some((name, text)) = self.options.extra.get(self.extra) else { return false };
            self.extra += 1;
            if !self.fits(text.len(), Span::default()) {
                return false;
            }
            let file = self.sources.add(name.clone(), text.clone());
            self.files.clear();
            self.open(file);
        } else {
            self.files.pop();
        }
        self.newline = true;
        true
    }

    fn close_conditionals(&mut self) {
        let before = self.files.last().map_or(0, |open| open.conditionals_before);
        for open in self.conditionals.drain(before..) {
            self.reports.error("E0205", open.span, "this conditional has no #endif");
        }
    }

    /// The tokens up to the end of the line.
    fn rest_of_line(&mut self) -> Vec<Token> {
        let mut line = Vec::new();
        loop {
            let before = self.files.last().map(|open| open.cursor.clone());
            let token = self.lex();
            if token.starts_line || token.kind == Kind::End {
                if let (Some(open), Some(cursor)) = (self.files.last_mut(), before) {
                    open.cursor = cursor;
                }
                return line;
            }
            line.push(token);
        }
    }

    fn directive(&mut self, hash: Span) {
        let line = self.rest_of_line();
        // `#` alone does nothing; `# 1 "file"` is left behind by another preprocessor.
        let Some(first) = line.first().filter(|first| first.kind != Kind::Number) else { return };
        let (rest, span) = (&line[1..], hash.to(first.span));
        match self.names.get(first.text) {
            _ if first.kind != Kind::Name => self.unknown_directive(span),
            "define" => self.define(span, rest),
            "undef" => match self.macro_name(rest) {
                Some(name) => drop(self.macros.remove(&name)),
                None => self.malformed(span, "#undef needs the name of a macro"),
            },
            "include" => self.include(span, rest),
            "if" => {
                let holds = self.condition(span, rest);
                self.begin_conditional(span, holds);
            }
            "ifdef" => self.if_defined(span, rest, true),
            "ifndef" => self.if_defined(span, rest, false),
            "elif" | "else" | "endif" => self.end_group(span, first.text),
            "error" => {
                let text = self.text_of(rest).to_owned();
                self.reports.error("E0208", span, format!("#error {text}"));
            }
            "warning" => {
                let text = self.text_of(rest).to_owned();
                self.reports.warn("W0812", span, format!("#warning {text}"));
            }
            "pragma" | "line" | "ident" => {}
            _ => self.unknown_directive(span),
        }
    }

    fn unknown_directive(&mut self, span: Span) {
        let message = format!("`{}` is not a preprocessor directive", self.sources.text(span));
        self.reports.error("E0201", span, message);
    }

    fn malformed(&mut self, span: Span, message: &str) {
        self.reports.error("E0202", span, message);
    }

    /// What is written from the first to the last of these tokens.
    fn text_of(&self, tokens: &[Token]) -> &str {
        match (tokens.first(), tokens.last()) {
            (Some(first), Some(last)) => self.sources.text(first.span.to(last.span)),
            _ => "",
        }
    }

    fn macro_name(&self, rest: &[Token]) -> Option<NameId> {
        rest.first().filter(|token| token.kind == Kind::Name).map(|token| token.text)
    }

    fn if_defined(&mut self, span: Span, rest: &[Token], wanted: bool) {
        let name = self.macro_name(rest);
        if name.is_none() {
            self.malformed(span, "#ifdef and #ifndef need the name of a macro");
        }
        let holds = name.is_some_and(|name| self.macros.contains_key(&name) == wanted);
        self.begin_conditional(span, holds);
    }

    fn begin_conditional(&mut self, span: Span, holds: bool) {
        self.conditionals.push(Conditional { span, taken: holds, in_else: false });
        if !holds {
            self.skip_group();
        }
    }

    /// Comes after a group that was read: `#elif` and `#else` start one to be skipped.
    fn end_group(&mut self, span: Span, directive: NameId) {
        let is_endif = self.names.get(directive) == "endif";
        if self.open_conditional(span).is_none() {
            return;
        }
        if is_endif {
            self.conditionals.pop();
        } else {
            self.skip_group();
        }
    }

    /// The innermost conditional of the current file.
    fn open_conditional(&mut self, span: Span) -> Option<&mut Conditional> {
        let before = self.files.last().map_or(0, |open| open.conditionals_before);
        if self.conditionals.len() <= before {
            let message = format!("`{}` without #if", self.sources.text(span));
            self.reports.error("E0206", span, message);
            return None;
        }
        self.conditionals.last_mut()
    }

    /// Skips to the directive that ends this group, and on until a group is to be read.
    fn skip_group(&mut self) {
        let mut depth = 0;
        loop {
            let token = self.lex();
            if token.kind == Kind::End {
                // The end is found again by whoever reads on, and reported there.
                return;
            }
            if token.kind != Kind::Hash || !token.starts_line {
                continue;
            }
            let line = self.rest_of_line();
            let Some(first) = line.first().filter(|first| first.kind == Kind::Name) else { continue };
            let span = token.span.to(first.span);
            match self.names.get(first.text) {
                "if" | "ifdef" | "ifndef" => depth += 1,
                "endif" if depth > 0 => depth -= 1,
                "endif" => {
                    self.conditionals.pop();
                    return;
                }
                "else" if depth == 0 => {
                    let Some(conditional) = self.open_conditional(span) else { return };
                    let second = std::mem::replace(&mut conditional.in_else, true);
                    let take = !std::mem::replace(&mut conditional.taken, true);
                    if second {
                        self.reports.error("E0206", span, "second #else of a conditional");
                    }
                    if take {
                        return;
                    }
                }
                "elif" if depth == 0 => {
                    let taken = self.open_conditional(span).is_none_or(|conditional| conditional.taken);
                    if !taken && self.condition(span, &line[1..]) {
                        if let Some(conditional) = self.open_conditional(span) {
                            conditional.taken = true;
                        }
                        return;
                    }
                }
                _ => {}
            }
        }
    }
}
