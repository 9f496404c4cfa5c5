// The survey in at most 500 tokens: how it is built, what was seen, what has to be done, where and for how much.
import { getDocument } from "servers/documents";

const { text } = await getDocument({ id: "survey-2026" });
const sections = [...text.matchAll(/^## (\d+)\. (\w+) Pier$/gm)];
const pattern = /^Finding \((\w+)\): the ([\w ]+) of (\w+) Pier needs work for (\d+) EUR\.$/gm;
const found = [...text.matchAll(pattern)].map(([, grade, part, pier, euros]) => ({ grade, part, pier, euros: Number(euros) }));
const count = (names: string[]) => {
  const counts = new Map<string, number>();
  for (const name of names) counts.set(name, (counts.get(name) ?? 0) + 1);
  return counts;
};
const grades = count(found.map((one) => one.grade));
const repairs = count([...text.matchAll(/of (\w+) Pier the [\w ]+ is due for repair/g)].map(([, pier]) => pier));
const cost = new Map<string, number>();
for (const { pier, euros } of found) cost.set(pier, (cost.get(pier) ?? 0) + euros);
const byCost = [...cost].sort(([, one], [, other]) => other - one);
const seen = {
  "unchanged": "shows no change since the last visit",
  "without some coating": "has lost some of its coating",
  "weaker than drawn": "carries less than the drawing allows",
  "moved": "moved by a hand's breadth in the winter",
};
const times = (words: string) => grouped(text.split(words).length - 1);
const isAfter = (one: string, other: string) => (one < other ? 1 : one > other ? -1 : 0);
/** The findings of a grade as lines, the dearest first. */
const dearest = (grade: string) =>
  found
    .filter((one) => one.grade === grade)
    .sort((one, other) => other.euros - one.euros || isAfter(one.pier, other.pier) || isAfter(one.part, other.part))
    .map(({ euros, pier, part }) => `- ${pier} Pier, ${part}: ${grouped(euros)} EUR`);
const all = [...cost.values()].reduce((one, other) => one + other, 0);
// 1234567 as 1,234,567
const grouped = (number: number) => String(number).replace(/\B(?=(\d{3})+$)/g, ",");
return [
  `The survey has ${sections.length} sections on ${new Set(sections.map(([, , pier]) => pier)).size} piers and ${grouped(text.trim().split(/\s+/).length)} words.`,
  `Seen: ${Object.entries(seen).map(([state, words]) => `${times(words)} ${state}`).join(", ")}.`,
  `Findings: ${grades.get("high")} high, ${grades.get("medium")} medium, ${grades.get("low")} low; ${grouped(all)} EUR in all.`,
  `By pier: ${byCost.map(([pier, euros]) => `${pier} ${grouped(euros)} EUR, ${repairs.get(pier) ?? 0} repairs due`).join("; ")}.`,
  "High, the dearest first:",
  ...dearest("high"),
  "Medium, the dearest first:",
  ...dearest("medium"),
].join("\n");
