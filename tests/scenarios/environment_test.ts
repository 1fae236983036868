/** `${env.NAME}` and secret parameters in experiment files. */
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import type { Experiment } from "../../scenarios/file/experiment_shape.ts";
import { UserError } from "../../base/errors.ts";
import { parseExperiment } from "../../scenarios/file/experiment_file.ts";
import { isSecretField } from "../../base/secret_fields.ts";
import { Secrets, secrets } from "../../base/secrets.ts";
import { YamlText } from "../../base/yaml/yaml_text.ts";

const REST = "load: { duration: 1s }\nname: a\n";
const TARGET = "targets: { t: { url: http://127.0.0.1:1 } }\n";

function read(
  text: string,
  { env = {}, set = {} }: { env?: Record<string, string>; set?: Record<string, string> } = {},
): Experiment {
  return parseExperiment(REST + text, "a.yaml", { set, environment: (name) => env[name] });
}

function linesOf(run: () => unknown): readonly string[] {
  try {
    run();
  } catch (error) {
    if (error instanceof UserError) return error.lines;
    throw error;
  }
  return [];
}

function headersOf({ scenarios: { s } }: Experiment): Record<string, string> {
  return "headers" in s ? s.headers : {};
}

const ASKING = TARGET +
  'scenarios: { s: { get: /, headers: { authorization: "Bearer ${env.TOKEN}", x: "$${env.TOKEN}" } } }\n';

Deno.test("a value of the environment stands where its name stood, as text, and is secret", () => {
  const experiment = read(ASKING, { env: { TOKEN: "0123-canary" } });
  assert.deepEqual(headersOf(experiment), {
    authorization: "Bearer 0123-canary",
    x: "${env.TOKEN}",
  });
  assert.equal(secrets.text("got 0123-canary"), "got ${env.TOKEN}");
});

Deno.test("only the variables that a file names are asked for", () => {
  const asked: string[] = [];
  parseExperiment(REST + ASKING, "a.yaml", {
    environment: (name) => {
      asked.push(name);
      return "any-value";
    },
  });
  assert.deepEqual(asked, ["TOKEN"]);
});

Deno.test("every variable that is missing is told with its place, an empty one too", () => {
  const text = TARGET +
    'scenarios:\n  s:\n    get: /\n    headers: { a: "${env.A}${env.B}", b: "${env.C}", c: "${env.d-e}" }\n';
  const set = (name: string): string => `(set it: ${name}=… plateau run …)`;
  assert.deepEqual(linesOf(() => read(text, { env: { C: "" } })), [
    "a.yaml:7:19: scenarios.s.headers.a: Cannot fill in ${env.A}: the environment variable A is not set " +
    set("A"),
    "a.yaml:7:19: scenarios.s.headers.a: Cannot fill in ${env.B}: the environment variable B is not set " +
    set("B"),
    "a.yaml:7:42: scenarios.s.headers.b: Cannot fill in ${env.C}: the environment variable C is not set " +
    set("C"),
    "a.yaml:7:57: scenarios.s.headers.c: Cannot fill in ${env.d-e}: this cannot be the name of a variable " +
    "(write a name, as in ${env.TOKEN})",
  ]);
});

Deno.test("no parameter can stand in for the environment", () => {
  const [line] = linesOf(() =>
    read(`parameters: { env.TOKEN: mine }\n${ASKING}`, { env: { TOKEN: "theirs-1" } })
  );
  assert.match(line, /^a\.yaml:3:15: parameters\.env\.TOKEN: Cannot use "env\.TOKEN" as a name/);
});

Deno.test("what is wrong with a value of the environment is told without it", () => {
  const [line] = linesOf(() =>
    read(`${TARGET}scenarios: { s: { get: "\${env.WAY}" } }\n`, { env: { WAY: "no-way-canary" } })
  );
  assert.equal(
    line,
    'a.yaml:4:24: scenarios.s.get: Cannot use "${env.WAY}" as a path: start with /, and percent-encode ' +
      "spaces and non-ASCII characters (${env.WAY} is text, like every environment variable)",
  );
});

Deno.test("a long secret that is cut off in a message is not half shown", () => {
  const value = `canary-${"0123456789".repeat(20)}`;
  const lines = linesOf(() =>
    read(`repeat: "\${env.LONG}"\n${TARGET}scenarios: { s: { get: / } }\n`, {
      env: { LONG: value },
    })
  );
  assert.match(lines.join("\n"), /\$\{env\.LONG\}/);
  assert.doesNotMatch(lines.join("\n"), /canary/);
});

const SECRET_PARAMETER = `parameters: { token: { secret: true } }\n${TARGET}` +
  'scenarios: { s: { get: /, headers: { x-mine: "${token}" } } }\n';

Deno.test("a secret parameter is text, as given or from the file, and is shown nowhere", () => {
  assert.equal(headersOf(read(SECRET_PARAMETER, { set: { token: "0987" } }))["x-mine"], "0987");
  const own = SECRET_PARAMETER.replace("secret: true", "secret: true, value: own-canary");
  assert.equal(headersOf(read(own))["x-mine"], "own-canary");
  assert.equal(secrets.text("own-canary 0987"), "[secret] [secret]");
});

Deno.test("a secret parameter without a value has to be given", () => {
  assert.deepEqual(linesOf(() => read(SECRET_PARAMETER)), [
    "--set token: Cannot run without a value for this secret: the file holds no value " +
    "(set it with --set token=…, or write ${env.NAME} where the file uses it)",
  ]);
});

Deno.test("what is wrong with a secret parameter's lines is told of those", () => {
  const wrong = SECRET_PARAMETER.replace("secret: true", "secret: true, valeu: x");
  assert.match(
    linesOf(() => read(wrong))[0],
    /^a\.yaml:3:38: parameters\.token\.valeu: Cannot understand "valeu": did you mean "value"\?/,
  );
});

Deno.test("a secret is refused in the arguments of a program, and taken in its environment", () => {
  const target = (lines: string): string =>
    `parameters: { key: { secret: true, value: k-canary } }\ntargets: { t: { ${lines} } }\n` +
    "scenarios: { s: { get: / } }\n";
  const args = target('command: [node, "--token=${env.TOKEN}", "${key}"]');
  assert.deepEqual(linesOf(() => read(args, { env: { TOKEN: "argument-canary" } })), [
    "a.yaml:4:33: targets.t.command.1: Cannot put the secret ${env.TOKEN} into the arguments of a " +
    'program, because every user of the machine can read them: pass it by env: { TOKEN: "${env.TOKEN}" }',
    "a.yaml:4:57: targets.t.command.2: Cannot put the secret ${key} into the arguments of a " +
    'program, because every user of the machine can read them: pass it by env: { key: "${key}" }',
  ]);
  const env = target('command: [node], env: { TOKEN: "${env.TOKEN}", KEY: "${key}" }');
  const { targets: { t } } = read(env, { env: { TOKEN: "argument-canary" } });
  assert.deepEqual("env" in t && t.env, { TOKEN: "argument-canary", KEY: "k-canary" });
});

Deno.test("a file is kept with what it takes from the environment, and without secrets of its own", () => {
  const text = `# of a-literal-canary-1
name: a # plain
key: &key a-literal-canary-1
again: *key
block: |
  one line with a-literal-canary-1
  and another
"a-literal-canary-1": kept as a key
env: \${env.TOKEN}
`;
  const known = new Secrets();
  known.keep("a-literal-canary-1");
  const open = new YamlText(text, "a.yaml").without(known);
  assert.doesNotMatch(open, /canary/);
  assert.deepEqual(new YamlText(open, "a.yaml").data, {
    name: "a",
    key: "[secret]",
    again: "[secret]",
    block: "one line with [secret]\nand another\n",
    "[secret]": "kept as a key",
    env: "${env.TOKEN}",
  });
  const plain = text.replaceAll("a-literal-canary-1", "nothing");
  assert.equal(new YamlText(plain, "a.yaml").without(known), plain);
});

const PAGE = readFileSync(new URL("../../docs/secrets.md", import.meta.url), "utf8");

Deno.test("the example of docs/secrets.md is read as the page says", () => {
  const [, example] = /```yaml\n(.*?)```/s.exec(PAGE) ?? [];
  const env: Record<string, string> = { TOKEN: "token-canary", DATABASE_PASSWORD: "base-canary" };
  const { scenarios: { mine }, targets: { ours } } = parseExperiment(example, "orders.yaml", {
    set: { key: "17-4" },
    environment: (name) => env[name],
  });
  assert.deepEqual("headers" in mine && mine.headers, {
    authorization: "Bearer token-canary",
    "x-shop": "17-4",
  });
  assert.deepEqual("env" in ours && ours.env, { DATABASE_PASSWORD: "base-canary" });
  assert.equal(
    secrets.text("token-canary base-canary 17-4"),
    "${env.TOKEN} ${env.DATABASE_PASSWORD} [secret]",
  );
});

Deno.test("the header fields that docs/secrets.md names are secret", () => {
  const [, line] = /^\| header fields +\| (.*) \|$/m.exec(PAGE) ?? [];
  const names = [...line.matchAll(/`([a-z][a-z-]*)`/g)].map(([, name]) => name);
  assert.ok(names.length > 5);
  assert.deepEqual(names.filter((name) => !isSecretField(name)), []);
});
