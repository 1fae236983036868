/** What a cell needs on the machine besides its target's own programs, and the message if that is missing. */
import { type Need, TargetError } from "../../base/errors.ts";
import { isInstalledRuntime } from "../../base/target/app_settings.ts";
import { withThoseBehind } from "../../base/target/references.ts";
import type { Cell } from "../../scenarios/plan/plan.ts";
import { isRequest, stepsOfPage } from "../../scenarios/request/flow.ts";
import {
  expectedStatuses,
  type RequestFields,
  wireRequest,
} from "../../scenarios/request/request.ts";
import type { Scenario } from "../../scenarios/request/scenario.ts";
import {
  type InstallableName,
  installedAt,
  notInstalled,
} from "../../targets/frameworks/install.ts";
import { findNginx, NO_NGINX } from "../../targets/gateways/nginx/launcher.ts";
import type { ProvidedRedis } from "../../targets/redis/provide.ts";
import type { TargetSpec } from "../../base/target/target_shape.ts";
import { api } from "../../targets/apps/api.ts";
import { appNamed, appNeedsRedis } from "../../targets/apps/registry.ts";

export interface MissingPrerequisite {
  readonly need: Need;
  /** One line that also says what to do. */
  readonly reason: string;
  /** The last lines of output of a program that did not start. */
  readonly evidence?: readonly string[];
}

const NO_REDIS =
  "No Redis: none responds on 127.0.0.1:6379 and neither redis-server nor valkey-server is on PATH; " +
  "install one of these programs, or name a running Redis with --redis URL";

export function cellNeeds({ request, targetSpec, others }: Cell): Need[] {
  const paths = redisPathsOf(targetSpec, others);
  const usesRedis = requestsOf(request).some((each) =>
    paths.includes(wireRequest(each).path.split("?")[0]) &&
    expectedStatuses(each.expect).includes(200)
  );
  return [
    ...request.needs,
    ...usesRedis ? ["redis" as const] : [],
    ...needsOf(targetSpec, others),
  ];
}

function requestsOf(scenario: Scenario): readonly RequestFields[] {
  if ("replay" in scenario) {
    const { expect, headers, replay: { replay: { requests } } } = scenario;
    return requests.map(({ path }) => ({ get: path, headers, expect }));
  }
  if ("mix" in scenario) return scenario.mix;
  if ("flow" in scenario) return scenario.flow.filter(isRequest);
  return "page" in scenario ? stepsOfPage(scenario) : [scenario];
}

/**
 * The first missing prerequisite of a cell; null if none is missing.
 * @param redis The Redis; an error if Plateau's own did not start; null if none is available.
 */
export function missingPrerequisiteOf(
  cell: Cell,
  redis: ProvidedRedis | TargetError | null,
): MissingPrerequisite | null {
  const needs = cellNeeds(cell);
  if (needs.includes("redis")) {
    if (redis === null) return { need: "redis", reason: NO_REDIS };
    if (redis instanceof TargetError) {
      return { need: "redis", reason: redis.message, evidence: redis.evidence };
    }
  }
  if (needs.includes("nginx") && findNginx() === null) return { need: "nginx", reason: NO_NGINX };
  const [missing] = missingFrameworks([cell]);
  return missing === undefined ? null : { need: "frameworks", reason: notInstalled(missing) };
}

/** Frameworks and runtimes that the cells use but that are not installed, each once. */
export function missingFrameworks(cells: readonly Cell[]): InstallableName[] {
  const used = new Set(cells.flatMap(frameworksOf));
  return [...used].filter((name) => installedAt(name) === null);
}

function frameworksOf({ targetSpec, others }: Cell): InstallableName[] {
  return withThoseBehind(targetSpec, others).flatMap((each) => {
    if (!("framework" in each)) return [];
    const { framework, runtime } = each;
    return runtime !== undefined && isInstalledRuntime(runtime) ? [framework, runtime] : framework;
  });
}

// Programs that targets need: Redis and nginx.

/** Programs and servers that a target, or any target behind it, needs. */
export function needsOf(
  spec: TargetSpec,
  others: Readonly<Record<string, TargetSpec>>,
): ("redis" | "nginx")[] {
  return withThoseBehind(spec, others).flatMap((each) => {
    if ("proxy" in each && each.proxy.store === "redis") return ["redis"];
    if ("app" in each && appNeedsRedis(each.app, each.set)) return ["redis"];
    if ("nginx" in each) return ["nginx"];
    return "cluster" in each && each.cluster.balancer === "nginx" ? ["nginx"] : [];
  });
}

/** Paths that need Redis, of the target and of any target behind it. */
function redisPathsOf(
  spec: TargetSpec,
  others: Readonly<Record<string, TargetSpec>>,
): string[] {
  return withThoseBehind(spec, others).flatMap((each) => {
    if ("framework" in each) return api.redisPaths; // all frameworks serve the same endpoints
    return "app" in each ? appNamed(each.app).redisPaths ?? [] : [];
  });
}
