/**
 * One visitor's place in a load of sessions: how far he is in the flow, and the exchange at hand.
 */
import type { ResponseReader } from "../http/response.ts";
import type { Variables } from "./flow.ts";

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
  variables: Variables = new Map();

  constructor(readonly reader: ResponseReader) {}
}
