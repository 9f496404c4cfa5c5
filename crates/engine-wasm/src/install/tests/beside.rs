//! Two versions of this program that share a cache.

use super::*;

/// The same machine as another version sees it, which warms up in another way.
fn other(machine: &Machine) -> Plan {
    let mut plan = machine.plan.clone();
    plan.recipes[0].warm = "import base in another way".to_owned();
    plan
}

fn install_as(machine: &Machine, plan: &Plan) -> (Installed, Vec<String>) {
    let (source, fake) = (Source::File(machine.wheel.clone()), Fake::default());
    let installed = install(&machine.cache, &source, plan, &fake, &Silent).unwrap();
    (installed, fake.made())
}

fn digest_of(installed: &Installed, name: &ImageName) -> Digest {
    installed.image(name).unwrap().record.digest
}

#[test]
fn each_version_finds_its_own_images_and_makes_them_once() {
    let machine = Machine::new();
    let (one, _) = install_as(&machine, &machine.plan);
    let theirs = other(&machine);
    let (two, made) = install_as(&machine, &theirs);
    assert_eq!(made, ["base", "science"]);
    for _ in 0..2 {
        for plan in [&machine.plan, &theirs] {
            assert!(status(&machine.cache, plan).unwrap().complete);
            assert!(install_as(&machine, plan).1.is_empty());
        }
    }
    for name in [ImageName::base(), ImageName::science()] {
        let again = find(&machine.cache, &machine.plan).unwrap().unwrap();
        assert_eq!(digest_of(&one, &name), digest_of(&again, &name));
        assert_ne!(digest_of(&one, &name), digest_of(&two, &name));
    }
    let science = one.image(&ImageName::science()).unwrap().record;
    assert_eq!(science.parent.unwrap().digest, digest_of(&one, &ImageName::base()));
}

#[test]
fn versions_whose_images_are_equal_do_not_make_them_in_turn() {
    let machine = Machine::new();
    install_as(&machine, &machine.plan);
    let mut theirs = machine.plan.clone();
    // What it changes does not show in the image.
    theirs.recipes[0].guest = Digest::of(b"another guest package");
    assert_eq!(install_as(&machine, &theirs).1, ["base", "science"]);
    for plan in [&machine.plan, &theirs, &machine.plan] {
        assert!(install_as(&machine, plan).1.is_empty());
    }
}

#[test]
fn what_was_superseded_is_removed_unless_a_version_needs_it() {
    let machine = Machine::new();
    let (running, _) = install_as(&machine, &machine.plan);
    let theirs = other(&machine);
    install_as(&machine, &theirs);
    let own: Vec<Digest> = images_of(&machine.cache, &machine.plan)
        .unwrap()
        .into_iter()
        .map(|image| image.digest)
        .collect();
    assert_eq!(own.len(), 3);
    assert_eq!(machine.cache.remove_superseded(&|digest| own.contains(digest)).unwrap(), 0);
    assert!(machine.status().complete);

    let science = running.image(&ImageName::science()).unwrap();
    let before = fs::read(science.file.path()).unwrap();
    assert!(machine.cache.remove_superseded(&|_| false).unwrap() > 0);
    assert!(!machine.status().complete && !science.file.path().exists());
    assert!(status(&machine.cache, &theirs).unwrap().complete);
    // Whoever runs goes on with what it has.
    let held = running.image(&ImageName::science()).unwrap();
    let mut content = vec![0; before.len()];
    held.file.file().read_exact_at(&mut content, 0).unwrap();
    assert_eq!(content, before);
    assert_eq!(held.record, science.record);
    running.find_image_by_digest(&held.record.digest).unwrap();
    assert_eq!(install_as(&machine, &machine.plan).1, ["base", "science"]);
}

#[test]
fn what_is_no_longer_trusted_is_not_used_because_it_was_held_open() {
    let machine = Machine::new();
    let (running, _) = install_as(&machine, &machine.plan);
    let base = running.image(&ImageName::base()).unwrap();
    rot_unseen(&base);
    verify(&machine.cache, &|_| ()).unwrap();
    assert!(running.image(&ImageName::base()).is_err());
    let path = machine.cache.folder().join(names::image(&base.record.digest));
    fs::remove_file(path).unwrap();
    let refused = running.image(&ImageName::base()).unwrap_err();
    assert!(matches!(refused, ImageLookupError::Cache(CacheError::Altered { .. })), "{refused}");
}

#[test]
fn an_image_of_ones_own_is_there_for_each_version_that_built_it() {
    let machine = Machine::new();
    let (one, _) = install_as(&machine, &machine.plan);
    let theirs = other(&machine);
    let (two, _) = install_as(&machine, &theirs);
    let fake = Fake::default();
    let recipe = recipe("mine", "base", "import mine");
    let build = |installed: &Installed, plan: &Plan| {
        let image = add_image(installed, plan, &recipe, &fake, &Silent).unwrap();
        assert_eq!(machine.cache.image(&recipe.name).unwrap().record, image.record);
        assert_eq!(
            image.record.parent.unwrap().digest,
            digest_of(installed, &ImageName::base()),
            "made from another version's"
        );
    };
    for _ in 0..2 {
        build(&one, &machine.plan);
        build(&two, &theirs);
    }
    assert_eq!(fake.made(), ["mine", "mine"]);
}
