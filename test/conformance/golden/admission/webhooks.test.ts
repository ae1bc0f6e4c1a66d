/** Recorded requests to a 1.32 server with admission webhooks, replayed with a server that plays the webhooks. */
import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, test } from 'vitest';
import { hasShared, sharedPath } from '../../../support/shared.ts';
import { admissionDeviations } from './deviations.ts';
import { type AdmissionCase, replay } from './replay.ts';
import { type AdmissionServer, type RecordedServer, startAdmissionServer } from './server.ts';

const file = 'admission-webhooks.jsonl';
const isThere = hasShared('golden', file);

type RecordedCase = AdmissionCase & { readonly server: RecordedServer };

const lines = isThere ? readFileSync(sharedPath('golden', file), 'utf8').trimEnd().split('\n') : [];
const cases = lines.map((line) => JSON.parse(line) as RecordedCase);

/** With the addresses of the play in place of those of the recorded one. */
function filled(recorded: RecordedCase, { play }: AdmissionServer): AdmissionCase {
  const texts = { ...play.addresses, ca: Buffer.from(play.ca).toString('base64'), issuer: 'localhost:7643' };
  return JSON.parse(
    JSON.stringify(recorded).replace(
      /<(hooks|othername|plain|closed|ca|issuer)>/g,
      (_, name: keyof typeof texts) => texts[name]!,
    ),
  ) as AdmissionCase;
}

/** Policies that mutate were on, and none was there. */
const withoutPolicies = ({ flags, files }: RecordedServer): RecordedServer => ({
  flags: flags.filter((flag) => !/MutatingAdmissionPolicy|v1alpha1/.test(flag)),
  files,
});

/** Webhooks that let others wait. Notes for audit count all webhooks, so nothing else runs beside cases with them. */
const isSlow = ({ hooks = {} }: AdmissionCase): boolean =>
  Object.values(hooks).some(({ delay, headers }) => delay !== undefined || headers?.['Retry-After'] !== undefined);

describe.skipIf(!isThere)('recorded admission webhooks (skipped where the recordings are absent)', () => {
  let server: AdmissionServer;
  beforeAll(async () => {
    server = await startAdmissionServer(withoutPolicies(cases[0]!.server));
  });
  afterAll(() => server[Symbol.asyncDispose]());

  const play = (recorded: RecordedCase) => async (): Promise<void> => {
    const found = await replay(filled(recorded, server), server);
    if (found.length > 0) throw new Error(found.join('\n'));
  };
  const titleOf = ({ id }: RecordedCase): string =>
    admissionDeviations[id] === undefined ? id : `${id} (left out: ${admissionDeviations[id]})`;
  const isLeftOut = ({ id }: RecordedCase): boolean => admissionDeviations[id] !== undefined;

  for (const recorded of cases.filter((one) => !isSlow(one)))
    test.skipIf(isLeftOut(recorded))(titleOf(recorded), play(recorded));
  describe('at the same time', () => {
    for (const recorded of cases.filter(isSlow))
      test.skipIf(isLeftOut(recorded)).concurrent(titleOf(recorded), play(recorded));
  });
});
