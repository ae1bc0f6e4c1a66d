/** For tests of what is kept in memory. */
import v8 from 'node:v8';
import vm from 'node:vm';

v8.setFlagsFromString('--expose-gc');
const gc = vm.runInNewContext('gc') as () => void;

/**
 * V8 keeps the shapes of objects, and with them the names of their members, for some collections; buffers are freed
 * with the next one.
 */
function collect(): void {
  for (let i = 0; i < 5; i++) gc();
}

/** Bytes in use on the heap, and of buffers outside of it, after a collection. */
export function bytesInUse(): number {
  collect();
  const { heapUsed, arrayBuffers } = process.memoryUsage();
  return heapUsed + arrayBuffers;
}

/** Bytes that are still in use after the work, and were not before. */
export function heapGrowth(work: () => void): number {
  const before = bytesInUse();
  work();
  return bytesInUse() - before;
}
