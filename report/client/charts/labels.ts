/** Texts in charts: fits them into the available room, and places names beside their dots. */

/** Shortens a text to a width in pixels by cutting its middle, because names differ at their ends. */
export function cutTo(
  room: number,
  text: string,
  ctx: { measureText(text: string): { readonly width: number } },
): string {
  if (ctx.measureText(text).width <= room) return text;
  const characters = [...text];
  for (let kept = characters.length - 1; kept > 1; kept--) {
    const head = Math.floor(kept / 3);
    const cut = [...characters.slice(0, head), "…", ...characters.slice(head - kept)].join("");
    if (ctx.measureText(cut).width <= room) return cut;
  }
  return "…";
}

/** A rectangle in pixels of the canvas. */
interface Box {
  readonly left: number;
  readonly right: number;
  readonly top: number;
  readonly bottom: number;
}

export interface PlacedDot {
  readonly x: number;
  readonly y: number;
  readonly radius: number;
}

const LINE_PX = 13;
/** Distance between a dot and its name. */
const GAP_PX = 5;

/**
 * Where the name of each dot is drawn: beside its dot, within `area`, and not over a dot or an earlier name; null if no
 * such place is left.
 */
export function placedNames(
  names: readonly { readonly dot: PlacedDot; readonly width: number }[],
  dots: readonly PlacedDot[],
  area: Box,
): (Box | null)[] {
  const taken: Box[] = dots.map(({ x, y, radius }) => boxOf(x - radius, y, 2 * radius, radius));
  return names.map(({ dot, width }) => {
    const place = placesBeside(dot, width).find((box) =>
      box.left >= area.left && box.right <= area.right && box.top >= area.top &&
      box.bottom <= area.bottom && !taken.some((other) =>
        box.left < other.right && other.left < box.right &&
        box.top < other.bottom && other.top < box.bottom
      )
    );
    if (place !== undefined) taken.push(place);
    return place ?? null;
  });
}

/**
 * The places for a name, in order of preference: to the right or left of the dot (slightly raised, level, slightly
 * lowered), above it, and below it.
 */
function placesBeside({ x, y, radius }: PlacedDot, width: number): Box[] {
  const gap = radius + GAP_PX;
  const lefts = [x + gap, x - gap - width];
  const away = radius + LINE_PX / 2 + 1;
  const corners = [
    ...[-7, 0, 7].flatMap((by) => lefts.map((left) => [left, by])),
    ...[-away, away].map((by) => [x - width / 2, by]),
  ];
  return corners.map(([left, by]) => boxOf(left, y + by, width, LINE_PX / 2));
}

function boxOf(left: number, middle: number, width: number, halfHeight: number): Box {
  return { left, right: left + width, top: middle - halfHeight, bottom: middle + halfHeight };
}
