/** What an agent says to its coordinator. */
import { agentMessage } from "../../../runner/fleet/protocol/agent_message.ts";
import { packedReport, packedSoFar } from "../../../runner/fleet/protocol/packing.ts";
import { wordsOf } from "../../hostile/reported.ts";
import type { Decoder } from "../decoder.ts";

export const fleet: Decoder = {
  seeds: {
    samples: wordsOf("honest").map((message) => JSON.stringify(message)),
    words: ["null", "{}", "[]"],
    isJson: true,
  },
  decode: (input) => {
    let data;
    try {
      data = JSON.parse(input);
    } catch {
      return; // a queue holds JSON, by BullMQ's own reader
    }
    const read = agentMessage.safeParse(data);
    if (!read.success) return;
    if (read.data.kind === "bundle") {
      for (const report of read.data.soFar) packedSoFar.safeParse(report);
    } else if (data.kind === "finished") packedReport.safeParse(data.reports[0]);
  },
};
