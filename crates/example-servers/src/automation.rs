//! The server `automation`: habits of the house, and whether an automation is one.

use std::path::Path;

use serde::Deserialize;
use serde_json::{Map, Value, json};

use crate::habits::{self, Seen};
use crate::home::{self, Home, Wanted};
use crate::life::Habit;
use crate::served::{self, Tools};

/// What Home Assistant takes, as far as this house needs it.
const SCHEMA: &str = include_str!("automation.schema.json");

/// Mistakes that are told at once.
const MOST_MISTAKES: usize = 5;
/// Letters that a document may have.
const MOST_LETTERS: usize = 1 << 20;

/// The server.
pub(crate) struct Automation {
    home: Home,
}

#[derive(Deserialize)]
struct Patterns {
    start_time: String,
    end_time: String,
    pattern_types: Vec<String>,
}

#[derive(Deserialize)]
struct Document {
    yaml: String,
}

/// What is wrong with Home Assistant automations, written in YAML; nothing where they are valid.
#[must_use]
pub fn mistakes(yaml: &str) -> Vec<String> {
    if yaml.len() > MOST_LETTERS {
        return vec!["this is too long to be an automation".to_owned()];
    }
    let document: Value = match serde_saphyr::from_str(yaml) {
        Ok(document) => document,
        Err(error) => return vec![format!("this is no YAML: {error}")],
    };
    let schema: Value = serde_json::from_str(SCHEMA).unwrap_or_default();
    let validator = match jsonschema::options().offline().build(&schema) {
        Ok(validator) => validator,
        Err(error) => return vec![format!("the schema cannot be used: {error}")],
    };
    let told = |one: jsonschema::ValidationError<'_>| format!("{}: {one}", one.instance_path());
    validator.iter_errors(&document).take(MOST_MISTAKES).map(told).collect()
}

impl Automation {
    pub(crate) async fn new(file: Option<&Path>, seed: u64) -> Result<Self, String> {
        Ok(Self { home: Home::open(file, seed).await? })
    }

    async fn patterns(&self, asked: &Patterns) -> Result<Value, String> {
        let span = home::span(Some(&asked.start_time), Some(&asked.end_time))?;
        let habits: Vec<Habit> =
            asked.pattern_types.iter().map(|name| habit(name)).collect::<Result<_, _>>()?;
        let events = self.home.events(span, Wanted::default()).await?;
        let events: Vec<Seen> =
            serde_json::from_value(events).map_err(|error| error.to_string())?;
        let found = habits::find(&events, &habits);
        Ok(json!({ "patterns": found, "events_seen": events.len() }))
    }
}

fn habit(name: &str) -> Result<Habit, String> {
    Habit::ALL.into_iter().find(|habit| habit.name() == name).ok_or_else(|| {
        let names = Habit::ALL.map(Habit::name).join(", ");
        format!("there is no pattern type {name:?}; there are {names}")
    })
}

impl Tools for Automation {
    const NAME: &str = "tidegate-automation";
    const ABOUT: &str = "Finds habits in what happens in the house, and checks automations.";
    const DEFINITIONS: &str = include_str!("automation.tools.json");

    async fn answer(&self, tool: &str, arguments: Map<String, Value>) -> Result<Value, String> {
        match tool {
            "detect_patterns" => self.patterns(&served::read(tool, arguments)?).await,
            "validate_automation" => {
                let document: Document = served::read(tool, arguments)?;
                let mistakes = mistakes(&document.yaml);
                Ok(json!({ "valid": mistakes.is_empty(), "mistakes": mistakes }))
            }
            _ => Err(served::unknown(tool)),
        }
    }
}

#[cfg(test)]
mod tests {
    use crate::house::House;
    use crate::life::Life;

    use super::*;

    /// The whole week, and these types.
    fn week_and(types: &[&str]) -> Map<String, Value> {
        let week =
            json!({ "start_time": "2026-01-05", "end_time": "2026-01-12", "pattern_types": types });
        week.as_object().unwrap().clone()
    }

    type Names = Vec<(String, Option<String>, String)>;

    /// What is found in the week of a seed, and what was planted into it.
    async fn found_and_planted(seed: u64) -> (Names, Names) {
        let automation = Automation::new(None, seed).await.unwrap();
        let week = week_and(&Habit::ALL.map(Habit::name));
        let answer = automation.answer("detect_patterns", week).await.unwrap();
        let text = |value: &Value| value.as_str().map(str::to_owned);
        let found = answer["patterns"].as_array().unwrap().iter().map(|one| {
            let [habit, device] = [&one["pattern_type"], &one["device_id"]].map(text);
            (habit.unwrap(), text(&one["trigger_id"]), device.unwrap())
        });
        let house = House::new(seed);
        let id = |index: usize| house.devices[index].id.clone();
        let planted = Life::new(&house)
            .planted
            .into_iter()
            .map(|one| (one.habit.name().to_owned(), one.trigger.map(id), id(one.device)));
        let (mut found, mut planted): (Names, Names) = (found.collect(), planted.collect());
        found.sort();
        planted.sort();
        (found, planted)
    }

    #[tokio::test]
    async fn exactly_what_was_planted_is_found() {
        for seed in 1..=40 {
            let (found, planted) = found_and_planted(seed).await;
            assert_eq!(found, planted, "seed {seed}");
        }
    }

    #[tokio::test]
    async fn a_type_or_a_span_narrows_what_is_found() {
        let automation = Automation::new(None, 1).await.unwrap();
        let count = async |arguments: Map<String, Value>| {
            let answer = automation.answer("detect_patterns", arguments).await?;
            Ok::<_, String>(answer["patterns"].as_array().unwrap().len())
        };
        assert_eq!(count(week_and(&["left_on_at_night"])).await, Ok(1));
        let mut day = week_and(&Habit::ALL.map(Habit::name));
        day.insert("end_time".to_owned(), json!("2026-01-06"));
        assert_eq!(count(day).await, Ok(0), "a single day has no habits");
        let reason = count(week_and(&["moods"])).await.unwrap_err();
        assert!(reason.contains("\"moods\"") && reason.contains("daily_routine"), "{reason}");
    }

    #[test]
    fn an_automation_is_valid_or_says_what_is_wrong() {
        let one = "- id: a\n  alias: A\n  triggers:\n    - trigger: state\n      entity_id: binary_sensor.hall\n      to: \"on\"\n  actions:\n    - action: light.turn_on\n      target: {entity_id: light.hall}\n";
        assert_eq!(mistakes(one), Vec::<String>::new());
        for (wrong, part) in [
            ("a: [", "no YAML"),
            ("- id: a\n  alias: A\n", "triggers"),
            (&one.replace("light.turn_on", "light"), "/0/actions/0"),
            (&one.replace("binary_sensor.hall", "Hall"), "/0/triggers/0"),
            // Home Assistant takes none of these either.
            (&one.replace("binary_sensor.hall", "binary_sensor._hall"), "/0/triggers/0"),
            (&one.replace("light.turn_on", "light.turn__on"), "/0/actions/0"),
            (&format!("{one}  conditions:\n    - condition: time\n"), "/0/conditions/0"),
            (&format!("{one}    - delay: {{minutes: -1}}\n"), "/0/actions/1"),
        ] {
            let told = mistakes(wrong).join("; ");
            assert!(told.contains(part), "{wrong}: {told}");
        }
    }
}
