// Prints the programs of kangax's compat-table as JSON, one array: where each is from, its name and its text.
//
//   node programs.cjs PACKAGE
//
// The table keeps each program as a function, most of them as a comment inside one, so that a file can be loaded by
// interpreters that cannot read all of it. Nothing of the programs runs here.
"use strict";

const path = require("node:path");

const folder = path.resolve(process.argv[2]);
const COMMENT = /^function\s*\w*\s*\(\s*\w*\s*\)\s*\{\s*\/\*([\s\S]*)\*\/\s*\}$/;

/** What stands between the braces of a function without parameters. */
function body(given) {
  const text = given.toString();
  const comment = COMMENT.exec(text);
  return comment === null ? text.slice(text.indexOf("{") + 1, text.lastIndexOf("}")) : comment[1];
}

const found = [];
for (const edition of ["es5", "es6", "es2016plus", "esnext", "esintl"]) {
  for (const feature of require(path.join(folder, `data-${edition}.js`)).tests) {
    for (const one of feature.subtests ?? [feature]) {
      const name = feature.subtests === undefined ? feature.name : `${feature.name}: ${one.name}`;
      found.push({ edition, category: feature.category ?? "", feature: feature.name, name, text: body(one.exec) });
    }
  }
}
process.stdout.write(JSON.stringify(found));
