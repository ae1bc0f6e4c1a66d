/** The client certificate of a user, as it lies in files. */
import type { Clock } from '../../base/clock.ts';
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
  clock: Clock,
): (() => Promise<ClientPair>) | undefined {
  if (text(user, 'client-certificate-data') !== '' || text(user, 'client-key-data') !== '') return undefined;
  let pair = first;
  let readAt = clock.now();
  return async () => {
    if (clock.now() - readAt < pairTtlMs) return pair;
    readAt = clock.now();
    const [certificate, key] = await Promise.all([
      readPem(user, 'client-certificate', folder),
      readPem(user, 'client-key', folder),
    ]).catch(() => [undefined, undefined]);
    const isNew =
      certificate !== undefined && key !== undefined && (certificate !== pair.certificate || key !== pair.key);
    if (isNew && isPair(certificate, key)) pair = { certificate, key };
    return pair;
  };
}
