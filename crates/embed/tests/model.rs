//! The real model: that it computes what it should, and what holds for all its vectors.
//!
//! It is taken from `TIDEGATE_TEST_SENTENCES`, else from `.cache/tidegate-ci/sentences` in the
//! user's folder, and installed there if it is missing.

#![expect(clippy::unwrap_used, reason = "a test that cannot go on says where")]

use std::path::{Path, PathBuf};
use std::sync::LazyLock;

use embed::{DIMENSIONS, Model, Store};

static MODEL: LazyLock<Model> = LazyLock::new(|| {
    let usual =
        || Path::new(&std::env::var_os("HOME").unwrap()).join(".cache/tidegate-ci/sentences");
    let folder = std::env::var_os("TIDEGATE_TEST_SENTENCES").map_or_else(usual, PathBuf::from);
    let installed = embed::install(&folder, None, &|_, _| {}).unwrap();
    assert_eq!(embed::find(&folder), Some(installed.clone()));
    Model::load(&installed.folder).unwrap()
});

/// The numbers are those of the same network written once more with numpy.
#[test]
fn the_network_computes_what_another_implementation_does() {
    let known: [(&str, [f32; 5]); 2] = [
        (
            "Send an email to a colleague.",
            [0.020_157_19, 0.022_512_45, -0.007_600_36, -0.000_223_51, 0.064_400_02],
        ),
        ("", [-0.118_838_43, 0.048_298_72, -0.002_548_07, -0.011_011_19, 0.051_950_76]),
    ];
    for (text, numbers) in known {
        let vector = MODEL.embed_one(text).unwrap();
        assert_eq!(vector.len(), DIMENSIONS);
        for (found, wanted) in vector.iter().zip(numbers) {
            assert!((found - wanted).abs() < 1e-4, "{text:?}: {found} is not {wanted}");
        }
    }
}

#[test]
fn sentences_that_mean_the_same_point_the_same_way() {
    let vectors = MODEL
        .embed(&["send an email", "mail a message to somebody", "delete the database"])
        .unwrap();
    assert!(product(&vectors[0], &vectors[1]) > 0.6);
    assert!(product(&vectors[0], &vectors[2]) < 0.3);
}

#[test]
fn a_vector_has_length_one_and_depends_on_its_text_alone() {
    let long = "word ".repeat(100_000);
    let odd = ["", " ", "\0", "🌊", "数据库查询", "[CLS] [SEP]", long.as_str(), "a\u{301}\u{202e}"];
    let together = MODEL.embed(&odd).unwrap();
    for (text, vector) in odd.iter().zip(&together) {
        let length = product(vector, vector).sqrt();
        assert!((length - 1.0).abs() < 1e-4, "{length} of {:?}", &text[..text.len().min(20)]);
        assert_eq!(&MODEL.embed_one(text).unwrap(), vector);
    }
}

#[test]
fn vectors_of_the_model_can_be_stored() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("below").join("vectors");
    let mut store = Store::new(MODEL.identity());
    store.insert([3; 32], MODEL.embed_one("something").unwrap().into());
    store.save(&file).unwrap();
    assert_eq!(Store::open(&file, MODEL.identity()).unwrap().get(&[3; 32]), store.get(&[3; 32]));
    assert_eq!(store.len(), 1);
}

fn product(one: &[f32], other: &[f32]) -> f32 {
    one.iter().zip(other).map(|(a, b)| a * b).sum()
}
