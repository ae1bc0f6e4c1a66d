/**
 * Loaded into a server whose memory is measured, before its program: answers with what is in use once all
 * garbage is collected.
 */
import { setTimeout as sleep } from 'node:timers/promises';

process.on('message', async () => {
  // What a collection lets go may hold what only the next one finds: finalizers, sockets that were closed.
  for (let i = 0; i < 2; i++) {
    globalThis.gc();
    await sleep(20);
  }
  const { heapUsed, external, rss } = process.memoryUsage();
  process.send({ heapUsed, external, rss });
});
process.on('disconnect', () => process.exit());
process.channel?.unref();
