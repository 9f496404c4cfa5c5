//! A pack is what was signed, or it is refused.

use super::*;
use crate::skill::tests::skill;

fn packed(signer: Option<&Signer>) -> Pack {
    let name = Name::new("sales").unwrap();
    let skills = vec![skill("high_spenders"), skill("refunds")];
    Pack::new((name, "1.0.0", "What sales asks every week."), skills, signer).unwrap()
}

fn trusting(signer: &Signer) -> Trust {
    Trust { keys: [signer.key()].into(), unsigned: false }
}

#[test]
fn a_signed_pack_comes_back_from_a_folder_and_from_an_archive() {
    let (signer, _) = Signer::generate().unwrap();
    let pack = packed(Some(&signer));
    let folder = tempfile::tempdir().unwrap();
    for place in ["sales", "sales.zip"] {
        let path = folder.path().join(place);
        pack.write(&path).unwrap();
        let back = Pack::open(&path, &trusting(&signer)).unwrap();
        assert_eq!((back.manifest, back.skills), (pack.manifest.clone(), pack.skills.clone()));
    }
    assert_eq!(pack.tools().into_iter().collect::<Vec<_>>(), ["crm.list"]);
}

#[test]
fn an_unsigned_pack_is_refused_unless_that_is_said() {
    let bytes = packed(None).archive().unwrap();
    assert!(matches!(Pack::unpack(&bytes, &Trust::default()), Err(PackError::Unsigned)));
    let anything = Trust { unsigned: true, ..Trust::default() };
    assert_eq!(Pack::unpack(&bytes, &anything).unwrap().skills.len(), 2);
}

#[test]
fn a_key_that_nobody_trusts_is_named_and_refused() {
    let ((signer, _), (other, _)) = (Signer::generate().unwrap(), Signer::generate().unwrap());
    let bytes = packed(Some(&signer)).archive().unwrap();
    let refused = Pack::unpack(&bytes, &trusting(&other)).unwrap_err();
    assert!(refused.to_string().contains(&signer.key().to_string()), "{refused}");
}

#[test]
fn a_pack_that_was_changed_is_refused_even_where_unsigned_ones_are_not() {
    let (signer, _) = Signer::generate().unwrap();
    let trust = Trust { unsigned: true, ..trusting(&signer) };
    let pack = packed(Some(&signer));
    let refused = |change: &dyn Fn(&mut Files)| {
        let mut files = pack.files.clone();
        change(&mut files);
        Pack::unpack(&archive::pack(&files).unwrap(), &trust).unwrap_err().to_string()
    };
    let source = "skills/refunds.py".to_owned();
    let said = refused(&|files| files.get_mut(&source).unwrap().push(b'#'));
    assert_eq!(said, "the pack was changed after it was made: skills/refunds.py has other bytes");
    let said = refused(&|files| drop(files.remove(&source)));
    assert!(said.ends_with("skills/refunds.py is missing"), "{said}");
    let said = refused(&|files| drop(files.insert("skills/more.py".to_owned(), vec![])));
    assert!(said.ends_with("skills/more.py was added"), "{said}");
    let said = refused(&|files| drop(files.remove(SIGNATURE)));
    assert!(said.ends_with("pack.json.minisig is missing"), "{said}");
    // A manifest that fits what was changed does not fit the signature.
    let said = refused(&|files| {
        let text = String::from_utf8(files[MANIFEST].clone()).unwrap();
        files.insert(MANIFEST.to_owned(), text.replace("1.0.0", "1.0.1").into_bytes());
    });
    assert!(said.starts_with("the signature does not fit"), "{said}");
}

#[test]
fn a_signature_by_another_key_than_the_manifests_is_refused() {
    let ((signer, _), (other, _)) = (Signer::generate().unwrap(), Signer::generate().unwrap());
    let mut files = packed(Some(&signer)).files;
    let forged = other.sign(&files[MANIFEST]).unwrap();
    files.insert(SIGNATURE.to_owned(), forged.into_bytes());
    let bytes = archive::pack(&files).unwrap();
    assert!(matches!(Pack::unpack(&bytes, &trusting(&signer)), Err(PackError::Seal(_))));
}

#[test]
fn a_pack_of_another_format_is_refused() {
    let mut files = packed(None).files;
    let text = String::from_utf8(files[MANIFEST].clone()).unwrap();
    files.insert(MANIFEST.to_owned(), text.replace("\"format\": 1", "\"format\": 2").into_bytes());
    let trust = Trust { unsigned: true, ..Trust::default() };
    let said = Pack::unpack(&archive::pack(&files).unwrap(), &trust).unwrap_err().to_string();
    assert!(said.contains("its format is 2"), "{said}");
}

#[test]
fn a_pack_is_not_mixed_with_what_is_in_a_folder_already() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("sales");
    packed(None).write(&path).unwrap();
    let refused = packed(None).write(&path).unwrap_err();
    assert!(matches!(refused, PackError::Occupied { .. }), "{refused}");
    // An archive is replaced as a whole.
    let path = folder.path().join("sales.zip");
    packed(None).write(&path).unwrap();
    packed(None).write(&path).unwrap();
    let anything = Trust { unsigned: true, ..Trust::default() };
    assert_eq!(Pack::open(&path, &anything).unwrap().skills.len(), 2);
}
