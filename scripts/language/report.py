"""The figures as Markdown."""

import collections
import datetime

# Shown, and not counted; the page says why.
BESIDE = ["shared memory", "Intl"]
ROW = "| {} | {} | {} | {} | {} |"

# Why something does not pass, where more can be said than what the program saw. By feature, or by the start of it.
REASONS = {
    "rest parameters": "QuickJS reads `set e(...args)`",
    "typed arrays": "the program wants no method of a single kind, and ES2026 has given `Uint8Array` `toBase64` and others",
    "Proxy, internal 'get' calls": "QuickJS looks at the object once more than the standard says, or in the order of ES2022, which reads `flags`",
    "Legacy RegExp": "QuickJS keeps nothing of the last match in `RegExp` itself; use what `exec` and `matchAll` return",
    "String.prototype HTML methods": "QuickJS refuses `\"\".anchor()` without an argument",
    "Proxy": "QuickJS cannot read `new new F(a)(b)`",
    "pass/1c6c67fcd71f2d08": "TypeScript's rule: the parameter of a setter has no default",
    "pass/c8513472857eae9c": "TypeScript's rule: the parameter of a setter has no default",
    "pass/845631d1a33b3409": "TypeScript's rule: a class has no two members of one name",
    "pass/88d42455ac933ef5": "TypeScript's rule: a class has no two members of one name",
    "pass/e54c1a2fc15cd4b8": "TypeScript's rule: a class has no two members of one name",
    "pass/1f3808cbdfab97e4": "QuickJS knows only the innermost of several labels before a loop, for `continue`",
    "pass/7a405ea1fdb6a26e": "QuickJS knows only the innermost of several labels before a loop, for `continue`",
    "early/": "a program may export what an earlier one of its session declared",
    "fail/02e5861a1ef10c42": "a program may return at its top level",
    "fail/7187f0675eb38279": "a program may return at its top level",
    "fail/7bfaaa1e80d6255f": "a program may return at its top level",
    "fail/8beaabe25ab7e0a8": "a program may return at its top level",
    "fail/33bc068464342558": "TypeScript: the type of a field",
    "fail/4a866d4657f5a83a": "TypeScript: the type of a field",
    "fail/5bb13cf33cea5691": "TypeScript: the type of a field",
    "fail/a7c82de4904833cc": "TypeScript: the type of a field",
    "fail/2e6ef2acc3ed75a9": "oxc reads `export {a, b} from` at the end of a text",
}


def report(verdicts, names, version, packages):
    """The text, and the least of the shares of what node passes that pass here, in per cent."""
    rows, least = table(verdicts)
    today = datetime.datetime.now(datetime.timezone.utc).strftime("%-d %B %Y")
    lines = [f"Run on {today} with node {version}; {packages[0]} and {packages[1]} from the npm registry.", "", *rows, ""]
    lines += ["### What does not pass", "", *missing(verdicts), "", "### Names", "", *inventory(names)]
    return "\n".join(lines), least


def table(verdicts):
    groups, parts = {}, {}
    for one in verdicts:
        counts = [groups.setdefault(one["group"], [0, 0, 0])]
        counts += [] if one["group"] in BESIDE else [parts.setdefault(one["part"], [0, 0, 0])]
        for count in counts:
            count[0] += 1
            count[1] += one["node"]
            count[2] += one["node"] and one["ours"]
    rows = [ROW.format("group", "programs", "node passes", "of these, pass here", "share"), "| --- | --- | --- | --- | --- |"]
    for part, whole in parts.items():
        inside = {one["group"] for one in verdicts if one["part"] == part and one["group"] not in BESIDE}
        rows += [row(name, count) for name, count in groups.items() if name in inside]
        rows.append(row(f"**all {part}**", whole))
    rows += [row(f"{name}, not counted", groups[name]) for name in BESIDE if name in groups]
    return rows, min(100 * whole[2] / whole[1] for whole in parts.values())


def row(name, count):
    share = f"{100 * count[2] / count[1]:.1f} %" if count[1] else "–"
    return ROW.format(name, *(f"{number:,}" for number in count), share)


def missing(verdicts):
    """What node passes and does not pass here, by the reason."""
    lacking = collections.defaultdict(list)
    for one in verdicts:
        if one["node"] and not one["ours"] and one["group"] not in BESIDE:
            lacking[reason(one)].append(one)
    lines = ["| programs | what | why |", "| --- | --- | --- |"]
    for why, ones in lacking.items():
        shown = [cell(one["name"]) for one in ones[:3]] + ([f"{len(ones) - 3} more"] if len(ones) > 3 else [])
        lines.append(f"| {len(ones)} | {'; '.join(shown)} | {cell(why)} |")
    return lines


def reason(one):
    known = (why for start, why in REASONS.items() if one["feature"].startswith(start))
    return next(known, one["ours said"])


def inventory(names):
    """Which names of built-ins are not there, those of one object together."""
    there = names["node"] - len(names["missing"])
    lines = [f"Of the {names['node']:,} names that node has for what the language has built in (functions, classes, methods, symbols), {there:,} are here."]
    for title, found in (("Missing", names["missing"]), ("Here and not in that node", names["more"])):
        lines += ["", f"{title}: {', '.join(together(found)) or 'none'}."]
    return lines


def together(names):
    """`Set.prototype` with the names in it; of an object that is new as a whole only its name."""
    owners = collections.defaultdict(list)
    for name in names:
        at = name.find("[") if "[" in name else name.rfind(".")
        owners[name[:at] if at > 0 else name].append(name[at:].removeprefix(".") if at > 0 else "")
    whole = [owner for owner, ones in owners.items() if "" in ones]
    inside = [(owner, ones) for owner, ones in owners.items() if owner.removesuffix(".prototype") not in whole]
    return [f"`{owner}`" for owner in whole] + [f"`{owner}` (`` {' '.join(ones)} ``)" for owner, ones in inside]


def cell(text):
    return text.replace("|", "\\|").replace("\n", " ").replace("<", "&lt;")[:300]
