//! What a model is told of earlier questions: the latest ones, as far as they fit.

use gateway::service::conversations::Turn;

use crate::model::message::Message;

/// Tokens of earlier questions and answers,
const MOST_TOKENS: usize = 4_000;
/// and how many of them.
const MOST_TURNS: usize = 10;

/// The latest turns, the oldest of them first.
pub(crate) fn messages(turns: &[Turn]) -> Vec<Message> {
    let mut used = 0;
    let latest = turns.iter().rev().take(MOST_TURNS).take_while(|turn| {
        used += budget::count(&turn.question) + budget::count(&turn.answer);
        used <= MOST_TOKENS && !turn.answer.trim().is_empty()
    });
    let latest: Vec<&Turn> = latest.collect();
    let said = |turn: &&Turn| {
        let (question, text) = (turn.question.clone(), turn.answer.clone());
        [Message::User(question), Message::Model { text, calls: Vec::new() }]
    };
    latest.iter().rev().flat_map(said).collect()
}
