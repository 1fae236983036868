/** The machine, and what ran on it, as facts of the report. */
import type { Machine } from "../../../base/system/facts.ts";
import type { Results, Run } from "../../../runner/result/result.ts";
import { formatCount, formatNumber, formatQuantity, sizeUnit } from "../../writing/units.ts";
import { counted, unique } from "../../writing/words.ts";
import type { MeasuredRuns } from "../../cells/measured.ts";
import type { Fact } from "../../blocks.ts";

export function machineFacts({ machine, redis, version, runs, ...rest }: MeasuredRuns): Fact[] {
  return [
    { label: "Processor", text: processorText(machine) },
    { label: "Clock speed", text: clockSpeedText(machine) },
    { label: "Memory", text: sizeText(machine.memory) },
    { label: "System", text: `${machine.os}, kernel ${machine.kernel}` },
    { label: "Runs in", text: environmentText(machine) },
    { label: "Limits", text: limitsText(machine) },
    { label: "Host", text: machine.hostname },
    { label: "Runtime", text: `Deno ${machine.deno}, V8 ${machine.v8}` },
    { label: "Targets run by", text: runtimesText(runs) },
    { label: "Plateau", text: version },
    { label: "Redis", text: redis === undefined ? "" : redis ?? "none" },
    { label: "Load worker at most", text: peakText(rest.peakThroughput?.generator) },
    { label: "Redis at most", text: peakText(rest.peakThroughput?.redis) },
    { label: "Commit", text: commitText(rest.commit) },
    { label: "Settings", text: rest.settings === undefined ? "" : `SHA-256 ${rest.settings}` },
  ].filter(({ text }) => text !== "");
}

function processorText({ cpu, cores, allowedCores, arch }: Machine): string {
  const usable = allowedCores < cores ? ` (${formatCount(allowedCores)} for Plateau)` : "";
  return `${cpu}, ${counted(cores, "core")}${usable}, ${arch}`;
}

/** "" where nothing is known. */
function clockSpeedText({ governor, turbo }: Machine): string {
  return [
    ...governor === null ? [] : [`governor ${governor}`],
    ...turbo === null ? [] : [`turbo ${turbo ? "on" : "off"}`],
  ].join(", ");
}

/** "" for a machine itself, as far as is known. */
function environmentText({ container, virtual }: Machine): string {
  return [
    ...container === null ? [] : [`a container (${container})`],
    ...virtual === null ? [] : [`a virtual machine (${virtual})`],
  ].join(" in ");
}

/** Of the system, on what a process may use; "" where none is known. */
function limitsText({ limits: { cores, memory }, openFiles, ports }: Machine): string {
  return [
    ...cores === null
      ? []
      : [`CPU time of ${formatNumber(cores)} ${cores === 1 ? "core" : "cores"}`],
    ...memory === null ? [] : [`${sizeText(memory)} of memory`],
    ...openFiles === null ? [] : [`${formatCount(openFiles)} open files`],
    ...ports === null ? [] : [`ports ${ports[0]}–${ports[1]}`],
  ].join(", ");
}

/** `fastify: node v20.20.2` for each target of which it is known. */
function runtimesText(runs: readonly Run[]): string {
  const known = runs.flatMap(({ target, runtime }) =>
    runtime === null ? [] : [`${target}: ${runtime}`]
  );
  return unique(known).sort().join(", ");
}

/** "" where it was not measured. */
function peakText(peak: NonNullable<Results["peakThroughput"]>["redis"]): string {
  if (peak === undefined) return "";
  if (peak === null) return "could not be measured";
  return `${formatCount(Math.round(peak.perSec))} requests/s (${peak.by})`;
}

function commitText(commit: MeasuredRuns["commit"]): string {
  if (!commit) return "";
  return commit.dirty ? `${commit.hash}, with changes that are in no commit` : commit.hash;
}

function sizeText(bytes: number): string {
  return formatQuantity(bytes, sizeUnit([bytes]));
}
