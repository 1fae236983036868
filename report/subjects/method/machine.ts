/** The machine, and what ran on it, as facts of the report. */
import type { Machine } from "../../../base/system/facts.ts";
import type { Results } from "../../../runner/result/result.ts";
import type { Fact } from "../../blocks.ts";
import type { MeasuredRuns } from "../../cells/measured.ts";
import { formatCount, formatNumber, formatQuantity, sizeUnit } from "../../writing/units.ts";
import { counted, unique } from "../../writing/words.ts";

/** Without those of which nothing is known. */
export function machineFacts({ machine, redis, version, runs, ...rest }: MeasuredRuns): Fact[] {
  const { cpu, cores, allowedCores, arch, governor, turbo, container, virtual } = machine;
  const usable = allowedCores < cores ? ` (${formatCount(allowedCores)} for Plateau)` : "";
  const runtimes = runs.flatMap(({ target, runtime }) =>
    runtime === null ? [] : [`${target}: ${runtime}`]
  );
  const { commit, settings, peakThroughput } = rest;
  return [
    { label: "Processor", text: `${cpu}, ${counted(cores, "core")}${usable}, ${arch}` },
    {
      label: "Clock speed",
      text: joined([
        governor !== null && `governor ${governor}`,
        turbo !== null && `turbo ${turbo ? "on" : "off"}`,
      ]),
    },
    { label: "Memory", text: sizeText(machine.memory) },
    { label: "System", text: `${machine.os}, kernel ${machine.kernel}` },
    {
      label: "Runs in",
      text: joined([
        container !== null && `a container (${container})`,
        virtual !== null && `a virtual machine (${virtual})`,
      ], " in "),
    },
    { label: "Limits", text: limitsText(machine) },
    { label: "Cores", text: pinText(rest.experiment?.pin) },
    { label: "Host", text: machine.hostname },
    { label: "Runtime", text: `Deno ${machine.deno}, V8 ${machine.v8}` },
    { label: "Targets run by", text: unique(runtimes).sort().join(", ") },
    { label: "Plateau", text: version },
    { label: "Redis", text: redis === undefined ? "" : redis ?? "none" },
    { label: "Load worker at most", text: peakText(peakThroughput?.generator) },
    { label: "Redis at most", text: peakText(peakThroughput?.redis) },
    {
      label: "Commit",
      text: joined([commit?.hash, commit?.dirty && "with changes that are in no commit"]),
    },
    { label: "Settings", text: settings === undefined ? "" : `SHA-256 ${settings}` },
  ].filter(({ text }) => text !== "");
}

/** Of the system, on what a process may use. */
function limitsText({ limits: { cores, memory }, openFiles, ports }: Machine): string {
  return joined([
    cores !== null && `CPU time of ${formatNumber(cores)} ${cores === 1 ? "core" : "cores"}`,
    memory !== null && `${sizeText(memory)} of memory`,
    openFiles !== null && `${formatCount(openFiles)} open files`,
    ports !== null && `ports ${ports[0]}–${ports[1]}`,
  ]);
}

/** @param pin As the experiment has it; its schema stands in scenarios/load/pin.ts. */
function pinText(pin: unknown): string {
  const { targets, workers }: { targets?: unknown; workers?: unknown } = Object(pin);
  return joined([
    targets !== undefined && `targets on ${targets}`,
    workers !== undefined && `load generator on ${workers}`,
  ]);
}

/** "" where it was not measured. */
function peakText(peak: NonNullable<Results["peakThroughput"]>["redis"]): string {
  if (peak === undefined) return "";
  if (peak === null) return "could not be measured";
  return `${formatCount(Math.round(peak.perSec))} requests/s (${peak.by})`;
}

function sizeText(bytes: number): string {
  return formatQuantity(bytes, sizeUnit([bytes]));
}

function joined(texts: readonly (string | false | undefined)[], between = ", "): string {
  return texts.filter(Boolean).join(between);
}
