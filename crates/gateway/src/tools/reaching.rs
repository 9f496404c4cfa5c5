//! Requests to hosts that an operator named, each as rules let it be made: the first one and every one that
//! it is sent on as.

use std::collections::BTreeMap;

use async_trait::async_trait;
use engine::{CallError, HostCall};
use serde_json::value::RawValue;
use serde_json::{Map, Value};
use upstream::{OnTheWay, Redirect, WebAnswer, WebBody, before_leaving};

use super::offer::{Offer, fault, raw};
use crate::behalf::Behalf;
use crate::besides;
use crate::hearing::UNSENT;
use crate::judge::{Judge, Wish};
use crate::veil::{Cover, VeilError};
use crate::web;

impl Offer {
    /// Makes a request, where rules let it be made: `http.GET host`.
    pub(super) async fn reach(
        &self,
        call: &HostCall,
        behalf: &Behalf,
    ) -> Result<Box<RawValue>, CallError> {
        let cover = self.tools.web_cover(&behalf.owner, &behalf.run);
        let shown: Map<String, Value> = serde_json::from_str(call.arguments.get())
            .map_err(|error| fault("ArgumentError", format!("http_request(): {error}")))?;
        // Rules are about what the host gets.
        let given = before_leaving(cover.request(Value::Object(shown.clone()))).await;
        let given = given.map_err(|error| error.before())?;
        let text = given.to_string();
        let given = given.as_object().cloned().unwrap_or_default();
        let of = |key: &str| given.get(key).and_then(Value::as_str).unwrap_or_default();
        let tool = web::name_of(of("method"), of("url"));
        let way =
            Way { judge: &self.tools.judge, cover: &cover, given: &given, shown: &shown, behalf };
        before_leaving(way.may_go(&tool, &given, &shown)).await?;
        upstream::leaves().await.map_err(|error| {
            fault(
                UNSENT,
                format!(
                    "the request was not made, because it could not be written down first: {error}"
                ),
            )
        })?;
        match web::fetch(&self.tools.web, &text, &way).await {
            Ok(answer) => raw(&covered(&cover, answer).await.map_err(|error| error.after())?),
            Err(error) => Err(cover.fault(error).await),
        }
    }
}

/// An answer as programs may see it. What is no text is not looked into.
async fn covered(cover: &Cover<'_>, answer: WebAnswer) -> Result<WebAnswer, VeilError> {
    let WebAnswer { status, url, headers, body } = answer;
    let url = cover.words(url).await?;
    let mut seen = BTreeMap::new();
    for (name, value) in headers {
        seen.insert(name, cover.words(value).await?);
    }
    let body = match body {
        WebBody::Text(text) => WebBody::Text(cover.words(text).await?),
        bytes @ WebBody::Base64(_) => bytes,
    };
    Ok(WebAnswer { status, url, headers: seen, body })
}

/// The way of one request.
struct Way<'a> {
    judge: &'a Judge,
    cover: &'a Cover<'a>,
    /// What is asked for,
    given: &'a Map<String, Value>,
    /// and as the program asked for it.
    shown: &'a Map<String, Value>,
    behalf: &'a Behalf,
}

impl Way<'_> {
    /// Comes back when rules let a request be made, and its answer be read.
    async fn may_go(
        &self,
        tool: &str,
        asked: &Map<String, Value>,
        shown: &Map<String, Value>,
    ) -> Result<(), CallError> {
        let wish = Wish {
            behalf: self.behalf,
            server: web::SERVER,
            tool,
            annotations: besides::of_request(tool),
            is_trusted: true,
            arguments: asked,
            shown,
        };
        self.judge.permit(&wish).await?;
        self.judge.has_read(self.behalf, &wish.name()).await
    }
}

#[async_trait]
impl OnTheWay for Way<'_> {
    async fn goes_on(&self, next: &Redirect<'_>) -> Result<(), String> {
        // Nobody is shown what the first host knows of somebody and put into the address of the next.
        let seen =
            self.cover.words(next.url.to_owned()).await.map_err(|error| error.to_string())?;
        let there = |before: &Map<String, Value>, url: &str| {
            let mut asked = before.clone();
            for (key, value) in [("method", next.method), ("url", url)] {
                asked.insert(key.to_owned(), Value::String(value.to_owned()));
            }
            if !next.has_body {
                asked.remove("body");
            }
            asked
        };
        let (asked, shown) = (there(self.given, next.url), there(self.shown, &seen));
        let tool = web::name_of(next.method, next.url);
        self.may_go(&tool, &asked, &shown).await.map_err(|error| error.message)?;
        self.judge.reaches(self.behalf, &format!("{}.{tool}", web::SERVER), "a redirect");
        Ok(())
    }
}
