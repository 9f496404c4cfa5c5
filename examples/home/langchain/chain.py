"""Sentences become automations in a LangChain chain: prompt, model, program, POST /execute.

    URL=http://127.0.0.1:8030 python chain.py "Turn on the lights when motion is detected" "Analyze power usage last week"

The model is a recorded one, so that no key is needed, and knows these two; any chat model of LangChain takes its place.
What is printed is one file for Home Assistant, with what else the programs found as comments.
"""

import json
import os
import pathlib
import re
import sys
import urllib.request

from langchain_core.language_models import FakeListChatModel
from langchain_core.output_parsers import StrOutputParser
from langchain_core.prompts import ChatPromptTemplate
from langchain_core.runnables import RunnableLambda

FOLDER = pathlib.Path(__file__).resolve().parent.parent / "recorded"
RECORDED = {"Turn on the lights when motion is detected": "lights", "Analyze power usage last week": "power"}
PROMPT = """You write one Python program. It calls these functions and returns Home Assistant automations as YAML text under `yaml`.

{tools}"""


def ask(method, path, body=None):
    headers = {"Content-Type": "application/json"}
    if token := os.environ.get("TOKEN"):
        headers["Authorization"] = f"Bearer {token}"
    data = None if body is None else json.dumps(body).encode()
    with urllib.request.urlopen(urllib.request.Request(os.environ["URL"] + path, data, headers, method=method)) as answer:
        return json.load(answer)


def tools(question):
    """Adds what the gateway finds for a question."""
    found = ask("GET", "/api/v1/mcp/tools/search?detail_level=full&limit=8&query=" + urllib.request.quote(question))
    return {"question": question, "tools": "\n\n".join(f"{one['server']}.{one['signature']}" for one in found["tools"])}


def program(text):
    """The program in what the model said."""
    return re.search(r"```python\n(.*?)```", text, re.S)[1]


def execute(code):
    """What the program returns."""
    run = ask("POST", "/execute", {"code": code})
    if not run["success"]:
        raise RuntimeError(run["error"]["message"])
    return run["return_value"]


def recorded(questions):
    """A model that says what one said to these questions, in this order."""
    if unknown := [question for question in questions if question not in RECORDED]:
        sys.exit(f"nothing was recorded for {unknown[0]!r}; ask one of {list(RECORDED)}, or put another chat model into main")
    return FakeListChatModel(responses=[(FOLDER / f"{RECORDED[question]}.program.md").read_text() for question in questions])


def show(question, result):
    """An automation, and the rest of what its program returned as comments."""
    print(f"# {question}")
    for name, value in result.items():
        if name != "yaml":
            print(f"# {name}: {json.dumps(value)}")
    print(result["yaml"], end="")


def main():
    questions = sys.argv[1:]
    model = recorded(questions)
    prompt = ChatPromptTemplate.from_messages([("system", PROMPT), ("user", "{question}")])
    chain = (
        RunnableLambda(tools) | prompt | model | StrOutputParser() | RunnableLambda(program) | RunnableLambda(execute)
    )
    results = [chain.invoke(question) for question in questions]
    for question, result in zip(questions, results):
        show(question, result)
    return 0 if results and all(result["valid"] for result in results) else 1


if __name__ == "__main__":
    sys.exit(main())
