/** Makes an empty folder, which is removed with its contents when it is disposed of. */
export function temporaryFolder(): Disposable & { readonly path: string } {
  const path = Deno.makeTempDirSync({ prefix: "plateau-bench-" });
  return { path, [Symbol.dispose]: () => Deno.removeSync(path, { recursive: true }) };
}
