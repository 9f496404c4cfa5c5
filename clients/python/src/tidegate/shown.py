"""A run for whoever reads it: its value for a program, its words for a model."""

from __future__ import annotations

import json
from typing import Any

from tidegate.errors import ProgramFailed
from tidegate.models import ProgramError, Run

__all__ = ["text_of", "value_of"]


def value_of(run: Run) -> Any:
    """What the program returned; raises `ProgramFailed` if it did not succeed."""
    if not run.success:
        raise ProgramFailed(run)
    return run.return_value


def text_of(run: Run) -> str:
    """What a model should read of a run: its value or error, what was printed, and how to go on."""
    parts = []
    if run.error is not None:
        parts.append(_failure(run.error))
    elif not run.success:
        parts.append(_unfinished(run))
    elif isinstance(run.return_value, str):
        parts.append(run.return_value)
    elif run.return_value is not None:
        parts.append(json.dumps(run.return_value, ensure_ascii=False))
    parts += [
        f"{name}:\n{printed.rstrip()}"
        for name, printed in (("stdout", run.stdout), ("stderr", run.stderr))
        if printed.strip()
    ]
    if run.note:
        parts.append(f"note: {run.note}")
    if run.truncated is not None:
        most, path = run.truncated.max_output_tokens, run.truncated.path
        parts.append(f"cut to {most} tokens. All of it is in {path}. Better: filter first, and return less.")
    parts.append(f"session: {run.session}")
    return "\n\n".join(parts)


def _failure(error: ProgramError) -> str:
    place = f" at line {error.line}" if error.line is not None else ""
    # The check's own words have the place of each finding.
    text = error.message if error.type == "CheckError" else f"{error.type}{place}: {error.message}"
    if error.source_line and error.type != "CheckError":
        text += f"\n    {error.source_line.strip()}"
    return f"{text}\nhint: {error.hint}" if error.hint else text


def _unfinished(run: Run) -> str:
    if run.waiting is not None and run.waiting.approvals:
        return (
            f"The program waits for somebody to approve {run.waiting.approvals} of its calls"
            f" ({', '.join(run.waiting.for_)}). The run is {run.run_id}."
        )
    return f"The program is not over; it is {run.status}. The run is {run.run_id}."
