//! The tasks: what is called, what comes back, and the program that does it all at once.

use serde_json::{Value, json};

/// One task.
pub(crate) struct Task {
    pub(crate) name: &'static str,
    /// Rows that pass through it.
    pub(crate) rows: usize,
    /// What a model would search for, one query for each tool that it needs.
    pub(crate) queries: &'static [&'static str],
    /// The calls that do it one by one: server, tool, arguments.
    pub(crate) calls: Vec<(&'static str, &'static str, Value)>,
    /// The same as one program.
    pub(crate) program: &'static str,
}

/// All of them, those with many rows first.
pub(crate) fn tasks() -> Vec<Task> {
    many().into_iter().chain(tens()).chain(few()).collect()
}

/// Those with a hundred rows and more.
fn many() -> Vec<Task> {
    let issues = |page: u32| {
        let arguments = json!({"owner": "acme", "repo": "shop", "state": "open", "page": page, "per_page": 100});
        ("github-legacy", "list_issues", arguments)
    };
    vec![
        Task {
            name: "count open issues by label, four pages",
            rows: 400,
            queries: &["list repository issues"],
            calls: (1..=4).map(issues).collect(),
            program: "import asyncio\nfrom collections import Counter\nfrom servers.github_legacy import list_issues\npages = await asyncio.gather(*(list_issues(owner='acme', repo='shop', state='open', page=p, per_page=100) for p in range(1, 5)))\nreturn Counter(label for page in pages for issue in page for label in issue['labels']).most_common(5)",
        },
        Task {
            name: "revenue by region from a query",
            rows: 1_000,
            queries: &["run soql query"],
            calls: vec![(
                "salesforce",
                "run_soql_query",
                json!({"query": "SELECT Name, Region, Amount, Stage FROM Opportunity", "usernameOrAlias": "acme", "directory": "/work"}),
            )],
            program: "import pandas as pd\nfrom servers.salesforce import run_soql_query\nrows = await run_soql_query(query='SELECT Name, Region, Amount, Stage FROM Opportunity', usernameOrAlias='acme', directory='/work')\nreturn pd.DataFrame(rows).groupby('region')['amount'].sum().round(2).to_dict()",
        },
        Task {
            name: "who writes most in a channel, with names",
            rows: 250,
            queries: &["slack channel history", "slack get users"],
            calls: vec![
                ("slack", "slack_get_channel_history", json!({"channel_id": "C042", "limit": 200})),
                ("slack", "slack_get_users", json!({"limit": 50})),
            ],
            program: "from collections import Counter\nfrom servers.slack import slack_get_channel_history, slack_get_users\nmessages = await slack_get_channel_history(channel_id='C042', limit=200)\nnames = {user['id']: user['name'] for user in await slack_get_users(limit=50)}\nreturn [(names[user], count) for user, count in Counter(m['user'] for m in messages).most_common(3)]",
        },
        Task {
            name: "errors by release among unresolved ones",
            rows: 100,
            queries: &["search sentry issues"],
            calls: vec![(
                "sentry",
                "search_issues",
                json!({"organizationSlug": "acme", "query": "is:unresolved", "limit": 100}),
            )],
            program: "from collections import Counter\nfrom servers.sentry import search_issues\nissues = await search_issues(organizationSlug='acme', query='is:unresolved', limit=100)\nreturn Counter(issue['release'] for issue in issues if issue['level'] == 'error').most_common(3)",
        },
    ]
}

/// Those with less than a hundred rows.
fn tens() -> Vec<Task> {
    vec![
        Task {
            name: "pods that restart too often",
            rows: 60,
            queries: &["kubectl get pods"],
            calls: vec![(
                "kubernetes-npm",
                "kubectl_get",
                json!({"resourceType": "pods", "namespace": "shop", "output": "json"}),
            )],
            program: "from servers.kubernetes_npm import kubectl_get\npods = await kubectl_get(resourceType='pods', namespace='shop', output='json')\nreturn [(p['name'], p['restarts']) for p in pods if p['restarts'] > 5]",
        },
        Task {
            name: "unread mail by sender",
            rows: 40,
            queries: &["search emails"],
            calls: vec![(
                "gmail",
                "search_emails",
                json!({"query": "is:unread", "maxResults": 40}),
            )],
            program: "from collections import Counter\nfrom servers.gmail import search_emails\nmails = await search_emails(query='is:unread', maxResults=40)\nreturn Counter(mail['from'] for mail in mails).most_common(5)",
        },
        Task {
            name: "last week's commits by author",
            rows: 30,
            queries: &["list commits"],
            calls: vec![(
                "github-legacy",
                "list_commits",
                json!({"owner": "acme", "repo": "shop", "perPage": 30}),
            )],
            program: "from collections import Counter\nfrom servers.github_legacy import list_commits\ncommits = await list_commits(owner='acme', repo='shop', perPage=30)\nreturn Counter(commit['author'] for commit in commits).most_common(5)",
        },
    ]
}

/// Those with few rows or none.
fn few() -> Vec<Task> {
    let pipeline =
        || ("gitlab", "get_pipeline", json!({"project_id": "acme/shop", "pipeline_id": "4711"}));
    vec![
        Task {
            name: "wait until a pipeline is through (ten looks)",
            rows: 10,
            queries: &["get pipeline"],
            calls: (0..10).map(|_| pipeline()).collect(),
            program: "import asyncio\nfrom servers.gitlab import get_pipeline\nfor look in range(10):\n    pipeline = await get_pipeline(project_id='acme/shop', pipeline_id='4711')\n    if pipeline['status'] not in ('running', 'pending'): break\n    await asyncio.sleep(0.01)\nreturn pipeline['status'], look + 1",
        },
        Task {
            name: "find contacts and tell a channel",
            rows: 20,
            queries: &["hubspot search objects", "slack post message"],
            calls: vec![
                (
                    "hubspot",
                    "hubspot-search-objects",
                    json!({"objectType": "contacts", "query": "berlin", "limit": 20}),
                ),
                (
                    "slack",
                    "slack_post_message",
                    json!({"channel_id": "C042", "text": "20 contacts in Berlin, 7 of them customers"}),
                ),
            ],
            program: "from servers.hubspot import hubspot_search_objects\nfrom servers.slack import slack_post_message\nfound = await hubspot_search_objects(objectType='contacts', query='berlin', limit=20)\ncustomers = sum(c['stage'] == 'customer' for c in found)\nawait slack_post_message(channel_id='C042', text=f'{len(found)} contacts in Berlin, {customers} of them customers')\nreturn len(found), customers",
        },
        Task {
            name: "open one issue",
            rows: 1,
            queries: &["create issue"],
            calls: vec![(
                "github-legacy",
                "create_issue",
                json!({"owner": "acme", "repo": "shop", "title": "Checkout fails", "body": "Since this morning."}),
            )],
            program: "from servers.github_legacy import create_issue\nissue = await create_issue(owner='acme', repo='shop', title='Checkout fails', body='Since this morning.')\nreturn issue['url']",
        },
        Task {
            name: "what time is it in Tokyo",
            rows: 1,
            queries: &["get current time"],
            calls: vec![("time", "get_current_time", json!({"timezone": "Asia/Tokyo"}))],
            program: "from servers.time import get_current_time\nreturn (await get_current_time(timezone='Asia/Tokyo'))['datetime']",
        },
    ]
}

/// The same numbers in every run.
struct Dice(u64);

impl Dice {
    fn below(&mut self, most: u64) -> u64 {
        self.0 =
            self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) % most
    }

    fn one_of(&mut self, words: &[&'static str]) -> &'static str {
        let at = usize::try_from(self.below(words.len() as u64)).unwrap_or_default();
        words[at]
    }

    fn sentence(&mut self, words: usize) -> String {
        const WORDS: &[&str] = &[
            "order", "page", "after", "customer", "fails", "slow", "the", "when", "login", "price",
            "missing", "twice", "since", "release", "cart", "with", "and", "report", "total",
            "wrong",
        ];
        (0..words).map(|_| self.one_of(WORDS)).collect::<Vec<_>>().join(" ")
    }
}

/// What a tool returns, the `number`th time it is asked.
pub(crate) fn result(server: &str, tool: &str, number: usize) -> Value {
    let mut dice = Dice(0x7ea_f00d + number as u64);
    let rows = |count: usize, dice: &mut Dice, row: fn(usize, &mut Dice) -> Value| -> Value {
        (0..count).map(|at| row(at, dice)).collect()
    };
    match (server, tool) {
        ("github-legacy", "list_issues") => rows(100, &mut dice, issue),
        ("github-legacy", "list_commits") => rows(30, &mut dice, |at, dice| {
            json!({"sha": format!("{:016x}{:016x}", dice.below(1 << 31), at), "author": person(dice), "date": day(dice),
                "message": dice.sentence(14), "url": format!("https://example.com/acme/shop/commit/{at}"), "verified": true})
        }),
        ("github-legacy", "create_issue") => issue(7, &mut dice),
        ("salesforce", _) => rows(1_000, &mut dice, |at, dice| {
            json!({"name": format!("Deal {at}"), "region": dice.one_of(&["EMEA", "APAC", "AMER", "LATAM"]),
                "amount": dice.below(90_000), "stage": dice.one_of(&["won", "lost", "open"])})
        }),
        ("slack", "slack_get_channel_history") => rows(
            200,
            &mut dice,
            |at, dice| json!({"ts": format!("17{at:08}.000{at}"), "user": format!("U{:03}", dice.below(50)), "type": "message", "text": dice.sentence(18)}),
        ),
        ("slack", "slack_get_users") => rows(
            50,
            &mut dice,
            |at, dice| json!({"id": format!("U{at:03}"), "name": person(dice), "tz": "Europe/Berlin", "is_bot": false, "title": dice.sentence(3)}),
        ),
        ("slack", _) => json!({"ok": true, "ts": "1700000000.000100", "channel": "C042"}),
        ("sentry", _) => rows(100, &mut dice, |at, dice| {
            json!({"id": at, "title": dice.sentence(9), "level": dice.one_of(&["error", "warning", "info"]), "release": format!("shop@1.{}", dice.below(6)),
                "count": dice.below(900), "users": dice.below(80), "first_seen": day(dice), "last_seen": day(dice), "culprit": dice.sentence(3)})
        }),
        ("kubernetes-npm", _) => rows(60, &mut dice, |at, dice| {
            json!({"name": format!("shop-{at}-{:x}", dice.below(1 << 30)), "namespace": "shop", "phase": "Running", "restarts": dice.below(9),
                "node": format!("node-{}", dice.below(12)), "ip": format!("10.0.{}.{}", dice.below(255), at), "started": day(dice), "image": format!("registry.example.com/shop:1.{}", dice.below(20))})
        }),
        ("gmail", _) => rows(
            40,
            &mut dice,
            |at, dice| json!({"id": format!("{at:016x}"), "from": person(dice), "subject": dice.sentence(7), "date": day(dice), "snippet": dice.sentence(25)}),
        ),
        // A megabyte.
        ("big", _) => rows(
            8_600,
            &mut dice,
            |at, dice| json!({"id": at, "amount": dice.below(900), "region": dice.one_of(&["EMEA", "APAC", "AMER"]), "text": dice.sentence(12)}),
        ),
        ("hubspot", _) => rows(
            20,
            &mut dice,
            |at, dice| json!({"id": at, "name": person(dice), "city": "Berlin", "stage": dice.one_of(&["lead", "customer"]), "email": format!("c{at}@example.com")}),
        ),
        ("gitlab", _) => {
            let status = if number < 9 { "running" } else { "success" };
            json!({"id": 4711, "status": status, "ref": "main", "sha": "9f86d081884c7d65", "created_at": "2026-01-05T09:00:00Z",
                "user": {"name": "Ada", "id": 3}, "duration": 10 * number, "coverage": null, "web_url": "https://example.com/acme/shop/pipelines/4711"})
        }
        _ => {
            json!({"timezone": "Asia/Tokyo", "datetime": "2026-01-05T18:00:00+09:00", "is_dst": false})
        }
    }
}

fn issue(at: usize, dice: &mut Dice) -> Value {
    json!({"number": 1_000 + at, "title": dice.sentence(8), "state": "open", "user": person(dice), "labels": [dice.one_of(&["bug", "feature", "docs", "checkout", "search"])],
        "comments": dice.below(20), "created_at": day(dice), "updated_at": day(dice), "body": dice.sentence(40), "url": format!("https://example.com/acme/shop/issues/{at}")})
}

fn person(dice: &mut Dice) -> String {
    dice.one_of(&["Ada", "Grace", "Linus", "Edsger", "Barbara", "Ken", "Radia", "Alan"]).to_owned()
}

fn day(dice: &mut Dice) -> String {
    format!("2026-0{}-1{}T0{}:15:00Z", 1 + dice.below(9), dice.below(10), dice.below(10))
}
