"""Cases, how they are run, and what holds after each of them."""

import base64
import dataclasses
import time
from collections.abc import Callable

CASES = []


@dataclasses.dataclass
class Case:
    """One attempt: what it is, in a sentence, and the function that tries it and checks the outcome."""

    kind: str
    name: str
    attempt: Callable


def case(kind, name):
    """Registers a function as a case. It gets the world, and raises when the outcome is not the safe one."""

    def register(function):
        add(kind, name, function)
        return function

    return register


def add(kind, name, function):
    """Registers a case that was made by a table."""
    if any(one.name == name and one.kind == kind for one in CASES):
        raise ValueError(f"two cases are called {name!r}")
    CASES.append(Case(kind, name, function))


def forms(secret):
    """A secret, and the ways in which a program might write it to get it past a search."""
    plain = secret.encode()
    found = {plain, plain[::-1], plain.hex().encode(), base64.b64encode(plain).rstrip(b"=")}
    # Within a longer text, base64 starts at one of three places.
    for shift in (1, 2):
        found.add(base64.b64encode(b"x" * shift + plain)[4:].rstrip(b"=")[:-2])
    return found


def run(world, words, tell):
    """Runs the cases, group by group; what was found, by case."""
    wanted = [one for one in CASES if not words or any(word in f"{one.kind}: {one.name}" for word in words)]
    results = []
    kinds = list(dict.fromkeys(one.kind for one in wanted))
    for kind in kinds:
        tell(f"\n{kind}")
        for one in (one for one in wanted if one.kind == kind):
            began = time.monotonic()
            world.leaks.clear()
            problem = None
            try:
                one.attempt(world)
            except AssertionError as error:
                problem = str(error) or "the outcome is not the safe one"
            except Exception as error:  # What breaks a case is no proof of safety.
                problem = f"{type(error).__name__}: {error}"
            if problem is None and world.leaks:
                problem = "; ".join(world.leaks)
            took = time.monotonic() - began
            results.append({"kind": kind, "name": one.name, "problem": problem, "seconds": round(took, 3)})
            told = f"FAILED {one.name}: {problem[:600]}" if problem else f"ok     {one.name}"
            tell(told if took < 5 else f"{told} ({took:.1f} s)")
        for problem in world.check():
            results.append({"kind": kind, "name": f"after these cases, {problem}", "problem": problem, "seconds": 0})
            tell(f"FAILED after these cases, {problem}")
    return results


def same(found, wanted, about="it"):
    """Fails unless the two are the same."""
    assert found == wanted, f"{about} is {found!r:.400}, not {wanted!r:.200}"


def one_of(found, wanted, about="it"):
    """Fails unless it is one of those."""
    assert found in wanted, f"{about} is {found!r:.400}, none of {wanted!r:.300}"


def has(text, part, about="it"):
    """Fails unless the text has the part."""
    assert part in text, f"{about} has no {part!r}: {text!r:.500}"


def lacks(text, part, about="it"):
    """Fails if the text has the part."""
    assert part not in text, f"{about} has {part!r}: {text!r:.500}"
