/** Nothing leaves past the writers: what they alone may do, nobody else does. */
import assert from "node:assert/strict";
import { listFiles, readText } from "../../architecture/tree.ts";

const program = listFiles().filter((file) =>
  /^(?:main\.ts|(?:cli|report|runner|targets|scenarios|bench)\/.*\.ts)$/.test(file) &&
  !/^targets\/frameworks\/[^/]+\//.test(file)
);

interface Law {
  readonly what: string;
  readonly sign: RegExp;
  /** Files, and folders with a slash at their end. */
  readonly allowed: readonly string[];
}

const LAWS: readonly Law[] = [
  {
    what:
      "a stream is written to by cli/terminal/terminal.ts, between programs of ours, and by an app's log",
    sign: /Deno\.std(?:out|err)\b(?!\.isTerminal\(\))|process\.std(?:out|err)\.write/,
    allowed: [
      "cli/terminal/terminal.ts",
      "targets/launch/supervisor.ts",
      "targets/apps/serve.ts",
    ],
  },
  {
    what: "the console is for figures of benches that print nothing from outside",
    sign: /\bconsole\s*\./,
    allowed: [
      "bench/statistics.ts",
      "bench/statistics/penalty.ts",
      "bench/streams/bare.ts",
      "bench/streams/holding.ts",
    ],
  },
  {
    what: "escape codes are made by writers, and taken away where a program's output is read",
    sign: /\\x1b\[|\\u001b|\\u\{1b\}|\\e\[/i,
    allowed: ["report/writing/", "targets/launch/output.ts"],
  },
  {
    what: "text is declared to be written, or to be markup, by writers",
    sign: /as Written\b|new Fragment\(/,
    allowed: ["report/writing/"],
  },
  {
    what:
      "text is escaped by writers; whoever looks for secrets knows in which forms they write them",
    sign: /\bharmless\(|\bwithoutCommands\(|&lt;|&quot;|&#\d+;/,
    allowed: ["report/writing/", "base/secrets.ts"],
  },
  {
    what: "a sentence quotes values from outside by quotedOpenly(), without their secrets",
    sign: /`Cannot [^`]*(?:\$\{JSON\.stringify\(|"\$\{)/,
    allowed: ["scenarios/plan/fixed_ports.ts", "bench/"],
  },
];

for (const { what, sign, allowed } of LAWS) {
  Deno.test(what, () => {
    const isAllowed = (file: string): boolean =>
      allowed.some((place) => place.endsWith("/") ? file.startsWith(place) : file === place);
    const offences = program.filter((file) => !isAllowed(file)).flatMap((file) =>
      readText(file).split("\n").flatMap((line, i) =>
        sign.test(withoutQuestions(line)) ? [`${file}:${i + 1} ${line.trim()}`] : []
      )
    );
    assert.deepEqual(offences, [], offences.join("\n"));
    const used = program.filter(isAllowed).filter((file) => sign.test(readText(file)));
    assert.notEqual(used.length, 0, "nobody does it: the law has no subject any more");
  });
}

/** To ask what a stream can show is not to write to it. */
function withoutQuestions(line: string): string {
  return line.replaceAll(/terminalOptions\(Deno\.stderr\)/g, "");
}
