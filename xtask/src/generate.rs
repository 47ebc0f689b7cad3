//! Writes very large inputs, which nothing but a limit on time may end: `--max-time` and Ctrl-C are tried on them.

use std::fmt::Write;
use std::path::PathBuf;

use clap::{Args, ValueEnum};

/// What to write.
#[derive(Args)]
pub struct Options {
    /// What is to be large.
    family: Family,
    /// How large.
    size: u32,
    /// Writes to this file instead of the standard output.
    #[arg(long, value_name = "FILE")]
    output: Option<PathBuf>,
}

#[derive(Clone, Copy, ValueEnum)]
enum Family {
    /// A Promela process of so many statements, beside a small one: assignments, choices and loops.
    Process,
    /// A Promela model with a formula of so many subformulas, each `[]<>` or `<>[]` of an atom of its own.
    Formula,
    /// A Promela model with one run, which violates an assertion after so many steps.
    Trace,
    /// A net of so many places, in rings of a thousand with a token each.
    Net,
}

/// Writes the input.
pub fn run(options: &Options) -> Result<bool, String> {
    let text = match options.family {
        Family::Process => process(options.size),
        Family::Formula => formula(options.size),
        Family::Trace => trace(options.size),
        Family::Net => net(options.size),
    };
    match &options.output {
        Some(path) => std::fs::write(path, text).map_err(|error| format!("{}: {error}", path.display()))?,
        None => print!("{text}"),
    }
    Ok(true)
}

/// Of ten statements four are a loop and two a choice.
fn process(n_statements: u32) -> String {
    let n_blocks = n_statements.div_ceil(10);
    let mut text = "byte shared, other;\nactive proctype Long() {\n  byte a, b;\n".to_string();
    for block in 0..n_blocks {
        let number = block % 200;
        let _ = writeln!(
            text,
            "  a = {number}; b = a + 1; shared = b;\n  if :: a = 1 :: b = 2 fi;\n  \
             do :: a < 250 -> a++ :: shared = a :: break od;\n  other++;"
        );
    }
    text.push_str("  skip\n}\nactive proctype Short() {\n  byte c;\n");
    text.push_str("  do :: c++ :: shared = c :: other > 9 -> c = 0 od\n}\n");
    text
}

fn formula(n_subformulas: u32) -> String {
    let mut text = format!(
        "int n;\nactive proctype P() {{ do :: n < {n_subformulas} -> n++ :: else -> n = 0 od }}\nltl large {{\n"
    );
    for k in 0..n_subformulas {
        let operators = if k % 2 == 0 { "[]<>" } else { "<>[]" };
        let joint = if k + 1 < n_subformulas { " &&" } else { "" };
        let _ = writeln!(text, "  ({operators} (n == {k})){joint}");
    }
    text.push_str("}\n");
    text
}

/// A round of the loop is two steps.
fn trace(n_steps: u32) -> String {
    let n_rounds = n_steps / 2;
    format!(
        "int n;\nactive proctype P() {{\n  do\n  :: n < {n_rounds} -> n++\n  :: else -> break\n  od;\n  \
         assert(n < {n_rounds})\n}}\n"
    )
}

fn net(n_places: u32) -> String {
    const RING: u32 = 1000;
    let names: Vec<String> = (0..n_places).map(|k| format!("p{k}")).collect();
    let mut text = format!("PLACE {};\nMARKING ", names.join(", "));
    let marked: Vec<String> = (0..n_places).step_by(RING as usize).map(|k| format!("p{k}: 1")).collect();
    let _ = writeln!(text, "{};", marked.join(", "));
    for k in 0..n_places {
        let next = if k % RING == RING - 1 || k + 1 == n_places { k - k % RING } else { k + 1 };
        let _ = writeln!(text, "TRANSITION t{k} CONSUME p{k}: 1; PRODUCE p{next}: 1;");
    }
    text
}
