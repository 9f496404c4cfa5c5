//! `tidegate run`: what is printed where, and how it ends.

use std::io::{BufRead as _, BufReader, Read as _};
use std::process::Stdio;
use std::time::{Duration, Instant};

use serde_json::json;

use crate::tide::{User, without_figures};

#[test]
fn json_has_the_names_every_front_door_uses() {
    let outcome = User::new().outcome(&["-c", "print('hi')\n{'a': [1, 2.5, None]}"]);
    insta::assert_json_snapshot!(without_figures(outcome), @r#"
    {
      "success": true,
      "return_value": {
        "a": [
          1,
          2.5,
          null
        ]
      },
      "stdout": "hi\n",
      "stderr": "",
      "error": null,
      "execution_time_ms": "[ms]",
      "usage": {
        "wall_ms": "[ms]",
        "cpu_ms": "[ms]",
        "memory_bytes": "[bytes]",
        "calls": 0,
        "stdout_bytes": 3,
        "stderr_bytes": 0,
        "workspace_bytes": 0
      }
    }
    "#);
}

#[test]
fn an_exception_in_json_says_where_and_why() {
    let outcome = User::new().outcome(&["-c", "x = 1\nraise ValueError('no')"]);
    assert_eq!(outcome["success"], false);
    let error = &outcome["error"];
    assert_eq!(error["type"], "ValueError");
    assert_eq!(error["message"], "no");
    assert_eq!(error["line"], 2);
    assert_eq!(error["source_line"], "raise ValueError('no')");
}

#[test]
fn a_context_larger_than_the_memory_names_that_limit() {
    let user = User::new();
    let context = user.file("context.json", &json!({"x": "a".repeat(20_000_000)}).to_string());
    let context = format!("@{}", context.display());
    let said = user.tidegate(&["run", "--memory", "16MB", "--context", &context, "-c", "len(x)"]);
    assert_eq!(said.code, Some(3), "{said:?}");
    assert!(said.stderr.contains("memory-bytes"), "{}", said.stderr);
}

#[test]
fn the_value_goes_to_standard_output_and_the_rest_to_standard_error() {
    let said = User::new().tidegate(&[
        "run",
        "-c",
        "import sys\nprint('out')\nprint('err', file=sys.stderr)\n'va\\nlue'",
    ]);
    assert_eq!(said.stdout, "out\nva\nlue\n");
    assert_eq!(said.stderr, "err\n");
    assert_eq!(said.code, Some(0));
}

#[test]
fn a_program_comes_from_a_file_or_from_standard_input() {
    let user = User::new();
    let file = user.file("program.py", "6 * 7");
    assert_eq!(user.tidegate(&["run", file.to_str().unwrap()]).stdout, "42\n");
    assert_eq!(user.tidegate_reading(&["run", "-"], "6 * 7").stdout, "42\n");
}

#[test]
fn an_error_for_people_shows_the_line_and_a_caret() {
    let said = User::new().tidegate(&["run", "--no-check", "-c", "total = 1\nprint(totl)"]);
    assert_eq!(said.code, Some(1));
    insta::assert_snapshot!(said.stderr, @"
    NameError: name 'totl' is not defined
      line 2 | print(totl)
             |       ^
    hint: Did you mean 'total'?
    ");
    let said = User::new().tidegate(&["run", "--no-check", "--traceback", "-c", "1 / 0"]);
    assert!(said.stderr.contains("Traceback"), "{}", said.stderr);
}

#[test]
fn exit_codes_tell_the_ways_to_end_apart() {
    let user = User::new();
    let code = |arguments: &[&str]| user.tidegate(&[&["run"], arguments].concat()).code;
    assert_eq!(code(&["-c", "1"]), Some(0));
    assert_eq!(code(&["-c", "1 / 0"]), Some(1));
    assert_eq!(code(&["--level", "nonsense", "-c", "1"]), Some(2));
    assert_eq!(code(&["--timeout", "200ms", "-c", "while True: pass"]), Some(3));
    assert_eq!(code(&["-c", "import os\nos._exit(3)"]), Some(4));
    assert_eq!(code(&["--json", "-c", "1 / 0"]), Some(1));
}

#[test]
fn an_exception_called_like_a_stop_is_still_an_exception() {
    let said =
        User::new().tidegate(&["run", "-c", "class Crashed(Exception): pass\nraise Crashed('x')"]);
    assert_eq!(said.code, Some(1));
}

#[test]
fn context_becomes_variables_and_is_never_pasted_into_the_source() {
    let user = User::new();
    let context = json!({ "text": "''' + str(1/0) + '''\"\"\"\n\\", "n": 2 });
    let value = user.value(&["--context", &context.to_string(), "-c", "[text, n]"]);
    assert_eq!(value, json!([context["text"], 2]));
    let file = user.file("context.json", r#"{"rows": [{"a": 1}]}"#);
    let given = format!("@{}", file.display());
    assert_eq!(user.value(&["--context", &given, "-c", "rows[0]['a']"]), json!(1));
}

#[test]
fn the_same_seed_gives_the_same_chance() {
    let user = User::new();
    let draw = |seed| user.value(&["--seed", seed, "-c", "import random\nrandom.random()"]);
    assert_eq!(draw("7"), draw("7"));
    assert_ne!(draw("7"), draw("8"));
}

#[test]
fn a_data_frame_is_shown_as_a_small_table() {
    let source = "import pandas as pd\npd.DataFrame({'city': ['Kiel', 'Husum'], 'n': [4, 12]})";
    let said = User::new().tidegate(&["run", "-c", source]);
    assert!(
        said.stdout.contains("Kiel") && said.stdout.ends_with("[2 rows x 2 columns]\n"),
        "{}",
        said.stdout
    );
}

#[test]
fn pictures_are_written_where_the_user_wants_them() {
    let user = User::new();
    let folder = user.folder().join("pictures");
    let source = "import matplotlib.pyplot as plt\nplt.plot([1, 2])\n1";
    let said = user.tidegate(&["run", "-c", source]);
    assert!(said.stderr.contains("--artifacts"), "{}", said.stderr);
    let said = user.tidegate(&["run", "--artifacts", folder.to_str().unwrap(), "-c", source]);
    assert_eq!(said.code, Some(0), "{}", said.stderr);
    assert!(std::fs::read(folder.join("figure-1.png")).unwrap().starts_with(b"\x89PNG"));
}

#[test]
fn output_streams_while_the_program_runs() {
    let user = User::new();
    let source = "import time\nprint('first')\ntime.sleep(20)";
    let mut child = user.start(&["run", "-c", source]);
    let mut line = String::new();
    BufReader::new(child.stdout.take().unwrap()).read_line(&mut line).unwrap();
    assert_eq!(line, "first\n");
    assert!(child.try_wait().unwrap().is_none(), "the program has ended already");
    child.kill().unwrap();
    child.wait().unwrap();
}

#[test]
fn ctrl_c_stops_a_run_and_says_so() {
    let user = User::new();
    let mut child = user.start(&["run", "-c", "print('on', flush=True)\nwhile True: pass"]);
    let mut stdout = BufReader::new(child.stdout.take().unwrap());
    stdout.read_line(&mut String::new()).unwrap();
    let begun = Instant::now();
    let pid = rustix::process::Pid::from_child(&child);
    rustix::process::kill_process(pid, rustix::process::Signal::INT).unwrap();
    let mut stderr = String::new();
    child.stderr.take().unwrap().read_to_string(&mut stderr).unwrap();
    assert_eq!(child.wait().unwrap().code(), Some(130));
    assert!(begun.elapsed() < Duration::from_secs(2));
    assert_eq!(stderr, "cancelled; the session is as it was before this run\n");
}

#[test]
fn a_reader_that_goes_away_is_no_panic() {
    let user = User::new();
    let source = "for n in range(1000): print('x' * 100)\n'the end'";
    let mut child = user.command(&["run", "-c", source]).stdout(Stdio::piped()).spawn().unwrap();
    drop(child.stdout.take());
    let mut stderr = String::new();
    child.stderr.take().unwrap().read_to_string(&mut stderr).unwrap();
    assert_eq!((child.wait().unwrap().code(), stderr.as_str()), (Some(0), ""));
}
