/**
 * Recorded answers of a 1.32 server about priority and fairness, replayed: which flow schema and which level each
 * request belongs to, what waits for what, dumps, metrics, and the upkeep of the built-in objects.
 */
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { suggestedFlowSchemas } from '../../../src/api/flowcontrol/suggested.ts';
import { casesOf, isLeftOut, play, type RecordedCase, titleOf } from './admission/cases.ts';
import { type AdmissionServer, startAdmissionServer } from './admission/server.ts';

const byFlags = new Map<string, RecordedCase[]>();
for (const one of casesOf('fairness.jsonl')) {
  const key = one.server.flags.join(' ');
  byFlags.set(key, [...(byFlags.get(key) ?? []), one]);
}

/** It changes built-in objects, which the others look at. */
const isAlone = ({ id }: RecordedCase): boolean => id === 'maintenance' || id === 'objects-levels';

/**
 * What the upkeep makes of it is left out, as it works once a minute: `test/integration/bootstrap-objects.test.ts`
 * shows it on a server that starts again.
 */
const untilUpkeep = (recorded: RecordedCase): RecordedCase => ({
  ...recorded,
  steps: recorded.steps.slice(
    0,
    recorded.steps.findIndex(({ request }) => request.method === '(wait)'),
  ),
});

/** A server that has just started uses the mandatory objects alone, until it has read the suggested ones. */
async function suggestedObjectsAreUsed({ client }: AdmissionServer): Promise<void> {
  const headers = { authorization: 'Bearer admin-token' };
  const unused = async (): Promise<string[]> => {
    const metrics = (await client.send({ method: 'GET', path: '/metrics', headers })).body.toString();
    return [...suggestedFlowSchemas.keys()].filter((name) => !metrics.includes(`flow_schema="${name}"`));
  };
  await vi.waitFor(async () => expect(await unused()).toEqual([]), { timeout: 10_000 });
}

describe.skipIf(byFlags.size === 0)('recorded priority and fairness (skipped without the recordings)', () => {
  for (const [flags, cases] of byFlags) {
    describe(flags, () => {
      let server: AdmissionServer;
      beforeAll(async () => {
        server = await startAdmissionServer({
          flags: [...flags.split(' '), '--authorization-mode=Node,RBAC'],
          files: {},
          uids: { admin: 'admin', alice: 'alice' },
        });
        if (!flags.includes('--enable-priority-and-fairness=false')) await suggestedObjectsAreUsed(server);
      });
      afterAll(() => server[Symbol.asyncDispose]());

      const tests = (wanted: readonly RecordedCase[]): void => {
        for (const recorded of wanted)
          test.skipIf(isLeftOut(recorded))(titleOf(recorded), () => play(recorded, server));
      };
      tests(cases.filter(({ id }) => id === 'objects-levels'));
      // Webhooks and queues let them wait, so they do so at the same time.
      describe.concurrent('at the same time', () => tests(cases.filter((one) => !isAlone(one))));
      tests(cases.filter(({ id }) => id === 'maintenance').map(untilUpkeep));
    });
  }
});
