// Puts the program in the place of bin/plateau, as a second name of one file. Where that cannot be, bin/plateau starts it.
"use strict";

const { linkSync, renameSync, rmSync } = require("node:fs");
const { join } = require("node:path");
const { programPath } = require("./program.cjs");

const bin = join(__dirname, "bin/plateau");
const made = `${bin}.${process.pid}`;

if (process.platform !== "win32") {
  try {
    linkSync(programPath(), made);
    renameSync(made, bin);
  } catch {
    rmSync(made, { force: true });
  }
}
