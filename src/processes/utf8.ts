/** Where UTF-8 may be cut. */

/**
 * How many of the last bytes before `end` begin a character whose rest is missing (0 to 3). Cutting in front of them
 * never changes what is decoded, valid or not: a leading byte never continues the character before it.
 */
export function incompleteTail(bytes: Uint8Array, end: number): number {
  for (let back = 1; back <= Math.min(3, end); back++) {
    const byte = bytes[end - back] ?? 0;
    if (isContinuation(byte)) continue;
    return lengthByLead(byte) > back ? back : 0;
  }
  return 0;
}

function isContinuation(byte: number): boolean {
  return (byte & 0xc0) === 0x80;
}

function lengthByLead(byte: number): number {
  if (byte >= 0xf0) return 4;
  if (byte >= 0xe0) return 3;
  return byte >= 0xc0 ? 2 : 1;
}
