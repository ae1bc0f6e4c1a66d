/**
 * What an event does not show below level Request: secrets, tokens and keys that are not in an object of their own.
 *
 * @NOTE differs from upstream: there the address stands in events as it was sent, and so do errors that quote the
 *   object
 * they are about.
 */
import type { RequestInfo } from '../request/request-info.ts';
import type { ResponseStatus } from './event.ts';

/**
 * A bearer token in the query (RFC 6750, section 2.3). No authenticator of ours reads one; clients send them all the
 * same.
 */
const tokenParameter = /([?&]access_token=)[^&#]*/gi;

export const requestUriOf = (target: string): string =>
  /access_token/i.test(target) ? target.replace(tokenParameter, '$1REDACTED') : target;

/** Resources whose objects are secrets, or hold some. */
const secretive = new Set(['/secrets', '/serviceaccounts/token', 'authentication.k8s.io/tokenreviews']);

/** Errors about what was sent say what it was. */
const quotingCodes = new Set([400, 422, 500]);

export function quotesItsObject(info: RequestInfo, { code = 0, message }: ResponseStatus): boolean {
  if (message === undefined || !quotingCodes.has(code)) return false;
  return secretive.has(`${info.group}/${info.resource}${info.subresource === '' ? '' : `/${info.subresource}`}`);
}

/** Code, reason and what it is about. */
export function withoutQuotes({ status, reason, details, code }: ResponseStatus): ResponseStatus {
  const { causes: _, ...rest } = details ?? {};
  return { status, reason, code, ...(details === undefined ? {} : { details: rest }) } as ResponseStatus;
}
