//! Reading and translating end soon after their time is up, whatever is large in a model.

use std::fmt::Write;
use std::path::Path;
use std::time::{Duration, Instant};

use model::{MemoryLimit, Over, Patience};
use promela::{Options, Parsed, lower_with_properties, parse};

/// How long a phase has.
const TIME: Duration = Duration::from_millis(50);

/// And how long it may take: the machine may be busy.
const MOST: Duration = Duration::from_millis(800);

fn read(text: &str, patience: Patience) -> Result<Parsed, Over> {
    let missing = |_: &Path| Err(std::io::ErrorKind::NotFound.into());
    parse("test.pml", text.to_string(), &Options { patience, ..Options::default() }, &missing)
}

fn within(time: Duration) -> Patience {
    Patience { deadline: Instant::now().checked_add(time), ..Patience::default() }
}

/// Says whether work has ended because its time was up. It must not have taken much longer in any case.
fn is_over<T>(name: &str, time: Duration, work: impl FnOnce(Patience) -> Result<T, Over>) -> bool {
    let start = Instant::now();
    let result = work(within(time));
    let taken = start.elapsed();
    println!("{name}: {taken:?} of {time:?}");
    assert!(taken < MOST, "{name} takes {taken:?}");
    if let Err(over) = result {
        assert_eq!(over, Over::Time, "{name}");
        return true;
    }
    false
}

/// So many times something, with its number.
fn each(times: u32, write: impl Fn(&mut String, u32) -> std::fmt::Result) -> String {
    let mut text = String::new();
    (0..times).try_for_each(|k| write(&mut text, k)).expect("strings can be written to");
    text
}

/// A process of so many statements, of which some are loops and choices.
fn long_process(n_statements: u32) -> String {
    let blocks = each(n_statements / 10, |text, k| {
        let number = k % 200;
        writeln!(
            text,
            "a = {number}; b = a + 1; shared = b; if :: a = 1 :: b = 2 fi; \
             do :: a < 250 -> a++ :: shared = a :: break od; other++;"
        )
    });
    format!("byte shared, other; active proctype P() {{ byte a, b; {blocks} skip }}")
}

fn process(body: &str) -> String {
    format!("byte x; active proctype P() {{ {body} }}")
}

#[test]
fn a_long_process_takes_as_long_as_its_length() {
    let text = long_process(200_000);
    let start = Instant::now();
    let parsed = read(&text, Patience::default()).unwrap().accept().unwrap();
    let read_in = start.elapsed();
    let lowered = lower_with_properties(&parsed.program, &Patience::default()).unwrap().unwrap();
    println!("read in {read_in:?}, translated in {:?}", start.elapsed() - read_in);
    assert!(lowered.program.processes[0].locations.len() > 100_000);
    assert!(start.elapsed() < Duration::from_secs(20), "{:?}", start.elapsed());
}

#[test]
fn reading_ends() {
    let skips = |n: usize| "skip; ".repeat(n);
    let texts = [
        ("statements", long_process(200_000)),
        ("text that is skipped", format!("#if 0\n{}\n#endif\n{}", skips(1_000_000), process("skip"))),
        ("blanks", format!("{}{}", " \n".repeat(8_000_000), process("skip"))),
        (
            "macros",
            format!(
                "#define A0 x = x + 1;\n{}{}",
                each(18, |text, k| writeln!(text, "#define A{} A{k} A{k}", k + 1)),
                process("A18 A18 A18 skip")
            ),
        ),
        ("pasted names", format!("#define A {}\n{}", ["a"; 30_000].join("##"), process("A = 1"))),
        ("inlines", format!("inline f() {{ {} }} {}", "x++; ".repeat(200), process(&"f();\n".repeat(2_000)))),
        (
            "labels",
            process(&format!("atomic {{ {} skip }}", each(200_000, |text, k| write!(text, "L{k}: ")))),
        ),
        ("errors", process(&"x = = 1;\n".repeat(200_000))),
        ("a formula", format!("{} ltl {{ {}x == 1 }}", process("skip"), "x == 1 && ".repeat(499))),
    ];
    let mut n_over = 0;
    for (name, text) in texts {
        assert!(is_over(name, Duration::ZERO, |patience| read(&text, patience)), "{name}");
        n_over += usize::from(is_over(name, TIME, |patience| read(&text, patience)));
    }
    assert!(n_over >= 4, "only {n_over} texts are large");
}

#[test]
fn checks_of_the_whole_end() {
    // Each process starts all others, with other channels.
    let channels = each(40, |text, k| writeln!(text, "chan c{k} = [1] of {{ byte }};"));
    let types = each(40, |text, k| {
        let runs = each(400, |text, i| write!(text, "run P{}(c{}); ", (k + i) % 40, (i * 7 + k) % 40));
        let promises = "xr c; ".repeat(400);
        writeln!(text, "proctype P{k}(chan c) {{ {promises} {runs} c!1 }}")
    });
    let text = format!("{channels}{types} init {{ run P0(c0) }}");
    assert!(is_over("promises", Duration::ZERO, |patience| read(&text, patience)));
    is_over("promises", TIME, |patience| read(&text, patience));
}

#[test]
fn translating_ends() {
    let nested = |n: usize, inner: &str| format!("{}{inner}{}", "if :: ".repeat(n), " :: skip fi".repeat(n));
    let texts = [
        ("statements", long_process(200_000)),
        ("a step", process(&format!("d_step {{ {} skip }}", "x = x + 1; ".repeat(150_000)))),
        (
            "jumps",
            process(&each(100_000, |text, k| write!(text, "L{k}: goto L{}; ", k + 1)))
                .replace(" }", " L100000: skip }"),
        ),
        ("choices", process(&format!("{};", nested(150, "x = 1")).repeat(300))),
        (
            "escapes",
            process(&format!(
                "{{ {} skip }} unless {{ if {} fi }}",
                "x++; ".repeat(20_000),
                each(100, |text, k| write!(text, ":: x == {k} "))
            )),
        ),
        ("declarations", process(&each(20_000, |text, k| write!(text, "x++; byte a{k} = 1; ")))),
        ("channels", process(&each(20_000, |text, k| write!(text, "chan c{k} = [1] of {{ byte }}; ")))),
        (
            "a claim",
            format!(
                "{} never {{ do {} od }}",
                process("skip"),
                each(900, |text, k| write!(text, ":: x + {k} > 7 && x != {k} -> assert(x + {k} != 3) "))
            ),
        ),
        (
            "many claims",
            process("skip")
                + &each(3000, |text, k| {
                    writeln!(text, "never c{k} {{ do :: x + {k} == 1 :: x * {k} == 3 :: else od }}")
                }),
        ),
        (
            "formulas",
            process("skip")
                + &each(4000, |text, k| writeln!(text, "ltl f{k} {{ [] (x + {k} == 1 -> <> (x == {k})) }}")),
        ),
        (
            "a trace",
            format!(
                "chan c[200] = [1] of {{ byte }}; trace {{ {} c[0]!1 }} {}",
                each(40_000, |text, k| write!(text, "c[{}]!{}; ", k % 200, k % 255)),
                process("skip")
            ),
        ),
    ];
    let mut n_over = 0;
    for (name, text) in texts {
        let parsed = read(&text, Patience::default()).unwrap().accept();
        let program =
            parsed.unwrap_or_else(|rejected| panic!("{name}: {:?}", rejected.diagnostics[0])).program;
        let lower = |patience: Patience| lower_with_properties(&program, &patience);
        assert!(is_over(name, Duration::ZERO, lower), "{name}");
        n_over += usize::from(is_over(name, TIME, lower));
    }
    assert!(n_over >= 4, "only {n_over} texts are large");
}

#[test]
fn memory_and_interrupts_end_both() {
    let text = long_process(20_000);
    let memory = Some(MemoryLimit { bytes: 1, exceeded: |_| true });
    let little = Patience { memory, ..Patience::default() };
    let stopped = Patience::default();
    stopped.interrupt.store(true, std::sync::atomic::Ordering::Relaxed);
    let program = read(&text, Patience::default()).unwrap().accept().unwrap().program;
    for (patience, over) in [(little, Over::Memory), (stopped, Over::Interrupted)] {
        assert_eq!(read(&text, patience.clone()).err(), Some(over));
        assert_eq!(lower_with_properties(&program, &patience).err(), Some(over));
    }
}
