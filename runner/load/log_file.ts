/**
 * The file of the request log. Every worker appends whole lines to it, which the system keeps apart. When
 * that fails, as on a full disk, the log is not whole and says why; the measurement goes on.
 */
import { messageOf } from "../../base/errors.ts";
import { openLog } from "../../base/whole_file.ts";

export class LogFile {
  /** Why lines are missing; null while none is. */
  lost: string | null = null;
  readonly #file: Deno.FsFile;

  constructor(path: string) {
    this.#file = openLog(path);
  }

  readonly write = (bytes: Uint8Array<ArrayBuffer>): void => {
    if (this.lost !== null) return;
    try {
      for (let at = 0; at < bytes.length;) at += this.#file.writeSync(bytes.subarray(at));
    } catch (error) {
      this.lost = messageOf(error);
    }
  };

  close(): void {
    this.#file.close();
  }
}
