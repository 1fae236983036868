/** The manifests of deploy/kubernetes, read as far as tests look at them. */
import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { parse, parseAllDocuments } from "yaml";
import * as z from "zod";

export const FOLDER = fileURLToPath(new URL("../../deploy/kubernetes", import.meta.url));

const labels = z.record(z.string(), z.string());

const container = z.object({
  name: z.string(),
  image: z.string(),
  command: z.array(z.string()).default([]),
  args: z.array(z.string()).default([]),
  env: z.array(z.object({ name: z.string(), valueFrom: z.unknown() })).default([]),
  ports: z.array(z.object({ name: z.string(), containerPort: z.int() })).default([]),
  resources: z.object({ requests: labels, limits: labels }),
  securityContext: z.unknown(),
  volumeMounts: z.array(z.object({ name: z.string(), mountPath: z.string() })).default([]),
});

const pod = z.object({
  containers: z.tuple([container]),
  volumes: z.array(z.object({
    name: z.string(),
    configMap: z.object({ name: z.string() }).optional(),
    persistentVolumeClaim: z.object({ claimName: z.string() }).optional(),
  })).default([]),
  securityContext: z.looseObject({ runAsNonRoot: z.boolean(), seccompProfile: z.unknown() }),
  automountServiceAccountToken: z.boolean(),
});

const template = z.object({ metadata: z.object({ labels }), spec: pod });

const manifest = z.object({
  kind: z.string(),
  metadata: z.object({ name: z.string(), labels: labels.default({}) }),
  spec: z.unknown(),
});

export type Manifest = z.output<typeof manifest> & { readonly file: string };

export interface Workload {
  readonly manifest: Manifest;
  readonly labels: z.output<typeof labels>;
  readonly pod: z.output<typeof pod>;
  readonly container: z.output<typeof container>;
}

const kustomization = z.strictObject({
  apiVersion: z.string(),
  kind: z.literal("Kustomization"),
  resources: z.array(z.string()),
  configMapGenerator: z.array(z.strictObject({ name: z.string(), files: z.array(z.string()) })),
  generatorOptions: z.strictObject({ disableNameSuffixHash: z.literal(true) }),
  images: z.array(z.strictObject({ name: z.string(), newName: z.string(), newTag: z.string() })),
});

export function readKustomization(): z.output<typeof kustomization> {
  return kustomization.parse(parse(readFileSync(join(FOLDER, "kustomization.yaml"), "utf8")));
}

/** Everything that is for the cluster: neither the kustomization nor the experiment. */
export function manifestFiles(): string[] {
  return readdirSync(FOLDER).filter((name) =>
    name.endsWith(".yaml") && !["kustomization.yaml", "experiment.yaml"].includes(name)
  ).sort();
}

export function readManifests(): Manifest[] {
  return manifestFiles().flatMap((file) =>
    parseAllDocuments(readFileSync(join(FOLDER, file), "utf8"))
      .map((document) => ({ ...manifest.parse(document.toJS()), file }))
  );
}

function workloads(manifests: readonly Manifest[]): Workload[] {
  return manifests.flatMap((manifest) => {
    if (manifest.kind === "Pod") {
      return [workload(manifest, manifest.metadata.labels, pod.parse(manifest.spec))];
    }
    const made = z.object({ template }).safeParse(manifest.spec);
    if (!made.success) return [];
    const { metadata: { labels }, spec } = made.data.template;
    return [workload(manifest, labels, spec)];
  });
}

function workload(manifest: Manifest, labels: Workload["labels"], pod: Workload["pod"]): Workload {
  return { manifest, labels, pod, container: pod.containers[0] };
}

const manifests = readManifests();
/** What runs: pods, and what makes them. */
export const running = workloads(manifests);

export function called(name: string): Workload {
  const found = running.find(({ manifest }) => manifest.metadata.name === name);
  assert.ok(found, name);
  return found;
}

export function specsOf(kind: string): Manifest[] {
  return manifests.filter((manifest) => manifest.kind === kind);
}

/** Whether a selector's `matchLabels` and `In` expressions select these labels. */
export function selects(selector: unknown, labels: Workload["labels"]): boolean {
  const { matchLabels, matchExpressions } = z.strictObject({
    matchLabels: z.record(z.string(), z.string()).default({}),
    matchExpressions: z.array(
      z.strictObject({ key: z.string(), operator: z.literal("In"), values: z.array(z.string()) }),
    ).default([]),
  }).parse(selector);
  return Object.entries(matchLabels).every(([key, value]) => labels[key] === value) &&
    matchExpressions.every(({ key, values }) => values.includes(labels[key]));
}
