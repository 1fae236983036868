/**
 * What a kind of load is: it decides what is sent when, and on which slot. `request_loop.ts` and `session_loop.ts` are the
 * members; what becomes of an exchange is decided in `exchanges.ts`, which calls them.
 */
import type { ReceivedResponse } from "../../../base/http/received.ts";

/** What is sent next, and what a response has to be: single requests, or the journeys of virtual users. */
export interface Workload {
  /** Whether responses must be kept to be checked; head: their bodies need not. */
  readonly readsResponses: boolean | "head";
  /** Whether no virtual user is on a journey, so that a load may end before its time. */
  readonly isIdle: boolean;
  /** Begins what is due; gives when more will be, Infinity where an event decides that. */
  onTick(nowUs: number): number;
  /** The slot's connection is open, and nothing waited for it. */
  onOpen(slot: number, nowUs: number): void;
  /** Responses have come on the slot, and its connection is still open or closed after them. */
  onCompleted(slot: number, isOpen: boolean, nowUs: number): void;
  /** All that was in flight on the slot has failed, or its dial; the slot is open for the next, or closed. */
  onFailed(slot: number, isOpen: boolean, nowUs: number): void;
  /** The slot has no connection, and nothing in flight. Reported at each sweep, too. */
  onClosed(slot: number, nowUs: number): void;
  /** Whether the response to request `request` is right; null where nothing is expected of it; a text: why a script has failed. */
  check(slot: number, request: number, response: ReceivedResponse): boolean | null | string;
  /** Which step of the load a request that waits, or is in flight, is of. */
  stepOf(slot: number, request: number): number;
  /** The step of the exchange that would be due next, and that is then never sent. */
  skipStep(): number;
  /** Method and path of a request in flight, as sent. */
  label(slot: number, request: number): string;
}
