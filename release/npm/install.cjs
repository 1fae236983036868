// Replaces bin/plateau by a hard link to the program. If that is impossible, bin/plateau stays and starts the program.
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
