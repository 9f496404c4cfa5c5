//! From a call's arguments to the request that is sent.

use http::header::{ACCEPT, CONTENT_TYPE, COOKIE, HeaderName, HeaderValue};
use http::{HeaderMap, Method};
use serde_json::{Map, Value};
use url::Url;

use super::body::{Body, Coding, Layout};
use super::multipart::{self, FileProblem};
use super::parameter::{Parameter, Place};
use super::path::{PathProblem, Template};
use super::style::{self, Format, Style};

/// One operation of a service.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Operation {
    pub(super) method: Method,
    /// What the path is put behind.
    pub(super) base: Url,
    pub(super) path: Template,
    pub(super) parameters: Vec<Parameter>,
    pub(super) body: Option<Body>,
    /// The media type that the document promises.
    pub(super) accept: Option<String>,
}

/// A request that is ready but for the configured headers.
#[derive(Debug)]
pub(super) struct Outgoing {
    pub(super) method: Method,
    pub(super) url: Url,
    pub(super) headers: HeaderMap,
    pub(super) body: Option<Vec<u8>>,
}

/// Why arguments do not make a request. Nothing has been sent.
#[derive(Debug, PartialEq, Eq, thiserror::Error)]
pub(super) enum Invalid {
    #[error("the parameter `{0}` is missing")]
    Missing(String),
    #[error("there is no parameter `{name}`; there are: {known}")]
    Unknown { name: String, known: String },
    #[error("the parameter `{0}` contains characters that a header cannot carry")]
    NotForHeader(String),
    #[error("the parameter `{0}` must be an object, since the body is a form")]
    NotAnObject(String),
    #[error("the parameter `{0}` must be text")]
    NotText(String),
    #[error(transparent)]
    Path(#[from] PathProblem),
    #[error(transparent)]
    File(#[from] FileProblem),
    #[error("the address that comes out would lead elsewhere")]
    Elsewhere,
}

impl Operation {
    /// Builds the request for a call.
    pub(super) fn request(&self, mut arguments: Map<String, Value>) -> Result<Outgoing, Invalid> {
        let mut values: Vec<(&Parameter, Value)> = Vec::new();
        for parameter in &self.parameters {
            let given =
                arguments.shift_remove(&parameter.argument).filter(|value| !value.is_null());
            let default = parameter.default.clone().filter(|_| parameter.required);
            match given.or(default) {
                Some(value) => values.push((parameter, value)),
                None if parameter.required => {
                    return Err(Invalid::Missing(parameter.argument.clone()));
                }
                None => {}
            }
        }
        let mut headers = HeaderMap::new();
        if let Some(accept) =
            self.accept.as_deref().and_then(|accept| HeaderValue::from_str(accept).ok())
        {
            headers.insert(ACCEPT, accept);
        }
        let url = self.url(&values)?;
        add_headers(&values, &mut headers)?;
        let body = match &self.body {
            Some(body) => body.write(&mut arguments, &mut headers)?,
            None => None,
        };
        if let Some(name) = arguments.keys().next() {
            return Err(Invalid::Unknown { name: name.clone(), known: self.known() });
        }
        Ok(Outgoing { method: self.method.clone(), url, headers, body })
    }

    fn url(&self, values: &[(&Parameter, Value)]) -> Result<Url, Invalid> {
        let path = self.path.fill(|name| {
            let found = values
                .iter()
                .find(|(parameter, _)| parameter.place == Place::Path && parameter.name == name);
            found.map_or_else(String::new, |(parameter, value)| {
                style::in_path(name, value, parameter.format)
            })
        })?;
        let path = format!("{}{path}", self.base.path().trim_end_matches('/'));
        let mut url = self.base.clone();
        url.set_path(&path);
        let mut pairs: Vec<String> =
            self.base.query().into_iter().chain(self.path.query()).map(str::to_owned).collect();
        for (parameter, value) in
            values.iter().filter(|(parameter, _)| parameter.place == Place::Query)
        {
            pairs.extend(style::in_query(&parameter.name, value, parameter.format));
        }
        url.set_query(Some(pairs.join("&")).as_deref().filter(|query| !query.is_empty()));
        // Everything above keeps to it already; a request to the wrong place is worth a second look.
        if url.path() != path || url.origin() != self.base.origin() {
            return Err(Invalid::Elsewhere);
        }
        Ok(url)
    }

    fn known(&self) -> String {
        let mut names: Vec<String> =
            self.parameters.iter().map(|parameter| parameter.argument.clone()).collect();
        match self.body.as_ref().map(|body| &body.layout) {
            Some(Layout::Whole(name)) => names.push(name.clone()),
            Some(Layout::Fields { names: fields, .. }) => {
                let mut fields: Vec<String> = fields.iter().cloned().collect();
                fields.sort();
                names.extend(fields);
            }
            None => {}
        }
        names.truncate(50);
        if names.is_empty() { "none".to_owned() } else { names.join(", ") }
    }
}

fn add_headers(values: &[(&Parameter, Value)], headers: &mut HeaderMap) -> Result<(), Invalid> {
    let mut cookies = Vec::new();
    for (parameter, value) in values {
        match parameter.place {
            Place::Header => {
                let invalid = || Invalid::NotForHeader(parameter.argument.clone());
                let text = style::in_header(value, parameter.format);
                let name =
                    HeaderName::from_bytes(parameter.name.as_bytes()).map_err(|_| invalid())?;
                headers
                    .insert(name, HeaderValue::from_bytes(text.as_bytes()).map_err(|_| invalid())?);
            }
            Place::Cookie => {
                cookies.extend(style::in_cookie(&parameter.name, value, parameter.format));
            }
            Place::Path | Place::Query => {}
        }
    }
    if !cookies.is_empty() {
        let value = HeaderValue::from_str(&cookies.join("; "));
        headers.insert(COOKIE, value.map_err(|_| Invalid::NotForHeader("cookie".to_owned()))?);
    }
    Ok(())
}

impl Body {
    /// The bytes of the body, made from its share of the arguments.
    fn write(
        &self,
        arguments: &mut Map<String, Value>,
        headers: &mut HeaderMap,
    ) -> Result<Option<Vec<u8>>, Invalid> {
        let (argument, value) = match &self.layout {
            Layout::Whole(name) => (name.as_str(), arguments.shift_remove(name)),
            Layout::Fields { names, takes_others } => {
                let (fields, rest) = std::mem::take(arguments)
                    .into_iter()
                    .partition(|(name, _)| *takes_others || names.contains(name));
                *arguments = rest;
                let fields: Map<String, Value> = fields;
                (
                    "body",
                    Some(Value::Object(fields))
                        .filter(|fields| self.required || *fields != Value::Object(Map::new())),
                )
            }
        };
        let Some(value) = value else {
            return if self.required {
                Err(Invalid::Missing(argument.to_owned()))
            } else {
                Ok(None)
            };
        };
        let (media_type, bytes) = self.encode(argument, value)?;
        let media_type = HeaderValue::from_str(&media_type);
        headers.insert(
            CONTENT_TYPE,
            media_type.map_err(|_| Invalid::NotForHeader(argument.to_owned()))?,
        );
        Ok(Some(bytes))
    }

    fn encode(&self, argument: &str, value: Value) -> Result<(String, Vec<u8>), Invalid> {
        let media_type = self.media_type.clone();
        let object = |value: Value| match value {
            Value::Object(fields) => Ok(fields),
            _ => Err(Invalid::NotAnObject(argument.to_owned())),
        };
        Ok(match &self.coding {
            Coding::Json => (media_type, value.to_string().into_bytes()),
            Coding::Text => match value {
                Value::String(text) => (media_type, text.into_bytes()),
                _ => return Err(Invalid::NotText(argument.to_owned())),
            },
            Coding::Binary => {
                let file = multipart::file(argument, &value)?;
                (file.media_type.unwrap_or(media_type), file.content)
            }
            Coding::Multipart(encodings) => {
                let encoding = |name: &str| encodings.get(name).cloned().unwrap_or_default();
                let (boundary, bytes) = multipart::write(&object(value)?, encoding)?;
                (format!("multipart/form-data; boundary={boundary}"), bytes)
            }
            // Some documents describe a form as a string: then it is encoded already.
            Coding::Form(_) if value.is_string() => {
                (media_type, style::scalar(&value).as_bytes().to_vec())
            }
            Coding::Form(encodings) => {
                let mut pairs = Vec::new();
                for (name, value) in object(value)?.iter().filter(|(_, value)| !value.is_null()) {
                    let said = encodings.get(name).and_then(|encoding| encoding.format);
                    let format = said.unwrap_or(match value {
                        Value::Object(_) => Format { style: Style::Json, ..Format::FORM },
                        _ => Format::FORM,
                    });
                    pairs.extend(style::in_query(name, value, format));
                }
                (media_type, pairs.join("&").into_bytes())
            }
        })
    }
}
