"""Skills: saved, found, called, tried and taken away."""

from collections.abc import Iterator

import pytest

from tidegate import ApiError, Tidegate, value_of

SOURCE = """
def twice(number: int) -> int:
    '''Twice a number.'''
    return 2 * number
"""


@pytest.fixture
def saving(gate: Tidegate) -> Iterator[Tidegate]:
    yield gate
    for one in gate.skills.list():
        gate.skills.remove(one.name)


def test_a_skill_is_saved_and_programs_call_it(saving: Tidegate) -> None:
    saved = saving.skills.save("twice", SOURCE, examples=[{"arguments": {"number": 4}, "expect": 8}])
    assert (saved.signature, saved.description) == ("twice(number: int) -> int", "Twice a number.")
    assert value_of(saving.execute("from skills import twice\nreturn twice(21)")) == 42
    [found] = saving.skills.list("twice a number", limit=1)
    assert (found.name, found.uses, found.scope) == ("twice", 1, "own")
    assert saving.skills.test("twice").passed


def test_each_version_can_be_read(saving: Tidegate) -> None:
    saving.skills.save("twice", SOURCE)
    saving.skills.save("twice", SOURCE.replace("2 * number", "number + number"), description="The same.")
    whole = saving.skills.read("twice")
    assert (whole.skill.versions, whole.skill.description) == ([1, 2], "The same.")
    assert "2 * number" in saving.skills.read("twice", version=1).source
    saving.skills.remove("twice")
    with pytest.raises(ApiError) as raised:
        saving.skills.read("twice")
    assert (raised.value.status, raised.value.code) == (404, "unknown_skill")


def test_what_fails_its_example_is_not_saved(saving: Tidegate) -> None:
    with pytest.raises(ApiError, match="returned 8 where 9 is expected") as raised:
        saving.skills.save("twice", SOURCE, examples=[{"arguments": {"number": 4}, "expect": 9}])
    assert raised.value.code == "skill_refused"
    assert saving.skills.list() == []


def test_where_no_index_is_named_there_are_no_packs(saving: Tidegate) -> None:
    assert saving.skills.packs() == []
    with pytest.raises(ApiError, match="no index of packs is named"):
        saving.skills.install("numbers", scope="own")
