//! What an operator gave a server to prove who we are must not come back from it.
//!
//! A server that dumps its environment, repeats a header in an error or logs a token would hand its own
//! credential to whoever reads that. So everything that comes from a server goes through the [`Mask`] of
//! its configured secrets and tokens before anybody else sees, learns or stores it, and has `***` in
//! their place. They are found as they are, as JSON and addresses write them, and within base64.
//!
//! Values of fewer than [`SHORTEST`] letters are not looked for: they would be found everywhere.

use std::collections::{BTreeSet, VecDeque};
use std::sync::{Arc, Mutex, PoisonError, RwLock, Weak};

use base64::Engine as _;
use base64::engine::general_purpose::{STANDARD_NO_PAD, URL_SAFE_NO_PAD};
use catalog::{Annotations, Listing, Tool};
use memchr::memmem::Finder;
use serde_json::{Map, Value};

use crate::connection::Facts;
use crate::error::{CallFailure, ConnectError};
use crate::feed::lock;
use crate::passing::{Event, PassFailure, Refused};
use crate::result::{Part, Prompt, Resource, ToolResult};

/// The shortest value that is looked for, in letters.
const SHORTEST: usize = 8;
/// The shortest line of a longer value that is looked for by itself.
const SHORTEST_LINE: usize = 16;
/// The shortest end of a value that is looked for where a text was cut.
const SHORTEST_REST: usize = 4;
/// Tokens that are remembered: those before them are over.
const TOKENS: usize = 8;
/// Forms that are looked for at most.
const MOST: usize = 2_000;
/// What stands in their place.
const INSTEAD: &str = "***";

/// What is looked for of each server there is. It is for what libraries say of connections in the log, which
/// knows no servers.
static EVERY: RwLock<Vec<Weak<Mask>>> = RwLock::new(Vec::new());

/// A text that no server's credentials are in.
#[must_use]
pub fn without_credentials(mut text: String) -> String {
    let every = EVERY.read().unwrap_or_else(PoisonError::into_inner);
    for forms in every.iter().filter_map(Weak::upgrade).filter_map(|mask| mask.wary()) {
        forms.text(&mut text);
    }
    text
}

/// What must not come back from one server.
#[derive(Debug, Default)]
pub(crate) struct Mask {
    values: Mutex<Values>,
    forms: RwLock<Option<Arc<Forms>>>,
    /// What is looked for in what a server says about itself: these, and what may be a secret.
    wary: RwLock<Option<Arc<Forms>>>,
}

#[derive(Debug, Default)]
struct Values {
    configured: Vec<String>,
    perhaps: Vec<String>,
    tokens: VecDeque<String>,
}

/// Everything that is looked for.
#[derive(Debug)]
struct Forms {
    /// The longest first, so that none is replaced by half.
    finders: Vec<Finder<'static>>,
    shortest: usize,
    /// One of them is a number, which JSON writes without quotes.
    has_numbers: bool,
}

impl Mask {
    /// One whose values are in no line of the log either.
    pub(crate) fn known() -> Arc<Self> {
        let mask = Arc::default();
        let mut every = EVERY.write().unwrap_or_else(PoisonError::into_inner);
        every.retain(|mask| mask.strong_count() > 0);
        every.push(Arc::downgrade(&mask));
        mask
    }

    /// Looks for these from now on, instead of those that were configured before. `perhaps` is looked for
    /// in standard error and in problems only.
    pub(crate) fn configured(
        &self,
        values: impl Iterator<Item = String>,
        perhaps: impl Iterator<Item = String>,
    ) {
        let mut known = lock(&self.values);
        known.configured = values.collect();
        known.perhaps = perhaps.collect();
        self.look_for(&known);
    }

    /// Looks for a token, too.
    pub(crate) fn token(&self, token: &str) {
        let mut known = lock(&self.values);
        if known.tokens.iter().any(|one| one == token) {
            return;
        }
        if known.tokens.len() == TOKENS {
            known.tokens.pop_front();
        }
        known.tokens.push_back(token.to_owned());
        self.look_for(&known);
    }

    fn look_for(&self, values: &Values) {
        let sure = values.configured.iter().chain(&values.tokens);
        let made = Forms::of(sure.clone()).map(Arc::new);
        let wary = if values.perhaps.is_empty() {
            made.clone()
        } else {
            Forms::of(sure.chain(&values.perhaps)).map(Arc::new)
        };
        *self.forms.write().unwrap_or_else(PoisonError::into_inner) = made;
        *self.wary.write().unwrap_or_else(PoisonError::into_inner) = wary;
    }

    fn wary(&self) -> Option<Arc<Forms>> {
        self.wary.read().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// What a server wrote to standard error. If its beginning was dropped, the first of what is left may
    /// be the rest of a secret.
    pub(crate) fn standard_error(&self, mut text: String, is_cut: bool) -> String {
        if let Some(forms) = self.wary() {
            forms.text(&mut text);
            if is_cut {
                forms.rest(&mut text);
            }
        }
        text
    }

    fn forms(&self) -> Option<Arc<Forms>> {
        self.forms.read().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// Whether nothing is looked for.
    pub(crate) fn is_empty(&self) -> bool {
        self.forms.read().unwrap_or_else(PoisonError::into_inner).is_none()
    }

    /// Does something where anything is looked for.
    fn with<T>(&self, mut value: T, hide: impl FnOnce(&Forms, &mut T)) -> T {
        if let Some(forms) = self.forms() {
            hide(&forms, &mut value);
        }
        value
    }

    /// A text.
    pub(crate) fn text(&self, text: String) -> String {
        self.with(text, Forms::text)
    }

    /// Any data.
    pub(crate) fn json(&self, value: Value) -> Value {
        self.with(value, Forms::json)
    }

    /// A list of data.
    pub(crate) fn list(&self, values: Vec<Value>) -> Vec<Value> {
        self.with(values, |forms, values| values.iter_mut().for_each(|value| forms.json(value)))
    }

    /// A tool's answer.
    pub(crate) fn result(&self, result: ToolResult) -> ToolResult {
        self.with(result, |forms, result| {
            result.structured.iter_mut().for_each(|value| forms.json(value));
            result.content.iter_mut().for_each(|part| forms.part(part));
        })
    }

    /// What a resource has.
    pub(crate) fn resources(&self, resources: Vec<Resource>) -> Vec<Resource> {
        self.with(resources, |forms, all| all.iter_mut().for_each(|one| forms.resource(one)))
    }

    /// A prompt, filled in.
    pub(crate) fn prompt(&self, prompt: Prompt) -> Prompt {
        self.with(prompt, |forms, prompt| {
            forms.maybe(&mut prompt.description);
            for message in &mut prompt.messages {
                forms.part(&mut message.content);
            }
        })
    }

    /// What a server offers. Tools are called by their names, so that one with a credential in its name is
    /// left out.
    pub(crate) fn listing(&self, listing: Listing) -> Listing {
        self.with(listing, |forms, listing| {
            let Listing { server: _, title, version, description, tools } = listing;
            tools.retain(|tool| !forms.is_in(&tool.name.0));
            for text in [title, version, description] {
                forms.maybe(text);
            }
            for tool in tools {
                let Tool { name: _, title, description, input_schema, output_schema, annotations } =
                    tool;
                let Annotations { title: other, .. } = annotations;
                for text in [title, description, other] {
                    forms.maybe(text);
                }
                forms.json(input_schema);
                for schema in output_schema.iter_mut() {
                    forms.json(schema);
                }
            }
        })
    }

    /// What is known about a server.
    pub(crate) fn facts(&self, facts: Facts) -> Facts {
        self.with(facts, |forms, facts| {
            forms.maybe(&mut facts.protocol);
            forms.maybe(&mut facts.server);
            facts.left_out.iter_mut().for_each(|text| forms.text(text));
        })
    }

    /// Why a server is not connected.
    pub(crate) fn unconnected(&self, mut problem: ConnectError) -> ConnectError {
        let Some(forms) = self.wary() else { return problem };
        match &mut problem {
            ConnectError::Start { command, reason, stderr, .. } => {
                for text in [command, reason, stderr] {
                    forms.text(text);
                }
            }
            ConnectError::Unusable { place, reason, .. } => {
                for text in [place, reason] {
                    forms.text(text);
                }
            }
            ConnectError::Misconfigured { problem, .. } => forms.text(problem),
            ConnectError::LoginNeeded { detail, .. } => forms.text(detail),
            ConnectError::Unknown { .. } | ConnectError::Late { .. } => {}
        }
        problem
    }

    /// Why a call brought no answer.
    pub(crate) fn failure(&self, failure: CallFailure) -> CallFailure {
        let failure = match failure {
            CallFailure::NotConnected(problem) => return self.unconnected(problem).into(),
            other => other,
        };
        self.with(failure, |forms, failure| match failure {
            CallFailure::Broken { reason: text, .. }
            | CallFailure::Unreadable { problem: text, .. }
            | CallFailure::Refused { message: text, .. }
            | CallFailure::WantsInput { wanted: text, .. } => forms.text(text),
            CallFailure::NotConnected(_)
            | CallFailure::Late { .. }
            | CallFailure::TooLarge { .. } => {}
        })
    }

    /// Why a request that was passed on brought no result.
    pub(crate) fn unpassed(&self, failure: PassFailure) -> PassFailure {
        match failure {
            PassFailure::Failed(failure) => self.failure(failure).into(),
            PassFailure::Refused(Refused { code, message, data }) => {
                let data = data.map(|data| self.json(data));
                Refused { code, message: self.text(message), data }.into()
            }
        }
    }

    /// What a server says or asks meanwhile.
    pub(crate) fn event(&self, event: Event) -> Event {
        match event {
            Event::Told { method, params } => Event::Told { method, params: self.json(params) },
            Event::Asked { method, params, answer } => {
                Event::Asked { method, params: self.json(params), answer }
            }
        }
    }
}

impl Forms {
    /// What there is to look for, or nothing.
    fn of<'a>(values: impl Iterator<Item = &'a String>) -> Option<Self> {
        let mut forms = BTreeSet::new();
        values.for_each(|value| add_forms(value, &mut forms));
        let mut forms: Vec<String> = forms.into_iter().collect();
        forms.sort_by_key(|form| std::cmp::Reverse(form.len()));
        forms.truncate(MOST);
        let is_number = |form: &String| form.bytes().all(|byte| byte.is_ascii_digit());
        Some(Self {
            shortest: forms.last()?.len(),
            has_numbers: forms.iter().any(is_number),
            finders: forms.iter().map(|form| Finder::new(form).into_owned()).collect(),
        })
    }

    /// Hides the end of a secret that a text begins with.
    fn rest(&self, text: &mut String) {
        let ends = |finder: &Finder<'_>| {
            let form = finder.needle();
            let from = (1..=form.len().saturating_sub(SHORTEST_REST))
                .find(|&from| text.as_bytes().starts_with(&form[from..]))?;
            Some(form.len() - from)
        };
        if let Some(length) = self.finders.iter().filter_map(ends).max() {
            text.replace_range(..length, INSTEAD);
        }
    }

    fn text(&self, text: &mut String) {
        if text.len() < self.shortest {
            return;
        }
        for finder in &self.finders {
            if finder.find(text.as_bytes()).is_some() {
                *text = replaced(finder, text);
            }
        }
    }

    fn maybe(&self, text: &mut Option<String>) {
        for text in text.iter_mut() {
            self.text(text);
        }
    }

    fn json(&self, value: &mut Value) {
        match value {
            Value::String(text) => self.text(text),
            Value::Number(number) if self.has_numbers => {
                let mut text = number.to_string();
                self.text(&mut text);
                if text.contains(INSTEAD) {
                    *value = Value::String(text);
                }
            }
            Value::Array(items) => items.iter_mut().for_each(|item| self.json(item)),
            Value::Object(fields) => {
                fields.values_mut().for_each(|value| self.json(value));
                if fields.keys().any(|key| self.is_in(key)) {
                    let taken = std::mem::take(fields).into_iter();
                    let clean = taken.map(|(mut key, value)| {
                        self.text(&mut key);
                        (key, value)
                    });
                    *fields = clean.collect::<Map<_, _>>();
                }
            }
            Value::Null | Value::Bool(_) | Value::Number(_) => {}
        }
    }

    fn is_in(&self, text: &str) -> bool {
        text.len() >= self.shortest
            && self.finders.iter().any(|finder| finder.find(text.as_bytes()).is_some())
    }

    /// One part of an answer. Within pictures and sound it is found as base64.
    fn part(&self, part: &mut Part) {
        match part {
            Part::Text { text } => self.text(text),
            Part::Image { data, media_type } | Part::Audio { data, media_type } => {
                self.text(data);
                self.text(media_type);
            }
            Part::Resource(resource) => self.resource(resource),
            Part::Link { uri, name, description, media_type } => {
                self.text(uri);
                self.text(name);
                self.maybe(description);
                self.maybe(media_type);
            }
            Part::Other { value } => self.json(value),
        }
    }

    fn resource(&self, resource: &mut Resource) {
        self.text(&mut resource.uri);
        self.maybe(&mut resource.media_type);
        self.maybe(&mut resource.text);
        self.maybe(&mut resource.blob);
    }
}

fn replaced(finder: &Finder<'_>, text: &str) -> String {
    let length = finder.needle().len();
    let mut whole = String::with_capacity(text.len());
    let mut from = 0;
    for at in finder.find_iter(text.as_bytes()) {
        // What is looked for is text, so that it begins and ends where letters do.
        whole.push_str(&text[from..at]);
        whole.push_str(INSTEAD);
        from = at + length;
    }
    whole.push_str(&text[from..]);
    whole
}

/// The ways in which a value may be written.
fn add_forms(value: &str, forms: &mut BTreeSet<String>) {
    let value = value.trim();
    if value.chars().count() < SHORTEST {
        return;
    }
    for line in value.lines().map(str::trim).filter(|_| value.contains('\n')) {
        // What encloses a key is the same in all of them.
        if line.len() >= SHORTEST_LINE && !line.starts_with("-----") {
            forms.insert(line.to_owned());
        }
    }
    // `Bearer abc` is as good without its first word, and `Basic` is a name and a password.
    if let Some((scheme, rest)) = value.split_once(' ')
        && scheme.len() <= 10
        && scheme.starts_with(|letter: char| letter.is_ascii_alphanumeric())
        && scheme.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'-')
    {
        add_forms(rest, forms);
        if scheme.eq_ignore_ascii_case("basic")
            && let Ok(pair) = STANDARD_NO_PAD.decode(rest.trim().trim_end_matches('='))
            && let Ok(pair) = String::from_utf8(pair)
        {
            add_forms(&pair, forms);
            pair.split_once(':').into_iter().for_each(|(_, password)| add_forms(password, forms));
        }
    }
    let quoted = Value::String(value.to_owned()).to_string();
    forms.insert(quoted[1..quoted.len() - 1].to_owned());
    forms.insert(percent(value, |byte| format!("%{byte:02X}")));
    forms.insert(percent(value, |byte| format!("%{byte:02x}")));
    add_base64(value, forms);
    forms.insert(value.to_owned());
}

/// A value within base64, wherever it begins there: what three neighbours make of it changes only at its
/// ends.
fn add_base64(value: &str, forms: &mut BTreeSet<String>) {
    for before in 0..3 {
        let bytes: Vec<u8> = std::iter::repeat_n(0, before).chain(value.bytes()).collect();
        // Letters that hold bits of what is before, and of what is after.
        let first = [0, 2, 3][before];
        let last = bytes.len() * 8 / 6;
        for encoded in [STANDARD_NO_PAD.encode(&bytes), URL_SAFE_NO_PAD.encode(&bytes)] {
            if let Some(middle) = encoded.get(first..last)
                && middle.len() >= SHORTEST
            {
                forms.insert(middle.to_owned());
            }
        }
    }
}

/// A text as it stands in an address.
fn percent(text: &str, escaped: impl Fn(u8) -> String) -> String {
    let is_plain = |byte: u8| byte.is_ascii_alphanumeric() || b"-_.~".contains(&byte);
    let letter = |byte| if is_plain(byte) { char::from(byte).to_string() } else { escaped(byte) };
    text.bytes().map(letter).collect()
}

#[cfg(test)]
mod tests;
