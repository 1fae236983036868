/** The summary of a step on GitHub within its limits. Pure. */

/** Of all summaries of a step; GitHub refuses a larger file as a whole. */
export const MOST_BYTES = 1_048_576;

const NOTE =
  "*Shortened: GitHub takes no more than 1 MiB of a step. All of it is in the report, and in the file of --markdown.*";

/** @param writtenBytes What the step has written before. "" where there is no room even to say that it is short. */
export function shortened(markdown: string, writtenBytes: number): string {
  const encoder = new TextEncoder();
  const text = `${markdown.trimEnd()}\n\n`;
  const room = MOST_BYTES - writtenBytes;
  if (encoder.encode(text).length <= room) return text;
  const note = `\n\n${NOTE}\n\n`;
  const bytes = encoder.encode(text).subarray(0, Math.max(0, room - encoder.encode(note).length));
  const lines = new TextDecoder().decode(bytes).split("\n").slice(0, -1);
  return lines.length === 0 ? "" : lines.join("\n").trimEnd() + note;
}
