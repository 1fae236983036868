/** The readers of a load, one a connection. Pure. */
import { KeptRoom } from "./kept.ts";
import { KnownHead } from "./known_head.ts";
import { ResponseReader } from "./response.ts";

/** They know one head, and what they keep has one room. */
export function readersOf(slots: number, retain: boolean): ResponseReader[] {
  const options = { retain, known: new KnownHead(), keptRoom: new KeptRoom() };
  return Array.from({ length: slots }, () => new ResponseReader(options));
}
