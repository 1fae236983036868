/** A neighbour that uses a core in bursts until it is disposed; it is a thread of this process and ends with it. */
export function startNeighbour(seed: number): Disposable {
  const worker = new Worker(new URL("./bursts.ts", import.meta.url), { type: "module" });
  worker.postMessage(seed);
  return { [Symbol.dispose]: () => worker.terminate() };
}
