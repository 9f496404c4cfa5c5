//! The step that takes a program apart in the middle of an `await` and puts it together again, twice.

use std::sync::Arc;
use std::time::Instant;

use anyhow::{Context as _, bail};
use engine::{CallResult, Engine, Guest, HostCall, Image, Input, Outcome, Program, Start, Step};
use serde_json::json;
use serde_json::value::to_raw_value;

use super::stage::Stage;
use crate::units;

const SOURCE: &str = r#"import asyncio
from tidegate import call
print("asking for two prices")
tea, salt = await asyncio.gather(call("price", item="tea"), call("price", item="salt"))
tea + salt"#;

/// Freezes a program that waits for two calls, thaws it twice and answers differently.
pub(super) async fn freeze_and_thaw(
    engine: &Arc<dyn Engine>,
    stage: &mut Stage,
) -> anyhow::Result<()> {
    stage.begin("A program that waits for two host calls is frozen", SOURCE)?;
    let (bytes, calls) = frozen(engine, stage).await?;

    stage.begin("... and thawed elsewhere, where the answers are 5 and 2", "")?;
    let begun = Instant::now();
    let first = continued(engine, stage, bytes.clone(), &calls, [5, 2]).await?;
    stage.end(&first, begun.elapsed(), first.return_value.get() == "7")?;

    stage.begin("Thawed a second time it is a fork: other answers, another end", "")?;
    let begun = Instant::now();
    let fork = continued(engine, stage, bytes, &calls, [50, 20]).await?;
    stage.end(&fork, begun.elapsed(), fork.return_value.get() == "70")?;
    Ok(())
}

/// Runs the program until it waits; gives it as bytes, and what it waits for.
async fn frozen(
    engine: &Arc<dyn Engine>,
    stage: &mut Stage,
) -> anyhow::Result<(Vec<u8>, Vec<HostCall>)> {
    let program = Program::new(SOURCE);
    let mut guest = engine.start(Start::default(), Some(&program)).await?;
    let Step::Waiting(waiting) = guest.step(Input::Run(program)).await? else {
        bail!("the program ended without waiting for its host calls");
    };
    for call in &waiting.calls {
        stage.say(&format!("waits for {}({})", call.name, call.arguments))?;
    }
    let begun = Instant::now();
    let image = guest.freeze().await?;
    let took = begun.elapsed();
    // From here on the program is nothing but bytes.
    drop(guest);
    let bytes = image.as_bytes().to_vec();
    let size = units::size(bytes.len() as u64);
    let what = format!("frozen to {size} in {:.2} ms; the guest is gone", units::millis(took));
    stage.judge(&what, waiting.calls.len() == 2 && image.header().waiting)?;
    Ok((bytes, waiting.calls))
}

/// Thaws the program, answers its calls and lets it end.
async fn continued(
    engine: &Arc<dyn Engine>,
    stage: &Stage,
    bytes: Vec<u8>,
    calls: &[HostCall],
    prices: [u64; 2],
) -> anyhow::Result<Outcome> {
    let begun = Instant::now();
    let image = Image::decode(bytes)?;
    let mut guest = engine.thaw(&image, Start::default()).await?;
    stage.say(&format!("thawed in {:.2} ms", units::millis(begun.elapsed())))?;
    finish(&mut *guest, calls, prices).await
}

async fn finish(
    guest: &mut dyn Guest,
    calls: &[HostCall],
    prices: [u64; 2],
) -> anyhow::Result<Outcome> {
    let mut answers = Vec::new();
    for (call, price) in calls.iter().zip(prices) {
        let value = to_raw_value(&json!(price)).context("a number is JSON")?;
        answers.push(CallResult::ok(call.id, value));
    }
    // In the other order: answers may come as they like.
    answers.reverse();
    match guest.step(Input::Results(answers)).await? {
        Step::Done(outcome) => Ok(*outcome),
        Step::Waiting(_) => bail!("the program waits though all its calls are answered"),
    }
}
