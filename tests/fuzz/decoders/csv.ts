import { join } from "node:path";
import { tmpdir } from "node:os";
import { filesFrom } from "../../../scenarios/file/disk_files.ts";
import type { Decoder } from "../decoder.ts";

const folder = tmpdir();

export const csv: Decoder = {
  seeds: {
    samples: ["id,name\n1,a\n2,b\n", '"a b","c\n""d"""\r\n1,"x,y"\r\n', "\ufeffa;b\n1;2\n"],
    words: [",", '"', '""', "\n", "\r\n", "\r", "\ufeff", "__proto__", "a,b,c"],
  },
  decode: (input) => {
    const name = `fuzz-${Deno.pid}.csv`;
    Deno.writeTextFileSync(join(folder, name), input);
    try {
      filesFrom(folder).rows(name);
    } catch (error) {
      // The schema of an experiment makes a mistake at its place of every reason.
      if (!(error instanceof Error) || error instanceof RangeError || error instanceof TypeError) {
        throw error;
      }
    } finally {
      Deno.removeSync(join(folder, name));
    }
  },
};
