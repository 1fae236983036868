/// <reference lib="deno.worker" />
/** The load worker, which also posts the memory of its isolate once, after as many intervals as its name says. */
import type { FromWorker } from "../../runner/load/worker/messages.ts";
import "../../runner/load/worker/worker.ts"; // static, because messages without a handler would be lost
import { type HeldTwice, heldTwice } from "./held.ts";

export interface HeldMessage {
  readonly held: HeldTwice;
}

const post = self.postMessage.bind(self);
let left = Number(self.name);

self.postMessage = (message: FromWorker) => {
  if (message.kind === "interval" && --left === 0) {
    post({ held: heldTwice() } satisfies HeldMessage);
  }
  post(message);
};
