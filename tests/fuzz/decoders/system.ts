/** What the system says of processes, cores, groups and sockets: names in it are the target's own. */
import { parseCores } from "../../../base/system/affinity.ts";
import {
  foldersOf,
  parseCpuMax,
  parseMemoryLimit,
  parseThrottledMs,
} from "../../../base/system/cgroup.ts";
import { parseCoreTimes } from "../../../base/system/core_times.ts";
import { parseAllowedCores, parseIgnores, parsePorts } from "../../../base/system/linux.ts";
import { parseTcpListeners, parseUnixListeners } from "../../../base/system/listeners.ts";
import { parseOpenFiles } from "../../../base/system/open_files.ts";
import { parseChildren, parseStat, parseStatus, parseUse } from "../../../base/system/processes.ts";
import { parseSchedstat } from "../../../base/system/thread_time.ts";
import { parseInfo } from "../../../targets/observe/redis_watch.ts";
import type { Decoder } from "../decoder.ts";

const STAT = "12 (a) b) S 1 12 12 0 -1 4194560 100 0 0 0 5 6 7 8 20 0 3 0 4000 1000 200";
const STATUS =
  "Name:\ta\nVmRSS:\t  120 kB\nCpus_allowed_list:\t0-1,4\nSigIgn:\t0000000000001000\n" +
  "voluntary_ctxt_switches:\t5\nnonvoluntary_ctxt_switches:\t6\n";
const TCP = "  sl  local_address rem_address   st\n" +
  "   0: 0100007F:1F90 00000000:0000 0A 00000000:00000000 00:00000000 00000000     0        0 4711\n";
const UNIX = "Num RefCount Protocol Flags Type St Inode Path\n" +
  "0000000000000000: 00000002 00000000 00010000 0001 01 4711 /tmp/socket\n";
const CORES = "cpu  1 2 3 4 5 6 7 8 9 0\ncpu0 1 2 3 4 5 6 7 8 9 0\n";
const LIMITS = "Limit  Soft Limit  Hard Limit  Units\nMax open files  1024  1048576  files\n";
const GROUPS = "0::/user.slice/a\n12:cpu,cpuacct:/b\n";
const INFO = "used_cpu_sys:1.5\r\nused_cpu_user:2\r\nused_cpu_sys_children:0\r\n" +
  "used_cpu_user_children:0\r\nused_memory_rss:4096\r\n";

const READERS: readonly ((text: string) => unknown)[] = [
  ...[parseStat, parseUse, parseStatus, parseChildren, parseCores, parseCpuMax, parseMemoryLimit],
  ...[
    ...[parseThrottledMs, parseAllowedCores, parsePorts, parseTcpListeners, parseSchedstat],
    parseInfo,
  ],
  (text) => parseCoreTimes(text, [0, 1]),
  (text) => parseIgnores(text, 13),
  (text) => parseOpenFiles(text, "hard"),
  (text) => parseUnixListeners(text, "/tmp/socket"),
  (text) => foldersOf("", { mounts: text, groups: text }),
];

export const system: Decoder = {
  seeds: {
    samples: [STAT, STATUS, TCP, UNIX, CORES, LIMITS, GROUPS, INFO, "0-3,7", "max 100000", "1 2 3"],
    words: ["0-4294967295", ",", "max", ")", ":", "\n", " ", "-1", "0A", "unlimited", "cpu0 "],
  },
  decode: (input) => {
    for (const read of READERS) read(input);
  },
};
