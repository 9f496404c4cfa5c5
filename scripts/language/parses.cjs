// Prints which of a folder's files are ES modules, as a JSON array of names. Nothing of them runs.
//
//   node --experimental-vm-modules parses.cjs FOLDER
"use strict";

const { readdirSync, readFileSync } = require("node:fs");
const path = require("node:path");
const { SourceTextModule } = require("node:vm");

const folder = path.resolve(process.argv[2]);
const isModule = name => {
  try {
    return new SourceTextModule(readFileSync(path.join(folder, name), "utf8")) !== null;
  } catch {
    return false;
  }
};
process.stdout.write(JSON.stringify(readdirSync(folder).filter(isModule).sort()));
