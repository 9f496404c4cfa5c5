//! What a server says of its tools: whatever it is, bindings are made of it and arguments are judged by it.
#![no_main]

use std::sync::Arc;

use catalog::{Catalog, Listing};
use libfuzzer_sys::fuzz_target;
use serde_json::Value;

fuzz_target!(|data: (&str, &str)| {
    let (listing, arguments) = data;
    let Ok(listing) = serde_json::from_str::<Listing>(listing) else { return };
    let arguments = serde_json::from_str::<Value>(arguments).unwrap_or_default();
    let catalog = Catalog::new(vec![Arc::new(listing)]);
    for server in catalog.servers() {
        let python = bindings::python_server(server);
        assert_eq!(
            python.len(),
            bindings::python_server(server).len(),
            "the same input, the same files"
        );
        let _ = bindings::python_stubs(server);
        let _ = bindings::typescript_server(server);
        for tool in server.tools() {
            let _ = tool.check(&arguments);
            let found = catalog.resolve(Some(server.name().0.as_str()), &tool.name().0);
            assert!(found.is_ok(), "a tool is found by its own name");
        }
    }
});
