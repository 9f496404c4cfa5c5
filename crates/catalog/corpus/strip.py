"""Makes tools.json.gz from a folder of answers of real servers.

    python3 strip.py FOLDER

Each file of the folder is one server's answer: {"serverInfo", "instructions", "tools"}. Names,
types, enumerations, patterns and short defaults are facts and stay. Sentences are somebody's work, so
each word of theirs is replaced by letters without meaning. Everything that is not a letter stays
where it is, because quotes, backslashes and line breaks are what breaks generated code.
"""

import gzip
import json
import pathlib
import sys

FILLER = "loremipsumdolorsitametconsecteturadipiscingelit"
# Words for people, wherever a schema has them.
PROSE = {
    "$comment", "description", "enumDescriptions", "errorMessage", "instructions",
    "markdownDescription", "summary", "title",
}
# Keywords whose keys are names of something and whose values are schemas.
NAMED = {"$defs", "definitions", "dependentSchemas", "patternProperties", "properties"}
# Keywords whose values are facts.
FACTS = {
    "$anchor", "$id", "$ref", "$schema", "const", "default", "enum", "format", "name", "pattern",
    "required", "type", "version",
}
# What a listing has no place for.
DROPPED = {"_meta", "execution", "icons", "protocolVersion", "capabilities"}


def neutral(text):
    written = []
    position = 0
    for character in text:
        if not character.isalpha():
            written.append(character)
            position = 0
            continue
        if ord(character) >= 0x2E80:
            letter = "\u5b57"
        elif not character.isascii():
            letter = "\u00e9"
        else:
            letter = FILLER[position % len(FILLER)]
        written.append(letter.upper() if character.isupper() else letter)
        position += 1
    return "".join(written)


def words(value):
    """Neutral words in place of every text within a value."""
    if isinstance(value, str):
        return neutral(value)
    if isinstance(value, list):
        return [words(item) for item in value]
    if isinstance(value, dict):
        return {key: words(item) for key, item in value.items()}
    return value


def is_sentence(value):
    """Some defaults are whole paragraphs; names of several words are none."""
    return isinstance(value, str) and value.count(" ") > 6


def stripped(value, keyword=None):
    if isinstance(value, list):
        return [stripped(item, keyword) for item in value]
    if isinstance(value, str):
        # A keyword that nobody knows, or an example: a fact unless it is a sentence.
        return words(value) if " " in value.strip() else value
    if not isinstance(value, dict):
        return value
    result = {}
    for key, item in value.items():
        if key in DROPPED and keyword is None:
            continue
        if keyword in NAMED:
            result[key] = stripped(item, "schema")
        elif key in PROSE:
            result[key] = words(item)
        elif key in FACTS and not is_sentence(item):
            result[key] = item
        else:
            result[key] = stripped(item, key)
    return result


def main():
    answers = []
    for path in sorted(pathlib.Path(sys.argv[1]).glob("*.json")):
        answer = json.loads(path.read_text())
        kept = {"name": path.stem, "serverInfo": stripped(answer.get("serverInfo") or {}, "serverInfo")}
        if answer.get("instructions"):
            kept["instructions"] = words(answer["instructions"])
        kept["tools"] = [stripped(tool) for tool in answer["tools"]]
        answers.append(kept)
    text = json.dumps(answers, ensure_ascii=False, separators=(",", ":"))
    target = pathlib.Path(__file__).with_name("tools.json.gz")
    with open(target, "wb") as file, gzip.GzipFile("", "wb", 9, file, mtime=0) as packed:
        packed.write(text.encode())


main()
