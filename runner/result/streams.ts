/** Streams of messages as result files have them: whole responses are in the other figures, their messages here. */
import * as z from "zod";
import { distribution, lowerBounds } from "./distribution.ts";

const count = z.int().min(0);
const perSec = z.number().min(0);
const histogram = z.string().optional()
  .describe("HdrHistogram V2, compressed, base64, microseconds; absent where it would be empty");
const censoredHistogram = z.string().optional()
  .describe("The values of histogram that are lower bounds, encoded alike; absent for none");

export const boundedTimes = distribution.extend({ lowerBounds, histogram, censoredHistogram });

export const streams = z.strictObject({
  messages: z.strictObject({
    due: count,
    received: count,
    failed: count,
    unfinished: count,
    dropped: count,
  }).describe(
    "due = received + failed + unfinished + dropped, always: an open stream waits for one message, its first or its next. " +
      "failed: the stream was cut or refused while it waited; unfinished: the load ended, or the virtual user left; " +
      "dropped: the request was never sent",
  ),
  events: count.describe("Messages received"),
  eventsPerSec: perSec.describe("Messages received by the deadline / elapsed"),
  whole: count.describe(
    "Streams that ended as they should, with their last message where one was named",
  ),
  interruptions: z.strictObject({
    ended: count.describe("Its response had ended"),
    cut: count.describe("Its connection was cut"),
    refused: count.describe("No connection could be made"),
  }).optional().describe(
    "How often a stream that is requested again stood still, by why; the wait is in gap. Absent for none",
  ),
  ttfe: boundedTimes.describe("Time to the first message, by the clock of latency"),
  gap: boundedTimes.describe(
    "Between two messages of a stream; where it was cut or left, the wait so far, as a lower bound",
  ),
  byName: z.array(z.strictObject({
    name: z.string().describe("Empty for all events together whose names came after the first 20"),
    events: count,
    gap: distribution.describe("Since the message before on the same stream, whatever its name"),
  })).describe("Messages by the name of their event, in the order in which the names first came"),
  tokens: z.strictObject({
    tokens: count.describe("Messages that brought one"),
    tokensPerSec: perSec.describe("Messages by the deadline / elapsed"),
    ttft: boundedTimes.describe("Time to the first token, by the clock of latency"),
    tpot: distribution.extend({ histogram }).describe(
      "Time per output token: of each whole stream with two tokens or more, from its first to its last, by those after the first",
    ),
  }).optional().describe("Absent if no token was named"),
});

export type StreamFigures = z.output<typeof streams>;
export type BoundedStreamTimes = z.output<typeof boundedTimes>;
