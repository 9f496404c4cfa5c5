"""Whether what our schema of automations takes, Home Assistant takes too.

Run from the root of the repository by scripts/check-automations. First the automations that examples/home prints; then ten thousands
that chance puts together, most of them with something wrong in them.
"""

import json
import pathlib
import random
import sys

import jsonschema
import yaml
from homeassistant.components.automation.config import PLATFORM_SCHEMA
from homeassistant.components.homeassistant.triggers import numeric_state, state, time

SCHEMA = json.loads(pathlib.Path("crates/example-servers/src/automation.schema.json").read_text())
TRIGGERS = {"state": state.TRIGGER_STATE_SCHEMA, "numeric_state": numeric_state._TRIGGER_SCHEMA, "time": time.TRIGGER_SCHEMA}
# No schema can say this: it is about two values together.
KNOWN = "A value can never be above"
TRIED = 100_000


def theirs(automation):
    """What Home Assistant says against it; nothing where it would take it."""
    try:
        for trigger in PLATFORM_SCHEMA(automation)["triggers"]:
            TRIGGERS[trigger["platform"]](trigger)
    except Exception as error:  # noqa: BLE001, each of its validators has exceptions of its own
        return str(error)
    return None


def printed():
    """The automations that the example prints."""
    sections = pathlib.Path("examples/home/expected.txt").read_text().split("## ")
    texts = [text.partition("\n") for text in sections]
    return [one for name, _, text in texts if name.endswith(".yaml") for one in yaml.safe_load(text)]


class Maker:
    """Automations by chance, right and wrong."""

    def __init__(self, seed):
        self.chance = random.Random(seed)

    def one_of(self, *choices):
        return self.chance.choice(choices)

    def often(self, start, **more):
        return start | {name: make() for name, make in more.items() if self.chance.random() < 0.7}

    def entity(self):
        wrong = ("light._x", "a_.b", "light.x_", "a.b.c", "Light.x", "light.a__b", "_.x", "light.")
        return self.one_of("light.hall_24", "sensor.a_b", "1a.b", self.one_of(*wrong))

    def entities(self):
        return self.entity() if self.chance.random() < 0.7 else [self.entity() for _ in range(self.chance.randint(0, 2))]

    def time(self):
        return self.one_of("18:00:00", "07:50", "00:00", self.one_of("24:00", "7:50", "noon", 1800))

    def duration(self):
        wrong = ({"minutes": -1}, {}, {"days": 1}, 5, {"minutes": "12"})
        return self.one_of(self.time(), {"minutes": 12}, {"hours": 1, "seconds": 2.5}, {"seconds": 0}, self.one_of(*wrong))

    def number(self):
        return self.one_of(1, 222, 0.5, -3, self.one_of("7", True))

    def word(self):
        return self.one_of("on", "off", "", 5)

    def trigger(self):
        about = {"entity_id": self.entities()}
        return self.one_of(
            lambda: self.often({"trigger": "state"} | about, to=self.word, **{"from": self.word, "for": self.duration}),
            lambda: self.often({"trigger": "numeric_state"} | about, above=self.number, below=self.number, **{"for": self.duration}),
            lambda: self.often({"trigger": "time"}, at=self.time),
        )()

    def condition(self):
        return self.one_of(
            lambda: self.often({"condition": "time"}, after=self.time, before=self.time),
            lambda: self.often({"condition": "state", "entity_id": self.entities()}, state=self.word),
        )()

    def action(self):
        service = self.one_of("light.turn_on", "persistent_notification.create", self.one_of("light._x", "a.b_", "light", "Light.on"))
        target, data = lambda: {"entity_id": self.entities()}, lambda: self.one_of({}, {"message": "x"}, {"n": 1})
        return self.one_of(lambda: self.often({"action": service}, target=target, data=data), lambda: {"delay": self.duration()})()

    def automation(self):
        mode = lambda: self.one_of("single", "restart", "queued", "parallel", "other")  # noqa: E731
        made = self.often({"id": self.one_of("a", "x_y"), "alias": "A"}, description=lambda: "d", mode=mode)
        made |= {"triggers": [self.trigger()], "actions": [self.action()]}
        return self.often(made, conditions=lambda: [self.condition()])


def main():
    ours = jsonschema.Draft202012Validator(SCHEMA)
    shown = printed()
    problems = [f"{one['id']}: {why}" for one in shown if (why := theirs(one))]
    problems += [f"{one['id']}: our own schema does not take it" for one in shown if not ours.is_valid([one])]
    maker, taken = Maker(1), 0
    for _ in range(TRIED):
        one = maker.automation()
        if ours.is_valid([one]):
            taken += 1
            why = theirs(json.loads(json.dumps(one)))
            if why and not why.startswith(KNOWN):
                problems.append(f"{json.dumps(one)}: {why}")
    if not shown or taken < 1_000:
        problems.append(f"only {len(shown)} automations of the example and {taken} others were tried")
    if problems:
        sys.exit("\n".join(problems[:20]))
    print(f"Home Assistant takes the {len(shown)} automations of examples/home, and the {taken} of {TRIED} that our schema takes")


main()
