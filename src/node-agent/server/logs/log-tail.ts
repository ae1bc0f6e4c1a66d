/** Where the last lines of a file begin. */
import type { FileHandle } from 'node:fs/promises';

const blockBytes = 64 * 1024;
const lineBreak = 0x0a;

/** Reads the file from its end, and no more of it than these lines. @returns offset in bytes */
export async function tailOffset(file: FileHandle, size: number, lines: number): Promise<number> {
  if (lines === 0) return size;
  const block = Buffer.allocUnsafe(blockBytes);
  let found = 0;
  for (let end = size; end > 0; ) {
    const start = Math.max(0, end - blockBytes);
    const { bytesRead } = await file.read(block, 0, end - start, start);
    for (let at = bytesRead - 1; at >= 0; at--) {
      // The one at the end of the file ends the last line.
      if (block[at] !== lineBreak || start + at === size - 1) continue;
      if (++found === lines) return start + at + 1;
    }
    end = start;
  }
  return 0;
}
