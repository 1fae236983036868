#!/usr/bin/env node
// Starts the program. When plateau is installed, install.cjs puts the program itself in this file's place: Node's own
// start is half of the time that this takes. It stays where scripts of packages do not run, and on Windows.
"use strict";

const { programPath } = require("../program.cjs");

/** What something needed that is missing ends with. */
const MISSING = 3;

function launch() {
  const program = programPath();
  const args = process.argv.slice(2);
  if (process.execve && process.platform !== "win32") {
    process.removeAllListeners("warning"); // Node calls execve experimental
    process.execve(program, [program, ...args], process.env);
  }
  // Handled before there is a child, as a signal that came in between would end this process alone.
  // A terminal sends its signals to both. The child decides when to end.
  for (const signal of ["SIGINT", "SIGQUIT"]) process.on(signal, () => {});
  for (const signal of ["SIGTERM", "SIGHUP"]) process.on(signal, () => child.kill(signal));
  const child = require("node:child_process").spawn(program, args, { stdio: "inherit" });
  child.on("error", ({ message }) => fail(`Cannot start ${program}: ${message}`));
  child.on("exit", (code, signal) => {
    if (signal === null) process.exit(code);
    process.removeAllListeners(signal);
    process.kill(process.pid, signal);
  });
}

function fail(message) {
  process.stderr.write(`${message}\n`);
  process.exit(MISSING);
}

try {
  launch();
} catch ({ message }) {
  fail(message);
}
