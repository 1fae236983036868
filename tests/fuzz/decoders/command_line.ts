import { benchConflicts, benchParts } from "../../../cli/flags/bench_flags.ts";
import { benchRequest } from "../../../cli/commands/bench.ts";
import { readArguments } from "../../../cli/command_line/arguments.ts";
import { withTranslated } from "../../../scenarios/imports/command_lines/registry.ts";
import { filesFrom } from "../../../scenarios/file/disk_files.ts";
import type { Decoder } from "../decoder.ts";

const SPEC = { parts: benchParts, conflicts: benchConflicts, run: () => Promise.resolve(0) };
const TITLE = { name: "bench", summary: "" };
const URL = "http://127.0.0.1:1/a?b=c";

function bench(args: readonly string[]): void {
  const read = readArguments(SPEC, TITLE, args);
  if (read.wants === "values") benchRequest(read.values, { files: filesFrom(Deno.cwd()) });
}

export const like: Decoder = {
  seeds: {
    samples: [
      `wrk -t4 -c100 -d30s --latency -H 'Host: a' ${URL}`,
      `wrk2 -R2k -d 30 ${URL}`,
      `oha -z '1m 30s' -q 100 -n 1k -m POST -d hello ${URL}`,
      `hey -z 5s -c=20 -disable-keepalive -a u:p ${URL}`,
      `ab -n 100 -c 10 -k -H "a: b" -t 5 ${URL}`,
      `autocannon -c 10 -p 5 -d 20 -b '{"a": 1}' ${URL}`,
      `curl $'${URL}' -X POST -H "a: \\"b\\"" --data-raw $'x\\n\\u0041' --compressed`,
    ],
    words: [
      ...[
        " -c ",
        " -d ",
        " -n ",
        " -H ",
        " '",
        ' "',
        " $'",
        "\\",
        "\\\n",
        " | ",
        " > x",
        " # ",
        " --",
      ],
      ...["1e9", "-1", "k", "=", " -R ", "$(x)", "`", "${A}"],
    ],
  },
  decode: (input) => bench(withTranslated(["--like", input])),
};

/** One argument a line. */
export const flags: Decoder = {
  seeds: {
    samples: [
      `${URL}\n-c\n10\n-d\n1s\n-H\na: b\n--threshold\np99 < 50ms`,
      `${URL}\n--phases\n30s@10/s,60s@50/s..200/s\n--arrivals\npoisson`,
      `${URL}\n-n\n100\n-m\npost\n-b\ntext\n--expect-status\n200,204\n--pipeline\n4`,
      `${URL}\n-r\n1000/s\n-t\n5s\n--threshold\np99 not worse than baseline by 5%\n--baseline\nx`,
    ],
    words: [
      ...[
        ...["\n-c\n", "\n-r\n", "\n--phases\n", "s@", "/s..", "1000000000/s", "10000h", "\n-w\n"],
        "\n--",
      ],
      ...["\n--interval\n10ms", "24h", "@", "<", " >= ", "%"],
    ],
  },
  decode: (input) => {
    // What it would read from a disk is no part of this.
    const args = input.replaceAll("\0", "").replaceAll("@/", "@").split("\n");
    bench(args.filter((arg) => !/^(?:-b|--body=?)?@|^-b.*@|--(?:cacert|unix)/.test(arg)));
  },
};
