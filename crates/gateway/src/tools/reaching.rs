//! Requests to hosts that an operator named, each as rules let it be made: the first one and every one that
//! it is sent on as.

use async_trait::async_trait;
use catalog::Annotations;
use engine::{CallError, HostCall};
use serde_json::value::RawValue;
use serde_json::{Map, Value};
use upstream::{OnTheWay, Redirect, before_leaving};

use super::offer::{Offer, fault, raw};
use crate::behalf::Behalf;
use crate::hearing::UNSENT;
use crate::judge::{Judge, Wish};
use crate::service::durable::Effect;
use crate::web;

impl Offer {
    /// Makes a request, where rules let it be made: `http.GET host`.
    pub(super) async fn reach(
        &self,
        call: &HostCall,
        behalf: &Behalf,
    ) -> Result<Box<RawValue>, CallError> {
        let given: Map<String, Value> =
            serde_json::from_str(call.arguments.get()).unwrap_or_default();
        let tool = web::named(call).unwrap_or_default();
        let way = Way { judge: &self.tools.judge, given: &given, behalf };
        before_leaving(way.may_go(&tool, &given)).await?;
        upstream::leaves().await.map_err(|error| {
            fault(
                UNSENT,
                format!(
                    "the request was not made, because it could not be written down first: {error}"
                ),
            )
        })?;
        raw(&web::fetch(&self.tools.web, call.arguments.get(), &way).await?)
    }
}

/// The way of one request.
struct Way<'a> {
    judge: &'a Judge,
    /// What the program asked for.
    given: &'a Map<String, Value>,
    behalf: &'a Behalf,
}

impl Way<'_> {
    /// Comes back when rules let a request be made, and its answer be read.
    async fn may_go(&self, tool: &str, asked: &Map<String, Value>) -> Result<(), CallError> {
        let reads = web::effect_of(tool) == Effect::Read;
        let annotations = Annotations { read_only_hint: Some(reads), ..Annotations::default() };
        let wish = Wish {
            behalf: self.behalf,
            server: web::SERVER,
            tool,
            annotations: &annotations,
            is_trusted: true,
            arguments: asked,
            shown: asked,
        };
        self.judge.permit(&wish).await?;
        self.judge.has_read(self.behalf, &wish.name()).await
    }
}

#[async_trait]
impl OnTheWay for Way<'_> {
    async fn goes_on(&self, next: &Redirect<'_>) -> Result<(), String> {
        let mut asked = self.given.clone();
        for (key, value) in [("method", next.method), ("url", next.url)] {
            asked.insert(key.to_owned(), Value::String(value.to_owned()));
        }
        if !next.has_body {
            asked.remove("body");
        }
        let tool = web::name_of(next.method, next.url);
        self.may_go(&tool, &asked).await.map_err(|error| error.message)?;
        self.judge.reaches(self.behalf, &format!("{}.{tool}", web::SERVER), "a redirect");
        Ok(())
    }
}
