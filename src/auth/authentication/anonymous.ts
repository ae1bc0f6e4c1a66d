import { anonymousUser, groups, type Identity, type RequestAuthenticator } from './authenticator.ts';

const anonymousIdentity: Identity = { user: { name: anonymousUser, groups: [groups.unauthenticated] } };

/**
 * Requests without credentials, where they are let in.
 * @param paths when there are any, only requests for exactly these
 */
export function anonymous(paths: readonly string[] = []): RequestAuthenticator {
  return {
    name: 'anonymous',
    authenticate: (request) => (paths.length === 0 || paths.includes(request.path) ? anonymousIdentity : undefined),
  };
}
