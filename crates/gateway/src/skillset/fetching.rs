//! Packs, from a folder, an archive or an index.
//!
//! An index is named by the operator or by the person who types it, never by a program. Of the network only its host
//! is reached; the address may be private where it is written out as one.

use std::path::Path;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use skills::{Index, Listed, Pack, Trust};
use upstream::{Anywhere, Hosts, PrivateAddresses, Web, WebBody, WebRequest, WebSettings};
use url::Url;

/// The file of an index.
const INDEX: &str = "index.json";
/// The file that makes a folder a pack.
const MANIFEST: &str = "pack.json";
/// The largest archive or index, in bytes.
const MOST: usize = 16 << 20;

/// Where packs come from, and whose are installed.
#[derive(Debug, Clone, Default)]
pub struct Sources {
    /// Indexes: folders or addresses.
    pub indexes: Vec<String>,
    /// Whose packs are installed.
    pub trust: Trust,
}

/// Reads the index that a source is; `None` where it is a pack by itself.
///
/// # Errors
/// What is wrong with it, in words.
pub async fn index_of(source: &str) -> Result<Option<Index>, String> {
    if let Some(url) = web_address(source) {
        if ends_in(&url, "zip") {
            return Ok(None);
        }
        let bytes = get(&index_address(&url)?).await?;
        return Index::read(&bytes).map(Some).map_err(|error| error.to_string());
    }
    let path = Path::new(source);
    if path.join(MANIFEST).is_file() || path.is_file() {
        return Ok(None);
    }
    let file = path.join(INDEX);
    let bytes = read(&file).map_err(|error| format!("{}: {error}", file.display()))?;
    Index::read(&bytes).map(Some).map_err(|error| error.to_string())
}

/// Gets a pack: the one that a source is, or the one of that name in its index.
///
/// # Errors
/// When it cannot be had, is not what the index says, or is nobody's who is trusted.
pub async fn fetch(source: &str, wanted: Option<&str>, trust: &Trust) -> Result<Pack, String> {
    let said = |error: skills::PackError| error.to_string();
    let Some(index) = index_of(source).await? else {
        return match web_address(source) {
            Some(url) => Pack::unpack(&get(&url).await?, trust).map_err(said),
            None => Pack::open(Path::new(source), trust).map_err(said),
        };
    };
    let listed = found(&index, wanted)?;
    let archive = if let Some(url) = web_address(source) {
        let beside = index_address(&url)?.join(&listed.file);
        get(&beside.map_err(|error| error.to_string())?).await?
    } else {
        let file = Path::new(source).join(&listed.file);
        read(&file).map_err(|error| format!("{}: {error}", file.display()))?
    };
    listed.check(&archive).map_err(|error| error.to_string())?;
    Pack::unpack(&archive, trust).map_err(said)
}

/// The pack that is wanted of an index; the only one where none is named.
fn found<'i>(index: &'i Index, wanted: Option<&str>) -> Result<&'i Listed, String> {
    if let Some(wanted) = wanted {
        return index.find(wanted).map_err(|error| error.to_string());
    }
    let mut names: Vec<&str> = index.packs.iter().map(|listed| listed.name.as_str()).collect();
    names.sort_unstable();
    names.dedup();
    match names[..] {
        [one] => index.find(one).map_err(|error| error.to_string()),
        [] => Err("the index has no packs".to_owned()),
        _ => Err(format!("the index has several packs; say which: {}", names.join(", "))),
    }
}

fn web_address(source: &str) -> Option<Url> {
    Url::parse(source).ok().filter(|url| ["http", "https"].contains(&url.scheme()))
}

/// Where the index is that an address names by its folder or by itself.
fn index_address(url: &Url) -> Result<Url, String> {
    let mut url = url.clone();
    if !ends_in(&url, "json") {
        let folder = format!("{}/", url.path().trim_end_matches('/'));
        url.set_path(&folder);
        url = url.join(INDEX).map_err(|error| error.to_string())?;
    }
    Ok(url)
}

fn ends_in(url: &Url, ending: &str) -> bool {
    Path::new(url.path()).extension().is_some_and(|found| found.eq_ignore_ascii_case(ending))
}

async fn get(url: &Url) -> Result<Vec<u8>, String> {
    let wrong = |what: &dyn std::fmt::Display| format!("{url} cannot be had: {what}");
    let host = url.host().ok_or_else(|| wrong(&"it names no host"))?;
    let port = url.port_or_known_default().unwrap_or(443);
    let place = format!("{host}:{port}");
    let private = match host {
        url::Host::Domain("localhost") => {
            vec![format!("127.0.0.1:{port}"), format!("[::1]:{port}")]
        }
        url::Host::Domain(_) => Vec::new(),
        url::Host::Ipv4(_) | url::Host::Ipv6(_) => vec![place.clone()],
    };
    let settings = WebSettings {
        hosts: Hosts::new([place.as_str()]).map_err(|error| wrong(&error))?,
        private: PrivateAddresses::new(private.iter().map(String::as_str))
            .map_err(|error| wrong(&error))?,
        answer_bytes: MOST,
        ..WebSettings::default()
    };
    let request = WebRequest {
        method: "GET".to_owned(),
        url: url.to_string(),
        headers: Vec::new(),
        body: None,
        timeout: None,
    };
    let fetched = Web::new(settings).fetch(request, &Anywhere).await;
    let answer = fetched.map_err(|error| wrong(&error))?;
    if answer.status != 200 {
        return Err(wrong(&format!("the server answered with status {}", answer.status)));
    }
    match answer.body {
        WebBody::Text(text) => Ok(text.into_bytes()),
        WebBody::Base64(text) => STANDARD.decode(text).map_err(|error| wrong(&error)),
    }
}

fn read(path: &Path) -> std::io::Result<Vec<u8>> {
    use std::io::Read as _;
    let mut bytes = Vec::new();
    std::fs::File::open(path)?.take(MOST as u64 + 1).read_to_end(&mut bytes)?;
    Ok(bytes)
}
