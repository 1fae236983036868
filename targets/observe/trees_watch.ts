/** Watches the process trees of a target, all together and each part apart. Linux only. */
import type { Watched, WatchedPart } from "../launch/launcher.ts";
import { TreeUse } from "./tree_use.ts";
import { Series, sumOfUses } from "./use.ts";
import { lookEachInterval, type LookTimes, type ResourceWatch, type WatchedUse } from "./watch.ts";

type Target = Watched & { readonly parts?: () => readonly WatchedPart[] };

export function watchTrees(target: Target, times: LookTimes): ResourceWatch {
  const trees = new Trees(target, times);
  const end = lookEachInterval(times, (nowMs) => trees.look(nowMs));
  return {
    stop(): Promise<WatchedUse> {
      end();
      trees.look(performance.now());
      return Promise.resolve(trees.used());
    },
  };
}

class Trees {
  readonly #trees = new Map<number, TreeUse>();
  readonly #whole: Series;
  readonly #parts = new Map<string, { readonly part: WatchedPart; readonly series: Series }>();

  constructor(private readonly target: Target, private readonly times: LookTimes) {
    this.#whole = new Series(times);
  }

  look(nowMs: number): void {
    const alone: WatchedPart = { ...this.target, role: "behind", name: "" };
    const used = (this.target.parts?.() ?? [alone]).flatMap((part) => {
      const tree = this.#treeOf(part);
      return tree === null ? [] : [{ part, use: tree.take() }];
    });
    if (used.length === 0) return;
    this.#whole.add(nowMs, sumOfUses(used.map(({ use }) => use)));
    for (const group of Map.groupBy(used, ({ part }) => `${part.role} ${part.name}`).values()) {
      this.#seriesOf(group[0].part).add(nowMs, sumOfUses(group.map(({ use }) => use)));
    }
  }

  used(): WatchedUse {
    const parts = [...this.#parts.values()].map(({ part: { role, name }, series }) => {
      return { role, name, points: series.points() };
    });
    // What is not known of one of them is not known of the whole.
    if ([...this.#trees.values()].some(({ isSeen }) => !isSeen)) {
      return { resources: [], parts: [] };
    }
    return { resources: this.#whole.points(), parts: parts.length > 1 ? parts : [] };
  }

  #treeOf({ pid, supervised }: Watched): TreeUse | null {
    if (pid === null) return null;
    const tree = this.#trees.get(pid) ?? new TreeUse({ pid, supervised });
    this.#trees.set(pid, tree);
    return tree;
  }

  #seriesOf(part: WatchedPart): Series {
    const key = `${part.role} ${part.name}`;
    const { series } = this.#parts.get(key) ?? { series: new Series(this.times) };
    this.#parts.set(key, { part, series });
    return series;
  }
}
