import assert from "node:assert/strict";
import { cutTo, placedNames } from "../../report/client/charts/labels.ts";

/** Every character is one wide. */
const ctx = { measureText: (text: string): { width: number } => ({ width: [...text].length }) };

Deno.test("a label without room is cut in its middle, so that both ends are told", () => {
  assert.equal(cutTo(20, "plain, connections 8", ctx), "plain, connections 8");
  assert.equal(cutTo(13, "plain, connections 8", ctx), "plai…ctions 8");
  assert.equal(cutTo(1, "plain, connections 8", ctx), "…");
});

const AREA = { left: 0, right: 400, top: 0, bottom: 200 };

Deno.test("a name beside a dot covers no other dot and no other name, and stays within the chart", () => {
  const dots = [[100, 100], [150, 95], [390, 100], [392, 108], [20, 6]]
    .map(([x, y]) => ({ x, y, radius: 9 }));
  const placed = placedNames(dots.map((dot) => ({ dot, width: 60 })), dots, AREA);
  const boxes = placed.flatMap((box) => box ?? []);
  assert.equal(boxes.length, dots.length);
  for (const box of boxes) {
    assert.ok(box.left >= 0 && box.right <= 400 && box.top >= 0 && box.bottom <= 200);
    const others = boxes.filter((other) => other !== box);
    const covered = [
      ...others,
      ...dots.map(({ x, y }) => ({ left: x - 9, right: x + 9, top: y - 9, bottom: y + 9 })),
    ].filter((one) =>
      box.left < one.right && one.left < box.right && box.top < one.bottom && one.top < box.bottom
    );
    assert.deepEqual(covered, []);
  }
  assert.ok((placed[0]?.right ?? 400) < 100, "to its right is another dot");
});

Deno.test("a name without a free place is left out", () => {
  const dots = Array.from(
    { length: 9 },
    (_, i) => ({ x: 40 * (i % 3), y: 16 * (i / 3 | 0), radius: 9 }),
  );
  const [first] = placedNames([{ dot: dots[4], width: 60 }], dots, AREA);
  assert.equal(first, null);
});
