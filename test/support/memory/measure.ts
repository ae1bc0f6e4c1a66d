/** Runs a flood against a server and says what it does to the server's memory. */
import { setTimeout as sleep } from 'node:timers/promises';
import { type Flood, sizeOf } from './flood.ts';
import { FloodClients } from './flood-clients.ts';
import type { MeasuredServer, Memory } from './measured-server.ts';

export interface FloodResult {
  readonly name: string;
  readonly before: Memory;
  /** While the connections of the flood are open. */
  readonly during: Memory | undefined;
  /** The largest resident memory, in bytes. 0 where the system does not tell. */
  readonly peakRss: number;
  readonly after: Memory | undefined;
  readonly seconds: number;
  /** Why the server ended, when it did. */
  readonly error: string | undefined;
}

/** The share by which more may be used afterwards. */
export const tolerance = 0.2;

/**
 * Objects and buffers after garbage collections. The resident memory is no measure: the allocator and V8 keep freed
 * pages
 * for the next use, and how many depends on how full the pages were.
 */
export const used = ({ heapUsed, external }: Memory): number => heapUsed + external;

/** Closing connections and expiring timers takes so long at most. */
const settleMs = 20_000;
const lookIntervalMs = 100;
/** Before a flood, a small one has code compiled and caches filled. */
const warmUpShare = 1 / 50;

/** @param looks how often the memory must not have fallen before it counts as settled */
export async function measureFlood(
  server: MeasuredServer,
  flood: Flood,
  { share, looks }: { readonly share: number; readonly looks: number },
): Promise<FloodResult> {
  const clients = new FloodClients(server);
  const send = server.send.bind(server);
  try {
    await flood.run(clients, sizeOf(flood, share * warmUpShare), send);
    await clients.closeAll();
    const before = await settled(server, { looks });
    server.takePeak();
    const start = performance.now();
    const result = { name: flood.name, before, during: undefined, after: undefined };
    try {
      await flood.run(clients, sizeOf(flood, share), send);
      const during = await server.measure();
      const seconds = (performance.now() - start) / 1000;
      await clients.closeAll();
      const after = await settled(server, { looks, wanted: used(before) * (1 + tolerance) });
      return { ...result, during, after, peakRss: server.takePeak(), seconds, error: undefined };
    } catch (error) {
      const seconds = (performance.now() - start) / 1000;
      return { ...result, peakRss: 0, seconds, error: error instanceof Error ? error.message : String(error) };
    }
  } finally {
    await clients.closeAll();
  }
}

/** The memory when it is as small as wanted; where nothing is wanted, when it has not fallen for a while. */
async function settled(
  server: MeasuredServer,
  { looks, wanted = 0 }: { readonly looks: number; readonly wanted?: number },
): Promise<Memory> {
  let least = await server.measure();
  const deadline = performance.now() + settleMs;
  for (let unchanged = 0; performance.now() < deadline && used(least) > wanted; ) {
    if (wanted === 0 && unchanged === looks) break;
    await sleep(lookIntervalMs);
    const next = await server.measure();
    unchanged = used(next) > 0.99 * used(least) ? unchanged + 1 : 0;
    if (used(next) < used(least)) least = next;
  }
  return least;
}
