// expect: value [{"asked": "$resources", "with": {"server": "demo"}}, {"asked": "$prompt", "with": {"server": "demo", "name": "p", "arguments": {"a": 1}}}]
[await listResources("demo"), await getPrompt("demo", "p", { a: 1 })]
