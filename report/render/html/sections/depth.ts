/** How much of the page is shown, and the control for choosing it. Without scripts, the whole page is shown. */
import { DEPTHS } from "../../../blocks.ts";
import { type Markup, markup } from "../../../writing/html.ts";
import { capitalized } from "../../../writing/words.ts";

/** The key in `localStorage` that stores the choice. */
export const DEPTH_KEY = "plateau-depth";

/** Runs before the browser lays out the page, so that hidden parts never flash up. */
export const DEPTH_SCRIPT = `{let depth;try{depth=localStorage.getItem("${DEPTH_KEY}")}catch{}
document.documentElement.dataset.depth=${JSON.stringify(DEPTHS)}.includes(depth)?depth:"summary"}`;

export function depthMarkup(): Markup {
  const choices = DEPTHS.map((depth) =>
    markup`<label><input type="radio" name="depth" value="${depth}"><span>${
      capitalized(depth)
    }</span></label>`
  );
  return markup`<form class="depth" autocomplete="off"><fieldset><legend class="unseen">How much to show</legend>
${choices}</fieldset></form>`;
}
