import assert from "node:assert/strict";
import { join } from "node:path";
import * as z from "zod";
import { readArguments } from "../../cli/command_line/arguments.ts";
import { commands, isCommandName } from "../../cli/registry.ts";
import { VERSION } from "../../base/version.ts";
import { loadExperiment } from "../../scenarios/file/experiment_file.ts";
import {
  called,
  FOLDER,
  manifestFiles,
  readKustomization,
  running,
  selects,
  specsOf,
} from "./manifests.ts";

const ours = running.filter(({ container }) => container.image === "plateau");

Deno.test("the kustomization names every manifest but the one for fetching results", () => {
  const { resources, images, configMapGenerator } = readKustomization();
  assert.deepEqual([...resources, "results.yaml"].sort(), manifestFiles());
  assert.deepEqual(images.map(({ name, newTag }) => [name, newTag]), [["plateau", VERSION]]);
  assert.deepEqual(configMapGenerator, [{
    name: "plateau-experiment",
    files: ["experiment.yaml"],
  }]);
});

Deno.test("whatever runs is nobody, on a root that is read only, without privileges or a token", () => {
  assert.deepEqual(new Set(running.map(({ manifest }) => manifest.kind)).size, 3);
  for (const { manifest: { metadata }, pod, container } of running) {
    assert.deepEqual(container.securityContext, {
      allowPrivilegeEscalation: false,
      readOnlyRootFilesystem: true,
      capabilities: { drop: ["ALL"] },
    }, metadata.name);
    assert.equal(pod.securityContext.runAsNonRoot, true, metadata.name);
    assert.deepEqual(pod.securityContext.seccompProfile, { type: "RuntimeDefault" }, metadata.name);
    assert.equal(pod.automountServiceAccountToken, false, metadata.name);
  }
});

Deno.test("agents have whole cores of their own, one more than workers", () => {
  const { container: { resources, args } } = called("plateau-agent");
  assert.deepEqual(resources.requests, resources.limits);
  assert.match(resources.limits.cpu, /^\d+$/);
  assert.ok(args.includes(`--workers=${Number(resources.limits.cpu) - 1}`));
});

Deno.test("plateau understands every command line", async () => {
  assert.equal(ours.length, 3);
  for (const { container: { args: [name, ...args], env } } of ours) {
    const known = new Set(env.map(({ name }) => name));
    const filledIn = args.map((arg) =>
      arg.replaceAll(/\$\((\w+)\)/g, (_, variable) => {
        assert.ok(known.has(variable), `${variable} is in the environment`);
        return "plateau-agent-7c9d5f6b8-x2x4z";
      })
    );
    assert.ok(isCommandName(name), name);
    const { parts = {} } = await commands[name].load();
    const spec = { parts, run: () => Promise.resolve(0) };
    assert.equal(readArguments(spec, { name, summary: "" }, filledIn).wants, "values");
  }
});

Deno.test("the Job asks for as many agents as there are, and loads what they allow", async () => {
  const agents = called("plateau-agent");
  const { replicas } = z.object({ replicas: z.int() }).parse(agents.manifest.spec);
  assert.ok(called("plateau-experiment").container.args.includes(`--agents=${replicas}`));
  const { experiment: { targets } } = await loadExperiment(join(FOLDER, "experiment.yaml"));
  const allowed = agents.container.args.flatMap((arg) =>
    arg.startsWith("--allow=") ? arg.slice("--allow=".length).split(",") : []
  );
  const hosts = Object.values(targets).map((target) => {
    assert.ok("url" in target);
    return new URL(target.url).hostname;
  });
  assert.ok(hosts.length > 0);
  assert.deepEqual(hosts.filter((host) => !allowed.includes(host)), []);
});

Deno.test("every reference has what it names", () => {
  for (const { metadata, spec } of specsOf("Service")) {
    const { selector, ports } = z.object({
      selector: z.record(z.string(), z.string()),
      ports: z.tuple([z.object({ port: z.int(), targetPort: z.string() })]),
    }).parse(spec);
    const { container } = called(metadata.name);
    const selected = running.filter(({ labels }) => selects({ matchLabels: selector }, labels));
    assert.deepEqual(selected.map(({ manifest }) => manifest.metadata.name), [metadata.name]);
    const { targetPort, port } = ports[0];
    assert.deepEqual(container.ports, [{ name: targetPort, containerPort: port }]);
  }
  const claims = specsOf("PersistentVolumeClaim").map(({ metadata }) => metadata.name);
  const configs = readKustomization().configMapGenerator.map(({ name }) => name);
  for (const { pod: { volumes }, container: { volumeMounts } } of running) {
    assert.deepEqual(volumeMounts.map(({ name }) => name), volumes.map(({ name }) => name));
    for (const { configMap, persistentVolumeClaim } of volumes) {
      if (configMap) assert.ok(configs.includes(configMap.name));
      if (persistentVolumeClaim) assert.ok(claims.includes(persistentVolumeClaim.claimName));
    }
  }
});
