//! `tidegate image`: images of one's own, in a cache that other tests share.

use serde_json::{Value, json};

use crate::tide::User;

#[test]
fn an_image_brings_its_variables_and_packages() {
    let user = User::new();
    let package = user.folder().join("harbour");
    std::fs::create_dir(&package).unwrap();
    std::fs::write(package.join("__init__.py"), "TIDE = 'high'").unwrap();
    let warm = user.file("warm.py", "import harbour\nrates = {'EUR': 1}");
    let name = format!("cli-test-{}", std::process::id());
    let (warm, package) = (warm.to_str().unwrap(), package.to_str().unwrap());

    let said = user.tidegate(&["image", "build", &name, "--warm", warm, "--add", package]);
    assert_eq!(said.code, Some(0), "{}", said.stderr);
    assert_eq!(
        user.value(&["--image", &name, "-c", "[harbour.TIDE, rates]"]),
        json!(["high", {"EUR": 1}])
    );
    let shown = user.tidegate(&["image", "show", &name, "--json"]);
    let shown: Value = serde_json::from_str(&shown.stdout).unwrap();
    assert_eq!(shown["parent"], "base");

    user.value(&["--session", "s", "--image", &name, "-c", "rates['USD'] = 2"]);
    let refused = user.tidegate(&["image", "remove", &name]);
    assert_eq!(refused.code, Some(2));
    assert!(refused.stderr.contains("--force"), "{}", refused.stderr);
    // So does what rests in a gateway.
    let service = user.folder().join("service");
    let rests = service.join("sessions/s_kept.image");
    std::fs::create_dir_all(rests.parent().unwrap()).unwrap();
    std::fs::write(service.join("tidegate.db"), "").unwrap();
    user.ok(&["session", "export", "s", "-o", rests.to_str().unwrap()]);
    user.ok(&["session", "delete", "s"]);
    let refused = user.tidegate(&["image", "remove", &name]);
    assert_eq!(refused.code, Some(2));
    assert!(refused.stderr.contains("session s_kept"), "{}", refused.stderr);
    assert_eq!(user.tidegate(&["image", "remove", "--force", &name]).code, Some(0));
    assert_eq!(user.tidegate(&["image", "show", &name]).code, Some(2));
}

#[test]
fn a_warm_up_program_that_fails_is_refused_with_the_reason() {
    let user = User::new();
    let warm = user.file("warm.py", "raise ValueError('no rates today')");
    let said = user.tidegate(&["image", "build", "cli-test-bad", "--warm", warm.to_str().unwrap()]);
    assert_eq!(said.code, Some(2));
    assert!(said.stderr.contains("no rates today"), "{}", said.stderr);
}

#[test]
fn names_of_the_runtime_are_taken() {
    let user = User::new();
    let warm = user.file("warm.py", "1");
    let warm = warm.to_str().unwrap();
    assert_eq!(user.tidegate(&["image", "build", "base", "--warm", warm]).code, Some(2));
    assert_eq!(user.tidegate(&["image", "build", "Not A Name", "--warm", warm]).code, Some(2));
    assert_eq!(user.tidegate(&["image", "remove", "science"]).code, Some(2));
}
