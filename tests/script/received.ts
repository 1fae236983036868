/** A response as hooks get it. */
import { KeptResponse, KeptRoom } from "../../base/http/kept.ts";
import type { ReceivedResponse } from "../../base/http/received.ts";

export function responseOf(status: number, head: string, body: string): ReceivedResponse {
  const kept = new KeptResponse(new KeptRoom());
  const octets = (text: string): Uint8Array<ArrayBuffer> => new TextEncoder().encode(text);
  const [headOctets, bodyOctets] = [octets(head), octets(body)];
  kept.addHead(headOctets, 0, headOctets.length);
  kept.addBody(bodyOctets, 0, bodyOctets.length);
  return { status, bodyBytes: bodyOctets.length, served: 0, kept };
}
