import { bool, duration, file, optionalText, pairs, repeated, section, strings, text } from '../flag.ts';
import { clientCaFlags, requestHeaderFlags } from '../shared/client-certificates.ts';

export const authentication = section('Authentication', {
  anonymousAuth: bool('anonymous-auth', 'supported', {
    default: true,
    help:
      'Let requests without credentials in as user system:anonymous of group system:unauthenticated. Always off ' +
      'with authorization mode AlwaysAllow.',
  }),
  ...clientCaFlags,
  tokenAuthFile: file('token-auth-file', 'supported', {
    help: 'CSV file of bearer tokens: token,user,uid[,"group,…"].',
  }),
  enableBootstrapTokenAuth: bool('enable-bootstrap-token-auth', 'supported', {
    help:
      "Accept the tokens in secrets of type 'bootstrap.kubernetes.io/token' in namespace kube-system, " +
      'for nodes that join.',
  }),
  authenticationConfig: file('authentication-config', 'supported', {
    help: 'AuthenticationConfiguration document with JWT issuers. Exclusive with the --oidc-* flags.',
  }),
  webhookConfigFile: file('authentication-token-webhook-config-file', 'supported', {
    help: 'Connection to a service that judges bearer tokens, in kubeconfig format.',
  }),
  webhookCacheTtlMs: duration('authentication-token-webhook-cache-ttl', 'supported', {
    default: '2m0s',
    help: 'How long answers of the token webhook are kept.',
  }),
  webhookVersion: text('authentication-token-webhook-version', 'supported', {
    default: 'v1beta1',
    help: 'Version of the TokenReview objects exchanged with the token webhook.',
  }),
  oidcIssuerUrl: optionalText('oidc-issuer-url', 'supported', {
    help: 'OpenID Connect issuer whose ID tokens are accepted. HTTPS only.',
  }),
  oidcClientId: optionalText('oidc-client-id', 'supported', {
    help: 'Audience that ID tokens must be issued for. Required with --oidc-issuer-url.',
  }),
  oidcCaFile: file('oidc-ca-file', 'supported', {
    help: 'Certificate authorities of the issuer. Without it those of the system.',
  }),
  oidcGroupsClaim: optionalText('oidc-groups-claim', 'supported', {
    help: 'Claim with the groups of the user: a string or a list of strings.',
  }),
  oidcGroupsPrefix: optionalText('oidc-groups-prefix', 'supported', {
    help: 'Put before each group from an ID token, so that it cannot pass for a group from elsewhere.',
  }),
  oidcRequiredClaims: pairs('oidc-required-claim', 'supported', {
    help: 'A claim that ID tokens must have with just this value. Repeatable.',
  }),
  oidcSigningAlgorithms: strings('oidc-signing-algs', 'supported', {
    default: ['RS256'],
    help: 'Signature algorithms to accept: RS256, RS384, RS512, ES256, ES384, ES512, PS256, PS384, PS512.',
  }),
  oidcUsernameClaim: text('oidc-username-claim', 'supported', { default: 'sub', help: 'Claim with the user name.' }),
  oidcUsernamePrefix: optionalText('oidc-username-prefix', 'supported', {
    help:
      "Put before user names from ID tokens; '-' for nothing. Without it names from claims other than email get " +
      'the issuer URL before them.',
  }),
  ...requestHeaderFlags({ usernameHeaders: [], groupHeaders: [], extraHeaderPrefixes: [] }),
});

export const serviceAccounts = section('Service account', {
  apiAudiences: strings('api-audiences', 'supported', {
    help:
      'Audiences that stand for this API: a token must be issued for one of them. Without any, the ' +
      'service account issuers.',
  }),
  issuers: repeated('service-account-issuer', 'supported', {
    help: 'Issuer of service account tokens, an HTTPS URL if possible. Repeatable: the first signs, all are accepted.',
  }),
  jwksUri: optionalText('service-account-jwks-uri', 'supported', {
    help: "Where the discovery document says the issuer's keys are.",
  }),
  keyFiles: repeated('service-account-key-file', 'supported', {
    help: 'PEM file with public or private keys that verify service account tokens. Repeatable.',
  }),
  signingKeyFile: file('service-account-signing-key-file', 'supported', {
    help: 'PEM file with the private key that signs service account tokens.',
  }),
  signingEndpoint: optionalText('service-account-signing-endpoint', 'supported', {
    help:
      'Unix socket of a program that signs service account tokens and names the keys that verify them, instead ' +
      'of key files; @name lies in the abstract namespace. Needs feature gate ExternalServiceAccountTokenSigner.',
  }),
  lookup: bool('service-account-lookup', 'supported', {
    default: true,
    help: 'Check that the token and its service account still exist.',
  }),
  extendTokenExpiration: bool('service-account-extend-token-expiration', 'supported', {
    default: true,
    help: 'Let tokens injected into pods live up to a year, for clients that do not read them again.',
  }),
  maxTokenExpirationMs: duration('service-account-max-token-expiration', 'supported', {
    help: 'Longest life of a token; requests for longer ones get this.',
  }),
});
