/** All that are no shared secret; those of an issuer of which the file says nothing more. */
export const signingAlgorithms = ['RS256', 'RS384', 'RS512', 'ES256', 'ES384', 'ES512', 'PS256', 'PS384', 'PS512'];
