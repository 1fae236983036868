/**
 * Which test files run beside which. Most share a process and the cores. Those that start programs have a
 * process each: they run in pairs where they wait for events, and alone where they measure time or say so.
 */
import { join, resolve } from "node:path";

const TESTS = resolve(import.meta.dirname ?? "");

/** Folders whose files start programs; one that is in no list of pairs runs alone. */
const WITH_PROGRAMS = ["conformance", "faults", "hostile", "e2e", "studies"];

/**
 * What runs two at a time, the longest first. A test in one of these files waits for events, asserts no time
 * that a busy neighbour could move, and uses nothing that the machine has once, such as a fixed port. The
 * files of a list are neighbours of one another alone: the first list's need little of the processor, and
 * their agents are given up when they are silent for long. In the second, files that mostly wait come before
 * and after files that mostly compute.
 */
export const PAIRS: readonly (readonly string[])[] = [
  [
    "e2e/fleet/experiment_test.ts",
    "e2e/fleet/roster_test.ts",
    "e2e/fleet/draining_test.ts",
    "faults/hearsay_test.ts",
  ],
  [
    "e2e/resume_test.ts",
    "e2e/lifecycle_test.ts",
    "conformance/frameworks_test.ts",
    "e2e/cluster_test.ts",
    "e2e/user_test.ts",
    "conformance/gateways_test.ts",
    "e2e/fleet/safety_test.ts",
    "conformance/drivers_test.ts",
    // Takes what the suite of the frameworks installed.
    "studies/experiments_test.ts",
    "e2e/live_test.ts",
    "e2e/imports_test.ts",
    "e2e/setup_test.ts",
    "e2e/live_view_test.ts",
    "hostile/servers_test.ts",
    "e2e/pages/examples_test.ts",
    "e2e/secrets_test.ts",
    "e2e/permissions_test.ts",
    "hostile/results_test.ts",
    "hostile/proxy_probes_test.ts",
    "e2e/secrets_again_test.ts",
    "hostile/live_page_test.ts",
    "e2e/run_test.ts",
    "conformance/launchers_test.ts",
    "e2e/pages/fleet_test.ts",
    "conformance/apps_test.ts",
    "conformance/listening_host_test.ts",
    "e2e/pages/experiments_test.ts",
    "e2e/tls_test.ts",
    "e2e/host_test.ts",
    "e2e/parameters_test.ts",
    "e2e/minimal_root_test.ts",
    "conformance/orphans_test.ts",
    "conformance/tls_test.ts",
    "e2e/compare_test.ts",
    "e2e/forms_test.ts",
    "e2e/commands_test.ts",
    "e2e/input_test.ts",
    "e2e/redis_test.ts",
    "e2e/claims_test.ts",
    "e2e/github_test.ts",
    "e2e/outside_text_test.ts",
    "hostile/jobs_test.ts",
    "hostile/addresses_test.ts",
  ],
];

export interface Round {
  /** Full paths. */
  readonly files: readonly string[];
  /** shared: all in one process; pairs: two processes at a time, each with one file; alone: one process. */
  readonly how: "shared" | "pairs" | "alone";
}

/** Every file once. @param files Full paths. */
export function roundsOf(files: readonly string[]): Round[] {
  const startsPrograms = (file: string): boolean =>
    WITH_PROGRAMS.some((folder) => file.startsWith(join(TESTS, folder, "/")));
  const pairs = PAIRS.map((names) =>
    names.map((name) => join(TESTS, name)).filter((file) => files.includes(file))
  );
  const paired = new Set(pairs.flat());
  const rounds: Round[] = [
    { how: "shared", files: files.filter((file) => !startsPrograms(file)) },
    // First of those, as it calibrates the generator of a new machine, for all that follow.
    { how: "alone", files: files.filter((file) => startsPrograms(file) && !paired.has(file)) },
    ...pairs.map((files): Round => ({ how: "pairs", files })),
  ];
  return rounds.filter(({ files }) => files.length > 0);
}
