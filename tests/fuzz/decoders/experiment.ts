import { experiments } from "../../../scenarios/experiments/registry.ts";
import { parseExperiment } from "../../../scenarios/experiment_file.ts";
import { type Files, NO_FILES } from "../../../scenarios/files.ts";
import { withEngine } from "../../../scenarios/pattern.ts";
import { planBlocks } from "../../../scenarios/plan.ts";
import { scriptOf } from "../../../scenarios/script.ts";
import type { Decoder } from "../decoder.ts";

export function planText(text: string, files: Files = NO_FILES): void {
  const experiment = parseExperiment(text, "a.yaml", { files });
  const { cells, blocks } = planBlocks(experiment, { seed: 1 });
  for (const block of blocks()) if (block.length === cells.length) break;
  scriptOf(cells[0].request, 1);
}

export const experiment: Decoder = {
  seeds: {
    samples: Object.values(experiments),
    words: [
      ...[
        "- ",
        ": ",
        "[",
        "]",
        "{",
        "}",
        "&a ",
        "*a ",
        "<<: *a",
        "!!map ",
        "? ",
        "|\n",
        ">-\n",
        "\n  ",
      ],
      ...[
        "#",
        '"',
        "'",
        "---\n",
        "...\n",
        "${",
        "{{ ",
        " }}",
        "rate: 1/s",
        "phases:",
        "flow:",
        "csv: a",
      ],
    ],
  },
  decode: (input) => withEngine(() => planText(input)),
};
