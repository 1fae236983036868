/**
 * Which test files run beside which. Files that start no programs share processes. Each of the others has
 * its own, and a manner, which says how many others run beside it.
 */
import { join, relative, resolve } from "node:path";

const TESTS = resolve(import.meta.dirname ?? "");

/** Folders whose files start programs: each of them is in one of the lists below. */
export const WITH_PROGRAMS = ["conformance", "e2e", "faults", "hostile", "studies"];

/** Folders whose files are one process, as all that they share is dear to start. */
const TOGETHER = ["browser"];

/** How a file runs. */
export type Manner =
  /** Beside two or three, as it loads servers or starts many programs. */
  | "computes"
  /** Beside many, as it mostly waits for events, pauses and time-outs. */
  | "waits"
  /** Beside none. */
  | "alone"
  /** With others in one process, beside what computes: it starts no programs. */
  | "shares";

/** Most files of a process that are loaded as one module, which spares them what all import. */
const MOST_FILES = 40;

/** What starts no programs, but needs modules that no other test has touched. */
export const APART: Readonly<Record<string, string>> = {
  "scenarios/pattern_test.ts": "whether an engine was read already",
  "runner/open_experiment_test.ts": "a common word as a secret of the process",
};

/**
 * What measures time, cores or the machine, and what a neighbour would move in it. They run first, as
 * the first of them calibrates the generator of a new machine for all that follow.
 */
export const ALONE: Readonly<Record<string, string>> = {
  "e2e/trust_test.ts": "whether the generator was the limit, and the first calibration",
  "e2e/starved_test.ts": "which of two processes had a core",
  "e2e/censoring_test.ts": "latencies, held to arithmetic",
  "e2e/agreement_test.ts": "latencies beside those that wrk saw right before",
  "e2e/observe_test.ts": "which pauses requests waited for",
  "e2e/pin_test.ts": "which cores threads may use, of those that nobody else pins",
  "load/pool_test.ts": "how soon workers are given up, while others hold a core each",
  "runner/held_worker_test.ts": "the same, in a whole run",
  "conformance/fairness_test.ts": "shares of a server that is faster than the generator",
};

/**
 * What runs beside others, the longest first. A test in one of these files waits for events, asserts no time
 * that a busy neighbour could move, and uses nothing that the machine has once, such as a fixed port.
 */
export const BESIDE: Readonly<Record<"computes" | "waits", readonly string[]>> = {
  computes: [
    "e2e/observe_storms_test.ts",
    "e2e/ab_ends_test.ts",
    "e2e/capacity_run_test.ts",
    "e2e/ab_test.ts",
    "e2e/ab_again_test.ts",
    "e2e/ci_test.ts",
    "e2e/resume_test.ts",
    "conformance/frameworks_test.ts",
    "studies/experiments_test.ts",
    "e2e/fleet/safety_test.ts",
    "e2e/cluster_test.ts",
    "e2e/pages/examples_test.ts",
    "e2e/target_commands_test.ts",
    "e2e/denied_test.ts",
    "e2e/lifecycle_test.ts",
    "e2e/capacity_test.ts",
    "studies/claims_conformance_test.ts",
    "hostile/kills_test.ts",
    "e2e/profile_test.ts",
    "e2e/fleet/experiment_test.ts",
    "conformance/drivers_test.ts",
    "conformance/http2_test.ts",
    "e2e/imports_test.ts",
    "e2e/k6_test.ts",
    "e2e/target_commands_ends_test.ts",
    "e2e/plan_test.ts",
    "conformance/certificates_test.ts",
    "conformance/gateways_test.ts",
    "hostile/results_test.ts",
    "e2e/fleet/agreement_test.ts",
    "e2e/user_test.ts",
    "e2e/live_test.ts",
    "e2e/run_test.ts",
    "e2e/bench_test.ts",
    "e2e/prove_test.ts",
    "e2e/resume_repeat_test.ts",
    "e2e/open_loop_test.ts",
    "e2e/pages/experiments_test.ts",
    "e2e/repeat_test.ts",
    "e2e/failing_commands_test.ts",
    "e2e/fleet/roster_test.ts",
    "e2e/served_test.ts",
    "e2e/forms_test.ts",
    "e2e/live_view_test.ts",
    "e2e/tls_test.ts",
    "e2e/otlp_test.ts",
    "e2e/host_test.ts",
    "e2e/limits_test.ts",
    "e2e/doctor_test.ts",
    "e2e/resources_test.ts",
    "e2e/proxy_test.ts",
    "studies/systems_test.ts",
    "studies/items_test.ts",
    "hostile/servers_test.ts",
    "hostile/proxy_probes_test.ts",
    "conformance/listening_host_test.ts",
    "conformance/launchers_test.ts",
    "conformance/profilers_test.ts",
    "conformance/apps_test.ts",
    "conformance/tls_test.ts",
    "conformance/alpn_test.ts",
    "conformance/hpack_witness_test.ts",
    "conformance/access_test.ts",
    "conformance/cookies_test.ts",
    "conformance/bodies_test.ts",
    "conformance/encodings_test.ts",
    "conformance/redirects_test.ts",
    "conformance/redirects_elsewhere_test.ts",
    "conformance/cookie_suite_test.ts",
    "conformance/tls_records_test.ts",
    "conformance/hostile_frames_test.ts",
    "conformance/hostile_tls_test.ts",
    "hostile/live_page_test.ts",
    "hostile/jobs_test.ts",
    "hostile/agents_test.ts",
    "e2e/pages/fleet_test.ts",
    "e2e/threshold_test.ts",
    "e2e/parameters_test.ts",
    "e2e/compare_test.ts",
    "e2e/long_runs_test.ts",
    "e2e/secrets_again_test.ts",
    "e2e/input_test.ts",
    "e2e/steps_test.ts",
    "e2e/commands_test.ts",
    "e2e/fixed_port_test.ts",
    "e2e/secrets_test.ts",
    "e2e/claims_test.ts",
    "e2e/permissions_test.ts",
    "e2e/replay_test.ts",
    "e2e/slowest_test.ts",
    "e2e/shop_test.ts",
  ],
  waits: [
    "faults/agent_test.ts",
    "e2e/fleet/draining_test.ts",
    "fleet/agent_faults_test.ts",
    "faults/redis_test.ts",
    "conformance/hostile_test.ts",
    "hostile/targets_test.ts",
    "hostile/inspectors_test.ts",
    "faults/coordinator_test.ts",
    "fleet/agent_test.ts",
    "fleet/agents_test.ts",
    "faults/hearsay_test.ts",
    "e2e/setup_test.ts",
    "e2e/hidden_test.ts",
    "e2e/minimal_root_test.ts",
    "e2e/redis_test.ts",
    "e2e/github_test.ts",
    "e2e/outside_text_test.ts",
    "e2e/hostile_pattern_test.ts",
    "conformance/orphans_test.ts",
    "conformance/stages_test.ts",
    "hostile/presences_test.ts",
    "hostile/addresses_test.ts",
    "hostile/repositories_test.ts",
    "faults/stage_test.ts",
  ],
};

/**
 * What takes most CPU time, as it starts the program most often, or waits for long alone: without paths
 * `deno task test` leaves it out, so that it ends within some minutes. CI runs it, and so does `--all`. What
 * always runs walks through every command.
 */
export const DEAR: readonly string[] = [
  "browser/agents_test.ts",
  "browser/brush_test.ts",
  "browser/depth_test.ts",
  "browser/distribution_test.ts",
  "browser/faults_test.ts",
  "browser/linked_test.ts",
  "browser/live_test.ts",
  "browser/published_test.ts",
  "browser/report_look_test.ts",
  "browser/sweep_test.ts",
  "conformance/certificates_test.ts",
  "conformance/fairness_test.ts",
  "conformance/frameworks_test.ts",
  "conformance/gateways_test.ts",
  "conformance/profilers_test.ts",
  "conformance/redirects_test.ts",
  "e2e/ab_again_test.ts",
  "e2e/ab_ends_test.ts",
  "e2e/capacity_run_test.ts",
  "e2e/ci_test.ts",
  "e2e/cluster_test.ts",
  "e2e/denied_test.ts",
  "e2e/fleet/agreement_test.ts",
  "e2e/fleet/experiment_test.ts",
  "e2e/fleet/safety_test.ts",
  "e2e/forms_test.ts",
  "e2e/host_test.ts",
  "e2e/imports_test.ts",
  "e2e/lifecycle_test.ts",
  "e2e/live_test.ts",
  "e2e/long_runs_test.ts",
  "e2e/minimal_root_test.ts",
  "e2e/observe_storms_test.ts",
  "e2e/observe_test.ts",
  "e2e/open_loop_test.ts",
  "e2e/pages/examples_test.ts",
  "e2e/pages/experiments_test.ts",
  "e2e/pages/fleet_test.ts",
  "e2e/pin_test.ts",
  "e2e/profile_test.ts",
  "e2e/prove_test.ts",
  "e2e/proxy_test.ts",
  "e2e/repeat_test.ts",
  "e2e/resources_test.ts",
  "e2e/resume_test.ts",
  "e2e/target_commands_ends_test.ts",
  "e2e/target_commands_test.ts",
  "e2e/tls_test.ts",
  "e2e/user_test.ts",
  "faults/agent_test.ts",
  "faults/coordinator_test.ts",
  "faults/hearsay_test.ts",
  "faults/redis_test.ts",
  "fleet/agent_faults_test.ts",
  "hostile/inspectors_test.ts",
  "hostile/kills_test.ts",
  "hostile/targets_test.ts",
  "report/page_size_test.ts",
  "studies/claims_conformance_test.ts",
  "studies/experiments_test.ts",
  "studies/systems_test.ts",
];

/** What one process runs. */
export interface Job {
  /** Full paths. */
  readonly files: readonly string[];
  readonly manner: Manner;
}

/** Jobs in the order in which they start, some at a time. */
export interface Queue {
  readonly jobs: readonly Job[];
  readonly atOnce: number;
}

/** Whether they call the binary that PLATEAU_BINARY names, where it names one. All others call the source. */
export function callsBinary(files: readonly string[]): boolean {
  return files.every((file) => relative(TESTS, file).startsWith("e2e/"));
}

/** Rounds, one after another, of queues beside one another. Every file is in one job. @param files Full paths. */
export function roundsOf(files: readonly string[], cores: number): Queue[][] {
  const listed = (manner: Manner, names: readonly string[]): Job[] =>
    names.map((name) => join(TESTS, name)).filter((file) => files.includes(file))
      .map((file) => ({ files: [file], manner }));
  const alone = listed("alone", Object.keys(ALONE));
  const computes = listed("computes", BESIDE.computes);
  const waits = listed("waits", BESIDE.waits);
  const known = new Set([...alone, ...computes, ...waits].flatMap(({ files }) => files));
  const others = shared(files.filter((file) => !known.has(file)));
  const rounds: Queue[][] = [
    [{ jobs: alone, atOnce: 1 }],
    [{ jobs: [...others, ...computes], atOnce: cores + 2 }, { jobs: waits, atOnce: cores }],
  ];
  return rounds.map((queues) => queues.filter(({ jobs }) => jobs.length > 0))
    .filter((queues) => queues.length > 0);
}

/** Those of a folder that stays together, then neighbours by name. */
function shared(files: readonly string[]): Job[] {
  const folderOf = (file: string): string => relative(TESTS, file).split("/")[0];
  const folders = TOGETHER.map((folder) => files.filter((file) => folderOf(file) === folder))
    .filter(({ length }) => length > 0);
  const isApart = (file: string): boolean => Object.hasOwn(APART, relative(TESTS, file));
  const together = files.filter((file) => !isApart(file) && !TOGETHER.includes(folderOf(file)));
  const processes = Math.ceil(together.length / MOST_FILES);
  const share = Math.ceil(together.length / processes);
  const chunks = Array.from(
    { length: processes },
    (_, i) => together.slice(i * share, (i + 1) * share),
  );
  const apart = files.filter(isApart).map((file) => [file]);
  return [...folders, ...chunks, ...apart].map((files) => ({ files, manner: "shares" }));
}
