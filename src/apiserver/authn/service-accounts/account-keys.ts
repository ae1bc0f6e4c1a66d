/** What signs and verifies the tokens of service accounts: keys of our own, or a program that has them. */
import type { KeyObject } from 'node:crypto';
import type { Registry } from 'prom-client';
import type { Logger } from '../../../base/logger.ts';
import { formatDuration } from '../../../machinery/duration.ts';
import { connectExternalSigner } from './external/external-signer.ts';
import { SignerMetrics } from './external/signer-client.ts';
import { fixedKeys, type KeySource, type VerificationKey } from '../../../auth/service-accounts/keys.ts';
import { createSigner, type Signer } from '../../../auth/service-accounts/signer.ts';

export interface AccountKeysConfig {
  /** `--service-account-key-file` */
  readonly keys: readonly VerificationKey[];
  /** `--service-account-signing-key-file`; without it no tokens are made. */
  readonly signingKey: KeyObject | undefined;
  /** `--service-account-signing-endpoint`: instead of both. */
  readonly signingEndpoint: string | undefined;
  /** `--service-account-extend-token-expiration` */
  readonly extendExpiration: boolean;
  /** `--service-account-max-token-expiration`; 0 means no limit but that of the API, or of the signer. */
  readonly maxExpirationSeconds: number;
}

export interface AccountKeys {
  readonly keys: KeySource;
  readonly sign: Signer | undefined;
  /** 0 means no limit but that of the API. */
  readonly maxExpirationSeconds: number;
  /** Life of a token that is extended because its clients may not read it again. */
  readonly extendedSeconds: number;
  close(): Promise<void>;
}

export interface AccountKeysSurroundings {
  readonly registry: Registry;
  readonly log: Logger;
  /** Gives up waiting for the signer. */
  readonly signal: AbortSignal;
}

const yearSeconds = 365 * 24 * 3600;
/** What admission asks for when it puts a token into a pod. */
export const injectedSeconds = 3607;

/** The external signer was not there in time, or cannot be used. */
export class SignerStartError extends Error {
  override readonly name = 'SignerStartError';
}

/** Undefined where there are no service accounts. */
export async function openAccountKeys(
  config: AccountKeysConfig | undefined,
  around: AccountKeysSurroundings,
): Promise<AccountKeys | undefined> {
  if (config === undefined) return undefined;
  const opened =
    config.signingEndpoint === undefined ? ownKeys(config) : await externalKeys(config, config.signingEndpoint, around);
  for (const warning of warningsOf(config, opened)) around.log.warn({}, warning);
  return opened;
}

function ownKeys({ keys, signingKey, maxExpirationSeconds }: AccountKeysConfig): AccountKeys {
  return {
    keys: fixedKeys(keys),
    sign: signingKey === undefined ? undefined : createSigner(signingKey),
    maxExpirationSeconds,
    extendedSeconds: yearSeconds,
    close: () => Promise.resolve(),
  };
}

async function externalKeys(
  { maxExpirationSeconds: wanted }: AccountKeysConfig,
  path: string,
  { registry, log, signal }: AccountKeysSurroundings,
): Promise<AccountKeys> {
  const signer = await connectExternalSigner({ path, metrics: new SignerMetrics(registry), log, signal }).catch(
    (error: unknown) => {
      throw new SignerStartError((error as Error).message, { cause: error });
    },
  );
  const { maxExpirationSeconds: most } = signer;
  if (wanted > most) {
    await signer.close();
    throw new SignerStartError(
      'service-account-max-token-expiration cannot be set longer than the token expiration supported by ' +
        `service-account-signing-endpoint: ${shown(wanted)} > ${shown(most)}`,
    );
  }
  return {
    ...signer,
    maxExpirationSeconds: wanted === 0 ? most : wanted,
    extendedSeconds: Math.min(yearSeconds, most),
  };
}

const shown = (seconds: number): string => formatDuration(BigInt(seconds) * 1_000_000_000n);

/** Limits at which tokens in pods end sooner, or later, than the operator may expect. */
function warningsOf(
  { extendExpiration, signingEndpoint }: AccountKeysConfig,
  { maxExpirationSeconds: most, sign }: AccountKeys,
): string[] {
  if (!extendExpiration || sign === undefined || most === 0) return [];
  const external = signingEndpoint !== undefined;
  const needs = external
    ? 'token lifetime supported by external-jwt-signer must be longer than'
    : 'service-account-max-token-expiration must be set longer than';
  const allows = external
    ? `tokens validity will be caped at the smaller of ${yearSeconds} seconds and maximum token lifetime ` +
      `supported by external-jwt-signer (${shown(most)})`
    : `enabling tokens valid up to ${yearSeconds} seconds, which is longer than ` +
      `service-account-max-token-expiration set to ${shown(most)}`;
  return [
    ...(most < injectedSeconds
      ? [
          'service-account-extend-token-expiration is true, in order to correctly trigger safe transition ' +
            `logic, ${needs} ${injectedSeconds} seconds (currently ${shown(most)})`,
        ]
      : []),
    ...(most < yearSeconds ? [`service-account-extend-token-expiration is true, ${allows}`] : []),
  ];
}
