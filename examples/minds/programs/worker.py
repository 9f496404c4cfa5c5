done = 0
while (job := await receive("jobs", timeout=60)) is not None:
    schema = {
        "type": "object",
        "properties": {
            "topic": {"enum": job["topics"]},
            "mood": {"enum": ["glad", "angry", "neither"]},
            "urgent": {"type": "boolean"},
        },
        "required": ["topic", "mood", "urgent"],
    }
    # The planner's session was forked, so that its messages are here.
    said = await ask_model("What is this message about?\n" + messages[job["index"]], schema=schema)
    await post("done", {"index": job["index"], **said})
    done += 1
refused = False
try:
    await post("jobs", {"index": 0})
except PolicyError as error:
    refused = "only the planner gives out work" in str(error)
return {"messages": done, "may give out work": not refused}
