//! Servers whose definitions have changed between two runs.
//!
//! `untold.py` is the server.

use crate::listed;
use crate::tide::{Started, Tide};

const OLD: &str = "from servers.untold import find_order\n(await find_order(q='x'))['id']";
const NEW: &str =
    "from servers.untold import find_order\n(await find_order(q='x', kind='y'))['id']";
const NEW_BY_NAME: &str =
    "(await call_mcp_tool('untold', 'find_order', {'q': 'x', 'kind': 'y'}))['id']";

/// The server with the definitions of this version.
fn untold(tide: &Tide, version: &str) -> [Started; 1] {
    let file = tide.file("version", version);
    [Started {
        command: "python3".to_owned(),
        args: vec![listed::folder().join("untold.py").display().to_string()],
        env: [("VERSION".to_owned(), file.display().to_string())].into(),
        ..Started::new("untold")
    }]
}

/// A user who remembers an earlier version of the server.
fn remembering() -> Tide {
    let tide = Tide::new();
    let (ok, words) = tide.said(&untold(&tide, "1"), "", &["run", "-c", OLD]).unwrap();
    assert!(ok, "{words}");
    tide
}

#[test]
fn a_program_for_what_a_server_has_now_is_not_refused_for_what_is_remembered() {
    for (program, options) in [(NEW, &[][..]), (NEW_BY_NAME, &[]), (NEW_BY_NAME, &["--no-check"])] {
        let tide = remembering();
        let server = untold(&tide, "kinds");
        let (ok, words) =
            tide.said(&server, "", &[&["run", "-c", program], options].concat()).unwrap();
        assert!(ok && words.contains("ord_81f3kd92k1"), "{program:?} {options:?}: {words}");
    }
}

#[test]
fn an_unchecked_program_that_a_remembered_signature_refused_is_right_the_next_time() {
    let tide = remembering();
    let server = untold(&tide, "kinds");
    let program = ["run", "--no-check", "-c", NEW];
    let (ok, words) = tide.said(&server, "", &program).unwrap();
    assert!(!ok && words.contains("have changed since they were remembered"), "{words}");
    let (ok, words) = tide.said(&server, "", &program).unwrap();
    assert!(ok, "{words}");
}

#[test]
fn a_program_for_what_a_server_had_is_refused_with_what_it_has_now() {
    let tide = remembering();
    let server = untold(&tide, "kinds");
    let wrong = "from servers.untold import find_order\nawait find_order(q='x', sort='up')";
    let (ok, words) = tide.said(&server, "", &["run", "-c", wrong]).unwrap();
    assert!(!ok && words.contains("kind"), "{words}");
}
