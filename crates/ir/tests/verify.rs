//! The verifier: a good program is broken in many ways, and each is noticed.

use ir::{
    Base, Block, ChannelId, Comm, Command, Expr, Guarded, LocationId, Meaning, Monitor, Op, Pattern, Piece,
    Place, Print, ProcessId, Program, Receive, Send, Start, Transition, verify,
};

const GOOD: &str = r#"
file "model"
names "" { red = 1 }
globals { _last: u8 internal; _m[2]: u1 internal; x: u8 names 0; a[3]: u16; t[2].f: u3 @112 stride 8; t[2].g: u3 @116 stride 8 }
channel c [2] of { u8 names 0, i16 }
shared c
last _last
init { x = 1; a[2] = 7 }
start P, Q
process P @1:1 {
  frame { _p: u2 internal; _priority: u8 internal; v: u8; w[2]: i8 }
  params .v, .w[1]
  channels c
  init { .v = own(0) }
  provided x < 100
  location 0 @1:2 {
    [x == .v] { a[x] = Q::y + 1; run Q(); .v = new_pid; assert x == 1 "x" @1:3 } -> 1 "a" @1:4;
    own(0) ! x, 3 -> 2;
    1 ? _, .w[0] -> 1;
    else since 1 -> 0;
  }
  location 1 { block { location 0 { { x = 2 } -> 1; } location 1 { -> exit; else -> exit; } } -> 2; }
  location 2 { terminate; }
}
process Q { frame { _p: u1 internal; y: u8 } location 0 { [P[0]::v == 1 && P::@2] -> 0; } }
monitor slot _m[] { scope 1 !; location 0 stop { 1 ! _, 3 -> 1; } location 1 end { } }
predicate P::v == x "P:v" @1:5
"#;

#[test]
fn the_good_program_is_good() {
    assert_eq!(verify(&good()), Ok(()));
}

fn good() -> Program {
    ir::text::parse(GOOD).unwrap_or_else(|error| panic!("{error}"))
}

fn monitor(program: &mut Program) -> &mut Monitor {
    program.monitor.as_mut().expect("there is one")
}

fn transition(program: &mut Program, k: usize) -> &mut Transition {
    &mut program.processes[0].locations[0].transitions[k]
}

fn guarded(program: &mut Program, k: usize) -> &mut Guarded {
    match &mut transition(program, k).command {
        Command::Guarded(guarded) => guarded,
        _ => panic!("it is guarded"),
    }
}

fn send(program: &mut Program) -> &mut Send {
    match &mut guarded(program, 1).comm {
        Comm::Send(send) => send,
        _ => panic!("it is a send"),
    }
}

fn receive(program: &mut Program) -> &mut Receive {
    match &mut guarded(program, 2).comm {
        Comm::Receive(receive) => receive,
        _ => panic!("it is a receive"),
    }
}

fn block(program: &mut Program) -> &mut Block {
    match &mut program.processes[0].locations[1].transitions[0].command {
        Command::Block(block) => block,
        _ => panic!("it is a block"),
    }
}

fn assigned(program: &mut Program) -> &mut Place {
    match &mut guarded(program, 0).effect[0] {
        Op::Assign(place, _) => place,
        _ => panic!("it is an assignment"),
    }
}

fn first_guard(program: &mut Program, expr: Expr) {
    guarded(program, 0).guard[0] = expr;
}

fn frame_place(program: &Program) -> Place {
    program.processes[0].params[0].clone()
}

type Break = (&'static str, fn(&mut Program));

/// What is broken, with a part of the message.
const BREAKS: &[Break] = &[
    // Slots.
    ("width", |p| p.globals.slots[2].width = 0),
    ("width", |p| p.processes[1].frame.slots[1].width = 33),
    ("front of bit 32", |p| p.globals.slots[0].offset = 0),
    ("overlaps", |p| p.globals.slots[2].offset = p.globals.slots[0].offset),
    ("overlaps", |p| p.globals.slots[5].offset = p.globals.slots[4].offset),
    ("overlaps", |p| p.globals.slots[3].dims[0].stride = 0),
    ("overlaps", |p| p.globals.slots[3].dims[0].len = u32::MAX),
    ("overlaps", |p| p.globals.bits -= 8),
    ("more than a state", |p| p.globals.bits = u32::MAX),
    ("not aligned", |p| p.globals.slots[3].offset += 1),
    ("not aligned", |p| p.globals.slots[3].dims[0].stride = 17),
    ("without elements", |p| p.globals.slots[3].dims[0].len = 0),
    ("set of names 1", |p| p.globals.slots[2].meaning = Meaning::Name(1)),
    ("no slot #9 for the latest", |p| p.last = Some(9)),
    ("cannot hold the latest", |p| p.last = Some(1)),
    ("no slot #9 for the location", |p| p.processes[0].pc = 9),
    ("cannot hold the location", |p| p.processes[0].pc = 3),
    ("cannot hold the location", |p| p.processes[0].frame.slots[0].width = 1),
    ("cannot hold the location", |p| p.processes[0].frame.slots[0].signed = true),
    ("no slot #9 for the priority", |p| p.processes[0].priority = Some(9)),
    ("cannot hold the priority", |p| p.processes[0].priority = Some(0)),
    // Channels.
    ("a field of 0 bits", |p| p.channels[0].fields[0].width = 0),
    ("set of names 7", |p| p.channels[0].fields[0].meaning = Meaning::Name(7)),
    ("a capacity of 256", |p| p.channels[0].capacity = 256),
    ("layout", |p| p.channels[0].capacity = 1),
    ("layout", |p| p.channels[0].layout.stride += 1),
    ("layout", |p| p.channels[0].fields.truncate(1)),
    ("no channel #1", |p| p.global_channels[0] = ChannelId(1)),
    ("no channel #1", |p| p.processes[0].channels[0] = ChannelId(1)),
    ("256 shared channels", |p| p.global_channels = vec![ChannelId(0); 256]),
    // Processes and locations.
    ("no process #2", |p| p.start.push(Start { process: ProcessId(2), priority: 1 })),
    ("no location to start", |p| p.processes[1].locations.clear()),
    ("no location 3", |p| transition(p, 0).target = LocationId(3)),
    ("no location 4294967295", |p| transition(p, 0).target = Block::EXIT),
    ("an else since 4", |p| transition(p, 3).command = Command::Else { since: 4 }),
    ("no file 1", |p| transition(p, 0).source.file = 1),
    ("no file 3", |p| p.processes[0].source.file = 3),
    ("no file 3", |p| p.processes[0].locations[0].source.file = 3),
    ("without a location", |p| block(p).locations.clear()),
    ("no location 2 in the block", |p| block(p).locations[0][0].target = LocationId(2)),
    ("cannot end inside", |p| block(p).locations[0][0].command = Command::Terminate),
    ("a block inside", |p| {
        let inner = block(p).clone();
        block(p).locations[0][0].command = Command::Block(inner);
    }),
    ("an else since 9", |p| block(p).locations[1][1].command = Command::Else { since: 9 }),
    // Parameters and initial values.
    ("outside the frame", |p| p.processes[0].params[0].base = Base::Global),
    ("not fixed", |p| p.processes[0].params[1].indices[0] = Expr::Pid),
    ("not in range", |p| p.processes[0].params[1].indices[0] = Expr::Const(2)),
    ("not in range", |p| p.processes[0].params[1].indices[0] = Expr::Const(-1)),
    ("while another one is", |p| {
        p.init.push(Op::Run { process: ProcessId(1), args: Vec::new(), priority: 1 });
    }),
    ("while another one is", |p| {
        p.processes[0].init.push(Op::Run { process: ProcessId(0), args: Vec::new(), priority: 1 });
    }),
    ("of no process", |p| {
        let place = frame_place(p);
        p.init.push(Op::Assign(place, Expr::Const(1)));
    }),
    // Places.
    ("no slot #9", |p| assigned(p).slot = 9),
    ("does not agree", |p| assigned(p).offset += 16),
    ("does not agree", |p| assigned(p).width = 8),
    ("does not agree", |p| assigned(p).signed = true),
    ("does not agree", |p| assigned(p).dims[0].0 = 4),
    ("does not agree", |p| assigned(p).dims[0].1 = 8),
    ("0 indices for 1", |p| assigned(p).indices.clear()),
    ("no slot #9", |p| match &mut receive(p).fields[1] {
        Pattern::Store(place) => place.slot = 9,
        _ => panic!("it stores"),
    }),
    ("there is no slot #2", |p| {
        let place = Place { base: Base::Remote { process: ProcessId(1), pid: None }, ..frame_place(p) };
        first_guard(p, Expr::Load(place));
    }),
    ("of no process", |p| {
        let place = Place { base: Base::Remote { process: ProcessId(2), pid: None }, ..frame_place(p) };
        first_guard(p, Expr::Load(place));
    }),
    // Expressions.
    ("of no process", |p| p.predicates[0].expr = Expr::Load(frame_place(p))),
    ("the pid of no process", |p| p.predicates[0].expr = Expr::Pid),
    ("no own channel 0", |p| p.predicates[0].expr = Expr::OwnChannel(0)),
    ("there is no file 7", |p| p.predicates[0].source.file = 7),
    ("no own channel 1", |p| send(p).channel = Expr::OwnChannel(1)),
    ("no own channel 1", |p| send(p).fields[0] = Expr::OwnChannel(1)),
    ("no own channel 1", |p| receive(p).channel = Expr::OwnChannel(1)),
    ("no own channel 1", |p| receive(p).fields[0] = Pattern::Match(Expr::OwnChannel(1))),
    ("no own channel 1", |p| p.processes[0].provided = Some(Expr::OwnChannel(1))),
    ("no own channel 1", |p| p.processes[0].init.push(Op::SetPriority(Expr::Pid, Expr::OwnChannel(1)))),
    ("no own channel 1", |p| {
        let pieces = vec![Piece::Hex(Expr::OwnChannel(1))];
        guarded(p, 0).effect.push(Op::Print(Print { pieces }));
    }),
    ("no own channel 1", |p| {
        let poll = Receive { channel: Expr::OwnChannel(1), ..receive(p).clone() };
        first_guard(p, Expr::Poll(Box::new(poll)));
    }),
    ("but there is none", |p| first_guard(p, Expr::NewPid)),
    ("but there is none", |p| guarded(p, 0).effect.swap(1, 2)),
    ("no process #2", |p| first_guard(p, Expr::At { process: ProcessId(2), pid: None, location: None })),
    ("no location 3 of 'P'", |p| {
        first_guard(p, Expr::At { process: ProcessId(0), pid: None, location: Some(LocationId(3)) });
    }),
    ("no process #2", |p| {
        guarded(p, 0).effect[1] = Op::Run { process: ProcessId(2), args: Vec::new(), priority: 1 };
    }),
    ("more arguments", |p| {
        guarded(p, 0).effect[1] = Op::Run { process: ProcessId(1), args: vec![Expr::Pid], priority: 1 };
    }),
    ("levels deep", |p| {
        let deep = (0..2000).fold(Expr::Pid, |expr, _| Expr::Enabled(Box::new(expr)));
        first_guard(p, deep);
    }),
    // The monitor.
    ("no slot #9 for the locations", |p| monitor(p).slot = 9),
    ("does not have a bit for each location", |p| monitor(p).slot = 2),
    ("does not have a bit for each location", |p| p.globals.slots[1].dims[0].len = 1),
    ("no location 2", |p| monitor(p).locations[0].events[0].target = 2),
    ("no location 2", |p| monitor(p).locations[1].silent.push(2)),
    ("no location to start", |p| monitor(p).locations.clear()),
    ("not in the scope", |p| monitor(p).scope.clear()),
    ("not in the scope", |p| monitor(p).locations[0].events[0].kind.send = false),
    ("forbidden, and starts at an end", |p| {
        monitor(p).forbidden = true;
        monitor(p).locations[0].silent.push(1);
    }),
    ("the pid of no process", |p| monitor(p).scope[0].channel = Expr::Pid),
    ("the pid of no process", |p| monitor(p).locations[0].events[0].fields[0] = Some(Expr::Pid)),
];

#[test]
fn broken_programs_are_refused() {
    for (k, (message, damage)) in BREAKS.iter().enumerate() {
        let mut program = good();
        damage(&mut program);
        let errors = verify(&program).expect_err(message);
        assert!(
            errors.iter().any(|error| error.contains(message)),
            "break {k}: no '{message}' in {errors:#?}"
        );
    }
}
