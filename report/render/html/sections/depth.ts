/** How much of the page is shown, and the control for it. Without scripts, everything is shown. */
import { DEPTHS } from "../../../blocks.ts";
import { type Markup, markup } from "../../../writing/html.ts";
import { capitalized } from "../../../writing/words.ts";

/** Key under which the browser keeps the choice. */
export const DEPTH_KEY = "plateau-depth";

/** Runs before the page is laid out, so that hidden parts never appear. */
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
