// deno-lint-ignore-file no-console -- telling what it found is what this program is for
/**
 * `deno task audit`: known holes in what Plateau and the servers of its studies are made of. It asks each ecosystem's own
 * tool, and says of each what it could not check. Exit code 1 when a hole of severity high or more is known, 3 when
 * nothing could be checked. No test, as advisories change from day to day and need the network.
 */
import { readdirSync } from "node:fs";
import { join } from "node:path";
import {
  denoFindings,
  exitCodeOf,
  type Findings,
  goFindings,
  linesOf,
  nothing,
  npmFindings,
  pipFindings,
  type Printed,
} from "./findings.ts";

const ROOT = join(import.meta.dirname ?? "", "../..");
const FRAMEWORKS = join(ROOT, "targets/frameworks");

interface Tool {
  /** The file in whose folder it is asked. */
  readonly lockFile: string;
  readonly command: readonly [string, ...string[]];
  readonly read: (printed: Printed) => Findings;
  /** How to get it. */
  readonly get: string;
}

const DENO: Tool = {
  lockFile: "deno.lock",
  command: [Deno.execPath(), "audit"],
  read: denoFindings,
  get: "",
};

const TOOLS: readonly Tool[] = [
  {
    lockFile: "package-lock.json",
    command: ["npm", "audit", "--package-lock-only", "--json"],
    read: npmFindings,
    get: "install Node.js with npm",
  },
  {
    lockFile: "requirements.txt",
    command: [
      ...["pip-audit", "--requirement", "requirements.txt", "--require-hashes"] as const,
      ...["--disable-pip", "--progress-spinner", "off", "--format", "json"],
    ],
    read: pipFindings,
    get: "pip install pip-audit",
  },
  {
    lockFile: "go.mod",
    command: ["govulncheck", "-scan", "module", "-format", "json"],
    read: goFindings,
    get: "see go.dev/doc/security/vuln",
  },
];

async function ask(
  { command: [program, ...args], read, get }: Tool,
  cwd: string,
): Promise<Findings> {
  try {
    const env = { NO_COLOR: "1" };
    const output = await new Deno.Command(program, { args, cwd, env, stdin: "null" }).output();
    const [stdout, stderr] = [output.stdout, output.stderr]
      .map((bytes) => new TextDecoder().decode(bytes));
    return read({ code: output.code, stdout, stderr });
  } catch (error) {
    if (error instanceof Deno.errors.NotFound) return nothing(`${program} is not here: ${get}`);
    throw error;
  }
}

function subjects(): { what: string; tool: Tool; folder: string }[] {
  const frameworks = readdirSync(FRAMEWORKS, { withFileTypes: true })
    .filter((entry) => entry.isDirectory()).map(({ name }) => name).sort();
  return [
    { what: "Plateau (deno audit)", tool: DENO, folder: ROOT },
    ...frameworks.flatMap((name) => {
      const folder = join(FRAMEWORKS, name);
      const files = readdirSync(folder);
      return TOOLS.filter(({ lockFile }) => files.includes(lockFile))
        .map((tool) => ({ what: `${name} (${tool.command[0]})`, tool, folder }));
    }),
  ];
}

async function main(): Promise<number> {
  const all: Findings[] = [];
  for (const { what, tool, folder } of subjects()) {
    const findings = await ask(tool, folder);
    all.push(findings);
    for (const line of linesOf(what, findings)) console.log(line);
  }
  const unknown = all.filter((findings) => findings.unknown !== null).length;
  const holes = all.reduce((sum, findings) => sum + findings.holes.length, 0);
  console.log(`${all.length - unknown} checked, ${unknown} not checked, ${holes} known holes`);
  if (unknown === all.length) {
    console.log("Nothing could be checked: this says nothing of any hole");
  }
  return exitCodeOf(all);
}

Deno.exit(await main());
