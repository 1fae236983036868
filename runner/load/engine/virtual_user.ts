/**
 * One visitor's place in a load of sessions: how far he is in the flow, and the exchange at hand.
 */
import type { KeptRoom } from "../../../base/http/kept.ts";
import { ResponseReader } from "../../../base/http/response.ts";
import { fillTemplate } from "../../../scenarios/request/template.ts";
import type { RequestStep, Visit } from "./flow.ts";

export const NOTHING = -1;

export class Visitor {
  /** Step of the flow; NOTHING while nobody is here. */
  step = NOTHING;
  arrivedUs = 0;
  /** When the exchange at hand was due; NOTHING between exchanges. */
  dueUs = NOTHING;
  /** When it was sent; NOTHING until then. */
  sentUs = NOTHING;
  firstByteUs = 0;
  visit: Visit = { steps: [], variables: new Map() };
  readonly reader: ResponseReader;

  /** @param retain Whether answers are kept to be judged. @param keptRoom Shared by all visitors. */
  constructor(retain: boolean, keptRoom?: KeptRoom) {
    this.reader = new ResponseReader({ retain, keptRoom });
  }

  /** The request at hand. */
  get request(): RequestStep {
    const step = this.visit.steps[this.step];
    if (step?.kind !== "request") throw new Error(`Step ${this.step} of the flow is no request`);
    return step;
  }

  /** Method and path of the request at hand, as sent; null until it is. */
  get asked(): string | null {
    if (this.sentUs === NOTHING) return null;
    const { method, path } = fillTemplate(this.request.wire, this.visit.variables);
    return `${method} ${path}`;
  }
}
