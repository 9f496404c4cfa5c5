//! What servers answer, whatever they speak.

use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

/// The answer to one call of a tool.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct ToolResult {
    /// Structured content, where the server gave any.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub structured: Option<Value>,
    /// Every content part, in order.
    #[serde(default)]
    pub content: Vec<Part>,
    /// The tool itself says that it failed; `content` says why.
    #[serde(default)]
    pub is_error: bool,
}

impl ToolResult {
    /// The answer as the protocol writes it.
    pub(crate) fn into_json(self) -> Value {
        let content: Vec<Value> = self.content.into_iter().map(Part::into_json).collect();
        let mut result = json!({ "content": content });
        if let Some(structured) = self.structured {
            result["structuredContent"] = structured;
        }
        if self.is_error {
            result["isError"] = true.into();
        }
        result
    }
}

/// One part of an answer. Binary data stays base64, as it came and as it goes on.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "type", rename_all = "snake_case")]
pub enum Part {
    /// Text.
    Text {
        /// The text.
        text: String,
    },
    /// A picture.
    Image {
        /// Base64.
        data: String,
        /// Its media type.
        media_type: String,
    },
    /// Sound.
    Audio {
        /// Base64.
        data: String,
        /// Its media type.
        media_type: String,
    },
    /// A resource, enclosed.
    Resource(Resource),
    /// A resource, by address.
    Link {
        /// Its address.
        uri: String,
        /// Its name.
        name: String,
        /// What it is.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        description: Option<String>,
        /// Its media type.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        media_type: Option<String>,
    },
    /// Something newer than we are, as it came.
    Other {
        /// The part's JSON.
        value: Value,
    },
}

impl Part {
    fn into_json(self) -> Value {
        let with = |mut value: Value, key: &str, text: Option<String>| {
            if let Some(text) = text {
                value[key] = text.into();
            }
            value
        };
        match self {
            Self::Text { text } => json!({ "type": "text", "text": text }),
            Self::Image { data, media_type } => {
                json!({ "type": "image", "data": data, "mimeType": media_type })
            }
            Self::Audio { data, media_type } => {
                json!({ "type": "audio", "data": data, "mimeType": media_type })
            }
            Self::Resource(resource) => {
                let inner = with(json!({ "uri": resource.uri }), "mimeType", resource.media_type);
                let inner = with(inner, "text", resource.text);
                json!({ "type": "resource", "resource": with(inner, "blob", resource.blob) })
            }
            Self::Link { uri, name, description, media_type } => {
                let link = json!({ "type": "resource_link", "uri": uri, "name": name });
                with(with(link, "description", description), "mimeType", media_type)
            }
            Self::Other { value } => value,
        }
    }
}

/// The content of a resource, or of one part of it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Resource {
    /// Its address.
    pub uri: String,
    /// Its media type.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub media_type: Option<String>,
    /// Its text, if it is text.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub text: Option<String>,
    /// Base64, if it is not.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub blob: Option<String>,
}

/// A prompt, filled in.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Prompt {
    /// What it is for.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub description: Option<String>,
    /// What it says.
    pub messages: Vec<PromptMessage>,
}

/// One message of a prompt.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct PromptMessage {
    /// `user` or `assistant`.
    pub role: String,
    /// What it says.
    pub content: Part,
}
