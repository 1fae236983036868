/**
 * Computes the CPU time that a process tree has used from one look to the next, even if processes end in between. A
 * look reads the times of all processes in the tree. When a process has ended, its whole CPU time is added to the time
 * that its parent reports for children it has waited for. The part that earlier looks have already counted is kept as a
 * debt of the parent until it appears there, so nothing is lost or counted twice, and no time is negative. Pure.
 */

/** A process at one look. Its times cover its whole life, in ms. */
export interface CpuSample {
  readonly pid: number;
  /** The process under which this one was found; null for the root. */
  readonly parent: number | null;
  /** The start time, which tells the process from a later one with the same pid. */
  readonly start: number;
  readonly ownMs: number;
  /** The CPU time of ended children that the process has waited for. */
  readonly waitedMs: number;
}

interface Entry extends CpuSample {
  /** CPU time of ended descendants that was counted already but is not yet part of `waitedMs`. */
  owedMs: number;
}

/** A process that was missing at a look, and the ancestor that owes the CPU time already counted for it. */
interface Debt {
  readonly entry: Entry;
  readonly heir: Entry;
}

export class CpuLedger {
  #entries: ReadonlyMap<number, Entry> = new Map();
  /** The debts that the last look found. */
  #debts: readonly Debt[] = [];

  /** The CPU time that the processes have used since the last look, in ms; at the first look, since they started. */
  take(samples: readonly CpuSample[]): number {
    const before = this.#entriesWithMissed();
    const entries = new Map(samples.map((sample): [number, Entry] => {
      const last = before.get(sample.pid);
      return [sample.pid, { ...sample, owedMs: isSame(last, sample) ? last.owedMs : 0 }];
    }));
    this.#forgive(entries);
    this.#debts = [...this.#entries.values()].flatMap((entry) => {
      const heir = isSame(entries.get(entry.pid), entry) ? null : this.#heirOf(entry, entries);
      return heir === null ? [] : [{ entry, heir }];
    });
    for (const { entry, heir } of this.#debts) heir.owedMs += allOf(entry);
    this.#entries = entries;
    return [...entries.values()].reduce((sum, entry) => {
      const last = before.get(entry.pid);
      return sum + settle(entry, isSame(last, entry) ? last : null);
    }, 0);
  }

  #entriesWithMissed(): ReadonlyMap<number, Entry> {
    const missed = this.#debts.map(({ entry }) => [entry.pid, entry] as const);
    return new Map([...missed, ...this.#entries]);
  }

  /**
   * Cancels the debts for processes that are found again. The last look may have missed such a process because it was
   * moved to another parent just then.
   */
  #forgive(entries: ReadonlyMap<number, Entry>): void {
    for (const { entry, heir } of this.#debts) {
      const debtor = isSame(entries.get(entry.pid), entry) ? entries.get(heir.pid) : undefined;
      if (debtor) debtor.owedMs = Math.max(0, debtor.owedMs - allOf(entry));
    }
  }

  /** The nearest ancestor, still alive, of an ended process; null if there is none. */
  #heirOf({ parent }: Entry, entries: ReadonlyMap<number, Entry>): Entry | null {
    const last = parent === null ? undefined : this.#entries.get(parent);
    if (last === undefined) return null;
    const now = entries.get(last.pid);
    return isSame(now, last) ? now : this.#heirOf(last, entries);
  }
}

/**
 * The CPU time that the process has used since the last look, plus that of children it has waited for since then, minus
 * what was already counted. Reduces `owedMs` by what was already counted and is now part of `waitedMs`.
 */
function settle(entry: Entry, last: Entry | null): number {
  const own = Math.max(0, entry.ownMs - (last?.ownMs ?? 0));
  const waited = Math.max(0, entry.waitedMs - (last?.waitedMs ?? 0));
  const counted = Math.min(entry.owedMs, waited);
  entry.owedMs -= counted;
  return own + waited - counted;
}

function isSame(entry: Entry | undefined, other: CpuSample): entry is Entry {
  return entry?.start === other.start;
}

function allOf({ ownMs, waitedMs, owedMs }: Entry): number {
  return ownMs + waitedMs + owedMs;
}
