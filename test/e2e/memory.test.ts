/**
 * A sample of the floods that use up a server's memory; all of them, and in full size, by `npm run bench --
 * memory`.
 */
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { floods } from '../support/memory/floods.ts';
import { measureFlood, tolerance, used } from '../support/memory/measure.ts';
import { MeasuredServer } from '../support/memory/measured-server.ts';
import { buildOrch } from '../support/orch-process.ts';

const root = fileURLToPath(new URL('../..', import.meta.url));
/** The heap is smaller than in the full run too, so that the floods exceed the limits that follow from it. */
const [heapMegabytes, share] = [128, 1 / 100];

beforeAll(buildOrch);

/** Each flood meets one of the two servers. */
describe.each([{ audit: false }, { audit: true }])(
  'with audit: $audit, the server survives and frees the memory of',
  ({ audit }) => {
    let server: MeasuredServer;
    beforeAll(async () => {
      server = await MeasuredServer.start({ root, heapMegabytes, audit });
    });
    afterAll(() => server[Symbol.asyncDispose]());

    test.each(floods.filter((_, i) => (i % 2 === 1) === audit))(
      'The server survives and frees the memory of $name',
      async (flood) => {
        const { error, before, after } = await measureFlood(server, flood, { share, looks: 0 });
        expect(error).toBeUndefined();
        expect(used(after!)).toBeLessThanOrEqual(used(before) * (1 + tolerance));
        expect(await server.send('GET', '/readyz')).toBe(200);
      },
    );

    // The floods that surely exceed these limits, also when they are small, are those without audit.
    if (audit) return;
    test('Long heads and large bodies by evicting and refusing them', async () => {
      const counts = {
        heads: await server.metric('orch_transport_evictions_total', 'kind="head"'),
        bodies: await server.metric('apiserver_request_terminations_total', 'code="429"'),
      };
      expect(
        Object.entries(counts).filter(([, count]) => count === 0),
        JSON.stringify(counts),
      ).toEqual([]);
    });
  },
);
