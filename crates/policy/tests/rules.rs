//! Rules as an operator writes them, and what they decide.

#![expect(clippy::unwrap_used, reason = "a test that cannot go on says where")]

use policy::{Decision, Hints, Policy, PolicyError, PolicySettings, Question, Verdict};
use serde_json::{Map, Value, json};

const LEVELS: [&str; 3] = ["standard", "production", "hardened"];

fn policy(text: &str) -> Policy {
    let settings: PolicySettings = toml::from_str(text).unwrap();
    Policy::new(settings, &LEVELS).unwrap()
}

fn problem(text: &str) -> PolicyError {
    let settings: PolicySettings = toml::from_str(text).unwrap();
    Policy::new(settings, &LEVELS).unwrap_err()
}

fn object(value: &Value) -> Map<String, Value> {
    value.as_object().unwrap().clone()
}

struct Call {
    tool: &'static str,
    hints: Hints,
    is_trusted: bool,
    owner: &'static str,
    agent: &'static str,
    level: &'static str,
    arguments: Value,
}

impl Default for Call {
    fn default() -> Self {
        Self {
            tool: "github.create_issue",
            hints: Hints::default(),
            is_trusted: false,
            owner: "alice",
            agent: "",
            level: "standard",
            arguments: json!({}),
        }
    }
}

fn decide(policy: &Policy, call: &Call) -> Decision {
    let (server, tool) = call.tool.split_once('.').unwrap();
    policy.decide(&Question {
        server,
        tool,
        hints: call.hints,
        is_trusted: call.is_trusted,
        owner: call.owner,
        agent: call.agent,
        level: call.level,
        arguments: &object(&call.arguments),
    })
}

fn verdict(policy: &Policy, call: &Call) -> Verdict {
    decide(policy, call).verdict
}

#[test]
fn defaults_are_as_stated() {
    let policy = policy("");
    let reads = Hints { read_only: Some(true), ..Hints::default() };
    let destroys = Hints { destructive: Some(true), ..Hints::default() };
    assert_eq!(
        verdict(&policy, &Call { hints: reads, is_trusted: true, ..Call::default() }),
        Verdict::Allow
    );
    assert_eq!(verdict(&policy, &Call { hints: destroys, ..Call::default() }), Verdict::Ask);
    assert_eq!(verdict(&policy, &Call::default()), Verdict::Allow);
    let hardened =
        |hints, is_trusted| Call { hints, is_trusted, level: "hardened", ..Call::default() };
    assert_eq!(verdict(&policy, &hardened(Hints::default(), false)), Verdict::Ask);
    // Nobody believes a stranger who says that nothing can happen.
    assert_eq!(verdict(&policy, &hardened(reads, false)), Verdict::Ask);
    assert_eq!(verdict(&policy, &hardened(reads, true)), Verdict::Allow);
    let both = Hints { read_only: Some(true), destructive: Some(true), ..Hints::default() };
    assert_eq!(verdict(&policy, &hardened(both, true)), Verdict::Ask);
}

#[test]
fn the_first_rule_that_fits_decides() {
    let policy = policy(
        r#"
        [[rules]]
        name = "small payments"
        tools = "bank.pay"
        when = ["amount <= 1000", "currency in ['EUR', 'USD']"]
        action = "allow"
        [[rules]]
        tools = ["bank.*", "*.delete_*"]
        action = "deny"
        reason = "ask the treasurer"
        [[rules]]
        annotations = ["unannotated"]
        owners = "bot-*"
        action = "ask"
        "#,
    );
    let pay = |arguments| Call { tool: "bank.pay", arguments, ..Call::default() };
    let small = decide(&policy, &pay(json!({"amount": 10, "currency": "EUR"})));
    assert_eq!((small.verdict, small.rule.as_str()), (Verdict::Allow, "small payments"));
    for arguments in [
        json!({"amount": 1001, "currency": "EUR"}),
        json!({"amount": "10", "currency": "EUR"}),
        json!({"currency": "EUR"}),
        json!({"amount": 10, "currency": "CHF"}),
        json!({"amount": [10, 5000], "currency": "EUR"}),
    ] {
        let decision = decide(&policy, &pay(arguments.clone()));
        assert_eq!(
            (decision.verdict, decision.rule.as_str()),
            (Verdict::Deny, "rule 2"),
            "{arguments}"
        );
        assert_eq!(decision.reason, "ask the treasurer");
    }
    assert_eq!(
        verdict(&policy, &Call { tool: "github.delete_repo", ..Call::default() }),
        Verdict::Deny
    );
    assert_eq!(verdict(&policy, &Call { owner: "bot-7", ..Call::default() }), Verdict::Ask);
    assert_eq!(verdict(&policy, &Call::default()), Verdict::Allow);
}

#[test]
fn what_cannot_be_judged_is_denied_where_the_rule_denies() {
    let policy = policy("[[rules]]\ntools = 'bank.pay'\nwhen = 'amount > 1000'\naction = 'deny'");
    let pay = |arguments| Call { tool: "bank.pay", arguments, ..Call::default() };
    assert_eq!(verdict(&policy, &pay(json!({"amount": 5}))), Verdict::Allow);
    assert_eq!(verdict(&policy, &pay(json!({"amount": 5000}))), Verdict::Deny);
    let unclear = decide(&policy, &pay(json!({"amount": "5000"})));
    assert_eq!(unclear.verdict, Verdict::Deny);
    assert!(unclear.reason.contains("cannot be judged"), "{}", unclear.reason);
    assert_eq!(verdict(&policy, &pay(json!({}))), Verdict::Deny);
}

/// A rule that denies `fits`, and one that allows it: what each does about a call.
fn denied_and_allowed(when: &str, arguments: &Value) -> (Verdict, Verdict) {
    let rule = |action: &str| {
        format!(
            "unannotated = 'ask'\n[[rules]]\ntools = 'x.y'\nwhen = \"{when}\"\naction = '{action}'"
        )
    };
    let call = Call { tool: "x.y", arguments: arguments.clone(), ..Call::default() };
    (verdict(&policy(&rule("deny")), &call), verdict(&policy(&rule("allow")), &call))
}

#[test]
fn one_element_is_enough_to_deny_and_not_to_allow() {
    let cases = [
        ("repo == 'secret'", json!({"repo": ["public", "secret"]})),
        ("repo in ['secret']", json!({"repo": [["public"], ["secret"]]})),
        ("amount > 1000", json!({"amount": [1, 5000]})),
        ("items.amount > 1000", json!({"items": [{"amount": 1}, {"amount": 5000}]})),
        ("items.amount > 1000", json!({"items": [{"amount": 1}, {}]})),
        ("path under '/etc'", json!({"path": ["/srv/a", "/etc/passwd"]})),
        ("to matches '.*@evil[.]example'", json!({"to": ["a@good.example", "b@evil.example"]})),
        ("sql reads", json!({"sql": ["SELECT 1", "DELETE FROM t"]})),
        ("cc present", json!({"cc": [null, "x"]})),
    ];
    for (when, arguments) in cases {
        let judged = denied_and_allowed(when, &arguments);
        assert_eq!(judged, (Verdict::Deny, Verdict::Ask), "{when} {arguments}");
    }
}

#[test]
fn what_could_be_read_in_two_ways_is_denied_and_not_allowed() {
    let cases = [
        ("amount > 1000", json!({"amount": "1000000"})),
        ("amount > 1000", json!({"amount": {"value": 5000}})),
        ("amount > 1000", json!({"amount": null})),
        ("amount > 1000", json!({"amount": true})),
        ("amount > 1000", json!({"amount": []})),
        ("amount > 1000", json!({"amount": 1, "Amount": 5000})),
        ("account == '12'", json!({"account": 12})),
        ("account == 12", json!({"account": "12"})),
        ("force == true", json!({"force": 1})),
        ("force == true", json!({"force": "true"})),
        ("env == 'prod'", json!({"env": "Prod"})),
        ("env == 'prod'", json!({"env": "pr\u{43e}d"})),
        ("env == 'prod'", json!({"env": {"name": "prod"}})),
        ("env in ['prod']", json!({"env": "prod\u{200b}"})),
        ("path under '/etc'", json!({"path": "/data/../etc/passwd"})),
        ("path under '/etc'", json!({"path": "//etc/passwd"})),
        ("path under '/etc'", json!({"path": "/./etc/passwd"})),
        ("path under '/etc'", json!({"path": "etc/passwd"})),
        ("path under '/etc'", json!({"path": "\\etc\\passwd"})),
        ("path under '/etc'", json!({"path": "/%65tc/passwd"})),
        ("path under '/etc'", json!({"path": "/ETC/passwd"})),
        ("path under '/etc'", json!({"path": "/etc./passwd"})),
        ("path under '/etc'", json!({"path": "/\u{435}tc/passwd"})),
        ("path under '/etc'", json!({"path": "file:///etc/passwd"})),
        ("path under '/srv'", json!({"path": "/srv/../etc/passwd"})),
        ("url matches 'https://intern[.]example/.*'", json!({"url": "HTTPS://intern.example/x"})),
        ("url matches 'a.*'", json!({"url": "a\nb"})),
        ("sql reads", json!({"sql": "SELECT setval('s', 1)"})),
        ("sql reads", json!({"sql": 5})),
        ("filter.repo == 'secret'", json!({"filter": "repo:secret"})),
    ];
    for (when, arguments) in cases {
        let judged = denied_and_allowed(when, &arguments);
        assert_eq!(judged, (Verdict::Deny, Verdict::Ask), "{when} {arguments}");
    }
    // What is clear stays so.
    let clear = denied_and_allowed("path under '/etc'", &json!({"path": "/srv/a.txt"}));
    assert_eq!(clear, (Verdict::Ask, Verdict::Ask));
    let clear = denied_and_allowed("path under '/etc'", &json!({"path": "/etc/hosts"}));
    assert_eq!(clear, (Verdict::Deny, Verdict::Allow));
}

#[test]
fn what_cannot_be_judged_is_counted_and_asked_about() {
    let rules = "[[rules]]\ntools = 'x.y'\nwhen = 'amount > 10'\nper-run = 1\n[[rules]]\ntools = 'x.y'\nwhen = 'amount > 10'\naction = 'ask'";
    for arguments in [json!({"amount": "11"}), json!({"amount": [1, 11]}), json!({})] {
        let call = Call { tool: "x.y", arguments: arguments.clone(), ..Call::default() };
        let decision = decide(&policy(rules), &call);
        assert_eq!((decision.verdict, decision.limits.len()), (Verdict::Ask, 1), "{arguments}");
    }
}

#[test]
fn limits_of_every_rule_that_fits_count() {
    let policy = policy(
        "[[rules]]\ntools = '*'\nper-minute = 60\n[[rules]]\ntools = 'github.*'\naction = 'allow'\nper-run = 5\nper-day = 100",
    );
    let decision = decide(&policy, &Call::default());
    assert_eq!(decision.verdict, Verdict::Allow);
    let limits: Vec<_> =
        decision.limits.iter().map(|limit| (limit.per.setting(), limit.most)).collect();
    assert_eq!(limits, [("per-minute", 60), ("per-run", 5), ("per-day", 100)]);
}

#[test]
fn what_is_wrong_is_known_when_it_is_read() {
    assert!(toml::from_str::<PolicySettings>("raeds = 'allow'").is_err());
    assert!(toml::from_str::<PolicySettings>("[[rules]]\ntool = 'a.b'\naction = 'deny'").is_err());
    assert!(toml::from_str::<PolicySettings>("[[rules]]\naction = 'maybe'").is_err());
    let texts = [
        "[[rules]]\ntools = 'a.b'",
        "[[rules]]\ntools = 'github'\naction = 'deny'",
        "[[rules]]\ntools = 'a.b'\nwhen = 'amount'\naction = 'deny'",
        "[[rules]]\nlevels = ['paranoid']\naction = 'deny'",
        "[[rules]]\ntools = 'a.*'\naction = 'allow'\n[[rules]]\ntools = 'a.delete_*'\naction = 'deny'",
        "[[rules]]\nname = 'x'\ntools = 'a.b'\naction = 'allow'\n[[rules]]\nname = 'x'\ntools = 'c.d'\naction = 'deny'",
        "[[flow]]\nfrom = 'hr.*'\nto = 'slack.*'\naction = 'allow'",
    ];
    for text in texts {
        let words = problem(text).to_string();
        assert!(words.len() > 30, "{words}");
    }
    assert!(matches!(problem(texts[4]), PolicyError::Unreached { .. }));
}

#[test]
fn a_narrower_rule_after_a_conditional_one_is_no_contradiction() {
    policy(
        "[[rules]]\ntools = 'a.*'\nwhen = 'x == 1'\naction = 'allow'\n[[rules]]\ntools = 'a.b'\naction = 'deny'",
    );
    policy(
        "[[rules]]\ntools = 'a.*'\nowners = 'bob'\naction = 'allow'\n[[rules]]\ntools = 'a.b'\naction = 'deny'",
    );
}

#[test]
fn what_came_from_one_server_does_not_reach_another() {
    let policy = policy(
        "[[flow]]\nfrom = 'hr.*'\nto = 'slack.*'\naction = 'deny'\n[[flow]]\nfrom = 'crm.*'\nto = 'slack.*'\naction = 'ask'",
    );
    let flow = policy.flow();
    assert!(flow.labels("hr.get") && !flow.labels("github.get"));
    let decide =
        |seen: &[&str], tool: &str| flow.decide(&seen.iter().copied(), tool).map(|one| one.verdict);
    assert_eq!(decide(&["hr.get"], "slack.post"), Some(Verdict::Deny));
    assert_eq!(decide(&["crm.get"], "slack.post"), Some(Verdict::Ask));
    assert_eq!(decide(&["crm.get", "hr.get"], "slack.post"), Some(Verdict::Deny));
    assert_eq!(decide(&["hr.get"], "github.get"), None);
    assert_eq!(decide(&[], "slack.post"), None);
}

#[test]
fn a_question_to_a_model_is_allowed_unless_the_session_is_hardened_or_somebody_says_otherwise() {
    let ask = |level| Call { tool: "tidegate.ask_model", level, ..Call::default() };
    let usual = policy("");
    assert_eq!(verdict(&usual, &ask("production")), Verdict::Allow);
    let denied = decide(&usual, &ask("hardened"));
    assert_eq!((denied.verdict, denied.rule.as_str()), (Verdict::Deny, "policy.models"));
    let asked = policy("models = 'ask'");
    assert_eq!(verdict(&asked, &ask("production")), Verdict::Ask);
    let named = policy("[[rules]]\ntools = 'tidegate.ask_model'\naction = 'allow'");
    assert_eq!(verdict(&named, &ask("hardened")), Verdict::Allow);
}

#[test]
fn a_rule_can_be_about_agents_of_a_name() {
    let policy = policy("[[rules]]\nagents = ['worker-*', 'helper']\naction = 'deny'");
    let by = |agent| verdict(&policy, &Call { agent, ..Call::default() });
    assert_eq!(["worker-1", "helper"].map(by), [Verdict::Deny; 2]);
    assert_eq!(["", "planner"].map(by), [Verdict::Allow; 2]);
}

#[test]
fn data_may_be_kept_from_models() {
    let policy = policy("[[flow]]\nfrom = 'hr.*'\nto = ['model', 'slack.*']\naction = 'deny'");
    let decide = |tool| policy.flow().decide(&["hr.get"].into_iter(), tool).map(|one| one.verdict);
    assert_eq!(decide("tidegate.ask_model"), Some(Verdict::Deny));
    assert_eq!(decide("slack.post"), Some(Verdict::Deny));
    assert_eq!(decide("tidegate.post"), None);
    // It is a place that data go to, and no server's.
    assert!(matches!(
        problem("[[flow]]\nfrom = 'model'\nto = 'slack.*'\naction = 'deny'"),
        PolicyError::Pattern { .. }
    ));
}

#[test]
fn where_two_ask_both_are_told_and_what_is_told_of_flow_is_everything_that_was_read() {
    let policy = policy(
        r#"
        [[rules]]
        name = "public"
        tools = "out.publish"
        when = "channel == 'public'"
        action = "ask"
        [[flow]]
        from = ["hr.*", "fin.*"]
        to = "out.*"
        action = "ask"
        "#,
    );
    let arguments = json!({ "channel": "public" });
    let own = decide(&policy, &Call { tool: "out.publish", arguments, ..Call::default() });
    let flow =
        |seen: &[&'static str]| policy.flow().decide(&seen.iter().copied(), "out.publish").unwrap();
    let both = own.clone().and(flow(&["hr.salary"]));
    assert_eq!(both.verdict, Verdict::Ask);
    assert!(both.rule.contains("public") && both.rule.contains("flow rule 1"), "{both:?}");
    assert!(both.reason.contains("public") && both.reason.contains("hr.salary"), "{both:?}");
    assert_eq!(both.grounds.len(), 2);
    assert!(own.grounds.iter().all(|one| both.grounds.contains(one)));
    let more = flow(&["fin.sum", "hr.salary"]);
    assert!(more.reason.contains("fin.sum") && more.reason.contains("hr.salary"), "{more:?}");
    assert_ne!(more.grounds, flow(&["hr.salary"]).grounds);
}

#[test]
fn a_rule_without_a_name_is_told_from_another_at_its_place() {
    let small = "[[rules]]\ntools = 'bank.pay'\nwhen = 'amount <= 10'\naction = 'ask'\n";
    let large = "[[rules]]\ntools = 'bank.pay'\nwhen = 'amount > 1000'\naction = 'ask'\n";
    let of = |rules: &str, amount: u64| {
        let arguments = json!({ "amount": amount });
        decide(&policy(rules), &Call { tool: "bank.pay", arguments, ..Call::default() })
    };
    let (before, after) = (of(small, 5), of(&format!("{large}{small}"), 5000));
    assert_eq!(before.rule, after.rule);
    assert_ne!(before.grounds, after.grounds);
    // Where it stands changes nothing.
    assert_eq!(before.grounds, of(&format!("{large}{small}"), 5).grounds);
}

#[test]
fn a_rule_with_the_conditions_of_one_before_it_is_a_contradiction() {
    let rule = |action: &str, when: &str| {
        format!("[[rules]]\ntools = 'bank.pay'\nwhen = [{when}]\naction = '{action}'\n")
    };
    let both = |first: String, second: String| {
        let settings: PolicySettings = toml::from_str(&format!("{first}{second}")).unwrap();
        Policy::new(settings, &LEVELS).map(drop)
    };
    let (small, narrow) = ("'amount <= 10'", "'amount <= 10', \"to == 'x'\"");
    for (first, second) in
        [("deny", "allow"), ("deny", "deny"), ("ask", "allow"), ("allow", "allow")]
    {
        let unreached = both(rule(first, small), rule(second, small));
        assert!(matches!(unreached, Err(PolicyError::Unreached { .. })), "{first} {second}");
        let unreached = both(rule(first, small), rule(second, narrow));
        assert!(matches!(unreached, Err(PolicyError::Unreached { .. })), "{first} {second}");
        assert_eq!(both(rule(first, narrow), rule(second, small)), Ok(()), "{first} {second}");
    }
    // What the first cannot judge is left to the second.
    assert_eq!(both(rule("allow", small), rule("deny", small)), Ok(()));
}

fn load(text: &str) -> Result<(), PolicyError> {
    let settings: PolicySettings = toml::from_str(text).unwrap();
    Policy::new(settings, &LEVELS).map(drop)
}

#[test]
fn conditions_that_never_hold_together_are_an_error() {
    let with = |when: &str| {
        load(&format!("[[rules]]\ntools = 'bank.pay'\nwhen = [{when}]\naction = 'deny'\n"))
    };
    for when in [
        "'amount <= 10', 'amount > 20'",
        "'amount > 20', 'amount <= 10'",
        "'amount < 10', 'amount >= 10'",
        "'amount == 5', 'amount > 10'",
        "'amount > 10', 'amount == 5'",
        "'amount == 5', 'amount != 5'",
        "'amount in [1, 2]', 'amount not in [1, 2, 3]'",
        "'amount in [1, 5]', 'amount >= 2', 'amount <= 4'",
        "'a <= 1', 'b == 2', 'a >= 3'",
        "\"to == 'x'\", \"to == 'y'\"",
        "\"to in ['x', 'y']\", \"to matches '[0-9]+'\"",
        "\"to < 'b'\", \"to > 'c'\"",
        "\"to < 'b'\", 'to > 5'",
        "'force present', 'force absent'",
        "'force absent', 'force == true'",
        "'amount absent', 'amount <= 5'",
        "\"path under '/srv/a'\", \"path under '/srv/b'\"",
        "\"path under '/srv/a'\", 'path <= 5'",
    ] {
        let error = with(when).unwrap_err();
        assert!(matches!(error, PolicyError::AtOdds { .. }), "{when}: {error}");
    }
    for when in [
        "'amount <= 10', 'amount >= 10'",
        "'amount > 10', 'amount <= 20', 'amount != 15'",
        "'amount in [1, 5]', 'amount >= 2', 'amount <= 5'",
        "'a <= 1', 'b >= 3'",
        "'amount == 1', 'amount == 1.0'",
        "'force present', 'force == true'",
        "'force absent', 'force == null'",
        "\"path under '/srv'\", \"path under '/srv/b'\"",
        "\"to matches '[a-z]+'\", \"to not in ['x']\", \"to > 'a'\"",
    ] {
        assert_eq!(with(when), Ok(()), "{when}");
    }
    let said = with("'force present', 'force absent'").unwrap_err().to_string();
    assert!(said.contains("`force present`") && said.contains("`force absent`"), "{said}");
}

#[test]
fn a_narrower_condition_behind_a_wider_one_is_never_reached() {
    let both = |(first, wide): (&str, &str), (second, narrow): (&str, &str)| {
        let rule = |action: &str, when: &str| {
            format!("[[rules]]\ntools = 'bank.pay'\nwhen = [{when}]\naction = '{action}'\n")
        };
        load(&format!("{}{}", rule(first, wide), rule(second, narrow)))
    };
    for (wide, narrow) in [
        ("'amount <= 1000'", "'amount <= 500'"),
        ("'amount <= 1000'", "'amount < 1000'"),
        ("'amount < 1000'", "'amount <= 999'"),
        ("'amount >= 10'", "'amount > 10'"),
        ("'amount >= 10'", "'amount == 10'"),
        ("'amount <= 10'", "'amount in [1, 2]', 'other == 3'"),
        ("'amount != 10'", "'amount < 10'"),
        ("\"to in ['x', 'y']\"", "\"to == 'x'\""),
        ("\"to in ['x', 'y']\"", "\"to in ['y', 'x']\""),
        ("\"path under '/srv'\"", "\"path under '/srv/a'\""),
    ] {
        for (first, second) in
            [("deny", "allow"), ("ask", "allow"), ("deny", "ask"), ("allow", "allow")]
        {
            let said = both((first, wide), (second, narrow));
            let is_unreached = matches!(said, Err(PolicyError::Unreached { .. }));
            assert!(is_unreached, "{first} {wide}, {second} {narrow}: {said:?}");
        }
        // What it cannot judge is left to the second, which is careful.
        assert_eq!(both(("allow", wide), ("deny", narrow)), Ok(()), "{wide} {narrow}");
        if wide != narrow && !wide.contains("'y'") {
            assert_eq!(both(("deny", narrow), ("allow", wide)), Ok(()), "{wide} {narrow}");
        }
    }
    // What may be taken for `x` is clear to a pattern.
    let (pattern, one) = ("\"to matches 'x'\"", "\"to == 'x'\"");
    assert_eq!(both(("deny", pattern), ("ask", one)), Ok(()));
    assert!(both(("deny", pattern), ("allow", one)).is_err());
    assert!(both(("deny", "'amount present'"), ("allow", "'amount <= 5'")).is_err());
    assert_eq!(both(("deny", "'amount present'"), ("ask", "'amount <= 5'")), Ok(()));
    assert_eq!(both(("deny", "'amount present'"), ("allow", "'amount == null'")), Ok(()));
    assert_eq!(both(("deny", "'amount <= 5'"), ("allow", "'other <= 3'")), Ok(()));
}

#[test]
fn rules_that_only_together_fit_every_call_of_a_later_one_hide_it() {
    let rules = |rules: &[&str]| {
        let tables: Vec<String> = rules.iter().map(|rule| format!("[[rules]]\n{rule}\n")).collect();
        load(&tables.concat())
    };
    for all in [
        [
            "tools = 'a.*'\nlevels = ['standard', 'production']\naction = 'allow'",
            "tools = 'a.*'\nlevels = ['hardened']\naction = 'allow'",
            "tools = 'a.b'\naction = 'deny'",
        ],
        [
            "tools = 'a.*'\naction = 'allow'",
            "tools = 'b.*'\naction = 'ask'",
            "tools = ['a.x', 'b.x']\naction = 'deny'",
        ],
        [
            "owners = 'ann'\naction = 'allow'",
            "owners = 'bob'\naction = 'allow'",
            "tools = 'a.x'\nowners = ['bob', 'ann']\naction = 'deny'",
        ],
    ] {
        let error = rules(&all).unwrap_err();
        assert!(matches!(error, PolicyError::Unreached { .. }), "{all:?}: {error}");
        let said = error.to_string();
        assert!(said.contains("rule 1") && said.contains("rule 2"), "{said}");
        // Without one of them, it is reached.
        assert_eq!(rules(&all[1..]), Ok(()), "{all:?}");
    }
}

#[test]
fn a_list_that_names_nothing_is_an_error() {
    for (text, key) in [
        ("[[rules]]\ntools = []\naction = 'allow'", "tools"),
        ("[[rules]]\ntools = 'a.b'\nowners = []\naction = 'allow'", "owners"),
        ("[[rules]]\ntools = 'a.b'\nagents = []\naction = 'deny'", "agents"),
        ("[[flow]]\nfrom = []\nto = 'slack.*'\naction = 'deny'", "from"),
        ("[[flow]]\nfrom = 'hr.*'\nto = []\naction = 'deny'", "to"),
    ] {
        let error = load(text).unwrap_err();
        assert!(matches!(error, PolicyError::Empty { .. }), "{text}: {error}");
        assert!(error.to_string().contains(&format!("`{key} = []`")), "{error}");
    }
}
