/**
 * Another program signs the tokens, and says which keys verify them.
 * @see {@link https://kep.k8s.io/740 | KEP-740}
 */
import { timeLimit } from '../../../../base/time-limit.ts';
import { type Clock, systemClock } from '../../../../base/clock.ts';
import type { Logger } from '../../../../base/logger.ts';
import { goQuote } from '../../../../machinery/go-quote.ts';
import { plainError } from '../../../../machinery/status.ts';
import type { KeySource } from '../../../../auth/service-accounts/keys.ts';
import type { Signer } from '../../../../auth/service-accounts/signer.ts';
import { ExternalKeys } from './external-keys.ts';
import { codeOf, SignerClient, type SignerMetrics } from './signer-client.ts';

export interface ExternalSigner {
  readonly keys: KeySource;
  readonly sign: Signer;
  /** Longest life of a token, at least ten minutes. */
  readonly maxExpirationSeconds: number;
  close(): Promise<void>;
}

export interface ExternalSignerOptions {
  /** Of the socket; `@name` lies in Linux's abstract namespace. */
  readonly path: string;
  readonly metrics: SignerMetrics;
  readonly log: Logger;
  /** Gives the start up. */
  readonly signal: AbortSignal;
  readonly clock?: Clock;
}

const metadataTimeoutMs = 10_000;
const minExpirationSeconds = 600n;

/** Waits up to a minute for the signer. Rejects when it is not there, or its keys or limits cannot be used. */
export async function connectExternalSigner({
  path,
  metrics,
  log,
  signal,
  clock = systemClock,
}: ExternalSignerOptions): Promise<ExternalSigner> {
  const client = new SignerClient(path, metrics);
  const keys = new ExternalKeys({ client, metrics, clock, log });
  const close = async (): Promise<void> => {
    client.close();
    await keys.close();
  };
  try {
    await keys
      .start(signal)
      .catch(
        failed(
          'while setting up external-jwt-signer: while initially filling key cache: while performing initial ' +
            'cache fill',
        ),
      );
    const seconds = await client
      .metadata(AbortSignal.any([signal, timeLimit(metadataTimeoutMs)]))
      .catch(failed('while setting up external-jwt-signer'));
    if (seconds < minExpirationSeconds)
      throw new Error(
        `max token life supported by external-jwt-signer (${seconds}s) is less than acceptable ` +
          `(min ${minExpirationSeconds}s)`,
      );
    return { keys, sign: signWith(client, keys, metrics), maxExpirationSeconds: Number(seconds), close };
  } catch (error) {
    await close();
    throw error;
  }
}

const failed =
  (during: string) =>
  (error: unknown): never => {
    throw new Error(`${during}: ${(error as Error).message}`, { cause: error });
  };

function signWith(client: SignerClient, keys: ExternalKeys, { signatures }: SignerMetrics): Signer {
  return async (claims, signal) => {
    try {
      const payload = Buffer.from(JSON.stringify(claims)).toString('base64url');
      const { header, signature } = await client.sign(payload, signal).catch(failed('while signing jwt'));
      await checkHeader(header, keys).catch(failed('while validating header'));
      if (signature === '') throw new Error('empty signature returned');
      signatures.inc({ code: 'OK' });
      return `${header}.${payload}.${signature}`;
    } catch (error) {
      signatures.inc({ code: codeOf(error) });
      throw plainError(`failed to generate token: ${(error as Error).message}`, { cause: error });
    }
  };
}

const maxKeyIdBytes = 1024;
const algorithms = ['RS256', 'ES256', 'ES384', 'ES512'];
const members = ['alg', 'kid', 'typ'];

/** What the signer puts before the claims goes out as it is: nothing in it may be other than expected. */
async function checkHeader(text: string, keys: Pick<ExternalKeys, 'find'>): Promise<void> {
  if (!/^[A-Za-z0-9_-]*$/.test(text)) throw new Error('while unwrapping header: illegal base64 data');
  const { alg, kid, typ } = readHeader(Buffer.from(text, 'base64url').toString());
  if (typ !== 'JWT') throw new Error('bad type');
  if (kid === undefined || kid === '') throw new Error('key id missing');
  if (Buffer.byteLength(kid) > maxKeyIdBytes) throw new Error('key id longer than 1 kb');
  if (!algorithms.includes(alg ?? '')) throw new Error(`bad signing algorithm ${goQuote(alg ?? '')}`);
  const named = await keys.find(kid);
  if (named.some(({ isExcluded }) => isExcluded))
    throw new Error(`key used for signing JWT (kid: ${kid}) is excluded from OIDC discovery docs`);
}

function readHeader(json: string): { readonly alg?: string; readonly kid?: string; readonly typ?: string } {
  let header: unknown;
  try {
    header = JSON.parse(json);
  } catch {
    throw new Error('while parsing header JSON: it is no JSON');
  }
  if (typeof header !== 'object' || header === null || Array.isArray(header))
    throw new Error('while parsing header JSON: it is no object');
  for (const [name, value] of Object.entries(header)) {
    if (!members.includes(name)) throw new Error(`while parsing header JSON: json: unknown field ${goQuote(name)}`);
    if (typeof value !== 'string') throw new Error(`while parsing header JSON: ${name} is no string`);
  }
  return header;
}
