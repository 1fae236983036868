import { experiments } from "../../../scenarios/experiments/registry.ts";
import { parseExperiment } from "../../../scenarios/file/experiment_file.ts";
import { type Files, NO_FILES } from "../../../base/files.ts";
import { withEngine } from "../../../base/pattern.ts";
import { planBlocks } from "../../../scenarios/plan/plan.ts";
import { scriptOf } from "../../../scenarios/request/script.ts";
import type { Decoder } from "../decoder.ts";

export function planText(text: string, files: Files = NO_FILES): void {
  const experiment = parseExperiment(text, "a.yaml", { files, environment: () => "value" });
  const { cells, blocks } = planBlocks(experiment, { seed: 1 });
  for (const block of blocks()) if (block.length === cells.length) break;
  scriptOf(cells[0].request, 1);
}

export const experiment: Decoder = {
  seeds: {
    samples: Object.values(experiments),
    words: [
      ...[
        ...["- ", ": ", "[", "]", "{", "}", "&a ", "*a ", "<<: *a", "!!map ", "? ", "|\n", ">-\n"],
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
