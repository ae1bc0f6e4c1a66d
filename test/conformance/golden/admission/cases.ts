/** The recorded cases of a file, as tests against a server of ours. */
import { readFileSync } from 'node:fs';
import { hasShared, sharedPath } from '../../../support/shared.ts';
import { admissionDeviations } from './deviations.ts';
import { type AdmissionCase } from './recorded-case.ts';
import { replay } from './replay.ts';
import type { AdmissionServer, RecordedServer } from './server.ts';

export type RecordedCase = AdmissionCase & { readonly server: RecordedServer };

/** None where the recordings are absent. */
export function casesOf(file: string): readonly RecordedCase[] {
  if (!hasShared('golden', file)) return [];
  const lines = readFileSync(sharedPath('golden', file), 'utf8').trimEnd().split('\n');
  return lines.map((text) => JSON.parse(text) as RecordedCase);
}

/** With the addresses of the play in place of those of the recorded one. */
function filled(recorded: RecordedCase, { play }: AdmissionServer): AdmissionCase {
  const texts = {
    ...play.addresses,
    ca: Buffer.from(play.ca).toString('base64'),
    'ca pem': JSON.stringify(play.ca).slice(1, -1),
    issuer: 'localhost:7643',
  };
  return JSON.parse(
    JSON.stringify(recorded).replace(
      /<(hooks|othername|plain|closed|ca|ca pem|issuer)>/g,
      (_, name: keyof typeof texts) => texts[name]!,
    ),
  ) as AdmissionCase;
}

/** Rejects with the differences. */
export async function play(recorded: RecordedCase, server: AdmissionServer): Promise<void> {
  const found = await replay(filled(recorded, server), server);
  if (found.length > 0) throw new Error(found.join('\n'));
}

export const isLeftOut = ({ id }: Pick<RecordedCase, 'id'>): boolean => admissionDeviations[id] !== undefined;

export const titleOf = ({ id }: Pick<RecordedCase, 'id'>): string =>
  admissionDeviations[id] === undefined ? id : `${id} (left out: ${admissionDeviations[id]})`;
