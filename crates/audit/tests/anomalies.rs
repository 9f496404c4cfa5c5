//! Planted anomalies are found, and ordinary traffic is left alone.
//!
//! The traffic is simulated: owners of different habits, days and nights and weekends, sizes with
//! heavy tails, a large job once a week, tools taken up now and then, denials now and then, and
//! newcomers. Everything follows from a seed.

#![expect(clippy::unwrap_used, reason = "a test that cannot go on says where")]
#![expect(
    clippy::cast_possible_truncation,
    clippy::cast_precision_loss,
    clippy::cast_sign_loss,
    reason = "made-up amounts are small"
)]

use std::collections::BTreeMap;

use audit::anomaly::{Flag, Level, Observation, Reason, Tuning, Watch};

const HOUR: u64 = 3_600_000;
const DAY: u64 = 24 * HOUR;
/// What everything follows from.
const SEED: u64 = 1;

/// Chance that is the same every time.
struct Chance(u64);

impl Chance {
    fn bits(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut bits = self.0;
        bits = (bits ^ (bits >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        bits = (bits ^ (bits >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        bits ^ (bits >> 31)
    }

    /// Evenly from 0 to 1.
    fn even(&mut self) -> f64 {
        (self.bits() >> 11) as f64 / (1_u64 << 53) as f64
    }

    fn is(&mut self, probability: f64) -> bool {
        self.even() < probability
    }

    fn below(&mut self, end: usize) -> usize {
        (self.even() * end as f64) as usize
    }

    /// Along the usual curve.
    fn normal(&mut self) -> f64 {
        let radius = (-2.0 * self.even().max(1e-300).ln()).sqrt();
        radius * (std::f64::consts::TAU * self.even()).cos()
    }

    /// Around a median, with a heavy tail: the larger `sigma`, the heavier.
    fn size(&mut self, median: f64, sigma: f64) -> f64 {
        median * (sigma * self.normal()).exp()
    }

    /// With the heaviest tail: one in a thousand is a hundred times the least, for `alpha` 1.5.
    fn pareto(&mut self, least: f64, alpha: f64) -> f64 {
        least / self.even().max(1e-12).powf(1.0 / alpha)
    }
}

/// The habits of one owner.
struct Habits {
    name: String,
    runs_a_day: f64,
    at_night: bool,
    calls: (f64, f64),
    bytes: (f64, f64),
    is_pareto: bool,
    weekly_job: bool,
    adopts: f64,
    tools: Vec<String>,
    adopted: usize,
    joins: u64,
}

fn owners(count: usize, chance: &mut Chance) -> Vec<Habits> {
    let owner = |number: usize| {
        let servers = 1 + chance.below(4);
        let tools = (0..servers)
            .flat_map(|server| (0..2 + chance.below(5)).map(move |tool| (server, tool)))
            .map(|(server, tool)| format!("s{number}-{server}.t{tool}"))
            .collect();
        Habits {
            name: format!("owner-{number}"),
            runs_a_day: chance.size(12.0, 0.7).clamp(2.0, 60.0),
            at_night: number % 4 == 3,
            calls: (2.0 + 10.0 * chance.even(), 0.5 + 0.6 * chance.even()),
            bytes: (chance.size(20_000.0, 1.0), 0.8 + 0.7 * chance.even()),
            is_pareto: number % 5 == 4,
            weekly_job: number % 3 == 1,
            adopts: if number.is_multiple_of(2) { 1.0 / 120.0 } else { 0.0 },
            tools,
            adopted: 0,
            joins: 0,
        }
    };
    (0..count).map(owner).collect()
}

impl Habits {
    fn run(&mut self, time: u64, chance: &mut Chance) -> Observation {
        let mut calls = BTreeMap::new();
        let count = chance.size(self.calls.0, self.calls.1).round().clamp(1.0, 1e6) as u64;
        // Some tools are used all the time and some hardly ever.
        let mut left = count;
        while left > 0 {
            let rank = (chance.even() * chance.even() * self.tools.len() as f64) as usize;
            let some = 1 + (left as f64 * chance.even()) as u64;
            *calls.entry(self.tools[rank].clone()).or_default() += some.min(left);
            left -= some.min(left);
        }
        if chance.is(self.adopts) {
            let server = self.tools[0].split_once('.').unwrap().0;
            let tool = format!("{server}.adopted-{}", self.adopted);
            self.adopted += 1;
            calls.insert(tool.clone(), 1);
            self.tools.push(tool);
        }
        let mut bytes = if self.is_pareto {
            chance.pareto(self.bytes.0 / 2.0, 1.8)
        } else {
            chance.size(self.bytes.0, self.bytes.1)
        };
        if self.weekly_job && time / DAY % 7 == 2 && time % DAY / HOUR == 9 {
            bytes *= 8.0 + 4.0 * chance.even();
        }
        let denials = if chance.is(0.02) { 1 + chance.below(3) as u64 } else { 0 };
        Observation {
            owner: self.name.clone(),
            time,
            calls,
            bytes_out: bytes as u64,
            tokens: (bytes / 4.0 * chance.even()) as u64,
            denials,
            duration_ms: chance.size(4000.0, 1.0) as u64,
        }
    }
}

/// Ordinary runs of some owners over some days, in the order of time.
fn traffic(owners: &mut [Habits], days: u64, chance: &mut Chance) -> Vec<Observation> {
    let mut runs = Vec::new();
    for owner in owners {
        for day in owner.joins..days {
            let is_weekend = day % 7 >= 5;
            let expected = owner.runs_a_day * if is_weekend { 0.2 } else { 1.0 };
            let count = chance.size(expected, 0.4).round() as u64;
            let mut times: Vec<u64> = (0..count)
                .map(|_| {
                    let hour = if owner.at_night { 1.0 } else { 13.0 } + 3.0 * chance.normal();
                    let hour = hour.rem_euclid(24.0);
                    20_000 * DAY + day * DAY + (hour * HOUR as f64) as u64
                })
                .collect();
            times.sort_unstable();
            runs.extend(times.into_iter().map(|time| owner.run(time, chance)));
        }
    }
    runs.sort_by_key(|run| run.time);
    runs
}

fn alerts(flags: Vec<Flag>) -> Vec<Flag> {
    flags.into_iter().filter(|flag| flag.level == Level::Alert).collect()
}

/// What one simulation gives.
#[derive(Debug, Default)]
struct Figures {
    /// False alerts among the runs that were learned from.
    while_learning: usize,
    learned: usize,
    /// Notices and false alerts among the thousand runs that follow, and runs with such alerts.
    notices: usize,
    falsely: Vec<Flag>,
    false_runs: usize,
    /// Which of the planted ones were found.
    found: Vec<bool>,
}

/// Sixty days to learn, then a thousand ordinary runs, among them the planted ones.
fn simulate(seed: u64, times: u64) -> Figures {
    let mut chance = Chance(seed);
    let mut owners = owners(10, &mut chance);
    owners[8].joins = 55;
    for settled in [3, 5, 7] {
        owners[settled].runs_a_day = owners[settled].runs_a_day.max(12.0);
    }
    let runs = traffic(&mut owners, 150, &mut chance);
    let learned = runs.partition_point(|run| run.time < 20_060 * DAY);
    let mut watch = Watch::new(Tuning::default());
    let mut figures = Figures { learned, ..Figures::default() };
    for run in &runs[..learned] {
        figures.while_learning += alerts(watch.observe(run)).len();
    }
    let judged = &runs[learned..learned + 1000];
    for (at, run) in judged.iter().enumerate() {
        let flags = watch.observe(run);
        figures.notices += flags.iter().filter(|flag| flag.level == Level::Notice).count();
        let flags = alerts(flags);
        figures.false_runs += usize::from(!flags.is_empty());
        figures.falsely.extend(flags);
        if at % 95 == 94 && figures.found.len() < 10 {
            let planted = planted(figures.found.len(), run, &owners, times);
            let (reason, runs) = planted;
            let is_found = runs
                .iter()
                .any(|run| alerts(watch.observe(run)).iter().any(|flag| flag.reason == reason));
            figures.found.push(is_found);
        }
    }
    figures
}

/// One of ten anomalies of an owner with some history, right after some run; `times` says how many
/// times the usual it is.
fn planted(
    which: usize,
    after: &Observation,
    owners: &[Habits],
    times: u64,
) -> (Reason, Vec<Observation>) {
    // Of owners who are not newcomers, each with another habit; tools only of those who have
    // settled on theirs, for the others take up new ones all the time.
    let owner = &owners[[0, 1, 2, 3, 5, 7, 4, 6, 9, 1][which]];
    let time = after.time + 1;
    let one = |calls: &[(&str, u64)]| Observation {
        owner: owner.name.clone(),
        time,
        calls: calls.iter().map(|(tool, calls)| ((*tool).to_owned(), *calls)).collect(),
        bytes_out: owner.bytes.0 as u64,
        tokens: 500,
        denials: 0,
        duration_ms: 9000,
    };
    let tool = owner.tools[0].as_str();
    let usual = owner.calls.0 as u64;
    let new_tool = format!("{}.delete-everything", tool.split_once('.').unwrap().0);
    match which {
        0 | 1 => (Reason::Burst, vec![one(&[(tool, times * usual)])]),
        2 => {
            let run = |at: u64| Observation { time: time + at * 2000, ..one(&[(tool, usual)]) };
            (Reason::Burst, (0..times * 2).map(run).collect())
        }
        3 | 4 => (Reason::NewTool, vec![one(&[(tool, 1), (&new_tool, 1)])]),
        5 => (Reason::NewTool, vec![one(&[("admin.list-users", 2)])]),
        6 | 7 => {
            let bytes_out = (times * 4 * owner.bytes.0 as u64).max(16 << 20);
            (Reason::Volume, vec![Observation { bytes_out, ..one(&[(tool, 1)]) }])
        }
        8 => (Reason::Denials, vec![Observation { denials: 14, ..one(&[(tool, 1)]) }]),
        _ => {
            let run = |at: u64| Observation { time: time + at * 30_000, denials: 1, ..one(&[]) };
            (Reason::Denials, (0..12).map(run).collect())
        }
    }
}

#[test]
fn ten_planted_anomalies_are_found_and_at_most_one_run_in_a_thousand_is_flagged_falsely() {
    let figures = simulate(SEED, 100);
    assert_eq!(figures.found, [true; 10]);
    assert!(figures.false_runs <= 1, "{:#?}", figures.falsely);
}

#[test]
fn other_seeds_give_about_the_same() {
    let all: Vec<Figures> = (1000..1020).map(|seed| simulate(seed, 100)).collect();
    let found = all.iter().flat_map(|figures| &figures.found).filter(|found| **found).count();
    let false_runs: usize = all.iter().map(|figures| figures.false_runs).sum();
    assert!(found >= 190, "{found} of 200");
    assert!(false_runs <= 20, "{false_runs} of 20000");
}

/// The owners' own runs differ by factors of ten, so that a single one of ten times the usual is mostly
/// none to be found; what is spread over many runs, or is no matter of size, is.
#[test]
fn ten_times_the_usual_is_found_where_it_differs_from_what_is_ordinary() {
    let all: Vec<Figures> = (1000..1020).map(|seed| simulate(seed, 10)).collect();
    let found = |which: usize| all.iter().filter(|figures| figures.found[which]).count();
    assert!(found(2) >= 16, "{} of 20 bursts over many runs", found(2));
    let sum: usize = (0..10).map(found).sum();
    assert!(sum >= 150, "{sum} of 200");
}

#[test]
#[ignore = "figures, not a check"]
fn many_seeds() {
    for times in [10, 30, 100] {
        let all: Vec<Figures> = (100..300).map(|seed| simulate(seed, times)).collect();
        let sum = |of: &dyn Fn(&Figures) -> usize| all.iter().map(of).sum::<usize>();
        let found: Vec<usize> =
            (0..10).map(|which| sum(&|figures| usize::from(figures.found[which]))).collect();
        let mut by_reason: BTreeMap<Reason, usize> = BTreeMap::new();
        for flag in all.iter().flat_map(|figures| &figures.falsely) {
            *by_reason.entry(flag.reason).or_default() += 1;
        }
        let with = |many: usize| sum(&|figures| usize::from(figures.false_runs == many));
        println!("{times} times the usual: found of 200 each: {found:?}");
        println!(
            "  false runs of 200000: {}, flags {by_reason:?}; thousands with 0, 1, 2, 3, 4: {:?}",
            sum(&|figures| figures.false_runs),
            [0, 1, 2, 3, 4].map(with)
        );
        println!(
            "  notices {}; false flags while learning {} of {} runs",
            sum(&|figures| figures.notices),
            sum(&|figures| figures.while_learning),
            sum(&|figures| figures.learned)
        );
    }
}

#[test]
fn newcomers_are_not_flagged_for_what_is_new_to_them() {
    let mut watch = Watch::default();
    for number in 0..25_u64 {
        let calls = BTreeMap::from([(format!("s{number}.t"), 1 << number.min(12))]);
        let run = Observation {
            owner: "new".into(),
            time: number * HOUR,
            calls,
            bytes_out: 10 << (number / 2),
            ..Observation::default()
        };
        assert_eq!(watch.observe(&run), []);
    }
}

#[test]
fn a_flag_says_why_in_figures() {
    let mut watch = Watch::default();
    let run = |number: u64, calls| Observation {
        owner: "ann".into(),
        time: DAY + number * HOUR,
        calls: BTreeMap::from([("crm.search".to_owned(), calls)]),
        duration_ms: 12_000,
        ..Observation::default()
    };
    for number in 0..60 {
        assert_eq!(watch.observe(&run(number, 4)), []);
    }
    let flags = watch.observe(&run(60, 400));
    let told: Vec<&str> = flags.iter().map(|flag| flag.explanation.as_str()).collect();
    assert_eq!(
        told,
        [
            "400 calls in a run (12 s), 100 times the usual 4; the most so far was 4 in 60 runs, \
             and from 20 on it is unusual",
            "400 calls in ten minutes (12 s), 100 times the usual 4; the most so far was 4 in 60 \
             stretches of ten minutes, and from 50 on it is unusual",
        ]
    );
}

#[test]
fn what_an_owner_was_granted_is_no_surprise() {
    let mut watch = Watch::default();
    let run = |number: u64, tool: &str| Observation {
        owner: "ann".into(),
        time: number * HOUR,
        calls: BTreeMap::from([(tool.to_owned(), 1)]),
        ..Observation::default()
    };
    for number in 0..300 {
        watch.observe(&run(number, "crm.search"));
    }
    watch.expect("ann", "mail.*", 300 * HOUR);
    assert_eq!(watch.observe(&run(301, "mail.send")), []);
    assert_eq!(watch.observe(&run(302, "mail.list")), []);
    let flags = watch.observe(&run(303, "admin.list"));
    assert_eq!((flags.len(), flags[0].level), (1, Level::Alert));
    assert_eq!(watch.observe(&run(304, "admin.list")), []);
}

#[test]
fn a_new_level_is_usual_after_a_few_flags() {
    let mut watch = Watch::default();
    let run = |number: u64, bytes_out| Observation {
        owner: "ann".into(),
        time: number * HOUR,
        bytes_out,
        ..Observation::default()
    };
    for number in 0..100 {
        watch.observe(&run(number, 50_000));
    }
    let flagged = (100..200).filter(|number| !watch.observe(&run(*number, 50_000_000)).is_empty());
    let flagged = flagged.count();
    assert!((2..=7).contains(&flagged), "{flagged}");
}

#[test]
fn who_is_denied_all_the_time_is_flagged_a_few_times() {
    let mut watch = Watch::default();
    let run = |number: u64| Observation {
        owner: "ann".into(),
        time: number * 60_000,
        denials: 3,
        ..Observation::default()
    };
    let flagged = (1..2000).map(|number| watch.observe(&run(number)).len()).sum::<usize>();
    assert!((2..=4).contains(&flagged), "{flagged}");
}

#[test]
fn a_watch_is_stored_and_goes_on_as_if_nothing_had_happened() {
    let mut chance = Chance(7);
    let mut habits = owners(3, &mut chance);
    let runs = traffic(&mut habits, 20, &mut chance);
    let (before, after) = runs.split_at(runs.len() / 2);
    let mut watch = Watch::default();
    for run in before {
        watch.observe(run);
    }
    let mut stored: Watch = serde_json::from_str(&serde_json::to_string(&watch).unwrap()).unwrap();
    assert_eq!(stored, watch);
    for run in after {
        assert_eq!(stored.observe(run), watch.observe(run));
    }
}

#[test]
fn what_is_kept_is_bounded_whatever_is_told() {
    let mut watch = Watch::default();
    for number in 0..2_500_u64 {
        let run = Observation {
            owner: format!("owner-{number}"),
            time: number,
            calls: BTreeMap::from([("a.b".to_owned(), u64::MAX)]),
            bytes_out: u64::MAX,
            tokens: u64::MAX,
            denials: u64::MAX,
            duration_ms: u64::MAX,
        };
        watch.observe(&run);
    }
    assert_eq!(watch.owners(), 2_000);
    let run = |time: u64| Observation {
        owner: "one".into(),
        time,
        calls: (0..50).map(|tool| (format!("s.{time}-{tool}"), u64::MAX)).collect(),
        bytes_out: time,
        denials: u64::MAX,
        ..Observation::default()
    };
    let mut watch = Watch::default();
    (0..2000).for_each(|time| drop(watch.observe(&run(time))));
    let bytes = serde_json::to_string(&watch).unwrap().len();
    assert!(bytes < 40_000, "{bytes}");
}
