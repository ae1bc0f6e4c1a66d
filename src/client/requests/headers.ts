/** The headers that every request of a client has. */
import type { ClientConfig } from '../client-config.ts';
import type { Impersonation } from '../impersonation.ts';

export type HeaderFields = readonly (readonly [name: string, value: string])[];

/** Throws for a value with line breaks or other control characters. */
export function commonHeaders({ impersonate }: ClientConfig, userAgent: string): HeaderFields {
  return [
    ['user-agent', headerValue(userAgent)],
    ...(impersonate === undefined ? [] : impersonationHeaders(impersonate)),
  ];
}

/** @see {@link https://www.rfc-editor.org/rfc/rfc9110#section-5.5 | RFC 9110, section 5.5} */
export function headerValue(text: string): string {
  if (/[\0-\x08\x0a-\x1f\x7f]/.test(text)) throw new Error(`${JSON.stringify(text)} cannot be a header of a request`);
  // Beyond ASCII: the bytes of UTF-8, a character each.
  return Buffer.from(text).toString('latin1');
}

export function impersonationHeaders({ user, uid, groups = [], extra = {} }: Impersonation): HeaderFields {
  return [
    ['impersonate-user', headerValue(user)],
    ...(uid === undefined || uid === '' ? [] : [['impersonate-uid', headerValue(uid)] as const]),
    ...groups.map((group) => ['impersonate-group', headerValue(group)] as const),
    ...Object.entries(extra).flatMap(([key, values]) =>
      values.map((value) => [`impersonate-extra-${encodeKey(key)}`, headerValue(value)] as const),
    ),
  ];
}

/** What a header's name cannot have is percent-encoded, the percent sign included. */
const encodeKey = (key: string): string =>
  [...Buffer.from(key.toLowerCase())]
    .map((byte) => String.fromCharCode(byte))
    .map((c) =>
      /[!#$&'*+\-.^_`|~0-9a-z]/.test(c) ? c : `%${c.charCodeAt(0).toString(16).toUpperCase().padStart(2, '0')}`,
    )
    .join('');
