/** An empty folder, removed with all that is in it at the end of its `using` scope. */
export function temporaryFolder(): Disposable & { readonly path: string } {
  const path = Deno.makeTempDirSync({ prefix: "plateau-bench-" });
  return { path, [Symbol.dispose]: () => Deno.removeSync(path, { recursive: true }) };
}
