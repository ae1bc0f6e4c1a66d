/**
 * `--token-auth-file`: lines of `token,user,uid[,"group1,group2"]`.
 * @see {@link https://kubernetes.io/docs/reference/access-authn-authz/authentication/#static-token-file | Static token
 *   file}
 */
import { createHash } from 'node:crypto';
import { constantTimeEqual } from '../../base/constant-time-compare.ts';
import type { UserInfo } from '../../machinery/user.ts';
import type { Identity, TokenAuthenticator } from './authenticator.ts';

/** Found by digest and compared in constant time: how long it takes says nothing about the token. */
export function tokenFile(content: string): TokenAuthenticator {
  const owners = new Map<string, { token: Buffer; identity: Identity }>();
  for (const { token, user } of parseTokenFile(content))
    owners.set(digest(token), { token: Buffer.from(token), identity: { user } });
  return {
    name: 'token-file',
    authenticateToken(token) {
      const found = owners.get(digest(token));
      return found !== undefined && constantTimeEqual(found.token, token) ? found.identity : undefined;
    },
  };
}

const digest = (token: string): string => createHash('sha256').update(token).digest('binary');

/** Throws when a line cannot be understood, by its number: what is in it is secret. */
export function parseTokenFile(content: string): { token: string; user: UserInfo }[] {
  const records: { token: string; user: UserInfo }[] = [];
  for (const [index, line] of content.split(/\r?\n/).entries()) {
    if (line.trim() === '' || line.startsWith('#')) continue;
    const [token = '', name, uid, groups = ''] = parseCsvLine(line);
    if (name === undefined || uid === undefined)
      throw new Error(
        `token file: line ${index + 1} must have at least 3 columns (token, user name, user uid), but ` +
          `has ${name === undefined ? 1 : 2}`,
      );
    if (token === '') continue;
    records.push({
      token,
      user: {
        name,
        ...(uid === '' ? {} : { uid }),
        groups: groups
          .split(',')
          .map((group) => group.trim())
          .filter((group) => group !== ''),
      },
    });
  }
  return records;
}

/** One line of RFC 4180: commas, quotes, doubled quotes inside quotes. */
function parseCsvLine(line: string): string[] {
  const fields = [...`${line},`.matchAll(/(?:\s*"((?:[^"]|"")*)"\s*|([^,]*)),/g)];
  return fields.map(([, quoted, bare]) => (quoted === undefined ? (bare ?? '').trim() : quoted.replaceAll('""', '"')));
}
