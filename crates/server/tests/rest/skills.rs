//! Skills through the REST door: each owner's own, and packs from one gateway to another.

use std::net::SocketAddr;
use std::path::PathBuf;

use ::skills::{Index, Name, Pack, Signer, Skill, Store, Trust};
use gateway::service::Caller;
use gateway::skillset::Sources;
use tempfile::TempDir;
use tokio::net::TcpListener;

use super::house::{sandbox, shop};
use super::*;

const SKILLS: &str = "/api/v1/skills";

fn twice() -> Value {
    json!({
        "name": "twice",
        "source": "def twice(number: int) -> int:\n    \"\"\"Twice a number.\"\"\"\n    return 2 * number\n",
        "examples": [{"arguments": {"number": 4}, "expect": 8}],
    })
}

#[tokio::test(flavor = "multi_thread")]
async fn a_skill_is_saved_read_tried_called_and_taken_away() {
    let house = House::new().await;
    let saved = house.post(SKILLS, twice()).await;
    assert_eq!(saved.status(), StatusCode::CREATED);
    let saved: Value = saved.json().await.unwrap();
    assert_eq!((&saved["version"], &saved["description"]), (&json!(1), &json!("Twice a number.")));
    assert_eq!(saved["signature"], "twice(number: int) -> int");
    let ran = house.run(json!({"code": "from skills import twice\ntwice(21)"})).await;
    assert_eq!(ran["return_value"], 42, "{ran}");
    let one = house.get(&format!("{SKILLS}/twice")).await;
    assert_eq!((&one["skill"]["uses"], &one["examples"][0]["expect"]), (&json!(1), &json!(8)));
    let found = house.get(&format!("{SKILLS}?query=number")).await;
    assert_eq!(found["skills"][0]["name"], "twice");
    let found = house.get("/api/v1/mcp/tools/search?query=twice%20a%20number").await;
    assert_eq!(found["tools"][0]["kind"], "skill", "{found}");
    let tested = house.post(&format!("{SKILLS}/twice/test"), Value::Null).await;
    let tested: Value = tested.json().await.unwrap();
    assert_eq!(tested, json!({"examples": 1, "passed": true}));
    let removed = house.asked(Method::DELETE, &format!("{SKILLS}/twice")).send().await.unwrap();
    assert_eq!(removed.status(), StatusCode::NO_CONTENT);
    assert_problem(house.ask(&format!("{SKILLS}/twice")).await, 404, "unknown_skill").await;
    assert_problem(house.ask(&format!("{SKILLS}/..%2Fx")).await, 404, "unknown_skill").await;
}

#[tokio::test(flavor = "multi_thread")]
async fn an_example_may_say_null_for_what_it_does_not_give() {
    let house = House::new().await;
    let source = "def seven() -> int:\n    'Seven.'\n    return 7\n";
    let examples = json!([{"arguments": null, "results": null, "expect": 7}]);
    let draft = json!({"name": "seven", "source": source, "examples": examples});
    assert_eq!(house.post(SKILLS, draft.clone()).await.status(), StatusCode::CREATED);
    let mut wrong = draft;
    wrong["scope"] = "mine".into();
    let said = assert_problem(house.post(SKILLS, wrong).await, 422, "invalid_request").await;
    assert!(said.contains("own, team:NAME or global"), "{said}");
}

#[tokio::test(flavor = "multi_thread")]
async fn one_that_fails_its_example_is_not_saved() {
    let house = House::new().await;
    let mut wrong = twice();
    wrong["examples"][0]["expect"] = json!(9);
    let said = assert_problem(house.post(SKILLS, wrong).await, 422, "skill_refused").await;
    assert!(said.contains("example 1 returned 8 where 9 is expected"), "{said}");
    // Nobody says of this tool that it only reads, so that no example calls it.
    let calls = json!({
        "name": "refunded",
        "source": "from servers.shop import refund_order\nasync def refunded() -> str:\n    'Refunds.'\n    return await refund_order(order='7')\n",
        "examples": [{}],
    });
    let said = assert_problem(house.post(SKILLS, calls).await, 422, "skill_refused").await;
    assert!(said.contains("nobody says of shop.refund-order that it only reads"), "{said}");
    assert_eq!(house.get(SKILLS).await["skills"], json!([]));
}

#[tokio::test(flavor = "multi_thread")]
async fn what_one_owner_saves_no_other_sees_changes_or_calls() {
    let strict = AccessRules { loopback_without_token: false, ..AccessRules::default() };
    let house = House::guarded(strict).await;
    let scopes = [Scope::Execute, Scope::Read];
    let of = async |owner: &str, teams: &[&str]| {
        let teams = teams.iter().map(ToString::to_string).collect();
        let caller = Caller { owner: owner.to_owned(), teams, scopes: scopes.into() };
        house.service.store().create_token(&caller, None).await.unwrap().0
    };
    let (anna, bob, carol) =
        (of("anna", &["ops"]).await, of("bob", &["ops"]).await, of("carol", &["dev"]).await);
    let ask = async |token: &str, method: Method, path: &str, body: Value| {
        let asked = house.asked(method, path).bearer_auth(token);
        let asked = if body.is_null() { asked } else { asked.json(&body) };
        asked.send().await.unwrap()
    };
    let names = async |token: &str| {
        let listed: Value =
            ask(token, Method::GET, SKILLS, Value::Null).await.json().await.unwrap();
        let names = listed["skills"].as_array().unwrap().iter();
        names.map(|skill| text(&skill["name"]).to_owned()).collect::<Vec<_>>()
    };
    let code = "def mine(n: int) -> int:\n    'Mine.'\n    return n\ndef ours(n: int) -> int:\n    'Ours.'\n    return n\n\
                await save_skill('mine', mine)\nawait save_skill('ours', ours, scope='team:ops')\n1";
    let ran = ask(&anna, Method::POST, "/execute", json!({"code": code})).await;
    let ran: Value = ran.json().await.unwrap();
    assert_eq!(ran["return_value"], 1, "{ran}");
    assert_eq!(names(&anna).await, ["mine", "ours"]);
    assert_eq!(names(&bob).await, ["ours"]);
    assert_eq!(names(&carol).await, Vec::<String>::new());

    let theirs = format!("{SKILLS}/mine");
    for token in [&bob, &carol] {
        let hidden = ask(token, Method::GET, &theirs, Value::Null).await;
        assert_problem(hidden, 404, "unknown_skill").await;
        let removed = ask(token, Method::DELETE, &theirs, Value::Null).await;
        assert_problem(removed, 404, "unknown_skill").await;
        let call = json!({"code": "import os\ntry:\n    from skills import mine\nexcept ImportError:\n    mine = None\n[mine, [one for one in os.listdir('/skills') if 'mine' in one]]"});
        let ran: Value = ask(token, Method::POST, "/execute", call).await.json().await.unwrap();
        assert_eq!(ran["return_value"], json!([null, []]), "{ran}");
    }
    // Nor does anybody write where they do not belong.
    let mut draft = twice();
    for scope in ["team:ops", "global", "owner:anna"] {
        draft["scope"] = scope.into();
        let refused = ask(&carol, Method::POST, SKILLS, draft.clone()).await;
        assert_problem(refused, 422, "invalid_request").await;
    }
    // A name of another's is free, and is another skill.
    let mut own = twice();
    own["name"] = "mine".into();
    own["source"] = "def mine(number: int) -> str:\n    'Bob.'\n    return 'bob'\n".into();
    own["examples"] = json!([]);
    assert_eq!(ask(&bob, Method::POST, SKILLS, own).await.status(), StatusCode::CREATED);
    let call = json!({"code": "from skills import mine\nmine(5)"});
    for (token, value) in [(&anna, json!(5)), (&bob, json!("bob"))] {
        let ran: Value =
            ask(token, Method::POST, "/execute", call.clone()).await.json().await.unwrap();
        assert_eq!(ran["return_value"], value, "{ran}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn who_looks_after_the_gateway_saves_for_everybody() {
    let strict = AccessRules { loopback_without_token: false, ..AccessRules::default() };
    let house = House::guarded(strict).await;
    let root = house.token("root", &[Scope::Execute, Scope::Read, Scope::Admin]).await;
    let anna = house.token("anna", &[Scope::Execute, Scope::Read]).await;
    let ask = async |token: &str, method: Method, path: &str, body: Value| {
        house.asked(method, path).bearer_auth(token).json(&body).send().await.unwrap()
    };
    let mut global = twice();
    global["scope"] = "global".into();
    let refused = ask(&anna, Method::POST, SKILLS, global.clone()).await;
    assert_problem(refused, 422, "invalid_request").await;
    let saved = ask(&root, Method::POST, SKILLS, global).await;
    assert_eq!(saved.status(), StatusCode::CREATED);
    assert_eq!(saved.json::<Value>().await.unwrap()["scope"], "global");

    let call = json!({"code": "from skills import twice\ntwice(21)"});
    let ran: Value = ask(&anna, Method::POST, "/execute", call).await.json().await.unwrap();
    assert_eq!(ran["return_value"], 42, "{ran}");
    let place = format!("{SKILLS}/twice?scope=global");
    let kept = ask(&anna, Method::DELETE, &place, json!({})).await;
    assert_problem(kept, 422, "invalid_request").await;
    let removed = ask(&root, Method::DELETE, &place, json!({})).await;
    assert_eq!(removed.status(), StatusCode::NO_CONTENT);
}

#[tokio::test(flavor = "multi_thread")]
async fn who_says_nothing_about_themselves_saves_nothing() {
    let house =
        House::guarded(AccessRules { allow_anonymous: true, ..AccessRules::default() }).await;
    let asked = house.asked(Method::POST, SKILLS).header("x-forwarded-for", "10.0.0.9");
    let refused = asked.json(&twice()).send().await.unwrap();
    let said = assert_problem(refused, 422, "skill_refused").await;
    assert!(said.contains("say who they are"), "{said}");
}

#[tokio::test(flavor = "multi_thread")]
async fn what_is_saved_for_a_team_needs_nothing_that_only_one_of_it_has() {
    let strict = AccessRules { loopback_without_token: false, ..AccessRules::default() };
    let house = House::guarded(strict).await;
    let scopes = [Scope::Execute, Scope::Read].into();
    let anna = Caller { owner: "anna".to_owned(), teams: vec!["ops".to_owned()], scopes };
    let token = house.service.store().create_token(&anna, None).await.unwrap().0;
    let code = r#"
def mine(n: int) -> int:
    "Mine."
    return n
await save_skill("mine", mine)
source = "from skills import mine\ndef ours(n: int) -> int:\n    'Ours.'\n    return mine(n)\n"
own = await save_skill("ours", source)
try:
    await save_skill("ours", source, scope="team:ops")
except ToolError as error:
    return [own["scope"], str(error)]"#;
    let asked = house.asked(Method::POST, "/execute").bearer_auth(token);
    let ran: Value = asked.json(&json!({"code": code})).send().await.unwrap().json().await.unwrap();
    assert_eq!(ran["return_value"][0], "own", "{ran}");
    assert!(text(&ran["return_value"][1]).contains("there is no skill 'mine'"), "{ran}");
}

const REFUND: &str = "shop.refund-order";

/// A skill that was saved when the tool was what this fingerprint says.
fn refund(name: &str, argument: &str, fingerprint: &str) -> Skill {
    let source = format!(
        "from servers.shop import refund_order\nasync def {name}():\n    return await refund_order({argument}='7')\n"
    );
    let recorded = json!({"tool": REFUND, "arguments": {argument: "7"}, "result": "done"});
    let skill = json!({
        "name": name, "version": 0, "signature": format!("{name}()"), "source": source,
        "description": "Refunds an order.", "author": "local", "saved": 7,
        "tools": [{"tool": REFUND, "fingerprint": fingerprint}],
        "examples": [{"results": [recorded], "expect": "done"}],
    });
    serde_json::from_value(skill).unwrap()
}

#[tokio::test(flavor = "multi_thread")]
async fn a_skill_whose_tool_changes_is_tried_again_and_says_what_came_of_it() {
    let folder = TempDir::new().unwrap();
    let now = shop(&folder).catalog().tools().next().unwrap().fingerprint().to_string();
    let before = "0".repeat(64);
    let store = Store::at(folder.path().join("skills"));
    let own = ::skills::Scope::Owner("local".to_owned());
    for (name, argument, fingerprint) in [
        ("still_right", "order", &before),
        ("wrong_now", "id", &before),
        ("newer", "order", &before),
        ("newer", "order", &now),
        ("right_again", "order", &now),
    ] {
        store.save(&own, refund(name, argument, fingerprint)).unwrap();
    }
    let right_again = Name::new("right_again").unwrap();
    let marked = store.note(&own, (&right_again, 1), |state| {
        state.stale = Some("the tool was another one for a while".to_owned());
        state.checked = [(REFUND.to_owned(), before.clone())].into();
    });
    marked.unwrap();

    let settings = Settings { idle: Duration::from_millis(80), ..Settings::default() };
    let (ready, sources) = (Readiness::Ready(sandbox()), Sources::default());
    let (service, folder) = House::opened_in(folder, settings, ready, sources).await;
    let house = House::serving(service, folder, RestOptions::default()).await;
    let changed = "shop.refund-order is not what it was when this was saved";
    // Who imports it is told, also before it was tried again.
    let ran = house.run(json!({"code": "from skills import still_right, newer_v1\n1"})).await;
    for name in ["still_right", "newer_v1"] {
        let told = format!("the skill {name} may be out of date: {changed}");
        assert!(text(&ran["stderr"]).contains(&told), "{ran}");
    }
    let says = |one: &Value, words: &str| {
        let stale = one["skill"]["stale"].as_str();
        stale.is_some_and(|stale| stale.starts_with(changed) && stale.contains(words))
    };
    for (path, words) in [
        ("still_right", "; its examples still pass"),
        ("wrong_now", "; example 1 no longer does what it did"),
        ("newer?version=1", "; its examples still pass"),
    ] {
        house.until(&format!("{SKILLS}/{path}"), |one| says(one, words)).await;
    }
    let found =
        house.get("/api/v1/mcp/tools/search?query=wrong&server=skills&detail_level=full").await;
    let about = text(&found["tools"][0]["description"]);
    assert!(about.starts_with("Refunds an order.\nIt may be out of date: shop."), "{found}");
    house.until(&format!("{SKILLS}/right_again"), |one| one["skill"]["stale"].is_null()).await;
    let newest = house.get(&format!("{SKILLS}/newer")).await;
    assert_eq!((&newest["skill"]["version"], &newest["skill"]["stale"]), (&json!(2), &Value::Null));
}

#[tokio::test(flavor = "multi_thread")]
async fn an_agent_elsewhere_finds_installs_and_calls_what_the_first_saved() {
    let first = House::new().await;
    let code = "def twice(number: int) -> int:\n    'Twice a number.'\n    return 2 * number\nreturn await save_skill('twice', twice, examples=[{'number': 4}])";
    assert_eq!(first.run(json!({"code": code})).await["success"], true);
    let (_, skill) = first.service.skill(&Caller::local(), "twice", None).unwrap();
    let (signer, _) = Signer::generate().unwrap();
    let name = Name::new("numbers").unwrap();
    let pack = Pack::new((name, "1", "Numbers."), vec![skill], Some(&signer)).unwrap();
    let index = TempDir::new().unwrap();
    Index::publish(index.path(), &pack).unwrap();
    let address = offered(index.path().to_owned()).await;

    let elsewhere = async |trust: Trust| {
        let sources = Sources { indexes: vec![format!("http://{address}")], trust };
        let ready = Readiness::Ready(sandbox());
        let (folder, settings) = (TempDir::new().unwrap(), Settings::default());
        let (service, folder) = House::opened_in(folder, settings, ready, sources).await;
        House::serving(service, folder, RestOptions::default()).await
    };
    let second = elsewhere(Trust { keys: [signer.key()].into(), unsigned: false }).await;
    let packs = second.get("/api/v1/packs").await;
    assert_eq!(packs["packs"][0]["skills"], json!(["twice"]), "{packs}");
    let installed = second.post("/api/v1/packs/twice/install", json!({})).await;
    assert_eq!(installed.status(), StatusCode::CREATED);
    let ran = second.run(json!({"code": "from skills import twice\n[twice(21), search_skills('twice')[0]['author']]"})).await;
    assert_eq!(ran["return_value"], json!([42, "numbers 1"]), "{ran}");

    let third = elsewhere(Trust::default()).await;
    let refused = third.post("/api/v1/packs/twice/install", json!({})).await;
    let said = assert_problem(refused, 422, "skill_refused").await;
    assert!(said.contains("a key that is not trusted here"), "{said}");
    assert_eq!(third.get(SKILLS).await["skills"], json!([]));
}

/// A web server that offers the files of a folder.
async fn offered(folder: PathBuf) -> SocketAddr {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = listener.local_addr().unwrap();
    let read = move |axum::extract::Path(file): axum::extract::Path<String>| {
        let path = folder.join(file);
        async move { std::fs::read(path).map_err(|_| axum::http::StatusCode::NOT_FOUND) }
    };
    let router = axum::Router::new().route("/{file}", axum::routing::get(read));
    tokio::spawn(async move { axum::serve(listener, router).await });
    address
}
