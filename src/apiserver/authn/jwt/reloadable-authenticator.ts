/**
 * The authenticators of an AuthenticationConfiguration, made anew when it changes. Until the new ones know their
 * issuers, the old ones stay.
 */
import { timeLimit } from '../../../base/time-limit.ts';
import type { ReloadableText } from '../../../base/reloadable-file.ts';
import type { Logger } from '../../../base/logger.ts';
import { aggregateText } from '../../../machinery/field-error.ts';
import { runCooperatively } from '../../../machinery/cooperative-scheduling.ts';
import { type TokenAuthenticator } from '../../../auth/authentication/authenticator.ts';
import { unionOfTokens } from '../../../auth/authentication/union.ts';
import { type Claims, ClaimSources } from './claim-sources.ts';
import {
  type AuthenticationConfiguration,
  type JwtAuthenticatorConfig,
  readAuthenticationConfiguration,
} from './configuration.ts';
import { Issuer } from './issuer.ts';
import { checkTokenClaims, issuedTokens } from './tokens.ts';
import { type CompiledExpressions, validateAuthenticationConfiguration } from './validation.ts';

export interface ValidatedConfiguration {
  readonly configuration: AuthenticationConfiguration;
  readonly compiled: readonly CompiledExpressions[];
}

/** Rejects with an Error that names each wrong field. */
export async function validateJwtConfiguration(
  configuration: AuthenticationConfiguration,
  disallowedIssuers: readonly string[],
): Promise<ValidatedConfiguration> {
  const { errors, compiled } = await runCooperatively(
    validateAuthenticationConfiguration(configuration, disallowedIssuers),
  );
  if (errors.length > 0) throw new Error(aggregateText(errors));
  return { configuration, compiled };
}

export const readValidated = async (
  text: string,
  disallowedIssuers: readonly string[],
): Promise<ValidatedConfiguration> =>
  validateJwtConfiguration(readAuthenticationConfiguration(text), disallowedIssuers);

export interface JwtConfig {
  /** As it is at the start, from options or a file. */
  readonly initial: ValidatedConfiguration;
  readonly algorithms: readonly string[];
  /** The file, when there is one. Its text is not checked. */
  readonly file: { readonly path: string; readonly text: ReloadableText } | undefined;
  readonly disallowedIssuers: readonly string[];
}

/** Told of each token that is judged, and of each reload. */
export interface JwtObserver {
  idTokenJudged(issuer: string, isValid: boolean, seconds: number): void;
  configurationReloaded(isUsed: boolean): void;
}

export interface ReloadableJwtAuthenticator extends TokenAuthenticator {
  close(): Promise<void>;
}

interface Generation {
  readonly tokens: TokenAuthenticator;
  readonly issuers: readonly Issuer[];
  readonly sources: readonly ClaimSources[];
}

/** How long the new issuers may take before the change is given up. */
const readyTimeoutMs = 60_000;

export function createReloadableJwtAuthenticator(
  { initial, algorithms, file, disallowedIssuers }: JwtConfig,
  log: Logger,
  observer: JwtObserver,
): ReloadableJwtAuthenticator {
  let current = start(initial);
  const starting = new Set<Generation>();
  /** What is read for an older one is of no use any more. */
  let changes = 0;
  const replace = async (): Promise<void> => {
    const change = ++changes;
    let judged: ValidatedConfiguration;
    try {
      judged = await readValidated(file!.text.get(), disallowedIssuers);
    } catch (error) {
      return change === changes ? refuse(error) : undefined;
    }
    if (change !== changes) return;
    const next = start(judged);
    starting.add(next);
    const given = new AbortController();
    const timeout = AbortSignal.any([timeLimit(readyTimeoutMs), given.signal]);
    const late = new Promise<never>((_, reject) =>
      timeout.addEventListener('abort', () => reject(new Error('an issuer is not there'))),
    );
    try {
      await Promise.race([Promise.all(next.issuers.map(({ ready }) => ready)), late]);
      // A newer change, or the end, was faster.
      if (!starting.has(next)) return;
      const old = current;
      current = next;
      starting.delete(next);
      observer.configurationReloaded(true);
      await end(old);
    } catch (error) {
      refuse(error);
      if (starting.delete(next)) await end(next);
    } finally {
      late.catch(() => undefined);
      given.abort();
    }
  };
  const refuse = (error: unknown): void => {
    log.warn(
      { err: error, file: file?.path },
      'the new authentication configuration is not used; the one before stays in force',
    );
    observer.configurationReloaded(false);
  };
  const stop = file?.text.onChange(() => {
    for (const older of starting) {
      starting.delete(older);
      void end(older);
    }
    void replace();
  });

  function start({ configuration, compiled }: ValidatedConfiguration): Generation {
    const parts = configuration.jwt.map((config, index) => {
      const { url, discoveryURL, certificateAuthority } = config.issuer;
      const issuer = new Issuer({ url, discoveryUrl: discoveryURL, certificateAuthority, algorithms, log });
      const sources = sourcesOf(config);
      const tokens = issuedTokens({ config, compiled: compiled[index]!, issuer, sources });
      return { issuer, sources, tokens: observed(tokens, url, observer) };
    });
    return {
      tokens: unionOfTokens(parts.map(({ tokens }) => tokens)),
      issuers: parts.map(({ issuer }) => issuer),
      sources: parts.flatMap(({ sources }) => sources ?? []),
    };
  }

  /** Only a claim by its name can be elsewhere. */
  function sourcesOf({
    issuer: { certificateAuthority, audiences },
    claimMappings: {
      groups: { claim },
    },
  }: JwtAuthenticatorConfig): ClaimSources | undefined {
    const check = (claims: Claims, url: string): void =>
      void checkTokenClaims(claims, { url, audiences }, Date.now() / 1000);
    return claim === '' ? undefined : new ClaimSources({ claim, certificateAuthority, algorithms, log, check });
  }

  return {
    name: 'jwt',
    authenticateToken: (token, audiences) => current.tokens.authenticateToken(token, audiences),
    async close() {
      stop?.();
      changes++;
      const all = [current, ...starting];
      starting.clear();
      await Promise.all(all.map(end));
    },
  };
}

/** Tokens of other issuers are not told of. */
const observed = (tokens: TokenAuthenticator, issuer: string, observer: JwtObserver): TokenAuthenticator => ({
  name: tokens.name,
  async authenticateToken(token, audiences) {
    const began = performance.now();
    const tell = (isValid: boolean): void =>
      observer.idTokenJudged(issuer, isValid, (performance.now() - began) / 1000);
    try {
      const found = await tokens.authenticateToken(token, audiences);
      if (found !== undefined) tell(true);
      return found;
    } catch (error) {
      tell(false);
      throw error;
    }
  },
});

async function end({ issuers, sources }: Generation): Promise<void> {
  await Promise.all([...issuers, ...sources].map((part) => part.close()));
}
