/** The same octets, cut in every way: what they mean may not depend on how they arrive. */
import type { DriverEvents } from "../../runner/load/engine/driver.ts";
import type { NotingDriver } from "./stage.ts";

type Segmentation = readonly [what: string, pieces: readonly Uint8Array[]];

/** `answers` one after the other: whole, octet by octet, and cut in two at every offset. */
export function segmentations(answers: readonly Uint8Array[]): Segmentation[] {
  const bytes = Uint8Array.from(answers.flatMap((answer) => [...answer]));
  const cuts = Array.from(bytes, (_, at): Segmentation => [
    `cut at ${at}`,
    [bytes.slice(0, at), bytes.slice(at)].filter((piece) => piece.length > 0),
  ]);
  return [["octet by octet", Array.from(bytes, (octet) => Uint8Array.of(octet))], ...cuts];
}

/** Hands the pieces to slot 0, until the loop closes it. */
export function feedUntilClosed(
  { loop, driver }: { loop: DriverEvents; driver: NotingDriver },
  pieces: readonly Uint8Array[],
): void {
  for (const piece of pieces) {
    loop.onBytes(0, piece, piece.length, 50);
    if (driver.take().includes("close 0")) return;
  }
}
