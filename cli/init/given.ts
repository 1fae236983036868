/** Makes the subject to measure from what a person named: a URL or a command line. Pure. */
import { UserError } from "../../base/errors.ts";
import { shellWords } from "../../scenarios/imports/command_lines/options.ts";
import { nameOf, type Subject } from "./subject.ts";

/** A server that already runs; a message if the URL is wrong. */
export function ofUrl(text: string): Subject | string {
  const written = /^[a-z][a-z\d+.-]*:\/\//i.test(text) ? text : `http://${text}`;
  const url = URL.parse(written);
  if (text === "" || url === null || !/^https?:$/.test(url.protocol)) {
    return "Cannot use this as a URL: write http://host:port/path";
  }
  if (url.username !== "" || url.password !== "") {
    return "Cannot use a URL with a user: leave the user out, and write an authorization header in the scenario";
  }
  return {
    name: nameOf(url.hostname),
    about: text,
    target: { url: url.origin },
    path: url.pathname + url.search,
    notes: [],
  };
}

/** A server that a command line starts; a message if the command line is wrong. @param name Name of the server. */
export function ofCommand(line: string, name: string): Subject | string {
  if (line.trim() === "") return "Cannot use an empty command: write a program and its arguments";
  return {
    name: nameOf(name),
    about: line,
    target: { command: wordsOf(line) },
    path: "/",
    notes: [],
  };
}

/** Splits a command line into a program and its arguments. A command line that needs a shell is passed to `sh -c`. */
function wordsOf(line: string): string[] {
  try {
    const words = shellWords(line, "--command");
    if (!/^\w+=/.test(words[0])) return words;
  } catch (error) {
    if (!(error instanceof UserError)) throw error;
  }
  return ["sh", "-c", line];
}
