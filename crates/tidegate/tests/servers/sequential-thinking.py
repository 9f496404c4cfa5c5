# expect: {"lengths": [1, 2, 3], "done": true}

from servers.sequential_thinking import sequentialthinking

thoughts = ["The tide turns twice a day.", "It is high at noon.", "So it is high again after midnight."]
lengths = []
for number, thought in enumerate(thoughts, start=1):
    # The arguments as one dict, as they would stand in JSON.
    step = await sequentialthinking({
        "thought": thought,
        "thoughtNumber": number,
        "totalThoughts": len(thoughts),
        "nextThoughtNeeded": number < len(thoughts),
    })
    lengths.append(step["thoughtHistoryLength"])

{"lengths": lengths, "done": not step["nextThoughtNeeded"]}
