/** Recorded requests to 1.32 servers whose cluster IPs come from ServiceCIDR objects: a server per set of gates. */
import { afterAll, beforeAll, describe, test } from 'vitest';
import { casesOf, isLeftOut, play, type RecordedCase, titleOf } from './cases.ts';
import { type AdmissionServer, startAdmissionServer } from './server.ts';

/** Comes last: a server makes the range again within ten seconds, and other cases need it. */
const isLast = ({ id }: RecordedCase): number => Number(id === 'cidr-default-deleted');
const all = casesOf('service-cidrs.jsonl').toSorted((a, b) => isLast(a) - isLast(b));
const flagsOf = ({ server: { flags } }: RecordedCase): string => flags.join(' ');

/** The recording masks an address that the client asks for; the path of its IPAddress has it. */
function withAddress(recorded: RecordedCase): RecordedCase {
  const text = JSON.stringify(recorded);
  const address = /\/ipaddresses\/([0-9.]+)/.exec(text)?.[1];
  return address === undefined ? recorded : (JSON.parse(text.replaceAll('<ip:1>', address)) as RecordedCase);
}

describe.skipIf(all.length === 0)('recorded ServiceCIDRs (skipped where the recordings are absent)', () => {
  for (const title of new Set(all.map(flagsOf)))
    describe(title, () => {
      const cases = all.filter((each) => flagsOf(each) === title);
      let server: AdmissionServer;
      beforeAll(async () => {
        server = await startAdmissionServer({ flags: cases[0]!.server.flags, files: {} });
      });
      afterAll(() => server[Symbol.asyncDispose]());

      for (const recorded of cases)
        test.skipIf(isLeftOut(recorded))(titleOf(recorded), () => play(withAddress(recorded), server));
    });
});
