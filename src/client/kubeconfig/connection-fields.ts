/** The fields of clusters and users that say how a client connects: TLS, client certificates, fixed credentials. */
import type { Clock } from '../../base/clock.ts';
import type { FileReports } from '../../base/file-reports.ts';
import type { TransportConfig } from '../transport-config.ts';
import { readPem, text } from './fields.ts';
import { renewedFrom } from './key-pair-files.ts';
import type { Entry } from './merge.ts';

/** Reads a PEM text as {@link readPem} does; a reader of its own has its own errors. */
export type PemReader = typeof readPem;

/** How credentials in files are followed. */
export interface Following {
  readonly clock: Clock;
  readonly reports?: FileReports | undefined;
}

export async function readServerTls(
  { fields, folder }: Entry,
  read: PemReader = readPem,
): Promise<Pick<TransportConfig, 'ca' | 'serverName' | 'skipVerify'>> {
  return {
    ca: await read(fields, 'certificate-authority', folder),
    serverName: text(fields, 'tls-server-name') || undefined,
    skipVerify: fields['insecure-skip-tls-verify'] === true,
  };
}

/** Certificate and key of a user. With both in files, `renewedPair` reads them again when they change. */
export async function readClientPair(
  { fields, folder }: Entry,
  following: Following,
  read: PemReader = readPem,
): Promise<Pick<TransportConfig, 'certificate' | 'key' | 'renewedPair'>> {
  const certificate = await read(fields, 'client-certificate', folder);
  const key = await read(fields, 'client-key', folder);
  const renewedPair =
    certificate === undefined || key === undefined
      ? undefined
      : renewedFrom(fields, folder, { certificate, key }, following);
  return { certificate, key, ...(renewedPair === undefined ? {} : { renewedPair }) };
}

/** The Authorization header of a user with a token, or with a name and a password. */
export function fixedAuthorization({ fields }: Entry): string | undefined {
  const [token, name] = [text(fields, 'token'), text(fields, 'username')];
  if (token !== '') return `Bearer ${token}`;
  if (name === '') return undefined;
  return `Basic ${Buffer.from(`${name}:${text(fields, 'password')}`).toString('base64')}`;
}
