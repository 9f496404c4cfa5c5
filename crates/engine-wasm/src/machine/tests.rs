//! What must hold inside a guest at rest.

use std::sync::Arc;

use engine::{Input, Limits, Program, Step};

use super::{Machine, News, Voice};
use crate::Language;
use crate::memory::{self, PAGE};
use crate::testing::{with_guest, with_guest_of};

fn run(machine: &mut Machine, source: &str) -> Step {
    machine.configure(News::default());
    machine.step(Input::Run(Program::new(source))).unwrap()
}

#[test]
fn the_stack_pointer_is_back_at_its_first_value_whenever_a_guest_rests() {
    with_guest(|_, mut machine| {
        let first = machine.stack_pointer().unwrap();
        run(&mut machine, "sum(range(1000))");
        assert_eq!(machine.stack_pointer(), Some(first));
        run(&mut machine, "1/0");
        assert_eq!(machine.stack_pointer(), Some(first));
        let waits = run(&mut machine, "from tidegate import call\nawait call('x')");
        assert!(matches!(waits, Step::Waiting(_)));
        assert_eq!(machine.stack_pointer(), Some(first));
    });
}

#[test]
fn the_pages_found_dirty_are_those_a_full_comparison_finds() {
    with_guest(|_, mut machine| {
        run(
            &mut machine,
            "import pandas as pd\nd = pd.DataFrame({'a': range(50_000)})\nx = 'x' * 10_000_000",
        );
        let original = machine.base.image.bytes();
        let memory = machine.memory_bytes();
        let differs = |page: &usize| {
            let now = &memory[page * PAGE..(page + 1) * PAGE];
            let before = original.get(page * PAGE..(page + 1) * PAGE).unwrap_or(&[0; PAGE]);
            now != before
        };
        let compared: Vec<usize> = (0..memory.len() / PAGE).filter(differs).collect();
        assert_eq!(machine.dirty(), compared);
    });
}

#[test]
fn thawing_gives_back_every_byte() {
    with_guest(|kit, mut machine| {
        run(&mut machine, "kept = {n: str(n) for n in range(10_000)}");
        let image = machine.freeze().unwrap();
        let thawed = Machine::thaw(kit, &machine.base, &image, &Limits::default()).unwrap();
        assert!(thawed.memory_bytes() == machine.memory_bytes(), "the memories differ");
    });
}

#[test]
fn a_rehearsed_guest_has_forgotten_its_rehearsal() {
    with_guest(|kit, mut machine| {
        let mut rehearsed = Machine::rehearsed(kit, &machine.base).unwrap();
        let names = "sorted(globals()), __import__('_tidegate.runtime').runtime.current.runs";
        let [one, other] =
            [&mut rehearsed, &mut machine].map(|machine| match run(machine, names) {
                Step::Done(outcome) => outcome.return_value.get().to_owned(),
                Step::Waiting(_) => panic!("it waits"),
            });
        assert_eq!(one, other);
    });
}

#[test]
fn a_guest_never_finds_what_another_left_in_recycled_memory() {
    with_guest(|kit, mut machine| {
        let base = Arc::clone(&machine.base);
        run(
            &mut machine,
            "secret = b'tide' * 1_000_000\nmore = [bytes(range(256)) * 40 for _ in range(5000)]",
        );
        drop(machine);
        let next = Machine::fresh(kit, &base, Arc::default()).unwrap();
        assert!(next.memory_bytes() == base.image.bytes(), "something was left behind");
    });
}

#[test]
fn a_guest_that_has_given_memory_back_goes_on_as_if_it_had_not() {
    let programs =
        [(Language::Python, "kept = [1, 2, 3]"), (Language::TypeScript, "var kept = [1, 2, 3]")];
    for (language, program) in programs {
        with_guest_of(language, |_, mut machine| {
            run(&mut machine, program);
            let before = machine.memory_bytes().to_vec();
            let held = memory::dirty_pages(machine.memory_bytes(), &machine.base.image).len();
            machine.lighten();
            assert!(machine.memory_bytes() == before, "its memory is another one");
            let holds = memory::dirty_pages(machine.memory_bytes(), &machine.base.image).len();
            assert!(holds < held, "{holds} of {held} pages");
            let Step::Done(outcome) = run(&mut machine, "kept") else { panic!("it waits") };
            assert_eq!(outcome.return_value.get(), "[1,2,3]");
        });
    }
}

#[test]
fn a_typescript_guest_at_rest_is_its_memory_and_no_more() {
    with_guest_of(Language::TypeScript, |kit, mut machine| {
        let first = machine.stack_pointer().unwrap();
        run(&mut machine, "const kept = Array.from({ length: 10_000 }, (_, n) => `${n}`)");
        assert_eq!(machine.stack_pointer(), Some(first));
        run(&mut machine, "null.x");
        assert_eq!(machine.stack_pointer(), Some(first));
        let waits = run(&mut machine, "await call('x')");
        assert!(matches!(waits, Step::Waiting(_)));
        assert_eq!(machine.stack_pointer(), Some(first));
        let image = machine.freeze().unwrap();
        let thawed = Machine::thaw(kit, &machine.base, &image, &Limits::default()).unwrap();
        assert!(thawed.memory_bytes() == machine.memory_bytes(), "the memories differ");
    });
}

#[test]
fn an_exception_of_our_own_code_is_not_taken_for_an_answer() {
    with_guest_of(Language::TypeScript, |_, mut machine| {
        let Voice::Script(script) = &machine.voice else { panic!("it is no TypeScript guest") };
        assert_eq!(script.truth_of_an_exception(&mut machine.store).unwrap(), -1);
    });
}

#[test]
fn a_rehearsed_typescript_guest_has_forgotten_its_rehearsal() {
    with_guest_of(Language::TypeScript, |kit, mut machine| {
        let mut rehearsed = Machine::rehearsed(kit, &machine.base).unwrap();
        // The place of the user's own line; how it was called is different in the first run of a guest.
        let names = "[Object.getOwnPropertyNames(globalThis).length, Object.keys(globalThis), \
                     new Error('x').stack.split('\\n')[0]]";
        let [one, other] =
            [&mut rehearsed, &mut machine].map(|machine| match run(machine, names) {
                Step::Done(outcome) => outcome.return_value.get().to_owned(),
                Step::Waiting(_) => panic!("it waits"),
            });
        assert_eq!(one, other);
    });
}
