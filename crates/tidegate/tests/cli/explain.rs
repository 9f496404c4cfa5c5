//! `tidegate run --explain`: the limits, without running anything.

use serde_json::Value;

use crate::tide::User;

#[test]
fn hardened_is_explained() {
    let said =
        User::new().tidegate(&["run", "--explain", "--level", "hardened", "--timeout", "1500ms"]);
    assert_eq!((said.code, said.stderr.as_str()), (Some(0), ""));
    insta::assert_snapshot!(said.stdout, @"
    level hardened
    limit                   value       setting
    wall time of a run      1500 ms     wall
    CPU time of a run       1500 ms     cpu-time
    rest between two steps  7 days      rest
    share of a core         0.5         cpu-share
    memory                  128 MiB     memory-bytes
    output, each stream     256 KiB     output-bytes
    return value            8 MiB       value-bytes
    host calls              100         calls
    host calls in flight    16          calls-in-flight
    call arguments          256 KiB     call-arguments-bytes
    call result             8 MiB       call-result-bytes
    /workspace              read only   workspace-writable
    files together          0 bytes     workspace-bytes
    one file                0 bytes     file-bytes
    files and folders       0           files
    open files              16          open-files
    tokens of models        20000       model-tokens
    recursion               500         recursion
    imports                 35 modules  imports
    imports: asyncio, base64, bisect, calendar, collections, copy, csv, dataclasses, datetime, decimal, difflib, enum, fractions, functools, hashlib, heapq, html, itertools, json, math, numbers, numpy, operator, pandas, random, re, statistics, string, textwrap, tidegate, time, typing, unicodedata, uuid, zoneinfo
    ");
}

#[test]
fn production_is_explained_as_json() {
    let said = User::new().tidegate(&["run", "--explain", "--json"]);
    let explained: Value = serde_json::from_str(&said.stdout).unwrap();
    insta::assert_json_snapshot!(explained, @r#"
    {
      "level": "production",
      "limits": {
        "wall_ms": 30000.0,
        "cpu_time_ms": 30000.0,
        "rest_ms": 604800000.0,
        "cpu_share": 1.0,
        "memory_bytes": 268435456,
        "output_bytes": 1048576,
        "value_bytes": 33554432,
        "calls": 1000,
        "calls_in_flight": 100,
        "call_arguments_bytes": 1048576,
        "call_result_bytes": 33554432,
        "workspace_writable": true,
        "workspace_bytes": 104857600,
        "file_bytes": 10485760,
        "files": 1000,
        "open_files": 64,
        "model_tokens": 100000,
        "recursion": 1000,
        "imports": null
      }
    }
    "#);
}

#[test]
fn an_option_that_would_loosen_a_limit_is_named_and_not_followed() {
    let said = User::new().tidegate(&["run", "--explain", "--memory", "10GB", "--cpu", "2"]);
    insta::assert_snapshot!(said.stderr, @"
    warning: --memory 10 GB is more than level production allows; using 256 MiB; --level development allows more
    warning: --cpu 2 is more than level production allows; using 1; --level development allows more
    ");
    assert!(said.stdout.contains("256 MiB"), "{}", said.stdout);
}
