"""What a gateway says of itself at /openapi.json, as a list of models.

A model is a `Record` (fields), a `Choice` (some words) or an `Either` (records told apart by a word). Only what
JSON bodies are made of becomes a model. The order is that of the names, so that the same description always gives
the same models.
"""

import dataclasses

# Kinds of types: `any`, `text`, `moment`, `integer`, `number`, `boolean` and `null` stand for themselves; `list` and
# `map` have the type of their members; `model` has a name, `words` a tuple of texts, `either` a tuple of types.
PLAIN = {"string": "text", "integer": "integer", "number": "number", "boolean": "boolean", "null": "null"}


@dataclasses.dataclass(frozen=True)
class Type:
    """The type of a value."""

    kind: str
    of: object = None

    @property
    def is_nullable(self):
        return self.kind == "null" or (self.kind == "either" and Type("null") in self.of)


@dataclasses.dataclass(frozen=True)
class Field:
    """A field of a record."""

    name: str
    type: Type
    is_required: bool
    about: str


@dataclasses.dataclass(frozen=True)
class Record:
    """An object with named fields."""

    name: str
    about: str
    fields: tuple


@dataclasses.dataclass(frozen=True)
class Choice:
    """One of some words, or another type by a name of its own."""

    name: str
    about: str
    type: Type


@dataclasses.dataclass(frozen=True)
class Either:
    """One of several records, told apart by the words in their field `tag`."""

    name: str
    about: str
    tag: str
    variants: tuple


class Description:
    """The models of a document, and which of them are sent and which are answered."""

    def __init__(self, document):
        self._schemas = document.get("components", {}).get("schemas", {})
        self._found = {}
        self.sent, self.answered = set(), set()
        for item in document["paths"].values():
            for operation in item.values():
                if not isinstance(operation, dict):
                    continue
                self._reach(_json(operation.get("requestBody", {})), self.sent)
                for answer in operation.get("responses", {}).values():
                    self._reach(_json(answer), self.answered)
                for parameter in operation.get("parameters", []):
                    self._reach(parameter.get("schema", {}), self.answered)
        for name in sorted(self.sent | self.answered):
            self._add(name, self._schemas[name])

    @property
    def models(self):
        """Every model, by name."""
        return [self._found[name] for name in sorted(self._found)]

    def _reach(self, schema, names):
        if isinstance(schema, list):
            for one in schema:
                self._reach(one, names)
        if not isinstance(schema, dict):
            return
        name = _name_of(schema.get("$ref"))
        if name is not None and name not in names:
            names.add(name)
            self._reach(self._schemas[name], names)
        for key, value in schema.items():
            if key == "properties":
                # What is called `examples` here is a field, and no examples of the schema.
                self._reach(list(value.values()), names)
            elif key not in ("example", "examples", "default", "enum", "const"):
                self._reach(value, names)

    def _add(self, name, schema):
        about = " ".join(schema.get("description", "").split())
        variants = schema.get("oneOf", [])
        tag = _tag_of(variants)
        if tag:
            records = tuple(
                self._record(name + _camel(_words(one["properties"][tag])[0]), one) for one in variants
            )
            self._found[name] = Either(name, about, tag, records)
        elif "properties" in schema:
            self._found[name] = self._record(name, schema)
        else:
            self._found[name] = Choice(name, about, self._type(schema, name))

    def _record(self, name, schema):
        required = schema.get("required", [])
        fields = tuple(
            Field(
                key,
                self._type(value, name + _camel(key)),
                key in required,
                " ".join(value.get("description", "").split()),
            )
            for key, value in schema.get("properties", {}).items()
        )
        return Record(name, " ".join(schema.get("description", "").split()), fields)

    def _type(self, schema, name):
        """The type of a schema; an object without a name gets this one."""
        if "$ref" in schema:
            return Type("model", _name_of(schema["$ref"]))
        if words := _words(schema):
            kinds = schema.get("type")
            return _either([Type("words", words)] + [Type("null")] * (isinstance(kinds, list) and "null" in kinds))
        for key in ("oneOf", "anyOf"):
            if key in schema:
                return _either([self._type(one, name) for one in schema[key]])
        if len(schema.get("allOf", [])) == 1:
            return self._type(schema["allOf"][0], name)
        kinds = schema.get("type", [])
        kinds = [kinds] if isinstance(kinds, str) else kinds
        return _either([self._of_kind(kind, schema, name) for kind in kinds]) if kinds else Type("any")

    def _of_kind(self, kind, schema, name):
        if kind == "array":
            return Type("list", self._type(schema.get("items") or {}, name + "Item"))
        if kind == "object":
            if schema.get("properties"):
                self._found[name] = self._record(name, schema)
                return Type("model", name)
            members = schema.get("additionalProperties")
            return Type("map", self._type(members if isinstance(members, dict) else {}, name + "Member"))
        if kind == "string" and schema.get("format") == "date-time":
            return Type("moment")
        return Type(PLAIN[kind])


def _json(body):
    return body.get("content", {}).get("application/json", {}).get("schema", {})


def _name_of(reference):
    return reference.rsplit("/", 1)[1] if isinstance(reference, str) else None


def _words(schema):
    words = [schema["const"]] if "const" in schema else schema.get("enum", [])
    return tuple(word for word in words if isinstance(word, str))


def _tag_of(variants):
    """The field by whose single word the variants can be told apart."""
    if not variants or not all("properties" in one for one in variants):
        return None
    for key in variants[0]["properties"]:
        if all(len(_words(one["properties"].get(key, {}))) == 1 for one in variants):
            return key
    return None


def _camel(words):
    return "".join(word[:1].upper() + word[1:] for word in words.replace("-", "_").split("_"))


def _either(types):
    """One of these types; nothing is said twice, and what may be anything is anything."""
    flat = []
    for one in types:
        for part in one.of if one.kind == "either" else (one,):
            if part not in flat:
                flat.append(part)
    if any(one.kind == "any" for one in flat):
        return Type("any")
    flat.sort(key=lambda one: one.kind == "null")
    return flat[0] if len(flat) == 1 else Type("either", tuple(flat))
