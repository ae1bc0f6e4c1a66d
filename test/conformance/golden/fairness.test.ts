/**
 * Recorded answers of a 1.32 server about priority and fairness, replayed: which flow schema and which level each
 * request belongs to, what waits for what, dumps, metrics, and the upkeep of the built-in objects.
 */
import { afterAll, beforeAll, describe, test } from 'vitest';
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
