//! A guest at rest, as bytes: what can be stored, sent and thawed elsewhere.
//!
//! ```text
//! magic  8 │ format u32 │ header length u32 │ header, JSON │ body, zstd │ BLAKE3 of all before
//! ```
//!
//! The header names the base image by the SHA-256 of its content, so an image
//! finds its base on any machine and is refused by any other base. What the
//! body means is the engine's affair; that it is whole is checked here.

use std::cell::RefCell;
use std::fmt;
use std::str::FromStr;
use std::sync::{Arc, OnceLock};

use serde::{Deserialize, Deserializer, Serialize, Serializer};
use sha2::{Digest as _, Sha256};
use zstd::bulk::{Compressor, Decompressor};

const MAGIC: &[u8; 8] = b"TIDEIMG\n";
const FORMAT: u32 = 2;
const PREFIX: usize = 16;
const SUM: usize = 32;
const MAX_HEADER: usize = 64 << 10;

/// The largest body an image may unpack to. A guest's memory cannot exceed
/// 4 GiB; nothing honest comes near.
pub const MAX_BODY: u64 = 6 << 30;

/// The SHA-256 of a base image's content.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Digest(pub [u8; 32]);

impl Digest {
    /// Hashes bytes.
    #[must_use]
    pub fn of(bytes: &[u8]) -> Self {
        Self(Sha256::digest(bytes).into())
    }
}

impl fmt::Display for Digest {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.iter().try_for_each(|byte| write!(f, "{byte:02x}"))
    }
}

impl fmt::Debug for Digest {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

impl FromStr for Digest {
    type Err = ImageError;

    fn from_str(text: &str) -> Result<Self, ImageError> {
        let mut bytes = [0; 32];
        if text.len() != 64 || !text.is_ascii() {
            return Err(ImageError::Malformed("a digest is 64 hexadecimal digits"));
        }
        for (byte, pair) in bytes.iter_mut().zip(text.as_bytes().chunks_exact(2)) {
            let pair = std::str::from_utf8(pair).unwrap_or_default();
            *byte = u8::from_str_radix(pair, 16)
                .map_err(|_| ImageError::Malformed("a digest is 64 hexadecimal digits"))?;
        }
        Ok(Self(bytes))
    }
}

impl Serialize for Digest {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        to.collect_str(self)
    }
}

impl<'de> Deserialize<'de> for Digest {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        String::deserialize(from)?.parse().map_err(serde::de::Error::custom)
    }
}

/// Why bytes are not a usable image.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ImageError {
    /// These bytes were never an image.
    #[error("this is not a frozen guest")]
    NotAnImage,
    /// Another version of the format.
    #[error("the image has format {found}; this version reads format {FORMAT}")]
    Format {
        /// The version found.
        found: u32,
    },
    /// The end is missing.
    #[error("the image is cut short")]
    Truncated,
    /// The bytes are not those that were written.
    #[error("the image was altered: its checksum does not match")]
    Altered,
    /// The image claims to unpack to more than is allowed.
    #[error("the image unpacks to {claimed} bytes, more than the {allowed} allowed")]
    TooLarge {
        /// What its header says.
        claimed: u64,
        /// What is allowed.
        allowed: u64,
    },
    /// The checksum is right and the content is nonsense.
    #[error("the image is malformed: {0}")]
    Malformed(&'static str),
}

/// What an image says about itself without being unpacked.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Header {
    /// The kind of engine that froze it.
    pub engine: String,
    /// The base image it builds on.
    pub base: Digest,
    /// Bytes of the unpacked body.
    pub body_bytes: u64,
    /// Whether a program rests inside, waiting in the middle of an `await`.
    pub waiting: bool,
}

/// A frozen guest.
///
/// One that was frozen here is packed only when its bytes are asked for: most images are
/// taken to go back to if the next run is stopped, and never leave the process.
#[derive(Clone)]
pub struct Image {
    header: Header,
    loose: Option<Arc<Vec<u8>>>,
    packed: OnceLock<Packed>,
}

#[derive(Clone)]
struct Packed {
    bytes: Vec<u8>,
    body_at: usize,
}

impl fmt::Debug for Image {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Image")
            .field("header", &self.header)
            .field("packed", &self.packed.get().map(|packed| packed.bytes.len()))
            .finish_non_exhaustive()
    }
}

impl PartialEq for Image {
    fn eq(&self, other: &Self) -> bool {
        self.as_bytes() == other.as_bytes()
    }
}

impl Eq for Image {}

impl Image {
    /// An image of `body`, packed when its bytes are first asked for. `header.body_bytes`
    /// is filled in here.
    #[must_use]
    pub fn new(mut header: Header, body: Vec<u8>) -> Self {
        header.body_bytes = body.len() as u64;
        Self { header, loose: Some(Arc::new(body)), packed: OnceLock::new() }
    }

    fn packed(&self) -> &Packed {
        self.packed.get_or_init(|| {
            let body = self.loose.as_ref().map_or(&[][..], |body| body);
            Packed::new(&self.header, body).expect("a buffer of sufficient size takes any body")
        })
    }
}

impl Packed {
    fn new(header: &Header, body: &[u8]) -> std::io::Result<Self> {
        let json = serde_json::to_vec(header)?;
        let mut bytes = Vec::new();
        bytes.extend_from_slice(MAGIC);
        bytes.extend_from_slice(&FORMAT.to_le_bytes());
        bytes.extend_from_slice(
            &u32::try_from(json.len()).map_err(std::io::Error::other)?.to_le_bytes(),
        );
        bytes.extend_from_slice(&json);
        let body_at = bytes.len();
        compress(body, &mut bytes)?;
        let sum = blake3::hash(&bytes);
        bytes.extend_from_slice(sum.as_bytes());
        Ok(Self { bytes, body_at })
    }
}

impl Image {
    /// Reads an image that may come from anybody.
    ///
    /// # Errors
    /// Says which of the ways to be wrong these bytes chose.
    pub fn decode(bytes: Vec<u8>) -> Result<Self, ImageError> {
        if !bytes.starts_with(MAGIC) {
            return Err(if MAGIC.starts_with(&bytes[..]) {
                ImageError::Truncated
            } else {
                ImageError::NotAnImage
            });
        }
        let word = |at: usize| {
            let four = bytes.get(at..at + 4).and_then(|slice| slice.try_into().ok());
            four.map(u32::from_le_bytes).ok_or(ImageError::Truncated)
        };
        let found = word(8)?;
        if found != FORMAT {
            return Err(ImageError::Format { found });
        }
        let header_len = word(12)? as usize;
        if header_len > MAX_HEADER {
            return Err(ImageError::Altered);
        }
        let body_at = PREFIX + header_len;
        if bytes.len() < body_at + SUM {
            return Err(ImageError::Truncated);
        }
        let (content, sum) = bytes.split_at(bytes.len() - SUM);
        // Three times as quick as SHA-256, and on the way of every thaw.
        if blake3::hash(content).as_bytes() != sum {
            return Err(ImageError::Altered);
        }
        let header: Header = serde_json::from_slice(&content[PREFIX..body_at])
            .map_err(|_| ImageError::Malformed("its header cannot be read"))?;
        let packed = OnceLock::from(Packed { bytes, body_at });
        Ok(Self { header, loose: None, packed })
    }

    /// What the image says about itself.
    #[must_use]
    pub fn header(&self) -> &Header {
        &self.header
    }

    /// The image as it is stored.
    #[must_use]
    pub fn as_bytes(&self) -> &[u8] {
        &self.packed().bytes
    }

    /// The body, if it is here unpacked.
    #[must_use]
    pub fn loose(&self) -> Option<&[u8]> {
        self.loose.as_ref().map(|body| &body[..])
    }

    /// Unpacks the body into `body`, refusing more than `allowed` bytes.
    ///
    /// # Errors
    /// When the body is larger than it claims or than allowed, or does not unpack.
    pub fn unpack(&self, allowed: u64, body: &mut Vec<u8>) -> Result<(), ImageError> {
        let claimed = self.header.body_bytes;
        let allowed = allowed.min(MAX_BODY);
        if claimed > allowed {
            return Err(ImageError::TooLarge { claimed, allowed });
        }
        if let Some(loose) = self.loose() {
            body.clear();
            body.extend_from_slice(loose);
            return Ok(());
        }
        let Packed { bytes, body_at } = self.packed();
        let packed = &bytes[*body_at..bytes.len() - SUM];
        // The frame says its size too, and both are somebody's word: they have to agree
        // before anything is reserved, and the unpacker writes no further than that.
        let framed = zstd::zstd_safe::get_frame_content_size(packed).ok().flatten();
        if framed != Some(claimed) {
            return Err(ImageError::Malformed("its body is not as long as it says"));
        }
        body.clear();
        body.reserve(usize::try_from(claimed).map_err(|_| ImageError::Truncated)?);
        let unpacked = UNPACKER.with_borrow_mut(|unpacker| {
            unpacker.get_or_insert_default().decompress_to_buffer(packed, body)
        });
        match unpacked {
            Ok(length) if length as u64 == claimed => Ok(()),
            _ => Err(ImageError::Malformed("its body does not unpack")),
        }
    }

    /// The body, unpacked.
    ///
    /// # Errors
    /// As [`unpack`](Self::unpack).
    pub fn body(&self, allowed: u64) -> Result<Vec<u8>, ImageError> {
        let mut body = Vec::new();
        self.unpack(allowed, &mut body)?;
        Ok(body)
    }
}

/// How hard to compress. Freezing is on the way of every session that goes to rest:
/// level 1 takes half as long again and saves a quarter.
const LEVEL: i32 = -1;

// Setting up a compressor takes as long as compressing a small guest.
thread_local! {
    static PACKER: RefCell<Option<(Compressor<'static>, Vec<u8>)>> = const { RefCell::new(None) };
    static UNPACKER: RefCell<Option<Decompressor<'static>>> = const { RefCell::new(None) };
}

/// Appends `body`, compressed, to `bytes`.
fn compress(body: &[u8], bytes: &mut Vec<u8>) -> std::io::Result<()> {
    PACKER.with_borrow_mut(|packer| {
        if packer.is_none() {
            *packer = Some((Compressor::new(LEVEL)?, Vec::new()));
        }
        let (packer, packed) = packer.as_mut().ok_or(std::io::ErrorKind::OutOfMemory)?;
        packed.clear();
        packed.reserve(zstd::zstd_safe::compress_bound(body.len()));
        packer.compress_to_buffer(body, packed)?;
        bytes.reserve(packed.len() + SUM);
        bytes.extend_from_slice(packed);
        // A huge guest must not leave a huge buffer behind.
        packed.shrink_to(KEPT_BUFFER);
        Ok(())
    })
}

const KEPT_BUFFER: usize = 16 << 20;

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn image(body: &[u8]) -> Image {
        let header = Header {
            engine: "test".into(),
            base: Digest::of(b"base"),
            body_bytes: 0,
            waiting: false,
        };
        Image::new(header, body.to_vec())
    }

    #[test]
    fn a_truncated_image_is_refused_at_every_length() {
        let whole = image(b"some pages").as_bytes().to_vec();
        for length in 0..whole.len() {
            let error = Image::decode(whole[..length].to_vec()).unwrap_err();
            assert!(
                matches!(error, ImageError::Truncated | ImageError::Altered),
                "{length}: {error}"
            );
        }
    }

    #[test]
    fn a_body_larger_than_allowed_is_refused_before_it_is_unpacked() {
        let error = image(&[0; 1000]).body(999).unwrap_err();
        assert!(matches!(error, ImageError::TooLarge { claimed: 1000, allowed: 999 }));
    }

    #[test]
    fn bytes_of_something_else_are_called_that() {
        assert!(matches!(
            Image::decode(b"PK\x03\x04 a zip file".to_vec()),
            Err(ImageError::NotAnImage)
        ));
    }

    proptest! {
        #[test]
        fn every_changed_byte_is_noticed(at in 0usize..200, flip in 1u8..) {
            let mut bytes = image(&[7; 300]).as_bytes().to_vec();
            let at = at % bytes.len();
            bytes[at] ^= flip;
            prop_assert!(Image::decode(bytes).is_err());
        }

        #[test]
        fn any_body_survives(body in proptest::collection::vec(any::<u8>(), 0..2000)) {
            let packed = Image::decode(image(&body).as_bytes().to_vec()).unwrap();
            prop_assert_eq!(packed.body(MAX_BODY).unwrap(), body);
        }
    }
}
