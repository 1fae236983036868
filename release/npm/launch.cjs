#!/usr/bin/env node
// Starts the program. When plateau is installed, install.cjs replaces this file by the program itself, because the
// start of Node takes half of the time. This file stays on Windows, and where npm does not run the scripts of packages.
"use strict";

const { programPath } = require("../program.cjs");

/** The exit code if something that is needed is missing. */
const MISSING = 3;

function launch() {
  const program = programPath();
  const args = process.argv.slice(2);
  if (process.execve && process.platform !== "win32") {
    process.removeAllListeners("warning"); // Node calls execve experimental
    process.execve(program, [program, ...args], process.env);
  }
  // Handled before the child is started, because a signal in between would end only this process.
  // A terminal sends its signals to both processes, so the child decides when to end.
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
