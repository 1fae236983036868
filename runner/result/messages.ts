/**
 * Messages of streams and WebSockets in result files; complete responses, and WebSockets themselves, count as requests.
 */
import * as z from "zod";
import { distribution, lowerBounds } from "./distribution.ts";

const count = z.int().min(0);
const perSec = z.number().min(0);
const histogram = z.string().optional()
  .describe("HdrHistogram V2, compressed, base64, microseconds; absent if it would be empty");
const censoredHistogram = z.string().optional()
  .describe(
    "The values in histogram that are lower bounds, encoded like histogram; absent for none",
  );

const boundedTimes = distribution.extend({ lowerBounds, histogram, censoredHistogram });

const messages = z.strictObject({
  due: count,
  received: count,
  failed: count,
  unfinished: count,
  dropped: count,
});

export const streams = z.strictObject({
  messages: messages.describe(
    "due = received + failed + unfinished + dropped, always: each open stream has one message due, its first or its next. " +
      "failed: the stream was cut or refused before the message; unfinished: the load ended or the virtual user left " +
      "before it; dropped: the request was never sent",
  ),
  events: count.describe("Messages received"),
  eventsPerSec: perSec.describe("Messages received by the deadline, divided by the elapsed time"),
  whole: count.describe(
    "Streams that ended as they should, with the last message if the request names one",
  ),
  interruptions: z.strictObject({
    ended: count.describe("Interruptions because the response had ended"),
    cut: count.describe("Interruptions because the connection was cut"),
    refused: count.describe("Interruptions because no connection could be made"),
  }).optional().describe(
    "How often streams with reconnect were interrupted, by cause; the time until the next message counts in gap. Absent: never",
  ),
  ttfe: boundedTimes.describe("Time to the first message, counted from the same moment as latency"),
  gap: boundedTimes.describe(
    "Time between two messages of a stream; if the stream was cut or left, the wait until then, as a lower bound",
  ),
  byName: z.array(z.strictObject({
    name: z.string().describe(
      "Name of the event; empty for all events whose names are not listed. Each worker keeps the first 20 names of a " +
        "request, and the 20 most frequent names of all are listed",
    ),
    events: count,
    gap: distribution.describe(
      "Time since the previous message on the same stream, whatever its name",
    ),
  })).describe(
    "Messages by the name of their event, over all requests of a mix or flow, sorted by name",
  ),
  tokens: z.strictObject({
    tokens: count.describe("Messages that brought a token"),
    tokensPerSec: perSec.describe("Tokens received by the deadline, divided by the elapsed time"),
    ttft: boundedTimes.describe("Time to the first token, counted from the same moment as latency"),
    tpot: distribution.extend({ histogram }).describe(
      "Time per output token. Each whole stream with two or more tokens has one value: the time from its first token to " +
        "its last, divided by the number of tokens after the first",
    ),
  }).optional().describe("Tokens in the messages; absent if no request names the place of a token"),
});

export const sockets = z.strictObject({
  messages: messages.describe(
    "Messages that were sent, or due, and expect an answer: due = received + failed + unfinished + dropped, always. " +
      "received: the answer arrived; failed: the socket was cut, closed or timed out before the answer; " +
      "unfinished: the load ended before it; dropped: the message was due and never sent",
  ),
  message: boundedTimes.describe(
    "Latency of a message: from when it was due to its answer; empty if no answer is expected",
  ),
  opened: count.describe("WebSockets whose opening handshake was right"),
  sent: count.describe("Messages sent, whether or not an answer is expected"),
  received: count.describe("All messages from the server"),
  messagesPerSec: perSec.describe(
    "Messages from the server by the deadline, divided by the elapsed time",
  ),
  unmatched: count.describe(
    "Messages from the server that answer no sent message, although answers are expected",
  ),
  closeCodes: z.record(z.string(), count).describe(
    "Sockets by the code of the server's close frame: 1005 for a frame without one, 1006 for no frame; " +
      "other: all codes after the first 20",
  ),
});

/** Figures of messages, of a run or of one of its steps. */
export const messageFigures = {
  streams: streams.optional().describe(
    "Messages of streamed responses; absent if no response is a stream",
  ),
  sockets: sockets.optional().describe(
    "WebSockets and their messages; absent if no request is for one",
  ),
};

export type StreamFigures = z.output<typeof streams>;
export type SocketFigures = z.output<typeof sockets>;
export type MessageTimes = z.output<typeof boundedTimes>;

/**
 * Whether WebSockets sent more than one message each on average. Such messages are due at given times even in a closed
 * loop.
 */
export function arePaced(figures: Pick<SocketFigures, "sent" | "opened"> | undefined): boolean {
  return figures !== undefined && figures.sent > figures.opened;
}
