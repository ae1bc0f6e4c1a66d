/** Recorded requests to a 1.32 server with admission policies, replayed. */
import { afterAll, beforeAll, describe, test } from 'vitest';
import { casesOf, isLeftOut, play, titleOf } from './cases.ts';
import { type AdmissionServer, startAdmissionServer } from './server.ts';

const cases = casesOf('admission-policies.jsonl');

describe.skipIf(cases.length === 0)('recorded admission policies (skipped where the recordings are absent)', () => {
  let server: AdmissionServer;
  beforeAll(async () => {
    server = await startAdmissionServer(cases[0]!.server);
  });
  afterAll(() => server[Symbol.asyncDispose]());

  for (const recorded of cases) test.skipIf(isLeftOut(recorded))(titleOf(recorded), () => play(recorded, server));
});
