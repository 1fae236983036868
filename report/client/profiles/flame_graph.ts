/// <reference lib="dom" />
/**
 * The flame graph of a scenario. The reader chooses a profile, another one to compare it with, a text to search for,
 * and the call that fills the width.
 */
import {
  areComparable,
  type Flame,
  type FlameChange,
  flameChanges,
  foundCalls,
  paintOf,
  type PlacedCall,
  placedCalls,
  sharesOf,
} from "../../subjects/profiles/flames.ts";
import { formatMs, formatShare } from "../../writing/units.ts";
import { element } from "../elements.ts";
import { counted } from "../../writing/words.ts";

const ROW_PX = 18;
/** Calls narrower than this share of the width are not drawn. */
const NARROWEST = 0.002;

/** Creates the flame graphs of all figures that do not have one yet. */
export function equipFlames(): void {
  for (const figure of document.querySelectorAll<HTMLElement>("figure.flame:not([data-ready])")) {
    const data = document.getElementById(`flames-${figure.id}`)?.textContent;
    if (data === null || data === undefined) continue; // the page is still loading
    figure.dataset.ready = "";
    new FlameGraph(figure, JSON.parse(data));
  }
}

class FlameGraph {
  readonly #flames: readonly Flame[];
  readonly #drawing: HTMLElement;
  readonly #readout: HTMLElement;
  readonly #shown: HTMLSelectElement;
  readonly #base: HTMLSelectElement;
  readonly #sought: HTMLInputElement;
  readonly #whole: HTMLButtonElement;
  #focus: number | null = null;
  #placed: readonly PlacedCall[] = [];
  #changes: readonly FlameChange[] | null = null;

  constructor(figure: HTMLElement, flames: readonly Flame[]) {
    const part = <Part extends Element>(selector: string): Part => {
      const found = figure.querySelector<Part>(selector);
      if (found === null) throw new Error(`The flame graph has no ${selector}`);
      return found;
    };
    this.#flames = flames;
    this.#drawing = part("[role=tree]");
    this.#readout = part(".readout");
    this.#shown = part("select[name=shown]");
    this.#base = part("select[name=against]");
    this.#sought = part("input");
    this.#whole = part("button");
    this.#listen(part("form"));
    this.#choose();
  }

  get #flame(): Flame {
    return this.#flames[Number(this.#shown.value)];
  }

  #listen(form: HTMLFormElement): void {
    form.addEventListener("submit", (event) => event.preventDefault());
    this.#shown.addEventListener("change", () => this.#choose());
    this.#base.addEventListener("change", () => this.#compare());
    this.#sought.addEventListener("input", () => this.#draw());
    this.#whole.addEventListener("click", () => this.#zoom(null));
    this.#drawing.addEventListener("click", ({ target }) => this.#zoom(nodeAt(target)));
    for (const type of ["pointerover", "focusin"]) {
      this.#drawing.addEventListener(type, ({ target }) => {
        const node = nodeAt(target);
        if (node !== null) this.#readout.textContent = this.#textOf(node);
      });
    }
    this.#drawing.addEventListener("keydown", (event) => this.#follow(event));
  }

  /** Shows the chosen profile, and offers the profiles with which it can be compared. */
  #choose(): void {
    const options = this.#flames.flatMap((other, i) =>
      areComparable(this.#flame, other) ? [new Option(other.label, String(i))] : []
    );
    this.#base.replaceChildren(new Option("nothing", ""), ...options);
    this.#base.disabled = options.length === 0;
    this.#compare();
  }

  #compare(): void {
    const base = this.#base.value;
    this.#changes = base === "" ? null : flameChanges(this.#flame, this.#flames[Number(base)]);
    this.#zoom(null);
  }

  #zoom(node: number | null): void {
    const hadFocus = this.#drawing.contains(document.activeElement);
    this.#focus = node;
    this.#whole.disabled = node === null;
    this.#draw();
    if (hadFocus) this.#callOf(node ?? this.#placed[0]?.node)?.focus();
  }

  #draw(): void {
    const flame = this.#flame;
    const active = nodeAt(document.activeElement);
    this.#placed = placedCalls(flame.tree, { focus: this.#focus, narrowest: NARROWEST });
    const found = foundCalls(flame.tree, this.#sought.value);
    const isSought = this.#sought.value.trim() !== "";
    const entry = this.#placed.find(({ node }) => node === active) ?? this.#placed[0];
    const calls = this.#placed.map((call) =>
      this.#drawn(call, isSought && !found.nodes.has(call.node), call === entry)
    );
    const rows = 1 + Math.max(0, ...this.#placed.map(({ depth }) => depth));
    this.#drawing.style.height = `${rows * ROW_PX}px`;
    this.#drawing.replaceChildren(...calls);
    if (active !== null) this.#callOf(active)?.focus();
    const base = this.#base.selectedOptions[0]?.label ?? "";
    const colors = this.#changes === null
      ? ""
      : `Orange: the function itself takes more time per request than in ${base}; blue: less. `;
    this.#readout.textContent = isSought
      ? `${counted(found.nodes.size, "call")} found, ${formatShare(found.ratio)} of the time`
      : `${colors}Point at a call for its module, line and shares of the time; click it to zoom in.`;
  }

  #drawn({ node, x, width, depth }: PlacedCall, isDim: boolean, isEntry: boolean): HTMLElement {
    const call = element("div", {
      className: `${paintOf(this.#flame, node, this.#changes)}${isDim ? " dim" : ""}`,
      role: "treeitem",
      tabIndex: isEntry ? 0 : -1,
      ariaLevel: String(depth + 1),
      ariaLabel: this.#textOf(node),
    }, this.#frameOf(node).name);
    call.dataset.node = String(node);
    const [left, wide] = [x, width].map((share) => `${100 * share}%`);
    Object.assign(call.style, { left, width: wide, top: `${depth * ROW_PX}px` });
    return call;
  }

  #frameOf(node: number): Flame["tree"]["frames"][number] {
    const { frames, frame } = this.#flame.tree;
    return frames[frame[node]];
  }

  #textOf(node: number): string {
    const { name, module, line } = this.#frameOf(node);
    const place = module === "" ? "" : ` (${module}${line > 0 ? `:${line}` : ""})`;
    const { own, total } = sharesOf(this.#flame.tree, node);
    const change = this.#changes?.[this.#flame.tree.frame[node]];
    return `${name}${place}: own ${formatShare(own)}, total ${formatShare(total)}${
      change === undefined ? "" : `; ${changeText(change)}`
    }`;
  }

  /**
   * Arrow keys move to the caller, to the first callee, and to the neighbours. Enter zooms to the call, and Escape
   * shows all calls.
   */
  #follow(event: KeyboardEvent): void {
    const node = nodeAt(event.target);
    if (node === null) return;
    if (event.key === "Escape" || event.key === "Enter" || event.key === " ") {
      this.#zoom(event.key === "Escape" ? null : node);
    } else {
      const next = this.#callOf(this.#neighbour(node, event.key));
      if (next === null) return;
      this.#drawing.querySelector("[tabindex='0']")?.setAttribute("tabindex", "-1");
      next.tabIndex = 0;
      next.focus();
    }
    event.preventDefault();
  }

  #neighbour(node: number, key: string): number | undefined {
    const { parent } = this.#flame.tree;
    const siblings = this.#placed.filter((call) => parent[call.node] === parent[node]);
    const at = siblings.findIndex((call) => call.node === node);
    const leads: Readonly<Record<string, number | undefined>> = {
      ArrowUp: parent[node] < 0 ? undefined : parent[node],
      ArrowDown: this.#placed.find((call) => parent[call.node] === node)?.node,
      ArrowLeft: siblings[at - 1]?.node,
      ArrowRight: siblings[at + 1]?.node,
      Home: this.#placed[0].node,
    };
    return leads[key];
  }

  #callOf(node: number | undefined): HTMLElement | null {
    return this.#drawing.querySelector(`[data-node="${node}"]`);
  }
}

/** For example `42 µs per request, 30 µs in the other profile: the difference exceeds the noise between runs`. */
function changeText({ beforeUs, afterUs, isBeyondNoise }: FlameChange): string {
  const [before, after] = [beforeUs, afterUs].map((us) => formatMs(us / 1_000));
  const noise = isBeyondNoise === null
    ? "the noise between runs is unknown"
    : isBeyondNoise
    ? "the difference exceeds the noise between runs"
    : "the difference is within the noise between runs";
  return `${after} per request, ${before} in the other profile: ${noise}`;
}

/** The node of the call at which an event happened; null if it was not at a call. */
function nodeAt(target: EventTarget | null): number | null {
  const call = target instanceof Element ? target.closest("[data-node]") : null;
  return call === null ? null : Number(call.getAttribute("data-node"));
}
