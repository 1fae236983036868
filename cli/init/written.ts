/** The text of a new experiment file about one server. Pure. */
import type { Json } from "../../base/yaml/json_text.ts";
import type { Subject } from "./subject.ts";

/** Prepends the line in which editors look for the JSON Schema of a file (yaml-language-server). */
export function withSchemaLine(text: string, schema: string): string {
  return `# yaml-language-server: $schema=${schema}\n${text}`;
}

/**
 * The text of the experiment file. Its title remains correct if the user later adds loads or settings. @param file Name
 * that the file will have.
 */
export function experimentAbout({ name, target, path }: Subject, file: string): string {
  return `# "plateau check ${file}" says what will be run, "plateau run ${file}" runs it, and
# "plateau init --example -" prints an experiment with every key explained.

name: ${flow(name)} # also the folder of the results
title: How many requests a second does ${name} serve? # title of the report: ask about what you vary

${targetComment(target)}
targets:
  ${flow(name)}: ${flow(target)}

# Requests to send, by name. Statuses of 200 to 399 are expected, unless expect says otherwise.
scenarios:
  ${scenarioName(path, name)}: { get: ${flow(path)} }
  # login: { post: /login, json: { user: ada }, expect: { status: 200, contains: welcome } }

# Each connection sends its next request when the last response is complete. With "rate: 1000/s", the clock decides.
load:
  connections: [10, 50] # a list makes a factor: every value is measured
  duration: 5s
repeat: 5 # runs of each combination${"url" in target ? "" : ", a fresh process every time"}
# thresholds: ["p99 < 50ms", "success >= 99.9%"] # pass/fail rules; the exit code is 1 when one fails
`;
}

function targetComment(target: Subject["target"]): string {
  if ("url" in target) return "# The server runs already: Plateau neither starts nor stops it.";
  const [program] = [target.command].flat();
  return [
    '# Started for every run, waited for until / responds ("ready: /health" waits for another path), and stopped with',
    `# its children.${"setup" in target ? " setup builds it once." : ""}`,
    "port" in target
      ? "# It listens on only one port. If it reads the variable PORT, leave port out: then a free port is chosen."
      : "# {port} becomes a free port, which the variable PORT holds, too. For a program with a fixed port: port: 3000",
    // A container does not get the environment of the command that starts it, so the hint would
    // mislead.
    ...program === "podman" || program === "docker"
      ? []
      : ["# To compare two settings, add a variable with a list: env: { MODE: [fast, safe] }"],
  ].join("\n");
}

/**
 * Derives a scenario's name from its path. It differs from the target's name, because in a rule a name alone could
 * otherwise mean either.
 */
function scenarioName(path: string, target: string): string {
  const name = path.replace(/\?.*/, "").split("/")
    .findLast((part) => /^[a-z][\w-]*$/i.test(part)) ?? "home";
  return name === target ? `get-${name}` : name;
}

/** Matches text that YAML reads as the same text without quotes, even within braces and brackets. */
const PLAIN = /^(?!(?:true|false|null|yes|no|on|off)$)(?:-*[a-z]|[./_])[\w./:-]*(?<!:)$/i;

/** A YAML value on one line, as people write it: `{ command: [node, server.js], port: 3000 }`. */
function flow(value: Json): string {
  if (Array.isArray(value)) return `[${value.map(flow).join(", ")}]`;
  if (typeof value === "object" && value !== null) {
    return `{ ${
      Object.entries(value).map(([key, inner]) => `${flow(key)}: ${flow(inner)}`).join(", ")
    } }`;
  }
  return typeof value === "string" && PLAIN.test(value) ? value : JSON.stringify(value);
}
