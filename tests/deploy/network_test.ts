import assert from "node:assert/strict";
import * as z from "zod";
import { called, running, selects, specsOf } from "./manifests.ts";

interface Policy {
  readonly podSelector: unknown;
  readonly ingress: readonly Rule[];
  readonly egress: readonly Rule[];
}

interface Rule {
  readonly peers: readonly { readonly podSelector?: unknown }[];
  readonly ports: readonly number[];
}

const peers = z.array(z.strictObject({
  podSelector: z.unknown().optional(),
  namespaceSelector: z.unknown().optional(),
}));
const ports = z.array(z.strictObject({ port: z.int(), protocol: z.enum(["TCP", "UDP"]) }));

function readPolicies(): Policy[] {
  const policy = z.strictObject({
    podSelector: z.unknown(),
    policyTypes: z.tuple([z.literal("Ingress"), z.literal("Egress")]),
    ingress: z.array(z.strictObject({ from: peers, ports })).default([]),
    egress: z.array(z.strictObject({ to: peers, ports })).default([]),
  });
  const numbers = (rules: z.output<typeof ports>): number[] => rules.map(({ port }) => port);
  return specsOf("NetworkPolicy").map(({ spec }) => {
    const { podSelector, ingress, egress } = policy.parse(spec);
    return {
      podSelector,
      ingress: ingress.map(({ from, ports }) => ({ peers: from, ports: numbers(ports) })),
      egress: egress.map(({ to, ports }) => ({ peers: to, ports: numbers(ports) })),
    };
  });
}

/** Names of workloads, with the ports, that the rules lead to; "" is what is not of these manifests. */
function reached(rules: readonly Rule[]): string[] {
  const ends = rules.flatMap(({ peers, ports }) =>
    peers.flatMap(({ podSelector }) =>
      podSelector === undefined ? [""] : running
        .filter(({ labels }) => selects(podSelector, labels))
        .map(({ manifest }) => manifest.metadata.name)
    ).flatMap((name) => ports.map((port) => `${name}:${port}`))
  );
  return [...new Set(ends)].sort();
}

Deno.test("agents and experiment reach Redis, the target and names alone, and nobody reaches them", () => {
  const policies = readPolicies();
  const of = (name: string): Policy[] =>
    policies.filter(({ podSelector }) => selects(podSelector, called(name).labels));
  for (const name of ["plateau-agent", "plateau-experiment"]) {
    const [policy, ...others] = of(name);
    assert.deepEqual(others, []);
    assert.deepEqual(reached(policy.egress), [":53", "plateau-redis:6379", "plateau-target:8080"]);
    assert.deepEqual(policy.ingress, []);
  }
  const [policy, ...others] = of("plateau-redis");
  assert.deepEqual(others, []);
  assert.deepEqual(reached(policy.ingress), ["plateau-agent:6379", "plateau-experiment:6379"]);
  assert.deepEqual(policy.egress, []);
});
