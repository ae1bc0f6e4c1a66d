/**
 * Distributed claims: groups that an ID token does not contain, but refers to: they are in another token, signed by the
 * issuer that is named there.
 *
 * @NOTE differs from upstream: sources and their issuers are asked over HTTPS only, a redirect is not followed, and how
 *   much is
 * asked at once is bounded.
 * @see {@link https://openid.net/specs/openid-connect-core-1_0.html#AggregatedDistributedClaims | OpenID Connect Core
 *   1.0, section 5.6.2}
 */
import { timeLimit } from '../../../base/time-limit.ts';
import { STATUS_CODES } from 'node:http';
import { abortable } from '../../../base/abortable.ts';
import type { Logger } from '../../../base/logger.ts';
import { goQuote } from '../../../machinery/go-quote.ts';
import { unverifiedClaims } from '../service-accounts/verifier.ts';
import { Documents } from './documents.ts';
import { Issuer } from './issuer.ts';

export type Claims = Readonly<Record<string, unknown>>;

export interface ClaimSourcesOptions {
  /** The one claim that is looked for elsewhere. */
  readonly claim: string;
  /** Of sources and their issuers, PEM; empty: the system's. */
  readonly certificateAuthority: string;
  readonly algorithms: readonly string[];
  readonly log: Logger;
  /** Throws for a token that is not for us, or not for now. */
  readonly check: (claims: Claims, issuer: string) => void;
}

/** Most questions at once. */
const maxPending = 64;
/** Most issuers of such tokens: usually it is one. */
const maxIssuers = 16;
/** How long an issuer that is met for the first time may take. */
const readyTimeoutMs = 10_000;

export class ClaimSources {
  readonly #options: ClaimSourcesOptions;
  readonly #documents: Documents;
  readonly #issuers = new Map<string, Issuer>();
  readonly #stop = new AbortController();
  #pending = 0;

  constructor(options: ClaimSourcesOptions) {
    this.#options = options;
    this.#documents = new Documents(options.certificateAuthority);
  }

  /** The claims, with the one that was elsewhere. Throws when it cannot be had. */
  async expand(claims: Claims): Promise<Claims> {
    const { claim } = this.#options;
    const source = sourceOf(claims, claim);
    if (source === undefined) return claims;
    if (this.#pending >= maxPending) throw new Error('oidc: too many distributed claims are asked for at once');
    this.#pending++;
    try {
      return { ...claims, [claim]: await this.#fetch(source) };
    } catch (error) {
      throw new Error(`oidc: could not expand distributed claims: ${(error as Error).message}`, { cause: error });
    } finally {
      this.#pending--;
    }
  }

  async close(): Promise<void> {
    this.#stop.abort(new Error('the authenticator is closed'));
    this.#documents.close();
    await Promise.all([...this.#issuers.values()].map((issuer) => issuer.close()));
  }

  async #fetch({ endpoint, accessToken }: Source): Promise<unknown> {
    const { claim, check } = this.#options;
    const token = await this.#tokenAt(endpoint, accessToken).catch((error: unknown) => {
      throw new Error(`while getting distributed claim ${goQuote(claim)}: ${(error as Error).message}`, {
        cause: error,
      });
    });
    const issuer = unverifiedClaims(token)?.['iss'];
    if (typeof issuer !== 'string')
      throw new Error(`getting untrusted issuer from endpoint ${endpoint} failed for claim ${goQuote(claim)}`);
    const payload = await (await this.#issuer(issuer)).verify(token).catch((error: unknown) => {
      throw new Error(`verify distributed claim token: ${(error as Error).message}`, { cause: error });
    });
    const claims = JSON.parse(payload.toString()) as Claims;
    check(claims, issuer);
    if (!Object.hasOwn(claims, claim))
      throw new Error(
        `jwt returned by distributed claim endpoint ${goQuote(endpoint)} did not contain claim: ${claim}`,
      );
    return claims[claim];
  }

  async #tokenAt(endpoint: string, accessToken: string): Promise<string> {
    if (!isHttps(endpoint)) throw new Error('the endpoint must be https');
    const { status, text } = await this.#documents.get(endpoint, {
      accept: 'application/jwt, */*',
      signal: this.#stop.signal,
      ...(accessToken === '' ? {} : { authorization: `Bearer ${accessToken}` }),
    });
    if (status !== 200)
      throw new Error(`error while getting distributed claim JWT: ${status} ${STATUS_CODES[status] ?? ''}`.trim());
    return text.trim();
  }

  /** One that did not come up within its time is forgotten. */
  async #issuer(url: string): Promise<Issuer> {
    const { certificateAuthority, algorithms, log } = this.#options;
    let issuer = this.#issuers.get(url);
    if (issuer === undefined) {
      if (!isHttps(url)) throw new Error(`verifying untrusted issuer ${url} failed: it must be https`);
      if (this.#issuers.size >= maxIssuers)
        throw new Error(`verifying untrusted issuer ${url} failed: there are too many`);
      this.#issuers.set(url, (issuer = new Issuer({ url, discoveryUrl: '', certificateAuthority, algorithms, log })));
    }
    try {
      await abortable(issuer.ready, AbortSignal.any([this.#stop.signal, timeLimit(readyTimeoutMs)]));
      return issuer;
    } catch (error) {
      if (this.#issuers.get(url) === issuer) this.#issuers.delete(url);
      void issuer.close();
      throw new Error(`verifying untrusted issuer ${url} failed: oidc: authenticator not initialized`, {
        cause: error,
      });
    }
  }
}

interface Source {
  readonly endpoint: string;
  readonly accessToken: string;
}

/** Undefined when the token says nothing about the claim, or has it. */
function sourceOf(claims: Claims, claim: string): Source | undefined {
  const names = claims['_claim_names'];
  if (Object.hasOwn(claims, claim) || names === undefined) return undefined;
  const fail = (why: string): never => {
    throw new Error(`oidc: could not expand distributed claims: ${why}`);
  };
  if (!isObject(names) || !Object.values(names).every((name) => typeof name === 'string'))
    return fail('oidc: error parsing distributed claim names: it is no map of strings');
  const sources = claims['_claim_sources'];
  if (sources === undefined) return fail('oidc: no claim sources');
  if (!isObject(sources) || !Object.values(sources).every(isObject))
    return fail('oidc: could not parse claim sources: it is no map of objects');
  if (!Object.hasOwn(names, claim)) return undefined;
  const name = names[claim] as string;
  const source = Object.hasOwn(sources, name)
    ? (sources[name] as Claims)
    : fail(`id token _claim_names contained a source ${name} missing in _claims_sources`);
  const { endpoint, access_token: accessToken = '' } = source;
  // Without an address the claim stands beside it, signed by others: that is not looked at.
  if (endpoint === undefined || endpoint === '') return undefined;
  if (typeof endpoint !== 'string' || typeof accessToken !== 'string')
    return fail('oidc: could not parse claim sources: it is no map of objects');
  return { endpoint, accessToken };
}

const isObject = (value: unknown): value is Claims =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

const isHttps = (url: string): boolean => URL.canParse(url) && new URL(url).protocol === 'https:';
