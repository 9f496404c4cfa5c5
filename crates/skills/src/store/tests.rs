//! What is saved is found again, by whom it belongs to, as it was.

use super::*;
use crate::skill::tests::skill;

fn reader(owner: &str, teams: &[&str]) -> Reader {
    Reader { owner: owner.to_owned(), teams: teams.iter().map(ToString::to_string).collect() }
}

fn owner(name: &str) -> Scope {
    Scope::Owner(name.to_owned())
}

#[test]
fn every_version_that_was_saved_stays_as_it_was() {
    let folder = tempfile::tempdir().unwrap();
    let store = Store::at(folder.path().join("skills"));
    let first = store.save(&owner("ada"), skill("spend")).unwrap();
    assert_eq!(first.skill.version, 1);
    // The same again says nothing new.
    assert_eq!(store.save(&owner("ada"), skill("spend")).unwrap().skill.version, 1);
    let mut changed = skill("spend");
    changed.source = "def spend(minimum):\n    return [1]\n".to_owned();
    assert_eq!(store.save(&owner("ada"), changed.clone()).unwrap().versions, [1, 2]);

    let again = Store::at(folder.path().join("skills"));
    let name = Name::new("spend").unwrap();
    let newest = again.find(&reader("ada", &[]), &name, None).unwrap();
    assert_eq!((newest.skill.version, &newest.skill.source), (2, &changed.source));
    let old = again.find(&reader("ada", &[]), &name, Some(1)).unwrap();
    assert_eq!(old.skill.source, skill("spend").source);
    let none = again.find(&reader("ada", &[]), &name, Some(3)).unwrap_err();
    assert_eq!(none.to_string(), "there is no skill called spend with version 3");
}

#[test]
fn one_owner_never_sees_what_is_anothers() {
    let folder = tempfile::tempdir().unwrap();
    let store = Store::at(folder.path().to_owned());
    store.save(&owner("ada"), skill("spend")).unwrap();
    store.save(&Scope::Team("ops".to_owned()), skill("uptime")).unwrap();
    store.save(&Scope::Global, skill("hello")).unwrap();
    let seen = |who: &Reader| {
        let names = store.visible(who).into_iter().map(|kept| kept.skill.name.to_string());
        names.collect::<Vec<_>>().join(" ")
    };
    assert_eq!(seen(&reader("ada", &["ops"])), "hello spend uptime");
    assert_eq!(seen(&reader("ada", &[])), "hello spend");
    assert_eq!(seen(&reader("bob", &["dev"])), "hello");
    // A team of the owner's name is another scope.
    assert_eq!(seen(&reader("bob", &["ada"])), "hello");
}

#[test]
fn an_owners_own_skill_has_the_say_over_one_for_everybody() {
    let folder = tempfile::tempdir().unwrap();
    let store = Store::at(folder.path().to_owned());
    let mut general = skill("spend");
    general.description = "For everybody.".to_owned();
    store.save(&Scope::Global, general).unwrap();
    store.save(&owner("ada"), skill("spend")).unwrap();
    let name = Name::new("spend").unwrap();
    assert_eq!(store.find(&reader("ada", &[]), &name, None).unwrap().scope, owner("ada"));
    assert_eq!(store.find(&reader("bob", &[]), &name, None).unwrap().scope, Scope::Global);
    store.remove(&owner("ada"), &name).unwrap();
    assert_eq!(store.find(&reader("ada", &[]), &name, None).unwrap().scope, Scope::Global);
    assert!(matches!(store.remove(&owner("ada"), &name), Err(StoreError::Unknown { .. })));
}

#[test]
fn what_another_process_saves_is_seen() {
    let folder = tempfile::tempdir().unwrap();
    let (ours, theirs) = (Store::at(folder.path().to_owned()), Store::at(folder.path().to_owned()));
    assert!(ours.visible(&reader("ada", &[])).is_empty());
    theirs.save(&owner("ada"), skill("spend")).unwrap();
    assert_eq!(ours.visible(&reader("ada", &[])).len(), 1);
    theirs.note(&owner("ada"), (&Name::new("spend").unwrap(), 1), |state| state.uses += 1).unwrap();
    assert_eq!(ours.visible(&reader("ada", &[]))[0].state.uses, 1);
}

#[test]
fn a_stale_version_says_why_and_the_next_one_starts_anew() {
    let folder = tempfile::tempdir().unwrap();
    let store = Store::at(folder.path().to_owned());
    store.save(&Scope::Global, skill("spend")).unwrap();
    let name = Name::new("spend").unwrap();
    let why = "crm.list changed".to_owned();
    store.note(&Scope::Global, (&name, 1), |state| state.stale = Some(why.clone())).unwrap();
    assert_eq!(store.in_scope(&Scope::Global)[0].state.stale, Some(why.clone()));
    let mut better = skill("spend");
    better.source.push_str("# mended\n");
    assert_eq!(store.save(&Scope::Global, better).unwrap().state.stale, None);
    assert_eq!(store.in_scope(&Scope::Global)[0].state.stale, None);
    let old = store.find(&reader("a", &[]), &name, Some(1)).unwrap();
    assert_eq!(old.state.stale, Some(why));
}

#[test]
fn a_file_that_is_not_what_it_says_is_not_a_skill() {
    let folder = tempfile::tempdir().unwrap();
    let store = Store::at(folder.path().to_owned());
    store.save(&owner("ada"), skill("spend")).unwrap();
    let place = folder.path().join(owner("ada").folder());
    // Somebody copies a skill into the place of another.
    fs::create_dir_all(place.join("other")).unwrap();
    fs::copy(place.join("spend/1.json"), place.join("other/1.json")).unwrap();
    fs::create_dir_all(place.join("broken")).unwrap();
    fs::write(place.join("broken/1.json"), b"{\"scope\":").unwrap();
    let fresh = Store::at(folder.path().to_owned());
    let names: Vec<_> =
        fresh.in_scope(&owner("ada")).iter().map(|kept| kept.skill.name.to_string()).collect();
    assert_eq!(names, ["spend"]);
}

#[test]
fn whoever_looks_after_skills_knows_whose_there_are() {
    let folder = tempfile::tempdir().unwrap();
    let store = Store::at(folder.path().to_owned());
    assert_eq!(store.scopes(), []);
    let all = [owner("ada"), owner("bob"), Scope::Team("ops".to_owned()), Scope::Global];
    for scope in &all {
        store.save(scope, skill("spend")).unwrap();
    }
    // What was copied to where it does not belong says nothing.
    let elsewhere = folder.path().join(owner("eve").folder());
    fs::create_dir_all(elsewhere.join("spend")).unwrap();
    let copied = folder.path().join(owner("ada").folder()).join("spend/1.json");
    fs::copy(copied, elsewhere.join("spend/1.json")).unwrap();
    assert_eq!(store.scopes(), all);
    assert_eq!(store.teams(), ["ops"]);
    store.remove(&Scope::Team("ops".to_owned()), &Name::new("spend").unwrap()).unwrap();
    assert_eq!(store.teams(), Vec::<String>::new());
}

#[test]
fn nobody_else_on_the_machine_reads_what_is_kept() {
    use std::os::unix::fs::PermissionsExt as _;

    let folder = tempfile::tempdir().unwrap();
    let place = folder.path().join("data/skills");
    Store::at(place.clone()).save(&owner("ada"), skill("spend")).unwrap();
    let mode = fs::metadata(place).unwrap().permissions().mode();
    assert_eq!(mode & 0o777, 0o700);
}
