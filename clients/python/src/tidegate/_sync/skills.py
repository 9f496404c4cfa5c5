# Generated from _async/skills.py by scripts/generate-clients; not to be edited.
"""Skills: functions that programs keep and import, and packs of them."""

from __future__ import annotations

import builtins
from typing import Unpack

from tidegate import _wire, models
from tidegate._sync.parts import _Part
from tidegate._wire import Ask, of, segment
from tidegate.models import (
    Pack,
    PackInstalled,
    PackInstallOptions,
    Skill,
    SkillDraft,
    SkillDraftOptions,
    SkillTested,
    WholeSkill,
)


class Skills(_Part):
    """Functions that programs keep and import."""

    def list(self, query: str = "", *, limit: int | None = None) -> builtins.list[Skill]:
        """The skills that one sees, the best first; all of them if the query is empty."""
        params = {"query": query or None, "limit": limit}
        return (self._transport.send(Ask("GET", "/api/v1/skills", of(models.Skills), params=params))).skills

    def read(self, name: str, *, version: int | None = None) -> WholeSkill:
        """One skill with its source and examples; `name_v1` is its first version."""
        return self._transport.send(Ask("GET", _skill(name), of(WholeSkill), params={"version": version}))

    def save(self, name: str, source: str, **options: Unpack[SkillDraftOptions]) -> Skill:
        """Saves the function of that name which the source defines, once its `examples` have run.

        Its parameters and its value need types, and it needs a docstring or a `description`.
        """
        body: SkillDraft = {"name": name, "source": source, **options}
        return self._transport.send(Ask("POST", "/api/v1/skills", of(Skill), json=body, is_run=True))

    def test(self, name: str, *, version: int | None = None) -> SkillTested:
        """Runs its examples again with what was recorded, and marks it as they say."""
        ask = Ask("POST", f"{_skill(name)}/test", of(SkillTested), params={"version": version}, is_run=True)
        return self._transport.send(ask)

    def remove(self, name: str, *, scope: str | None = None) -> None:
        """Takes a skill away, with all its versions; one's own, or that of `team:NAME` or `global`."""
        self._transport.send(Ask("DELETE", _skill(name), _wire.nothing, params={"scope": scope}))

    def packs(self) -> builtins.list[Pack]:
        """The packs of the indexes that the gateway's operator named."""
        return (self._transport.send(Ask("GET", "/api/v1/packs", of(models.Packs)))).packs

    def install(self, pack: str, **options: Unpack[PackInstallOptions]) -> PackInstalled:
        """Installs a pack, or the one that has a skill of that name, for whoever `scope` says."""
        path = f"/api/v1/packs/{segment(pack)}/install"
        return self._transport.send(Ask("POST", path, of(PackInstalled), json=dict(options), is_run=True))


def _skill(name: str) -> str:
    return f"/api/v1/skills/{segment(name)}"
