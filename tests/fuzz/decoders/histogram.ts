import { decodeSparse, encodeHistogram } from "../../../runner/stats/histogram/hdr.ts";
import { Histogram } from "../../../runner/stats/histogram/histogram.ts";
import { type Decoder, Finding } from "../decoder.ts";

function histogramOf(values: readonly number[]): string {
  const histogram = new Histogram();
  for (const value of values) histogram.record(value);
  return encodeHistogram(histogram.toSparse());
}

export const histogram: Decoder = {
  seeds: {
    samples: [[], [5], [1, 900, 70_000, 3.6e9], Array.from({ length: 500 }, (_, at) => at * at)]
      .map(histogramOf),
    words: ["HISTFAAA", "AAAA", "////", "eJz"],
  },
  decode: (input) => {
    let part;
    try {
      part = decodeSparse(input);
    } catch (error) {
      if (error instanceof Error && error.message.startsWith("Cannot decode the histogram")) return;
      throw error;
    }
    const { indices, counts, count } = part;
    const isSum = Array.from(counts).reduce((sum, one) => sum + one, 0) === count;
    if (!isSum || indices.some((index, at) => at > 0 && index <= indices[at - 1])) {
      throw new Finding("its counts or buckets are out of order");
    }
  },
};
