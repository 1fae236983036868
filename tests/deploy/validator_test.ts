/** The manifests by the schemas of Kubernetes, and by its own tool. */
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { VERSION } from "../../base/version.ts";
import { findProgram, needing, testWith } from "../needs.ts";
import { FOLDER, manifestFiles, readManifests } from "./manifests.ts";

const withKubectlAndKubernetesValidate = needing("kubectl", "kubernetes-validate");

const manifests = readManifests();

interface Ended {
  readonly success: boolean;
  readonly output: string;
}

function run(program: string, ...args: string[]): Ended {
  const { success, stdout, stderr } = new Deno.Command(program, { args }).outputSync();
  const text = (bytes: Uint8Array): string => new TextDecoder().decode(bytes);
  return { success, output: text(stdout) + text(stderr) };
}

/** Against the JSON Schemas of Kubernetes; a key that is in none is an error. */
function validate(files: readonly string[]): Ended {
  return run(findProgram("kubernetes-validate") ?? "kubernetes-validate", "--strict", ...files);
}

function render(): Ended {
  return run(findProgram("kubectl") ?? "kubectl", "kustomize", FOLDER);
}

function temporaryFile(text: string): Disposable & { path: string } {
  const path = Deno.makeTempFileSync({ suffix: ".yaml" });
  Deno.writeTextFileSync(path, text);
  return { path, [Symbol.dispose]: () => Deno.removeSync(path) };
}

testWith(["kubernetes-validate"], "every manifest is as Kubernetes has it", () => {
  const { success, output } = validate(manifestFiles().map((file) => join(FOLDER, file)));
  assert.ok(success, output);
  assert.equal(output.match(/ passed for resource /g)?.length, manifests.length);
});

const broken: [why: string, right: RegExp, wrong: string][] = [
  ["a key that Kubernetes does not know", /replicas: 4/, "replicaz: 4"],
  ["a number where a text belongs", /memory: 512Mi/, "memory: true"],
  ["a deployment without its pods' labels", /selector:\n.*\n/, ""],
];
for (const [why, right, wrong] of broken) {
  testWith(["kubernetes-validate"], `the validator refuses ${why}`, () => {
    const text = readFileSync(join(FOLDER, "agents.yaml"), "utf8");
    assert.match(text, right);
    using file = temporaryFile(text.replace(right, wrong));
    const { success, output } = validate([file.path]);
    assert.ok(!success, output);
  });
}

withKubectlAndKubernetesValidate.test("kubectl renders all of it, with one image of this version", () => {
  const { success, output } = render();
  assert.ok(success, output);
  using file = temporaryFile(output);
  const checked = validate([file.path]);
  assert.ok(checked.success, checked.output);
  const ofKustomization = manifests.filter(({ file }) => file !== "results.yaml");
  assert.equal(output.match(/^kind: /gm)?.length, ofKustomization.length + 1, "a ConfigMap too");
  const images = [...output.matchAll(/ image: (plateau.*)/g)].map(([, image]) => image);
  assert.deepEqual(new Set(images), new Set([`plateau:${VERSION}`]));
});
