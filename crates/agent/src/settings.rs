//! What an operator decides about questions: which model answers, how, and for how much.

use std::str::FromStr;
use std::time::Duration;

use engine::Language;
use gateway::service::conversations::Bounds;
use upstream::Secret;
use url::Url;

/// Whose wire format a model speaks.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ProviderName {
    /// Anthropic's messages.
    Anthropic,
    /// `OpenAI`'s chat completions.
    OpenAi,
    /// The same, as others offer it.
    Compatible,
    /// Google's `generateContent`.
    Gemini,
    /// Ollama's chat.
    Ollama,
}

impl ProviderName {
    /// All of them.
    pub const ALL: [Self; 5] =
        [Self::Anthropic, Self::OpenAi, Self::Compatible, Self::Gemini, Self::Ollama];

    /// As it is written.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Anthropic => "anthropic",
            Self::OpenAi => "openai",
            Self::Compatible => "openai-compatible",
            Self::Gemini => "gemini",
            Self::Ollama => "ollama",
        }
    }

    /// Where it is, unless somebody says otherwise.
    #[must_use]
    pub fn usual_url(self) -> Option<&'static str> {
        match self {
            Self::Anthropic => Some("https://api.anthropic.com"),
            Self::OpenAi => Some("https://api.openai.com/v1"),
            Self::Compatible => None,
            Self::Gemini => Some("https://generativelanguage.googleapis.com"),
            Self::Ollama => Some("http://127.0.0.1:11434"),
        }
    }

    /// The variable that its key usually stands in.
    #[must_use]
    pub fn usual_key(self) -> Option<&'static str> {
        match self {
            Self::Anthropic => Some("ANTHROPIC_API_KEY"),
            Self::OpenAi => Some("OPENAI_API_KEY"),
            Self::Gemini => Some("GEMINI_API_KEY"),
            Self::Compatible | Self::Ollama => None,
        }
    }

    /// The model that is asked where a key is all that is known. Names that the providers keep for long; a
    /// newer one is for whoever asks to name.
    #[must_use]
    pub fn usual_model(self) -> Option<&'static str> {
        match self {
            Self::Anthropic => Some("claude-sonnet-4-6"),
            Self::OpenAi => Some("gpt-4.1"),
            Self::Gemini => Some("gemini-flash-latest"),
            Self::Compatible | Self::Ollama => None,
        }
    }
}

impl FromStr for ProviderName {
    type Err = String;

    fn from_str(given: &str) -> Result<Self, String> {
        Self::ALL.into_iter().find(|one| one.name() == given).ok_or_else(|| {
            let known = Self::ALL.map(Self::name).join(", ");
            format!("there is no provider {given:?}; there are {known}")
        })
    }
}

/// The model that is asked.
#[derive(Debug, Clone)]
pub struct ModelSettings {
    /// Whose wire format it speaks.
    pub provider: ProviderName,
    /// What the provider calls it.
    pub model: String,
    /// Where it is.
    pub url: Url,
    /// What it lets us in with.
    pub key: Option<Secret<String>>,
    /// Tokens that one reply may have.
    pub reply_tokens: u64,
    /// How long one reply may take.
    pub timeout: Duration,
    /// How often a request is made again that failed for a reason that passes.
    pub retries: u32,
    /// How long is waited before the first of those; then twice as long.
    pub retry_after: Duration,
}

impl ModelSettings {
    /// A model of a provider, with what is usual.
    #[must_use]
    pub fn new(provider: ProviderName, model: impl Into<String>, url: Url) -> Self {
        Self {
            provider,
            model: model.into(),
            url,
            key: None,
            reply_tokens: 4_096,
            timeout: Duration::from_secs(120),
            retries: 3,
            retry_after: Duration::from_millis(500),
        }
    }
}

/// How questions are answered.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Mode {
    /// The model writes a program, which runs, and whose result it interprets.
    #[default]
    Code,
    /// The model chats: it may call tools, and programs in what it says are run.
    Hybrid,
    /// The model calls tools and writes no programs.
    Direct,
}

impl Mode {
    /// As it is written.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Code => "code",
            Self::Hybrid => "hybrid",
            Self::Direct => "direct",
        }
    }
}

impl FromStr for Mode {
    type Err = String;

    fn from_str(given: &str) -> Result<Self, String> {
        let all = [Self::Code, Self::Hybrid, Self::Direct];
        all.into_iter()
            .find(|mode| mode.name() == given)
            .ok_or_else(|| format!("there is no mode {given:?}; there are code, hybrid and direct"))
    }
}

/// What a million tokens cost.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Prices {
    /// Of what the model reads.
    pub input: f64,
    /// Of what it writes.
    pub output: f64,
}

impl Prices {
    /// What so many tokens cost.
    #[must_use]
    #[expect(clippy::cast_precision_loss, reason = "money, rounded anyway")]
    pub fn of(self, input: u64, output: u64) -> f64 {
        (input as f64 * self.input + output as f64 * self.output) / 1e6
    }
}

/// What one question may use.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Budgets {
    /// Tokens, read and written.
    pub tokens: u64,
    /// Requests to the model.
    pub steps: u32,
    /// Money, at the prices that are set.
    pub cost: Option<f64>,
}

impl Default for Budgets {
    fn default() -> Self {
        Self { tokens: 200_000, steps: 12, cost: None }
    }
}

/// What an operator decides about questions.
#[derive(Debug, Clone)]
pub struct Settings {
    /// The model that is asked.
    pub model: ModelSettings,
    /// Other models that callers may name.
    pub models: Vec<String>,
    /// How questions are answered.
    pub mode: Mode,
    /// What a model writes programs in, unless a question says something else.
    pub language: Language,
    /// How often a program that failed may be mended.
    pub attempts: u32,
    /// What one question may use.
    pub budgets: Budgets,
    /// What tokens cost.
    pub prices: Prices,
    /// The share of users, in percent, whose questions are answered with programs.
    pub rollout: f64,
    /// Tools that the model may call by itself, as `server.tool`.
    pub direct: Vec<String>,
    /// Tools whose signatures a model is given with a question.
    pub found: usize,
    /// Letters that a question may have.
    pub question_letters: usize,
    /// Questions that are answered at the same time, and of one owner.
    pub at_once: (usize, usize),
    /// What is kept of conversations.
    pub bounds: Bounds,
}

impl Settings {
    /// Everything as usual, with this model.
    #[must_use]
    pub fn new(model: ModelSettings) -> Self {
        Self {
            model,
            models: Vec::new(),
            mode: Mode::default(),
            language: Language::default(),
            attempts: 3,
            budgets: Budgets::default(),
            prices: Prices::default(),
            rollout: 100.0,
            direct: Vec::new(),
            found: 10,
            question_letters: 32_000,
            at_once: (64, 8),
            bounds: Bounds::default(),
        }
    }
}
