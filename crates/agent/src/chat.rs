//! A model that chats: it calls tools, runs programs, and at last says its answer.

use std::fmt::Write as _;

use engine::{Context, Language};
use serde_json::value::to_raw_value;

use crate::ask::AskError;
use crate::blocks;
use crate::event::Event;
use crate::model::message::{Message, Prompt, Reply, ToolCall, ToolResult};
use crate::offered::{Passed, SEARCH, execute, own};
use crate::past;
use crate::settings::Mode;
use crate::spend::StepName;
use crate::words;
use crate::work::{Formed, Work};

const HYBRID: &str = include_str!("../prompts/hybrid.md");
const HYBRID_TYPESCRIPT: &str = include_str!("../prompts/hybrid-typescript.md");
const DIRECT: &str = include_str!("../prompts/direct.md");

/// The variable that a tool's arguments are passed in.
const ARGUMENTS: &str = "tool_arguments";

impl Work<'_> {
    /// Answers in a chat.
    pub(crate) async fn in_chat(&mut self) -> Result<Formed, AskError> {
        let passed = self.passed().await;
        let has_code = self.mode == Mode::Hybrid;
        let system = match (has_code, self.language) {
            (false, _) => DIRECT,
            (true, Language::Python) => HYBRID,
            (true, Language::TypeScript) => HYBRID_TYPESCRIPT,
        };
        let system = system.to_owned();
        let mut prompt = Prompt { system, ..Prompt::default() };
        prompt.messages = past::messages(&self.conversation.turns);
        prompt.messages.push(Message::User(self.opening(has_code)));
        prompt.tools = if has_code { own(self.language) } else { Vec::new() };
        prompt.tools.extend(passed.iter().map(|one| one.spec.clone()));
        loop {
            let reply = self.think(StepName::Chat, prompt.clone(), self.is_plain()).await?;
            let programs =
                if has_code { blocks::programs(&reply.text, self.language) } else { Vec::new() };
            if reply.calls.is_empty() && programs.is_empty() {
                return self.formed(prompt, reply).await;
            }
            if self.is_plain() && !reply.text.is_empty() {
                self.live.tell(Event::Anew);
            }
            let Reply { text, calls, .. } = reply;
            if calls.is_empty() {
                prompt.messages.push(Message::Model { text, calls });
                let results = self.run_all(&programs).await?;
                prompt.messages.push(Message::User(results));
                continue;
            }
            let mut results = Vec::with_capacity(calls.len());
            for call in &calls {
                results.push(self.carry_out(call, &passed, has_code).await?);
            }
            prompt.messages.push(Message::Model { text, calls });
            prompt.messages.push(Message::Results(results));
        }
    }

    fn opening(&self, has_code: bool) -> String {
        let mut opening = self.question.clone();
        if has_code {
            let variables = words::of_variables(&self.context, self.language);
            // Writing to a string does not fail.
            let _ = write!(opening, "\n\nVariables of programs: {variables}");
        }
        opening.push_str(&self.form_in_words());
        opening
    }

    /// Runs the programs of a reply, one after another.
    async fn run_all(&mut self, programs: &[String]) -> Result<String, AskError> {
        let mut all = Vec::with_capacity(programs.len());
        for code in programs {
            let (is_ok, words) = self.run_one(code).await?;
            all.push(words);
            if !is_ok {
                break;
            }
        }
        Ok(format!("Your program was run.\n\n{}", all.join("\n\n")))
    }

    async fn run_one(&mut self, code: &str) -> Result<(bool, String), AskError> {
        self.live.tell(Event::Program { attempt: self.failures + 1, code: code.to_owned() });
        let ran = self.run(code).await?;
        if !ran.is_ok {
            self.failed(&ran.kind, &ran.words)?;
        }
        Ok((ran.is_ok, ran.words))
    }

    /// Does what the model called.
    async fn carry_out(
        &mut self,
        call: &ToolCall,
        passed: &[Passed],
        has_code: bool,
    ) -> Result<ToolResult, AskError> {
        let (is_ok, text) = if let Some(broken) = &call.broken {
            let begins: String = broken.chars().take(80).collect();
            (false, format!("the arguments are no JSON object ({begins:?}); call it again"))
        } else if call.name == execute(self.language) && has_code {
            match call.arguments["code"].as_str() {
                Some(code) => self.run_one(code).await?,
                None => (false, "`code` is missing, the program as a text".to_owned()),
            }
        } else if call.name == SEARCH && has_code {
            let query = call.arguments["query"].as_str().unwrap_or_default();
            let found = self.search(query, self.agent.settings.found).await;
            (true, words::of_tools(&found, self.language))
        } else if let Some(one) = passed.iter().find(|one| one.spec.name == call.name) {
            self.pass(one, call).await?
        } else {
            let own = if has_code { own(self.language) } else { Vec::new() };
            let known = own.iter().chain(passed.iter().map(|one| &one.spec));
            let known: Vec<&str> = known.map(|spec| spec.name.as_str()).collect();
            let there = match known.as_slice() {
                [] => "there are none; answer without".to_owned(),
                known => format!("there are {}", known.join(", ")),
            };
            (false, format!("there is no tool {:?}; {there}", call.name))
        };
        let (id, name) = (call.id.clone(), call.name.clone());
        Ok(ToolResult { id, name, text, failed: !is_ok })
    }

    /// Calls one tool of a server. It is a program of ours, so that what holds for programs holds here.
    async fn pass(&mut self, one: &Passed, call: &ToolCall) -> Result<(bool, String), AskError> {
        self.live.tell(Event::Tool { name: call.name.clone() });
        let (server, function) = &one.function;
        let code = match self.language {
            Language::Python => format!(
                "from servers.{server} import {function}\nreturn await {function}(**{ARGUMENTS})"
            ),
            Language::TypeScript => {
                format!("return await callMCPTool(\"{server}\", \"{function}\", {ARGUMENTS});")
            }
        };
        let mut context = Context::new();
        if let Ok(arguments) = to_raw_value(&call.arguments) {
            context.insert(ARGUMENTS.to_owned(), arguments);
        }
        let ran = self.run_with(&code, context).await?;
        Ok((ran.is_ok, ran.words))
    }
}
