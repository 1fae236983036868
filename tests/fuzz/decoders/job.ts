import { VERSION } from "../../../base/version.ts";
import { AllowList, LOOPBACK_HOSTS } from "../../../runner/fleet/agent/allow.ts";
import { readJob } from "../../../runner/fleet/agent/job_reading.ts";
import type { AgentJobInput } from "../../../runner/fleet/protocol/agent_message.ts";
import { sentScript } from "../../../runner/fleet/protocol/sent_script.ts";
import { parseExperiment } from "../../../scenarios/file/experiment_file.ts";
import { planCells } from "../../../scenarios/plan/plan.ts";
import { scriptOf } from "../../../scenarios/request/script.ts";
import type { Decoder } from "../decoder.ts";

const EXPERIMENT = `name: a
targets: { a: { url: "http://127.0.0.1:1" } }
scenarios:
  one: { get: "/{{ n }}", values: { n: { to: 3 } } }
  flow: { flow: [{ get: /, capture: { id: { json: id } } }, { think: { mean: 1s, as: lognormal } }, { post: "/{{ id }}", json: [] }] }
load: { rate: 100/s, duration: 1s }
`;

function jobs(): AgentJobInput[] {
  return planCells(parseExperiment(EXPERIMENT, "a.yaml")).flatMap(({ request, load }) =>
    load.kind === "capacity" ? [] : [{
      run: "a",
      coordinator: "b",
      version: VERSION,
      assigned: { firstWorker: 0, workers: 2, own: 1 },
      origin: "http://127.0.0.1:1",
      access: {},
      script: sentScript(scriptOf(request, 1)),
      load,
      seed: 1,
      driver: "auto",
      intervalMs: 250,
      implicitCheck: true,
      reportEveryMs: 1_000,
    }]
  );
}

const allow = new AllowList(LOOPBACK_HOSTS, () => Promise.resolve(["192.0.2.1"]));

export const job: Decoder = {
  seeds: { samples: jobs().map((job) => JSON.stringify(job)), words: ["null", "{}"], isJson: true },
  decode: async (input) => {
    let data;
    try {
      data = JSON.parse(input);
    } catch {
      return; // a queue holds JSON, by BullMQ's own reader
    }
    await readJob(data, allow);
  },
};
