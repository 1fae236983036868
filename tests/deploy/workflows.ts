/** The workflows of docs/ci.md and of the repository, and the actions that they use, read as far as tests look at them. */
import { readFileSync } from "node:fs";
import { parse } from "yaml";
import * as z from "zod";
import { readPage } from "../pages/page.ts";

const texts = z.record(z.string(), z.coerce.string()).default({});

const step = z.object({
  name: z.string().optional(),
  id: z.string().optional(),
  if: z.string().optional(),
  uses: z.string().optional(),
  run: z.string().optional(),
  shell: z.string().optional(),
  with: texts,
  env: texts,
});

export type Step = z.output<typeof step>;

const workflow = z.object({
  permissions: texts,
  jobs: z.record(
    z.string(),
    z.object({ if: z.string().optional(), permissions: texts, steps: z.array(step) }),
  ),
});

const action = z.object({
  inputs: z.record(
    z.string(),
    z.object({ default: z.string().optional(), required: z.boolean().default(false) }),
  ),
  runs: z.object({ using: z.literal("composite"), steps: z.array(step) }),
});

export type Action = z.output<typeof action>;

/** The folders of the actions; in a repository that holds Plateau as a submodule they are below `.plateau-action`. */
export const ACTIONS = [".", "deploy/comment"] as const;

/** The text of a file that docs/ci.md shows. */
export function shownFile(name: string): string {
  const block = readPage("docs/ci.md").blocks.find(({ mark }) => mark === `file: ${name}`);
  if (block === undefined) throw new Error(`Cannot find ${name} in docs/ci.md`);
  return block.text;
}

export const PULL_REQUESTS = ".github/workflows/plateau.yml";
export const FORKS = ".github/workflows/plateau-forks.yml";
export const GITLAB = ".gitlab-ci.yml";
export const JENKINS = "Jenkinsfile";
export const PRE_COMMIT = ".pre-commit-config.yaml";
/** Makes a release of this repository. */
export const RELEASE = ".github/workflows/release.yml";

export function readWorkflow(name: string): z.output<typeof workflow> {
  return workflow.parse(parse(textOf(name)));
}

/** Of a workflow: of this repository, or that docs/ci.md shows. */
export function textOf(name: string): string {
  return name === RELEASE
    ? readFileSync(new URL(`../../${name}`, import.meta.url), "utf8")
    : shownFile(name);
}

export function readAction(folder: string): Action {
  const file = new URL(`../../${folder}/action.yml`, import.meta.url);
  return action.parse(parse(readFileSync(file, "utf8")));
}

const job = z.object({
  script: z.array(z.string()),
  after_script: z.array(z.string()),
  allow_failure: z.object({ exit_codes: z.int() }),
  artifacts: z.object({ paths: z.array(z.string()), reports: texts }),
});

/** The shell script of the pipeline of Jenkins. */
export function readPipeline(): string {
  const [, script] = /sh\(returnStatus: true, script: '''\n(.*?)'''\)/s.exec(shownFile(JENKINS)) ??
    [];
  if (script === undefined) throw new Error(`Cannot find the script of ${JENKINS}`);
  return script.replaceAll("\\\\\n", "\\\n"); // Groovy's escape of a line that goes on
}

const hooks = z.object({
  repos: z.array(z.object({
    repo: z.literal("local"),
    hooks: z.array(z.object({
      id: z.string(),
      entry: z.string(),
      language: z.literal("system"),
      files: z.string().default(""),
    })),
  })),
});

/** The hooks of pre-commit. */
export function readHooks(): z.output<typeof hooks>["repos"][number]["hooks"] {
  return hooks.parse(parse(shownFile(PRE_COMMIT))).repos.flatMap(({ hooks }) => hooks);
}

/** The job of GitLab. */
export function readJob(): z.output<typeof job> {
  return job.parse(parse(shownFile(GITLAB)).plateau);
}
