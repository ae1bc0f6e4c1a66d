import type { Authenticator } from '../filters/authentication.ts';

/** Requests without credentials, where `--anonymous-auth` lets them in. */
export const anonymous: Authenticator = {
  name: 'anonymous',
  authenticate: () => ({ name: 'system:anonymous', groups: ['system:unauthenticated'] }),
};
