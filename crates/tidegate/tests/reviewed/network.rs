//! The network of programs: none, but for hosts that were named.

use serde_json::json;

use crate::gateway::{Gateway, Web};

#[test]
fn a_program_reaches_nothing_that_nobody_named_and_is_told_which_setting_names_it() {
    let gateway = Gateway::start("", &[]);
    let refused = gateway.run("return await http_get('https://api.example.com/items?key=s3cret')");
    let error = &refused["error"];
    assert_eq!(error["type"], "PolicyError", "{refused:#}");
    assert!(error["message"].as_str().unwrap().contains("`allow` under [network]"), "{refused:#}");
    let call = &refused["calls"][0];
    assert_eq!((&call["server"], &call["tool"]), (&json!("http"), &json!("GET api.example.com")));
    assert_eq!(call["fate"], "not_attempted", "{call}");
    let log = gateway.audited(&["--kind", "call"]);
    assert!(log.contains("http.GET api.example.com") && !log.contains("s3cret"), "{log}");
}

#[test]
fn a_program_reaches_a_host_that_was_named() {
    let web = Web::saying(r#"{"rows": [1, 2, 3]}"#);
    let address = &web.address;
    let config = format!("[network]\nallow = [{address:?}]\nallow-private = [{address:?}]\n");
    let gateway = Gateway::start(&config, &[]);
    let ran = gateway.run(&format!(
        "page = await http_get('http://{address}/items', params={{'a': 'b c'}}, headers={{'X-Own': 'yes'}})\n\
         sent = await http_request('POST', 'http://{address}/items', json={{'name': 'tea'}}, timeout=5)\n\
         return [page['status'], page['json']['rows'], page['headers']['content-type'], sent['text']]"
    ));
    let expected = json!([200, [1, 2, 3], "application/json", r#"{"rows": [1, 2, 3]}"#]);
    assert_eq!(ran["return_value"], expected, "{ran:#}");
    let first = web.asked.recv().unwrap();
    assert!(first.starts_with("GET /items?a=b+c ") && first.contains("yes"), "{first}");
    let second = web.asked.recv().unwrap();
    assert!(second.starts_with("POST /items ") && second.contains(r#"{"name":"tea"}"#), "{second}");
    let called: Vec<&str> = ran["calls"]
        .as_array()
        .unwrap()
        .iter()
        .map(|call| call["tool"].as_str().unwrap())
        .collect();
    assert_eq!(called, [format!("GET {address}"), format!("POST {address}")]);

    // Its neighbour on the same machine was not named.
    let other = Web::saying("secret");
    let refused = gateway.run(&format!(
        "try:\n    await http_get('http://{}/')\nexcept ToolError as error:\n    return [error.kind, str(error)]",
        other.address
    ));
    assert_eq!(refused["return_value"][0], "NotAllowed", "{refused:#}");
    assert!(other.asked.try_recv().is_err());
}

#[test]
fn what_a_request_is_sent_on_to_is_judged_and_remembered_like_a_request() {
    let last = Web::saying(r#"{"secret": 1}"#);
    let front = Web::sending_on(&format!("http://{}/x", last.address));
    let (a, b) = (&front.address, &last.address);
    let config = format!(
        "[network]\nallow = [{a:?}, {b:?}]\nallow-private = [{a:?}, {b:?}]\n\
         [[policy.rules]]\ntools = \"http.POST {b}\"\naction = \"deny\"\nreason = \"not there\"\n\
         [[policy.flow]]\nfrom = \"http.GET {b}\"\nto = \"data.*\"\naction = \"deny\"\n"
    );
    let gateway = Gateway::start(&config, &[]);
    let refused = gateway.run(&format!(
        "try:\n    await http_request('POST', 'http://{a}/', json={{'a': 'LEAK'}})\nexcept ToolError as error:\n    return [error.kind, str(error)]"
    ));
    assert_eq!(refused["return_value"][0], "ServerError", "{refused:#}");
    assert!(refused["return_value"][1].as_str().unwrap().contains("not there"), "{refused:#}");
    assert!(front.asked.recv().unwrap().contains("LEAK") && last.asked.try_recv().is_err());

    let denied = gateway.run(&format!(
        "page = await http_get('http://{a}/')\ntry:\n    await call_mcp_tool('data', 'get_devices', {{}})\nexcept PolicyError as error:\n    return [page['json'], str(error)]"
    ));
    assert_eq!(denied["return_value"][0], json!({ "secret": 1 }), "{denied:#}");
    let said = denied["return_value"][1].as_str().unwrap();
    assert!(said.contains(&format!("http.GET {b}")), "{said}");
    assert!(last.asked.recv().unwrap().starts_with("GET /x "));
    let log = gateway.audited(&["--kind", "call"]);
    assert!(log.contains(&format!("http.GET {b}")), "{log}");
}

#[test]
fn what_comes_from_a_host_has_tokens_where_everything_has_and_goes_back_as_it_was() {
    let web = Web::saying(r#"{"mail": "anna.meier@example.org", "n": 3}"#);
    let address = &web.address;
    let network = format!("[network]\nallow = [{address:?}]\nallow-private = [{address:?}]\n");
    let config = format!("{network}[privacy]\npii = \"tokenize\"\n");
    let gateway = Gateway::start(&config, &[]);
    let ran = gateway.run(&format!(
        "page = await http_get('http://{address}/')\n\
         mail = page['json']['mail']\n\
         sent = await http_request('POST', 'http://{address}/', json={{'to': 'X' + mail}})\n\
         return [mail, page['json']['n'], sent['text'], page['text']]"
    ));
    let value = &ran["return_value"];
    assert!(value[0].as_str().unwrap().starts_with("EMAIL_") && value[1] == 3, "{ran:#}");
    assert!(!ran.to_string().contains("anna.meier"), "{ran:#}");
    assert!(web.asked.recv().unwrap().starts_with("GET / "));
    let sent = web.asked.recv().unwrap();
    assert!(sent.contains(r#"{"to":"Xanna.meier@example.org"}"#), "{sent}");
    drop(gateway);

    // Where nothing has tokens, nothing is changed on the way.
    let gateway = Gateway::start(&network, &[]);
    let ran = gateway
        .run(&format!("page = await http_get('http://{address}/')\nreturn page['json']['mail']"));
    assert_eq!(ran["return_value"], "anna.meier@example.org", "{ran:#}");
}

#[test]
fn what_is_no_host_is_refused_when_the_configuration_is_read() {
    let gateway = Gateway::start("", &[]);
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("wrong.toml");
    std::fs::write(&file, "[network]\nallow = [\"https://example.com\"]\n").unwrap();
    let said = gateway.command(&["--config", file.to_str().unwrap(), "run", "-c", "1"]);
    let text = String::from_utf8_lossy(&said.stderr);
    assert_eq!(said.status.code(), Some(2), "{text}");
    assert!(text.contains("wrong.toml:2: `network.allow`"), "{text}");
}
