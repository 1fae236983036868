/**
 * Looks for some bytes in others, in time that grows with both and no faster (Knuth, Morris & Pratt 1977): with
 * a look from each byte anew, a body that nearly holds them everywhere would take as long as their product.
 */
export class ByteSearch {
  /** Of the first n bytes that are sought, how many of the last are the first again. */
  readonly #again: Uint32Array<ArrayBuffer>;

  constructor(private readonly sought: Uint8Array<ArrayBuffer>) {
    this.#again = new Uint32Array(sought.length + 1);
    for (let length = 1, same = 0; length < sought.length; length++) {
      while (same > 0 && sought[length] !== sought[same]) same = this.#again[same];
      if (sought[length] === sought[same]) same++;
      this.#again[length + 1] = same;
    }
  }

  // hot: once a byte of a body that is searched.
  isIn(bytes: Uint8Array): boolean {
    const { sought } = this;
    let found = 0;
    for (let at = 0; at < bytes.length && found < sought.length; at++) {
      while (found > 0 && bytes[at] !== sought[found]) found = this.#again[found];
      if (bytes[at] === sought[found]) found++;
    }
    return found === sought.length;
  }
}
