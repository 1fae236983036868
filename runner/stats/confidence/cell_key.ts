/** The key of a cell within its experiment. */
export function cellKey(
  { target, scenario, parameters }: { target: string; scenario: string; parameters: object },
): string {
  return JSON.stringify([target, scenario, parameters]);
}
