//! The text form: what is printed reads back as the same program, and wrong text is refused with its
//! place.

mod support;

use ir::text::{parse, print};
use model::Random;
use source::{Position, Sources};

#[test]
fn programs_are_accepted_and_read_back_as_printed() {
    for support::Named { name, program } in support::all_programs() {
        ir::verify(&program).unwrap_or_else(|errors| panic!("{name}: {errors:#?}"));
        let text = print(&program);
        let again = parse(&text).unwrap_or_else(|error| panic!("{name}: {error}\n{text}"));
        assert!(again == program, "{name}: differs after printing\n{text}\n{}", print(&again));
    }
}

/// Names that are no words, words of the language, or shared; operators and constants that look alike.
const STRANGE: &str = r#"
file "a \"b\" \\ \t \u{1}.pml"
names "" { red = -1, "two words" = 2147483647, len = -2147483648 }
names "empty" { }
globals bits 400 {
  len: u8 @32;
  "a b" [2]: u16 @48 stride 32;
  x: u1 @112;
  x: u1 @120;
  t[2].f[3]: i5 names 0 @128 stride 64, 16;
  t[2].g: u8 chan @176 stride 64 internal;
  _m[2]: u1 @300;
}
channel "chan" [3] of { u8 names 1, i32, u1 chan }
channel c [0] of { }
channel c [1] of { u8 }
shared "chan", c#1, c#2
last #0
init { #0 = 1; #1[1] = 2; x#2 = 1; x#3 = 0; t[0].f[2] = -1; t[1].g = 3 }
start P, ":init:" priority 7, Q#3

process P { frame { pc: u1 @0; v[2]: u8 } pc pc params .v[1], .v[0]
  location 0 "a label" "b" end progress accept {
    [(x#2 || x#3) && (x#2 && x#3) && (x#2 ? 1 : 0) && x#2 | x#3] -> 0;
    [-(1) + -1 - - x#2 == !(!x#2) && ~(-x#2) < 1 - (2 - 3) && (1 < 2) < (3 < 4) && x#2 < (x#3 ? 1 : 2 ? 3 : 4)] -> 0;
    (x#2 ? 1 : 2) ! x#2 ? 1 : 2, -1, own(0) -> 0;
    2 ! -> 0;
    2 ? -> 0;
    3 !! 1 { x#2 = 1 } -> 0 chain escape 4;
    1 ?? <.v[0], -3, eval(-(3))> { print } -> 0 "text" @1:2;
    1 ? _, .v[.v[0]], x#2 { print "a", .v[0], hex(1), octal(2), char(3), unsigned(4), name 0 (5), ":init:"::_p } -> 0 @0:0:7;
    [poll(1 ?? <_, _, _>) && poll(1 ? 1) && ":init:"[_pid]::@none && Q#3::@0 && P[0]::v[1]] -> 0;
    { assert x#2 "" @1:1; assert x#2; priority(_pid + 1) = priority(0); run ":init:"(1, 2) priority 9; x#2 = new_pid } -> 0;
    block { location 0 { -> exit; else since 1 -> 0; } location 1 { } } -> 0;
    [timeout && _nr_pr > 2 && enabled(1) && pc_value(2) && full(1) && nfull(1) && empty(1) && nempty(1)] -> 0;
    else since 3 -> 0;
    terminate -> 0 chain "end";
  }
  channels c#2
}
process ":init:" deterministic @3:4 { frame { _p: u1; _priority: u8; a: u8; b: u8 } params .a, .b priority none location 0 #9 { } }
process Q { frame { _p: u1; _priority: u8 } provided .#1 > 2 location 0 { } }
process Q { frame { _p: u1 } location 0 { } }
monitor forbidden slot _m[] { scope 1 !, 3 ?, (x#2 ? 1 : 2) !; location 0 stop { 1 ! _, 3, x#2 -> 0; 3 ? -> 1 escape 2; -> 0; } location 1 end { } }
predicate x#2 "x" @1:1
predicate some_at(accept) && !some_at(progress) @0:2:3
"#;

#[test]
fn strange_programs_read_back_as_printed() {
    let program = parse(STRANGE).unwrap_or_else(|error| panic!("{error}"));
    ir::verify(&program).unwrap_or_else(|errors| panic!("{errors:#?}"));
    let printed = print(&program);
    let again = parse(&printed).unwrap_or_else(|error| panic!("{error}\n{printed}"));
    assert!(again == program, "{printed}\n{}", print(&again));
    assert_eq!(printed, print(&again));
}

#[test]
fn wrong_texts_are_refused_with_their_place() {
    let process = |body: &str| {
        format!("globals {{ x: u8; a[2]: u8 }}\nprocess P {{ frame {{ _p: u1; v: u8 }}\n{body}\n}}")
    };
    let transition = |text: &str| process(&format!("location 0 {{\n{text}\n}}"));
    let cases = [
        ("globals { x: u8 ", 1, 17, "expected ';' or '}', found the end"),
        ("nonsense", 1, 1, "expected a part of a program, such as 'globals' or 'process', found 'nonsense'"),
        ("globals { x: u33 }", 1, 14, "expected a type such as u8 or i16, found 'u33'"),
        ("globals { x: u+8 }", 1, 14, "expected a type such as u8 or i16, found 'u'"),
        ("globals { x: é }", 1, 14, "unexpected character 'é'"),
        ("file \"a\nb\"", 1, 6, "this text is not closed"),
        ("file \"a\\q\"", 1, 8, "unknown escape in a text"),
        ("globals { x: u8 @99999999999 }", 1, 18, "this number is too large"),
        ("globals { a[4000000000]: u8 stride 4000000000 }", 1, 9, "these variables take too much room"),
        ("globals { a[4000000000]: u8 stride 4000000000; b: u8 }", 1, 48, "this offset is too large"),
        ("globals { a[2]: u8 stride 8, 8 }", 1, 11, "a stride for each dimension is needed"),
        ("channel c [255000000] of { u32 }", 1, 9, "this channel is too large"),
        ("}", 1, 1, "expected a part of a program, such as 'globals' or 'process', found '}'"),
        ("init { x = 1 ", 1, 6, "expected a '{' with its '}'"),
        ("process P { location 0 { } }", 1, 13, "expected 'frame', found 'location'"),
        ("process P { frame { } }", 1, 9, "no variable for its location"),
        ("start Q", 1, 7, "there is no process 'Q'"),
        ("predicate x", 1, 11, "there is no variable 'x'"),
        ("predicate .x", 1, 11, "there is no process here"),
        ("predicate some_at(end)", 1, 19, "expected 'progress' or 'accept', found 'end'"),
        ("predicate 2147483648", 1, 11, "2147483648 is not a 32-bit number"),
        ("globals { x: u8; x: u8 } predicate x", 1, 36, "several called 'x': write 'x#0'"),
        ("globals { x: u8 } predicate y#0", 1, 29, "variable #0 is not called 'y'"),
        ("globals { x: u8 } predicate #1", 1, 29, "there is no variable #1"),
        (&transition("-> exit"), 4, 4, "only a block has an exit"),
        (&transition("[x = 1] -> 0"), 4, 4, "expected ']', found '='"),
        (&transition("[a] -> 0"), 4, 2, "there is no variable 'a'"),
        (&transition("[a[1][0]] -> 0"), 4, 2, "there is no variable 'a[][]'"),
        (&transition("[#1] -> 0"), 4, 2, "0 indices, but 1 dimensions"),
        (&transition("[P[1][2]::v] -> 0"), 4, 2, "a process has one pid"),
        (&transition("x -> 0"), 4, 3, "expected '!' or '?', found '->'"),
        (&transition("{ run P[0]() } -> 0"), 4, 7, "no pid is expected here"),
        (&transition("block { location 1 { } } -> 0"), 4, 18, "here comes location 0"),
        (&transition("block { location 0 { terminate; } } -> 0"), 4, 22, "there is no variable 'terminate'"),
        (&process("location 1 { }"), 3, 10, "locations are counted: here comes location 0"),
        (&process("start P"), 3, 1, "expected a part of a process"),
    ];
    for (text, line, column, message) in cases {
        let error = parse(text).expect_err(text);
        let position = Sources::of("", text).position(error.span.expect("it has a place"));
        assert_eq!(position, Position { line, column }, "{text}\n{error}");
        assert!(error.message.contains(message), "{text}\n{error}");
    }
}

#[test]
fn deep_expressions_are_refused() {
    let deep = [
        "(".repeat(100_000),
        "!".repeat(100_000),
        format!("{}x", "- ".repeat(100_000)),
        "x[".repeat(100_000),
        "1 ? ".repeat(100_000),
        format!("1{}", " + 1".repeat(100_000)),
        // Long chains inside each other.
        format!("{}1{}", "(".repeat(150), format!("{})", " + 1".repeat(900)).repeat(150)),
        "poll(".repeat(100_000),
        "len(".repeat(100_000),
    ];
    for text in deep {
        assert!(parse(&format!("globals {{ x[1]: u8 }} predicate {text}")).is_err());
    }
    let text = format!("predicate 1{}", " + 1".repeat(900));
    let program = parse(&text).expect("this is deep, but not too deep");
    ir::verify(&program).expect("so it is");
    assert_eq!(parse(&print(&program)).as_ref(), Ok(&program));
}

#[test]
fn damaged_texts_make_no_panic() {
    let mut random = Random::new(7);
    let texts: Vec<String> = support::programs().iter().map(|named| print(&named.program)).collect();
    let mut n_read = 0;
    for _ in 0..3000 {
        let text = &texts[random.below(texts.len())];
        let mut words: Vec<&str> = text.split_inclusive([' ', '\n', '.', '[', '(', ')']).collect();
        for _ in 0..=random.below(2) {
            let at = random.below(words.len());
            let from = random.below(words.len());
            match random.below(4) {
                0 => drop(words.remove(at)),
                1 => words.insert(at, words[from]),
                2 => words[at] = words[from],
                _ => words[at] = ["#7", "4294967295 ", "\"", "}", "{", "é", "-> exit "][from % 7],
            }
        }
        let Ok(program) = parse(&words.concat()) else { continue };
        n_read += 1;
        let _ = print(&program);
        if ir::verify(&program).is_ok() {
            assert_eq!(parse(&print(&program)).as_ref(), Ok(&program));
            // What the verifier accepts can be run.
            let interpreter = ir::Interpreter::new(program);
            support::explore::reachable(&interpreter, 50);
        }
    }
    assert!(n_read > 100, "only {n_read} of the damaged texts could be read");
}
