/** Where responses are kept in a load with streams: the bodies of those are handed on as they come, and not kept. */
import { KeptResponse, KeptRoom } from "../../../../base/http/kept.ts";
import { LIMITS } from "../../../../base/limits.ts";

/** A part of a body: `bytes[from, to)` of the response on a slot. */
export interface BodyPart {
  readonly kept: KeptResponse;
  readonly bytes: Uint8Array;
  readonly from: number;
  readonly to: number;
}

/** Whether the response is a stream, and the part has been taken. */
type TakePart = (slot: number, part: BodyPart) => boolean;

export class StreamRoom extends KeptRoom {
  /** A stream may go on for ever. */
  override readonly mostBodyBytes = Infinity;

  constructor(private readonly takePart: TakePart) {
    super();
  }

  override keep(keepsBody: boolean, slot?: number): KeptResponse {
    return new StreamedResponse(
      this,
      keepsBody,
      (part) => this.takePart(slot ?? this.slotAtHand, part),
    );
  }
}

class StreamedResponse extends KeptResponse {
  constructor(
    room: KeptRoom,
    keepsBody: boolean,
    private readonly take: (part: BodyPart) => boolean,
  ) {
    super(room, keepsBody);
  }

  override addBody(bytes: Uint8Array, from: number, to: number): boolean {
    if (this.take({ kept: this, bytes, from, to })) return true;
    const length = this.body().length + to - from;
    return length <= LIMITS.keptBody.most && super.addBody(bytes, from, to);
  }
}
