/** The client certificate of a user, as it lies in files. */
import path from 'node:path';
import type { Clock } from '../../base/clock.ts';
import type { FileReports } from '../../base/file-reports.ts';
import { isPair } from '../../base/key-pair.ts';
import type { ClientPair } from '../transport-config.ts';
import { type Fields, readPem, text } from './fields.ts';

/** How long a pair is taken for current. */
const pairTtlMs = 1000;

/**
 * As clients of Kubernetes do: certificate and key are read again, the rest of the file is not. While the two do not
 * fit together, or cannot be read, those from before stay in force.
 */
export function renewedFrom(
  user: Fields,
  folder: string,
  first: ClientPair,
  { clock, reports }: { readonly clock: Clock; readonly reports?: FileReports | undefined },
): (() => Promise<ClientPair>) | undefined {
  if (text(user, 'client-certificate-data') !== '' || text(user, 'client-key-data') !== '') return undefined;
  const files = [text(user, 'client-certificate'), text(user, 'client-key')].map((file) => path.resolve(folder, file));
  let pair = first;
  let readAt = clock.now();
  return async () => {
    if (clock.now() - readAt < pairTtlMs) return pair;
    readAt = clock.now();
    try {
      const [certificate = '', key = ''] = await Promise.all([
        readPem(user, 'client-certificate', folder),
        readPem(user, 'client-key', folder),
      ]);
      if (certificate === pair.certificate && key === pair.key) return pair;
      if (!isPair(certificate, key)) throw new Error('certificate and key do not belong together');
      pair = { certificate, key };
      reports?.taken(files);
    } catch (error) {
      reports?.refused(files, error);
    }
    return pair;
  };
}
