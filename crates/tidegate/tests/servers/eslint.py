# expect: {"wrong": ["no-var", "prefer-const"], "right": [], "missing": true}

import servers


async def rules_broken(name):
    # Three parts: words, the report as JSON, words.
    _, report, _ = await servers.eslint.lint_files(filePaths=[f"{work}/{name}"])
    return [message["ruleId"] for message in report["messages"]]


try:
    await rules_broken("missing.js")
    missing = False
except ToolError as error:
    missing = "No files matching" in str(error)

{"wrong": await rules_broken("wrong.js"), "right": await rules_broken("right.js"), "missing": missing}
