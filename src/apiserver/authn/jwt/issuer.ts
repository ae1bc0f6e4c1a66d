/**
 * The keys of one issuer: found by discovery, kept, and asked for again when a token names one that is not there.
 * @see {@link https://openid.net/specs/openid-connect-discovery-1_0.html | OpenID Connect Discovery 1.0}
 */
import { compactVerify, createLocalJWKSet, errors, type JSONWebKeySet, type LocalJWKSet } from 'jose';
import { type Clock, sleep, systemClock } from '../../../base/clock.ts';
import type { Logger } from '../../../base/logger.ts';
import { Documents } from './documents.ts';

export interface IssuerOptions {
  readonly url: string;
  /** Where the discovery document is; empty: at the usual place below the URL. */
  readonly discoveryUrl: string;
  /** PEM; empty: the system's. */
  readonly certificateAuthority: string;
  readonly algorithms: readonly string[];
  readonly log: Logger;
  readonly clock?: Clock;
}

/** Between attempts to find the issuer. */
const retryMs = 10_000;
/** A key that was withdrawn is good no longer than this. */
const refreshMs = 10 * 60_000;
/** Any client can name an unknown key, so the issuer is asked at most so often. */
const cooldownMs = 1000;

export class Issuer {
  readonly #options: IssuerOptions;
  readonly #clock: Clock;
  readonly #stop = new AbortController();
  readonly #running: Promise<void>;
  readonly #documents: Documents;
  #jwksUri: string | undefined;
  #keys: LocalJWKSet | undefined;
  #fetchedAt = 0;
  #fetching: Promise<void> | undefined;
  #found: () => void = () => undefined;
  /** Resolves when keys are there for the first time. */
  readonly ready = new Promise<void>((resolve) => (this.#found = resolve));

  constructor(options: IssuerOptions) {
    this.#options = options;
    this.#clock = options.clock ?? systemClock;
    this.#documents = new Documents(options.certificateAuthority);
    this.#running = this.#keepUp();
  }

  /** The payload of a token that the issuer has signed. Throws when it has not, or its keys are not known yet. */
  async verify(token: string): Promise<Buffer> {
    if (this.#keys === undefined) throw new Error('oidc: authenticator not initialized');
    try {
      return await this.#verifyWith(this.#keys, token);
    } catch (error) {
      // Keys change: perhaps it is a new one. A signature that is wrong may be of a new key without a name.
      if (!(error instanceof errors.JWKSNoMatchingKey || error instanceof errors.JWSSignatureVerificationFailed))
        throw error;
      await this.#refreshKeys(cooldownMs).catch(() => undefined);
      return this.#verifyWith(this.#keys, token);
    }
  }

  async #verifyWith(keys: LocalJWKSet, token: string): Promise<Buffer> {
    const options = { algorithms: [...this.#options.algorithms] };
    try {
      return Buffer.from((await compactVerify(token, keys, options)).payload);
    } catch (error) {
      if (!(error instanceof errors.JWKSMultipleMatchingKeys)) throw error;
      for await (const key of error) {
        const verified = await compactVerify(token, key, options).catch(() => undefined);
        if (verified !== undefined) return Buffer.from(verified.payload);
      }
      throw new errors.JWSSignatureVerificationFailed();
    }
  }

  async close(): Promise<void> {
    this.#stop.abort(new Error('the authenticator is closed'));
    await this.#running;
    this.#documents.close();
  }

  /** Looks for the issuer until it is there, then for its keys from time to time. */
  async #keepUp(): Promise<void> {
    while (!this.#stop.signal.aborted) {
      try {
        this.#jwksUri ??= await this.#discover();
        await this.#refreshKeys(0);
        this.#found();
      } catch (error) {
        if (this.#stop.signal.aborted) return;
        this.#options.log.warn(
          { err: error, issuer: this.#options.url },
          this.#keys === undefined
            ? 'the token issuer is not there yet'
            : 'the keys of the token issuer could not be read again',
        );
      }
      await sleep(this.#clock, this.#keys === undefined ? retryMs : refreshMs, this.#stop.signal);
    }
  }

  async #discover(): Promise<string> {
    const { url, discoveryUrl } = this.#options;
    const document = (await this.#get(
      discoveryUrl === '' ? `${url.replace(/\/+$/, '')}/.well-known/openid-configuration` : discoveryUrl,
    )) as { issuer?: unknown; jwks_uri?: unknown } | null;
    if (document?.issuer !== url)
      throw new Error(
        `the issuer did not match the issuer of its discovery document, expected ${JSON.stringify(url)} ` +
          `got ${JSON.stringify(document?.issuer)}`,
      );
    if (typeof document.jwks_uri !== 'string' || !URL.canParse(document.jwks_uri))
      throw new Error('the discovery document has no jwks_uri');
    return document.jwks_uri;
  }

  /** One answer for all callers that wait. Does nothing when it was done less than `minAgeMs` ago. */
  async #refreshKeys(minAgeMs: number): Promise<void> {
    const { signal } = this.#stop;
    if (signal.aborted) throw signal.reason as Error;
    if (this.#keys !== undefined && this.#clock.now() - this.#fetchedAt < minAgeMs) return;
    this.#fetching ??= this.#fetchKeys().finally(() => (this.#fetching = undefined));
    await this.#fetching;
  }

  async #fetchKeys(): Promise<void> {
    this.#fetchedAt = this.#clock.now();
    this.#keys = createLocalJWKSet((await this.#get(this.#jwksUri!)) as JSONWebKeySet);
  }

  async #get(url: string): Promise<unknown> {
    const { status, text } = await this.#documents.get(url, { accept: 'application/json', signal: this.#stop.signal });
    if (status !== 200) throw new Error(`${url} answered with status ${status}`);
    return JSON.parse(text) as unknown;
  }
}
