"""What node and our guest do with a text, each within limits: the texts are from strangers."""

import json
import os
import pathlib
import shutil
import subprocess
import sys

HERE = pathlib.Path(__file__).resolve().parent

# Seconds for one program in node. The guest has a limit of its own.
IN_NODE, IN_GUEST = 10, "5s"

# Outcomes that say nothing of the program.
OURS = ("RuntimeUnavailable", "UsageError")


class Node:
    """What node does with a text."""

    def __init__(self, folder):
        self.binary = shutil.which("node") or sys.exit("language-coverage: there is no node; install Node 20 or newer")
        self.folder = folder
        self.version = self.ask("--version").strip()
        # The name until Node 22.
        flags = [["--permission"], ["--experimental-permission"]]
        works = (flag for flag in flags if subprocess.run([self.binary, *flag, "-e", "0"], capture_output=True).returncode == 0)
        self.permission = next(works, None) or sys.exit(f"language-coverage: node {self.version} cannot be confined; install 20 or newer")

    def ask(self, *arguments, timeout=60):
        made = subprocess.run([self.binary, *arguments], capture_output=True, text=True, timeout=timeout, check=True)
        return made.stdout

    def own(self, script, folder):
        """What one of our own scripts prints about a package."""
        reads = [f"--allow-fs-read={HERE}/*", f"--allow-fs-read={folder}/*"]
        return self.ask(*self.permission, *reads, "--no-warnings", "--experimental-vm-modules", str(script), str(folder))

    def run(self, file):
        """Whether a program came to its end, and what it printed on both streams."""
        command = [self.binary, *self.permission, f"--allow-fs-read={self.folder}/*", "--no-warnings", "--max-old-space-size=256", file]
        try:
            made = subprocess.run(command, capture_output=True, text=True, errors="replace", timeout=IN_NODE, env={}, cwd=self.folder)
        except subprocess.TimeoutExpired:
            return False, "", "took too long"
        return made.returncode == 0, made.stdout, made.stderr


class Guest:
    """What our guest does with a text."""

    def __init__(self, binary, folder):
        self.binary, self.folder = binary, folder
        (folder / "tidegate.toml").touch()
        # Nobody's servers and settings; the runtime that is installed.
        kept = {name: value for name, value in os.environ.items() if not name.startswith("TIDEGATE_")}
        cache = {name: os.environ[name] for name in ["TIDEGATE_CACHE"] if name in os.environ}
        own = {"TIDEGATE_CONFIG": str(folder / "tidegate.toml"), "TIDEGATE_DATA": str(folder / "data")}
        self.environment = {**kept, **cache, **own}

    def run(self, file, timeout=IN_GUEST):
        """The outcome, as `tidegate run --json` prints it."""
        command = [self.binary, "run", "--json", "--no-check", "--language", "typescript", "--timeout", timeout, file]
        made = subprocess.run(
            command, capture_output=True, text=True, errors="replace", timeout=60, env=self.environment, cwd=self.folder
        )
        try:
            outcome = json.loads(made.stdout)
        except json.JSONDecodeError:
            outcome = None
        if outcome is None or (outcome.get("error") or {}).get("type") in OURS:
            sys.exit(f"language-coverage: {self.binary} did not run {file}: {made.stderr.strip() or made.stdout.strip()}")
        return outcome
