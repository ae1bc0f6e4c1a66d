/**
 * What knowing the caller costs a request: a static token, one that is remembered, a certificate after the handshake,
 * and a token at first sight.
 */
import { AuthenticationMetrics } from '../src/apiserver/authn/metrics.ts';
import { allMetrics, MetricRegistry } from '../src/server/metrics/metric-registry.ts';
import { generateKeyPairSync } from 'node:crypto';
import { Registry } from 'prom-client';
import { bench, describe } from 'vitest';
import { caSubject, createAdmin, createAuthority } from '../src/pki/pki.ts';
import { fixedText } from '../src/base/reloadable-file.ts';
import { silentLogger } from '../src/base/logger.ts';
import { X509Certificate } from 'node:crypto';
import type { PeerCertificate } from '../src/auth/request-facts.ts';
import { type AuthenticationConfig, createAuthentication } from '../src/apiserver/authn/authentication.ts';
import type { RequestAuthenticator } from '../src/auth/authentication/authenticator.ts';
import { boundClaims } from '../src/auth/service-accounts/claims.ts';
import { verificationKey } from '../src/auth/service-accounts/keys.ts';
import { openAccountKeys } from '../src/apiserver/authn/service-accounts/account-keys.ts';
import { fakeRequest } from '../src/auth/testing/fake-request.ts';

const now = new Date();
const ca = createAuthority(caSubject, now);
const peer: PeerCertificate = {
  certificate: new X509Certificate(createAdmin(ca, now).certificate),
  issuers: [],
  commonName: 'jane',
  organizations: ['devs'],
  verified: true,
  error: undefined,
};
const { publicKey, privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
const issuer = 'https://kubernetes.default.svc.cluster.local';
const account = { metadata: { name: 'robot', namespace: 'default', uid: '6f0b8f0e-8e3b-4c55-9c44-4a2c6e9b5c5f' } };
const find = (): Promise<never> => Promise.resolve(account as never);

const none: AuthenticationConfig = {
  clientCa: undefined,
  requestHeader: undefined,
  tokenFile: undefined,
  bootstrapTokens: false,
  serviceAccounts: undefined,
  jwt: undefined,
  webhook: undefined,
  anonymous: undefined,
  audiences: [issuer],
};
const around = {
  accountKeys: undefined,
  objects: { find, findFresh: find },
  log: silentLogger,
  onLegacyTokenUse: () => undefined,
  metrics: new AuthenticationMetrics(new MetricRegistry(allMetrics), 'bench'),
  webhooks: {
    open: () => {
      throw new Error('there is no webhook');
    },
  },
};
const endless = new AbortController().signal;
const requestsOf = (config: Partial<AuthenticationConfig>): RequestAuthenticator =>
  createAuthentication({ ...none, ...config }, { ...around, accountKeys }).requests;

const accounts = {
  issuers: [issuer],
  keys: [verificationKey(publicKey)],
  signingKey: privateKey,
  signingEndpoint: undefined,
  lookup: true,
  extendExpiration: true,
  maxExpirationSeconds: 0,
  jwksUri: undefined,
};
const accountKeys = await openAccountKeys(accounts, { registry: new Registry(), log: silentLogger, signal: endless });
const token = await accountKeys!.sign!(
  boundClaims({
    issuer,
    audiences: [issuer],
    about: { namespace: 'default', serviceaccount: account.metadata },
    lifeSeconds: 3600,
    now,
  }),
  endless,
);
const tokens = requestsOf({ tokenFile: 'static-token,jane,1,"devs"\n', serviceAccounts: accounts });
const certificates = requestsOf({
  clientCa: fixedText(ca.certificate),
  tokenFile: 'static-token,jane,1\n',
  serviceAccounts: accounts,
});

const withStatic = fakeRequest(['authorization', 'Bearer static-token']);
const withToken = fakeRequest(['authorization', `Bearer ${token}`]);
const staticAgain = fakeRequest(['authorization', 'Bearer static-token'], { connection: {} });
const tokenAgain = fakeRequest(['authorization', `Bearer ${token}`], { connection: {} });
const withCertificate = fakeRequest([], { certificate: peer });
await tokens.authenticate(withToken);

describe(`authentication (a token of ${token.length} characters)`, () => {
  bench('static token', async () => void (await tokens.authenticate(withStatic)));
  bench('service account token that is remembered', async () => void (await tokens.authenticate(withToken)));
  bench('static token that its connection brought before', async () => void (await tokens.authenticate(staticAgain)));
  bench(
    'service account token that its connection brought before',
    async () => void (await tokens.authenticate(tokenAgain)),
  );
  bench('client certificate after the handshake', async () => void (await certificates.authenticate(withCertificate)));
  let count = 0;
  bench(
    'service account token at first sight',
    async () =>
      void (await createAuthentication(
        { ...none, serviceAccounts: accounts, audiences: [issuer, String(count++)] },
        { ...around, accountKeys },
      ).review(token, [issuer])),
  );
});
