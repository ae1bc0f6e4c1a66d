/** What the operator is warned of when the keys of service accounts are opened. */
import { generateKeyPairSync } from 'node:crypto';
import { Registry } from 'prom-client';
import { describe, expect, test } from 'vitest';
import { type Logger, silentLogger } from '../../../base/logger.ts';
import { type AccountKeysConfig, openAccountKeys } from './account-keys.ts';

const signingKey = generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey;

async function warningsOf(config: Partial<AccountKeysConfig>): Promise<string[]> {
  const warnings: string[] = [];
  const log: Logger = { ...silentLogger, warn: (_, message) => void warnings.push(message) };
  const opened = await openAccountKeys(
    {
      keys: [],
      signingKey,
      signingEndpoint: undefined,
      extendExpiration: true,
      maxExpirationSeconds: 0,
      ...config,
    },
    { registry: new Registry(), log, signal: new AbortController().signal },
  );
  await opened?.close();
  return warnings;
}

const yearWarning = (most: string): string =>
  'service-account-extend-token-expiration is true, enabling tokens valid up to 31536000 seconds, which is longer ' +
  `than service-account-max-token-expiration set to ${most}`;

describe('the limit of token life', () => {
  test.each<{ name: string; config: Partial<AccountKeysConfig>; expected: readonly string[] }>([
    { name: 'needs no warning where there is none', config: {}, expected: [] },
    { name: 'needs no warning of a year', config: { maxExpirationSeconds: 365 * 24 * 3600 }, expected: [] },
    {
      name: 'is warned of where extended tokens live longer',
      config: { maxExpirationSeconds: 3607 },
      expected: [yearWarning('1h0m7s')],
    },
    {
      name: 'is warned of twice where tokens in pods cannot be extended, with its value',
      config: { maxExpirationSeconds: 3600 },
      expected: [
        'service-account-extend-token-expiration is true, in order to correctly trigger safe transition logic, ' +
          'service-account-max-token-expiration must be set longer than 3607 seconds (currently 1h0m0s)',
        yearWarning('1h0m0s'),
      ],
    },
    {
      name: 'needs no warning where tokens are not extended',
      config: { maxExpirationSeconds: 3600, extendExpiration: false },
      expected: [],
    },
    {
      name: 'needs no warning on a server that makes no tokens',
      config: { maxExpirationSeconds: 3600, signingKey: undefined },
      expected: [],
    },
  ])('The limit of token life: $name', async ({ config, expected }) => {
    expect(await warningsOf(config)).toEqual(expected);
  });
});
