/// <reference lib="dom" />
/** Lets the reader choose another base, and then replaces the page's comparisons by comparisons with that base. */
import { inflated, nodesOf, parsed, scriptText } from "./charts/page_data.ts";
import { chosenBase, compareWith } from "./linked/choice.ts";

type FiguresOfBases = Readonly<Record<string, Readonly<Record<string, string>>>>;

/** The figures of the page as delivered, by id. */
const written = new Map<string, readonly Node[]>();
let figures: Promise<readonly FiguresOfBases[]> | null = null;
let shown: string | null = null;

/** Lets the reader choose a base. @param onShown Equips the nodes that were inserted. */
export function startBases(onShown: () => void): void {
  document.addEventListener("change", ({ target }) => {
    if (target instanceof HTMLSelectElement && target.name === "base") {
      compareWith(target.value === "" ? null : target.value);
    }
  });
  const follow = async (): Promise<void> => {
    if (await showBase()) onShown();
  };
  addEventListener("chosen", follow);
  follow();
}

/** Shows comparisons with the chosen base. @returns Whether the page changed. */
async function showBase(): Promise<boolean> {
  const base = chosenBase;
  if (base !== null) await parsed();
  for (const select of document.querySelectorAll<HTMLSelectElement>("select[name=base]")) {
    select.value = base ?? "";
  }
  if (base === shown) return false;
  shown = base;
  const all = base === null ? [] : await (figures ??= figuresOfBases());
  // The reader may have chosen another base meanwhile.
  if (base !== chosenBase) return false;
  const based: FiguresOfBases[string] = Object.assign({}, ...all.map((own) => own[base ?? ""]));
  for (const figure of document.querySelectorAll("figure.forest[id]")) {
    const own = written.get(figure.id) ?? [...figure.childNodes];
    written.set(figure.id, own);
    const other = Object.hasOwn(based, figure.id) ? based[figure.id] : null;
    figure.replaceChildren(...other === null ? own : nodesOf(other));
  }
  return true;
}

/** Figures of each experiment of the page, by base and id. */
function figuresOfBases(): Promise<FiguresOfBases[]> {
  const scripts = document.querySelectorAll("script[id^=bases-]");
  return Promise.all(
    [...scripts].map(({ id }) => inflated(JSON.parse(scriptText(id) ?? `""`)).json()),
  );
}
