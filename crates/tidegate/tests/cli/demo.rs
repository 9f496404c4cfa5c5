//! The demo: without a key of a model it says so, with one it asks whoever gave it, and what it prints is in the README.

use std::process::Command;

use scripted::{Format, KEY, MODEL, Scripted, Turn};

use crate::tide::{Said, User};

/// Variables that hold keys of models.
const KEYS: [&str; 3] = ["ANTHROPIC_API_KEY", "OPENAI_API_KEY", "GEMINI_API_KEY"];

/// The demo for a user who has no key.
fn demo(user: &User, arguments: &[&str]) -> Command {
    let mut command = user.command(&[&["demo"], arguments].concat());
    for key in KEYS {
        command.env_remove(key);
    }
    command.current_dir(user.folder());
    command
}

fn said(mut command: Command) -> Said {
    command.output().unwrap().into()
}

/// What a model said once.
const RECORDED: [&str; 2] = [
    include_str!("../../../../examples/home/recorded/lights.program.md"),
    include_str!("../../../../examples/home/recorded/lights.answer.md"),
];

fn recorded() -> [Turn; 2] {
    RECORDED.map(|text| Turn::say(text.trim()))
}

/// The automation in what the demo printed.
fn yaml(stdout: &str) -> &str {
    let (_, rest) = stdout.split_once("\nautomation\n").unwrap();
    rest.split_once("\nvalid for Home Assistant").unwrap().0
}

#[test]
fn the_readme_and_its_picture_show_what_is_printed() {
    let user = User::new();
    let said = said(demo(&user, &[]));
    assert_eq!(said.code, Some(0), "{said:?}");
    let root = concat!(env!("CARGO_MANIFEST_DIR"), "/../..");
    let readme = std::fs::read_to_string(format!("{root}/README.md")).unwrap();
    let (_, text) = readme.split_once("The output of `tidegate demo`").unwrap();
    let text = text.split("```").nth(1).unwrap().trim_start_matches("text\n");
    // The last line says how long it took.
    let untimed = |text: &str| text.trim_end().rsplit_once('\n').unwrap().0.to_owned();
    assert_eq!(untimed(&said.stdout), untimed(text));

    assert!(
        readme.contains("](docs/src/pictures/demo.svg)"),
        "the README does not show the picture"
    );
    let picture = std::fs::read_to_string(format!("{root}/docs/src/pictures/demo.svg")).unwrap();
    let rows = pictured(&picture);
    assert_eq!(rows[0], "$ tidegate demo");
    let printed: Vec<String> = untimed(&said.stdout).lines().flat_map(wrapped).collect();
    // `scripts/recording docs/src/pictures/demo.svg tidegate demo` makes another.
    assert_eq!(rows[1..rows.len() - 1], printed);
}

/// The rows of a recorded terminal that have anything in them.
fn pictured(svg: &str) -> Vec<String> {
    let rows = svg.lines().filter(|line| line.starts_with("<text "));
    let words = |row: &str| {
        let parts = row.split('<').filter_map(|part| part.split_once('>'));
        parts.map(|(_, text)| text).collect::<String>()
    };
    let unescaped =
        |text: String| text.replace("&lt;", "<").replace("&gt;", ">").replace("&amp;", "&");
    let rows = rows.map(|row| unescaped(words(row)).trim_end().to_owned());
    rows.filter(|row| !row.is_empty()).collect()
}

/// A line as a terminal of that recording's width shows it.
fn wrapped(line: &str) -> Vec<String> {
    const COLUMNS: usize = 108;
    let letters: Vec<char> = line.trim_end().chars().collect();
    let rows = letters.chunks(COLUMNS).map(|row| row.iter().collect::<String>());
    rows.map(|row| row.trim_end().to_owned()).collect()
}

#[test]
fn another_house_has_another_automation_of_the_same_recordings() {
    let user = User::new();
    let [first, second] = ["1", "2"].map(|seed| said(demo(&user, &["--seed", seed])));
    for one in [&first, &second] {
        assert!(one.stdout.contains("what a model says is recorded"), "{one:?}");
        assert_eq!(example_servers::mistakes(yaml(&one.stdout)), Vec::<String>::new());
    }
    assert_ne!(yaml(&first.stdout), yaml(&second.stdout));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_model_that_is_set_is_asked_and_its_mistakes_are_told() {
    let user = User::new();
    let turns = [Turn::program("return {'yaml': '- id: a'}"), Turn::say("Here it is.")];
    let model = Scripted::saying(Format::OpenAi, turns).await;
    let config = user.file(
        "tidegate.toml",
        &format!(
            "[ask]\nprovider = 'openai'\nmodel = '{MODEL}'\nurl = '{}'\nkey = '{KEY}'\n",
            model.url()
        ),
    );
    let said = said(demo(&user, &["--config", config.to_str().unwrap()]));
    assert_eq!(said.code, Some(1), "{said:?}");
    assert!(said.stdout.contains("of openai answers") && said.stdout.contains("Here it is."));
    assert!(said.stdout.contains("not valid:"), "{said:?}");
    let asked = model.asked()[0].text();
    assert!(asked.contains("Turn on the lights when motion is detected"), "{asked}");
    assert_eq!(model.complaints(), Vec::<String>::new());
}

#[tokio::test(flavor = "multi_thread")]
async fn the_key_that_is_in_the_environment_says_whose_model_is_asked() {
    let formats = [Format::Anthropic, Format::OpenAi, Format::Gemini];
    let names = ["anthropic", "openai", "gemini"];
    for ((variable, format), name) in KEYS.into_iter().zip(formats).zip(names) {
        let user = User::new();
        let model = Scripted::saying(format, recorded()).await;
        let mut command = demo(&user, &[]);
        command.env(variable, KEY);
        command.env("TIDEGATE_ASK_URL", model.url()).env("TIDEGATE_ASK_MODEL", MODEL);
        let said = said(command);
        assert_eq!(said.code, Some(0), "{said:?}");
        let who = format!("{MODEL} of {name} answers, with the key in {variable}.");
        assert!(said.stdout.starts_with(&who), "{said:?}");
        assert!(!said.stdout.contains("recorded;"), "{said:?}");
        assert_eq!(example_servers::mistakes(yaml(&said.stdout)), Vec::<String>::new());
        assert_eq!(model.asked().len(), 2, "{name}");
        assert_eq!(model.complaints(), Vec::<String>::new(), "{name}");
        assert!(!said.stdout.contains(KEY) && !said.stderr.contains(KEY), "{said:?}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn with_a_key_alone_the_usual_model_is_asked_and_a_failure_says_what_else_to_try() {
    let user = User::new();
    let model = Scripted::saying(Format::Anthropic, recorded()).await;
    let mut command = demo(&user, &[]);
    command.env("ANTHROPIC_API_KEY", KEY).env("TIDEGATE_ASK_URL", model.url());
    let said = said(command);
    let usual = agent::ProviderName::Anthropic.usual_model().unwrap();
    // This provider has one model, and that is another.
    assert_eq!(said.code, Some(5), "{said:?}");
    assert_eq!(model.asked()[0].body["model"], usual);
    assert!(said.stdout.starts_with(&format!("{usual} of anthropic answers")), "{said:?}");
    assert!(said.stderr.contains("--model NAME") && said.stderr.contains("--recorded"), "{said:?}");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_key_is_not_used_where_recordings_are_wanted_or_another_model_is_set() {
    let user = User::new();
    let keyed = Scripted::saying(Format::Anthropic, recorded()).await;
    let mut command = demo(&user, &["--recorded"]);
    command.env("ANTHROPIC_API_KEY", KEY).env("TIDEGATE_ASK_URL", keyed.url());
    let recorded_one = said(command);
    assert_eq!(recorded_one.code, Some(0), "{recorded_one:?}");
    assert!(recorded_one.stdout.starts_with("What a model says is recorded, as `--recorded` says"));
    let set = Scripted::saying(Format::OpenAi, recorded()).await;
    let text = format!(
        "[ask]\nprovider = 'openai'\nmodel = '{MODEL}'\nurl = '{}'\nkey = '{KEY}'\n",
        set.url()
    );
    let config = user.file("tidegate.toml", &text);
    let mut command = demo(&user, &["--config", config.to_str().unwrap()]);
    command.env("ANTHROPIC_API_KEY", KEY);
    let set_one = said(command);
    assert_eq!(set_one.code, Some(0), "{set_one:?}");
    assert!(set_one.stdout.starts_with(&format!("{MODEL} of openai answers.")), "{set_one:?}");
    assert_eq!((keyed.asked().len(), set.asked().len()), (0, 2));
}

#[test]
fn a_model_without_a_key_says_which_variable_is_missing() {
    let user = User::new();
    let said = said(demo(&user, &["--model", "one"]));
    assert_eq!(said.code, Some(2), "{said:?}");
    assert!(said.stderr.contains("ANTHROPIC_API_KEY"), "{said:?}");
}
