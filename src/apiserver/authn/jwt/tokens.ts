/** Tokens of one issuer: what their claims must be like, and which user they make. */
import { goQuote } from '../../../machinery/go-quote.ts';
import type { UserInfo } from '../../../machinery/user.ts';
import type { Identity, TokenAuthenticator } from '../../../auth/authentication/authenticator.ts';
import { credentialId, extraKeys } from '../../../auth/service-accounts/claims.ts';
import { unverifiedClaims } from '../service-accounts/verifier.ts';
import type { Claims, ClaimSources } from './claim-sources.ts';
import type { JwtAuthenticatorConfig, PrefixedMapping } from './configuration.ts';
import { asString, asStrings, type Expression, isTrue } from './expressions.ts';
import type { Issuer } from './issuer.ts';
import type { CompiledExpressions } from './validation.ts';

export interface IssuedTokensOptions {
  readonly config: JwtAuthenticatorConfig;
  readonly compiled: CompiledExpressions;
  readonly issuer: Pick<Issuer, 'verify'>;
  /** Where groups may be that the token does not hold itself. */
  readonly sources?: Pick<ClaimSources, 'expand'> | undefined;
  readonly now?: () => number;
}

const notBeforeLeewaySeconds = 5 * 60;

export function issuedTokens({
  config,
  compiled,
  issuer,
  sources,
  now = Date.now,
}: IssuedTokensOptions): TokenAuthenticator {
  const judge = async (token: string): Promise<Identity> => {
    const own = JSON.parse((await issuer.verify(token)).toString()) as Claims;
    const expires = checkTokenClaims(own, config.issuer, now() / 1000);
    const claims = sources === undefined ? own : await sources.expand(own);
    for (const { claim, requiredValue, expression } of config.claimValidationRules)
      if (expression === '') checkRequired(claims, claim, requiredValue);
    for (const { expression, message } of compiled.claimRules) checkRule(expression, claims, message);
    const user = userOf(claims, config, compiled);
    const { name, uid = '', groups, extra = {} } = user;
    for (const { expression, message } of compiled.userRules)
      checkRule(expression, { username: name, uid, groups, extra }, message);
    return { user, expiresAt: expires * 1000 };
  };
  return {
    name: 'jwt',
    authenticateToken: (token) => (unverifiedClaims(token)?.['iss'] === config.issuer.url ? judge(token) : undefined),
  };
}

/** What every ID token must say of itself. Returns when it ends, in seconds since 1970. */
export function checkTokenClaims(
  { iss, aud, exp, nbf }: Claims,
  { url, audiences }: Pick<JwtAuthenticatorConfig['issuer'], 'url' | 'audiences'>,
  seconds: number,
): number {
  if (iss !== url)
    throw new Error(
      `oidc: verify token: oidc: id token issued by a different provider, expected ${goQuote(url)} got ${shown(iss)}`,
    );
  if (typeof exp !== 'number' || exp < seconds) throw new Error('oidc: verify token: oidc: token is expired');
  if (nbf !== undefined && (typeof nbf !== 'number' || seconds + notBeforeLeewaySeconds < nbf))
    throw new Error('oidc: verify token: oidc: current time is before the nbf (not before) time');
  const named = typeof aud === 'string' ? [aud] : Array.isArray(aud) ? aud : [];
  if (!audiences.some((audience) => named.includes(audience)))
    throw new Error(
      `oidc: verify token: oidc: expected audience in ${list(audiences)} got [${named.map(shown).join(' ')}]`,
    );
  return exp;
}

/** A claim can be anything: text as it is, the rest as JSON. */
const shown = (claim: unknown): string => goQuote(typeof claim === 'string' ? claim : (JSON.stringify(claim) ?? ''));

const list = (texts: readonly string[]): string => `[${texts.map(goQuote).join(' ')}]`;

function checkRequired(claims: Claims, claim: string, wanted: string): void {
  if (!Object.hasOwn(claims, claim)) throw new Error(`oidc: required claim ${claim} not present in ID token`);
  const value = textClaim(claims, claim, `parse claim ${claim}`);
  if (value !== wanted)
    throw new Error(`oidc: required claim ${claim} value does not match. Got = ${value}, want = ${wanted}`);
}

function textClaim(claims: Claims, claim: string, what: string): string {
  const value = Object.hasOwn(claims, claim) ? claims[claim] : undefined;
  if (value === undefined) throw new Error(`oidc: ${what}: claim not present`);
  if (typeof value !== 'string') throw new Error(`oidc: ${what}: not a string`);
  return value;
}

function checkRule(expression: Expression, subject: object, message: string): void {
  if (!isTrue(expression.evaluate(subject)))
    throw new Error(
      `oidc: error evaluating validation expression: validation expression '${expression.text}' ` +
        `failed${message === '' ? '' : `: ${message}`}`,
    );
}

function userOf(
  claims: Claims,
  { claimMappings: mappings }: JwtAuthenticatorConfig,
  compiled: CompiledExpressions,
): UserInfo {
  const name =
    compiled.username === undefined
      ? claimedName(claims, mappings.username)
      : asString(compiled.username.evaluate(claims));
  const groups =
    compiled.groups === undefined
      ? claimedGroups(claims, mappings.groups)
      : asStrings(compiled.groups.evaluate(claims));
  const uid =
    compiled.uid === undefined
      ? mappings.uid.claim === ''
        ? ''
        : textClaim(claims, mappings.uid.claim, 'parse uid claim')
      : asString(compiled.uid.evaluate(claims));
  const { jti } = claims;
  const credential =
    typeof jti === 'string' && jti !== '' ? [[extraKeys.credentialId, [credentialId(jti)]] as const] : [];
  const mapped = compiled.extra
    .map(({ key, value }) => [key, asStrings(value.evaluate(claims))] as const)
    .filter(([, values]) => values.length > 0);
  const extra = [...credential, ...mapped];
  if (name === '') throw new Error('oidc: the user name is empty');
  refuseSystemNames([name], mappings.username, 'user name');
  refuseSystemNames(groups, mappings.groups, 'group');
  return {
    name,
    groups,
    ...(uid === '' ? {} : { uid }),
    ...(extra.length === 0 ? {} : { extra: Object.fromEntries(extra) }),
  };
}

const systemPrefix = 'system:';

/**
 * @NOTE differs from upstream: a name of the system that is taken from a claim unchanged is refused. A user that can
 * write claims at the issuer could otherwise be in `system:masters` here; a prefix or expression with `system:` is
 * intended.
 */
function refuseSystemNames(names: readonly string[], { prefix = '', expression }: PrefixedMapping, what: string): void {
  if (prefix.startsWith(systemPrefix) || expression.includes(systemPrefix)) return;
  const found = names.find((name) => name.startsWith(systemPrefix));
  if (found !== undefined)
    throw new Error(`oidc: the ${what} ${goQuote(found)} is reserved for the system and cannot come from a claim`);
}

function claimedName(claims: Claims, { claim, prefix = '' }: PrefixedMapping): string {
  const name = textClaim(claims, claim, `parse username claims ${goQuote(claim)}`);
  if (claim === 'email' && Object.hasOwn(claims, 'email_verified') && claims['email_verified'] !== true)
    throw new Error('oidc: email not verified');
  return name === '' ? '' : prefix + name;
}

function claimedGroups(claims: Claims, { claim, prefix = '' }: PrefixedMapping): string[] {
  const value = claim !== '' && Object.hasOwn(claims, claim) ? claims[claim] : undefined;
  if (value === undefined || value === null) return [];
  const groups = typeof value === 'string' ? [value] : value;
  if (!Array.isArray(groups) || !groups.every((group) => typeof group === 'string'))
    throw new Error(`oidc: parse groups claim ${goQuote(claim)}: not a string or a list of strings`);
  return (groups as string[]).map((group) => prefix + group);
}
