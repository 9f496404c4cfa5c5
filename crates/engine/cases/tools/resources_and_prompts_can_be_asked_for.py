# expect: value [["$resources", {"server": null}], ["$resource", {"server": "demo", "uri": "a://b"}], ["$resource", {"server": null, "uri": "a://b"}], ["$prompts", {"server": "demo"}], ["$prompt", {"server": "demo", "name": "greet", "arguments": {"who": "me"}}]]
# servers: demo
asked = [
    await list_resources(),
    await read_resource("demo", "a://b"),
    await read_resource("a://b"),
    await list_prompts("demo"),
    await get_prompt("demo", "greet", {"who": "me"}),
]
[[one["asked"], one["with"]] for one in asked]
