//! Upstreams: the servers we are a client of.
//!
//! [`Upstreams`] holds one connection per configured server, whatever it speaks, and everybody
//! else sees the same two things: a [`catalog::Listing`] of what it offers and a [`ToolResult`]
//! for each call.
#![forbid(unsafe_code)]

mod auth;
mod codemode;
mod connection;
mod departure;
mod digits;
mod ended;
mod endpoints;
mod error;
mod feed;
mod hook;
mod http;
mod letters;
mod mask;
mod masked;
mod mcp;
mod message;
mod open;
mod openapi;
mod options;
mod passing;
mod result;
mod secret;
mod settings;
mod shallow;
mod slot;
mod status;
mod stdio;
mod trace;
mod upstreams;
mod web;

pub use auth::{
    Credentials, FileTokens, LoginDone, LoginError, LoginKey, LoginOptions, LogoutDone,
    MemoryTokens, StoreError, StoreLock, StoredLogin, StoredTokens, TokenStore, bearer, login,
    logout,
};
pub use connection::List;
pub use departure::{Departure, before_leaving, current, departing, leaves};
pub use error::{CallFailure, ConnectError};
pub use feed::{Note, NoteKind};
pub use hook::Hook;
pub use letters::whole_letters;
pub use mask::without_credentials;
pub use mcp::read_tool;
pub use options::{Elicitation, Options, Roots};
pub use passing::{Abilities, Event, Happening, PassFailure, Passing, Refused};
pub use result::{Part, Prompt, PromptMessage, Resource, ToolResult};
pub use secret::Secret;
pub use settings::{
    Auth, ClientCredentials, Document, Endpoint, Endpoints, Hiding, Http, Later, OAuth, OpenApi,
    ServerSettings, Source, Startup, Stdio, Timeouts, Wire,
};
pub use shallow::mended;
pub use status::{ServerState, ServerStatus};
pub use stdio::supervise;
pub use trace::{TraceParent, TraceState};
pub use upstreams::{Upstreams, Watch};
pub use web::{
    Anywhere, Hosts, OnTheWay, PrivateAddresses, Redirect, Web, WebAnswer, WebBody, WebError,
    WebRequest, WebSettings, WrongHost, host_of, is_public,
};
