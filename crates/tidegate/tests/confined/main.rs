//! The home example with little memory and half a processor for its service.
//!
//! Runs where control groups can be made, which takes root. Elsewhere it says so where nobody overlooks it, or fails
//! if `TIDEGATE_TEST_CGROUPS` says that they can be had here.

#![expect(clippy::unwrap_used, reason = "a test that cannot go on says where")]

mod group;

use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::TcpStream;
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};

use group::Group;
use serde_json::json;

/// More than it holds while it does nothing.
const MORE_BYTES: u64 = 256_000_000;
/// Hundredths of a processor.
const HALF: u64 = 50;

/// Asks each server something small, and so waits until all are there.
const PROGRAM: &str = r#"
import automation, data, device

devices = (await data.get_devices(room="hall"))["devices"]
await automation.validate_automation("[]")
(await device.get_device_capabilities(devices[0]["id"]))["room"]
"#;

#[test]
fn home_does_with_256_mb_more_than_it_holds_at_rest_and_half_a_processor() {
    let group = match Group::new() {
        Ok(group) => group,
        Err(reason) => return skipped(&reason),
    };
    let folder = tempfile::tempdir().unwrap();
    let tidegate = confined(&group, folder.path());
    let idle = at_rest(&group, &tidegate, folder.path());
    assert!(idle > 20_000_000, "the service is not in its group, which holds {idle} bytes");
    group.limit(idle + MORE_BYTES, HALF);
    let before = group.periods();

    let output = with_settings(Command::new("python3"), &folder.path().join("data"))
        .arg("-B")
        .arg(example().join("run"))
        .env("TIDEGATE", &tidegate)
        .output()
        .unwrap();

    let said = String::from_utf8_lossy(&output.stderr);
    let about = format!("{idle} bytes at rest, {} processes ended for memory", group.killed());
    assert!(output.status.success(), "{}, {about}:\n{said}", output.status);
    let shown = String::from_utf8(output.stdout).unwrap();
    let (results, _) = shown.split_once("\ntokens ").unwrap();
    let expected = std::fs::read_to_string(example().join("expected.txt")).unwrap();
    assert_eq!(results.trim(), expected.trim(), "{about}");
    assert_eq!(group.killed(), 0, "{about}");
    assert!(group.periods() > before, "nothing was held to half a processor");
}

/// Says that nothing was tried; fails where it has to be.
fn skipped(reason: &str) {
    assert!(
        std::env::var_os("TIDEGATE_TEST_CGROUPS").is_none(),
        "TIDEGATE_TEST_CGROUPS is set, and no control group can be made: {reason}"
    );
    // Past the harness, which keeps to itself what a test that passes prints.
    let said = writeln!(
        std::io::stderr(),
        "\nSKIPPED: home with 256 MB more than at rest and half a processor: no control group can be made: {reason}\n"
    );
    said.unwrap();
}

/// A `tidegate` whose `serve` goes into the group, with all that it starts.
fn confined(group: &Group, folder: &Path) -> PathBuf {
    let enter =
        |folder: &&Path| format!("    echo $$ > '{}/cgroup.procs' || exit 1\n", folder.display());
    let enter = group.folders().iter().map(enter).collect::<Vec<_>>().concat();
    let real = env!("CARGO_BIN_EXE_tidegate");
    let script =
        format!("#!/bin/sh\nif [ \"$1\" = serve ]; then\n{enter}fi\nexec '{real}' \"$@\"\n");
    std::fs::create_dir(folder.join("bin")).unwrap();
    let file = folder.join("bin/tidegate");
    std::fs::write(&file, script).unwrap();
    std::fs::set_permissions(&file, std::fs::Permissions::from_mode(0o755)).unwrap();
    file
}

/// What the example's service holds once its servers are there and a program has run.
fn at_rest(group: &Group, tidegate: &Path, folder: &Path) -> u64 {
    let path = std::env::var_os("PATH").unwrap_or_default();
    let path =
        std::iter::once(tidegate.parent().unwrap().to_owned()).chain(std::env::split_paths(&path));
    let mut service = with_settings(Command::new(tidegate), &folder.join("rest"))
        .args(["serve", "--port", "0", "--config"])
        .arg(example().join("tidegate.toml"))
        .env("PATH", std::env::join_paths(path).unwrap())
        .stderr(Stdio::piped())
        .spawn()
        .map(Service)
        .unwrap();
    let mut said = BufReader::new(service.0.stderr.take().unwrap()).lines().map_while(Result::ok);
    let address = said.by_ref().find_map(|line| {
        let (_, rest) = line.split_once("http://")?;
        Some(rest.split(' ').next()?.to_owned())
    });
    let address = address.unwrap();
    std::thread::spawn(move || said.for_each(drop));
    let ran = ask(&address, &json!({ "code": PROGRAM }).to_string());
    assert!(ran.contains("\"return_value\":\"hall\""), "{ran}");
    group.held()
}

/// A service that ends with this, and its servers with it.
struct Service(Child);

impl Drop for Service {
    fn drop(&mut self) {
        let _ = Command::new("kill").args(["-TERM", &self.0.id().to_string()]).status();
        let _ = self.0.wait();
    }
}

fn with_settings(mut command: Command, data: &Path) -> Command {
    let cache = std::env::var_os("TIDEGATE_TEST_CACHE").map_or_else(
        || PathBuf::from(std::env::var_os("HOME").unwrap()).join(".cache/tidegate-ci/guest"),
        PathBuf::from,
    );
    std::fs::create_dir_all(data).unwrap();
    command.env("TIDEGATE_CACHE", cache).env("TIDEGATE_DATA", data).env("XDG_CONFIG_HOME", data);
    command
}

fn ask(address: &str, body: &str) -> String {
    let mut stream = TcpStream::connect(address).unwrap();
    write!(
        stream,
        "POST /execute HTTP/1.1\r\nHost: {address}\r\nConnection: close\r\nContent-Type: application/json\r\nContent-Length: {}\r\n\r\n{body}",
        body.len()
    )
    .unwrap();
    let mut answer = String::new();
    stream.read_to_string(&mut answer).unwrap();
    answer
}

fn example() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples/home").canonicalize().unwrap()
}
