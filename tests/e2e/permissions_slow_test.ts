/** The command lines of docs/system.md, as they stand there, and without each permission in turn. */
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { resultsFixture } from "../report/fixture.ts";
import { testWith } from "../needs.ts";
import { emptyFolder, type Ended, exits } from "./plateau.ts";

const ROOT = join(import.meta.dirname ?? "", "../..");
const DOCS = readFileSync(join(ROOT, "docs/system.md"), "utf8");

interface Line {
  readonly flags: readonly string[];
  readonly command: string;
  readonly args: readonly string[];
}

const LINES = [...DOCS.matchAll(/^npx -y deno@\S+ run --no-prompt (.*?)main\.ts (\S+)(.*)$/gm)]
  .map(([, flags, command, args]): Line => ({
    flags: flags.split(" ").filter(Boolean),
    command,
    args: args.split(" ").filter(Boolean),
  }));

/** What each ends with where nothing is in its way: two runs are too few for a verdict. */
const CODES: Readonly<Record<string, number>> = {
  report: 0,
  compare: 5,
  check: 0,
  list: 0,
  schema: 0,
};

const EXPERIMENT = `name: mine
targets: { api: { app: api } }
scenarios: { static: { get: /static } }
load: { connections: 1, duration: 1s }
`;

/** A folder with all that the lines name. */
function folderOfReader(): ReturnType<typeof emptyFolder> {
  const folder = emptyFolder();
  const cells = [{ target: "api", scenario: "static", medianMs: 5 }];
  for (const day of ["monday", "tuesday"]) {
    Deno.mkdirSync(join(folder.path, "results", day), { recursive: true });
    const file = join(folder.path, "results", day, "results.json");
    Deno.writeTextFileSync(file, JSON.stringify(resultsFixture({ cells })));
  }
  Deno.writeTextFileSync(join(folder.path, "mine.yaml"), EXPERIMENT);
  return folder;
}

async function execute({ flags, command, args }: Line, cwd: string): Promise<Ended> {
  const { code, stdout, stderr } = await new Deno.Command(Deno.execPath(), {
    args: ["run", "--no-prompt", ...flags, join(ROOT, "main.ts"), command, ...args],
    cwd,
    env: { DENO_NO_UPDATE_CHECK: "1" },
  }).output();
  const decoder = new TextDecoder();
  return { code, stdout: decoder.decode(stdout), stderr: decoder.decode(stderr) };
}

/** The line without one flag, or without one value of a flag. */
function withLess(line: Line): Line[] {
  return line.flags.flatMap((flag, i) => {
    const [name, ...rest] = flag.split("=");
    const values = rest.join("=").split(",");
    return values.map((_, at) => {
      const left = values.toSpliced(at, 1);
      const less = left.length === 0 ? [] : [`${name}=${left.join(",")}`];
      return { ...line, flags: line.flags.toSpliced(i, 1, ...less) };
    });
  });
}

/** Two at a time, as most of each is waiting for the disk. */
async function inPairs(lines: readonly Line[], each: (line: Line) => Promise<void>): Promise<void> {
  const left = [...lines];
  const work = async (): Promise<void> => {
    for (let line = left.shift(); line !== undefined; line = left.shift()) await each(line);
  };
  await Promise.all([work(), work()]);
}

const OFFLINE = LINES.filter(({ command }) => command in CODES);

Deno.test("the docs give a line for each command that only reads, without network, programs or FFI", () => {
  assert.deepEqual(OFFLINE.map(({ command }) => command), Object.keys(CODES));
  const flags = OFFLINE.flatMap(({ flags }) => flags.map((flag) => flag.split("=")[0]));
  const given = [...new Set(flags)].sort();
  assert.deepEqual(given, ["--allow-read", "--allow-write", "--ignore-env"]);
  assert.ok(OFFLINE.flatMap(({ flags }) => flags).every((flag) => flag.includes("=")));
});

Deno.test("each line of the docs runs with the permissions that stand in it", async () => {
  using folder = folderOfReader();
  await inPairs(OFFLINE, async (line) => {
    const { code, stderr } = await execute(line, folder.path);
    assert.equal(code, CODES[line.command], `${line.command}: ${stderr}`);
  });
});

Deno.test("each line of the docs fails without any one of its permissions, and names that", async () => {
  using folder = folderOfReader();
  await inPairs(OFFLINE.flatMap(withLess), async (line) => {
    const { code, stderr } = await execute(line, folder.path);
    const said = `${line.command} with ${line.flags.join(" ") || "nothing"}: ${code} ${stderr}`;
    assert.ok(code === 2 || code === 3, said);
    assert.match(stderr, /Requires (?:read|write|env) access/, said);
  });
});

testWith(["linux"], "bench runs with the permissions that the docs give it", async () => {
  const bench = LINES.find(({ command }) => command === "bench");
  assert.ok(bench);
  const quiet = { port: 0, hostname: "127.0.0.1", onListen: () => {} };
  await using server = Deno.serve(quiet, () => new Response("ok"));
  using folder = emptyFolder();
  const args = [`http://127.0.0.1:${server.addr.port}/`, "-n", "20"];
  await exits(0, execute({ ...bench, args }, folder.path));
});
