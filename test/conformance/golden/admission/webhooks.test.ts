/** Recorded requests to a 1.32 server with admission webhooks, replayed with a server that plays the webhooks. */
import { afterAll, beforeAll, describe, test } from 'vitest';
import { casesOf, isLeftOut, play, titleOf } from './cases.ts';
import type { AdmissionCase } from './recorded-case.ts';
import { type AdmissionServer, type RecordedServer, startAdmissionServer } from './server.ts';

const cases = casesOf('admission-webhooks.jsonl');

/** Policies that mutate were on, and none was there. */
const withoutPolicies = ({ flags, files }: RecordedServer): RecordedServer => ({
  flags: flags.filter((flag) => !/MutatingAdmissionPolicy|v1alpha1/.test(flag)),
  files,
});

/** Webhooks that let others wait. Notes for audit count all webhooks, so nothing else runs beside cases with them. */
const isSlow = ({ hooks = {} }: AdmissionCase): boolean =>
  Object.values(hooks).some(({ delay, headers }) => delay !== undefined || headers?.['Retry-After'] !== undefined);

describe.skipIf(cases.length === 0)('recorded admission webhooks (skipped where the recordings are absent)', () => {
  let server: AdmissionServer;
  beforeAll(async () => {
    server = await startAdmissionServer(withoutPolicies(cases[0]!.server));
  });
  afterAll(() => server[Symbol.asyncDispose]());

  for (const recorded of cases.filter((one) => !isSlow(one)))
    test.skipIf(isLeftOut(recorded))(titleOf(recorded), () => play(recorded, server));
  describe('at the same time', () => {
    for (const recorded of cases.filter(isSlow))
      test.skipIf(isLeftOut(recorded)).concurrent(titleOf(recorded), () => play(recorded, server));
  });
});
