//! Three steps: a program is written, run, and its small result interpreted.

use std::fmt::Write as _;
use std::sync::Arc;

use engine::Language;
use gateway::{Detail, Found, Search};

use crate::ask::AskError;
use crate::blocks;
use crate::event::Event;
use crate::model::message::{Message, Prompt};
use crate::past;
use crate::spend::StepName;
use crate::words;
use crate::work::{Formed, Work};

const WRITE: &str = include_str!("../prompts/write.md");
const WRITE_TYPESCRIPT: &str = include_str!("../prompts/write-typescript.md");
const INTERPRET: &str = include_str!("../prompts/interpret.md");

impl Work<'_> {
    /// Answers with a program.
    pub(crate) async fn in_steps(&mut self) -> Result<Formed, AskError> {
        let found = self.search(&self.question.clone(), self.agent.settings.found).await;
        let system = match self.language {
            Language::Python => WRITE,
            Language::TypeScript => WRITE_TYPESCRIPT,
        };
        let mut prompt = Prompt { system: system.to_owned(), ..Prompt::default() };
        prompt.messages = past::messages(&self.conversation.turns);
        prompt.messages.push(Message::User(self.task(&found)));
        let result = loop {
            let reply = self.think(StepName::Write, prompt.clone(), false).await?;
            let wrong = match blocks::program(&reply.text, self.language) {
                None => {
                    let wrong = format!("your reply has no ```{} block", self.language);
                    self.failed("NoProgram", &wrong)?;
                    wrong
                }
                Some(code) => {
                    let attempt = self.failures + 1;
                    self.live.tell(Event::Program { attempt, code: code.clone() });
                    let ran = self.run(&code).await?;
                    if ran.is_ok {
                        break ran.words;
                    }
                    self.failed(&ran.kind, &ran.words)?;
                    ran.words
                }
            };
            // Nobody takes empty words.
            let text =
                if reply.text.trim().is_empty() { "(nothing)".to_owned() } else { reply.text };
            prompt.messages.push(Message::Model { text, calls: Vec::new() });
            let again = format!("{wrong}\n\nMend the program and reply with all of it.");
            prompt.messages.push(Message::User(again));
        };
        self.interpret(&result).await
    }

    async fn interpret(&mut self, result: &str) -> Result<Formed, AskError> {
        let asked = format!(
            "Question: {}\n\nResult of the program:\n{result}{}",
            self.question,
            self.form_in_words()
        );
        let mut prompt = Prompt { system: INTERPRET.to_owned(), ..Prompt::default() };
        prompt.messages = past::messages(&self.conversation.turns);
        prompt.messages.push(Message::User(asked));
        let reply = self.think(StepName::Interpret, prompt.clone(), self.is_plain()).await?;
        self.formed(prompt, reply).await
    }

    /// What the model is asked to write a program for.
    fn task(&self, found: &Found) -> String {
        let mut task = format!("Question: {}", self.question);
        // Writing to a string does not fail.
        let _ =
            write!(task, "\n\nVariables: {}", words::of_variables(&self.context, self.language));
        if self.remembers() {
            task.push_str("\nVariables and functions of your earlier programs are still there.");
        }
        let _ = write!(task, "\n\nFunctions:\n\n{}", words::of_tools(found, self.language));
        task
    }

    /// Whether the next program finds what earlier ones kept: sessions are forgotten sooner than conversations, and
    /// each is of one language.
    fn remembers(&self) -> bool {
        let Some(session) = &self.conversation.session else { return false };
        let view = self.agent.service.session(self.caller, session);
        view.is_ok_and(|view| view.language == self.language)
    }

    /// Finds tools by words, and says so.
    pub(crate) async fn search(&self, query: &str, limit: usize) -> Found {
        self.live.tell(Event::Searching { query: query.to_owned() });
        let tools = Arc::clone(self.agent.service.tools());
        tools.know_all().await;
        let asked = Search {
            query: query.to_owned(),
            detail_level: Detail::Full,
            server: None,
            limit: limit.max(1),
            language: self.language,
        };
        // With a model for meaning this computes for a while.
        let reader = self.caller.reader();
        let found = tokio::task::spawn_blocking(move || tools.find_for(&asked, &reader)).await;
        let found = found.ok().and_then(Result::ok);
        let mut found = found.unwrap_or(Found {
            tools: Vec::new(),
            matching: 0,
            total: 0,
            missing: Vec::new(),
        });
        for tool in &mut found.tools {
            // Its signature says the same in fewer words.
            tool.input_schema = None;
        }
        let named = found.tools.iter().map(|tool| format!("{}.{}", tool.server, tool.name));
        self.live.tell(Event::Found { tools: named.collect() });
        found
    }
}
