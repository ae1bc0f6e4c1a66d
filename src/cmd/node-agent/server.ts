/** The ports that an agent serves: with TLS, and without for what may be read by every process of the network. */
import { createServer } from 'node:http';
import { once } from 'node:events';
import { isIP } from 'node:net';
import type { NodeAddress } from '../../api/gen/types/core-v1.ts';
import { isGateOn } from '../../api/feature-gates.ts';
import { anonymous } from '../../auth/authentication/anonymous.ts';
import type { RequestAuthenticator } from '../../auth/authentication/authenticator.ts';
import { bearerTokens } from '../../auth/authentication/bearer-token.ts';
import { readCertificates, TrustedAuthorities } from '../../auth/authentication/certificate-chain.ts';
import { clientCertificates } from '../../auth/authentication/client-certificate.ts';
import { cachedTokens } from '../../auth/authentication/token-cache.ts';
import { webhookTokens } from '../../auth/authentication/token-review.ts';
import { unionOfRequests } from '../../auth/authentication/union.ts';
import type { Authorizer } from '../../auth/authorization/authorizer.ts';
import { createWebhookAuthorizer } from '../../auth/authorization/webhook/authorizer.ts';
import { CleanupStack } from '../../base/cleanup-stack.ts';
import type { ReloadableText } from '../../base/reloadable-file.ts';
import type { NodeAgentSettings } from '../../node-agent/config/settings.ts';
import { agentRoutes, type AgentRoutesOptions, openRoutes } from '../../node-agent/server/agent-routes.ts';
import { createApplication, createHandler } from '../../node-agent/server/application.ts';
import { countRequests } from '../../node-agent/metrics/request-metrics.ts';
import { guardAgent } from '../../node-agent/server/guard.ts';
import { isKnownPath, isOpenPath } from '../../node-agent/server/known-paths.ts';
import { daemonNames, type ServingNames } from '../../pki/serving-names.ts';
import { listen } from '../../server/listener.ts';
import { zpagePaths } from '../../server/koa/zpages-routes.ts';
import { notFoundPage } from '../../server/not-found-page.ts';
import type { ServingPair } from '../../server/tls/certificate-reload.ts';
import type { Tracer } from '../../server/tracing/tracer.ts';
import { traceRequests } from '../../node-agent/tracing/traces.ts';
import type { LeadingDaemon } from '../daemon/daemon-spec.ts';
import { reviewsBy } from '../daemon/review-client.ts';
import { createReviewMetrics, type ReviewMetrics } from '../daemon/review-metrics.ts';
import { tlsVersions } from '../flags/shared/tls.ts';
import { fixedPair, watchFlagPair } from '../key-pair-files.ts';
import { explainListenError } from '../listen-errors.ts';
import { ensureSelfSigned } from '../pki/self-signed.ts';
import { watchFlagFile } from '../read-file.ts';
import { UserError } from '../user-error.ts';
import { keepServingCertificate } from './certificates.ts';

export interface AgentServer {
  /** Ends with the signal, or rejects: what keeps the serving certificate. */
  readonly running: Promise<void>;
  close(): Promise<void>;
}

export interface AgentServerParts {
  /** Of the node. */
  readonly addresses: () => readonly NodeAddress[];
  readonly tracer: Tracer | undefined;
}

/** How long clients have to leave their connections. */
const lingerMs = 2000;

export async function serveAgent(
  daemon: LeadingDaemon,
  settings: NodeAgentSettings,
  routes: AgentRoutesOptions,
  { addresses, tracer }: AgentServerParts,
): Promise<AgentServer> {
  const { config, featureGates, nodeName } = settings;
  const { log, signal } = daemon;
  const cleanup = new CleanupStack();
  if (!config.enableServer || config.runOnce) return { running: Promise.resolve(), close: () => cleanup.close() };
  try {
    const clientAuthorities = await watchAuthorities(daemon, settings);
    const { pair, keeper } = await servingPair(daemon, settings, addresses);
    const reviews = createReviewMetrics(daemon.registry);
    const counted = countRequests(createHandler(createApplication(agentRoutes(routes), log)), routes.registry);
    const handle = guardAgent(tracer === undefined ? counted : traceRequests(counted, tracer), {
      nodeName,
      authenticator: authenticatorOf(daemon, settings, clientAuthorities, reviews),
      authorizer: authorizerOf(daemon, settings, reviews),
      isFine: isGateOn('KubeletFineGrainedAuthz', featureGates),
      isKnown: (asked) => isKnownPath(asked, zpagePaths(routes.zpages)),
      log,
    });
    const transport = await listen({
      address: config.address,
      port: config.port,
      maxStreamsPerConnection: 0,
      tls: {
        ...pair,
        named: [],
        clientAuthorities,
        cipherSuites: config.tlsCipherSuites,
        minVersion: tlsVersions[config.tlsMinVersion] ?? 'TLSv1.2',
        withoutHttp2: false,
      },
      handle,
    }).catch((error: unknown) => {
      throw explainListenError(error, config, 'port', 'address');
    });
    cleanup.add(() => transport.close(lingerMs));
    log.info({ address: config.address, port: transport.port }, 'serving');
    if (config.readOnlyPort !== 0) cleanup.add(await serveOpen(settings, routes));
    return { running: keeper?.run(signal) ?? Promise.resolve(), close: () => cleanup.close() };
  } catch (error) {
    await cleanup.close();
    throw error;
  }
}

async function watchAuthorities(
  { files }: LeadingDaemon,
  { config }: NodeAgentSettings,
): Promise<ReloadableText | undefined> {
  const { clientCAFile } = config.authentication.x509;
  if (clientCAFile === '') return undefined;
  return watchFlagFile(files, 'client-ca-file', clientCAFile, (pem) => void readCertificates(pem));
}

async function servingPair(
  daemon: LeadingDaemon,
  settings: NodeAgentSettings,
  addresses: () => readonly NodeAddress[],
): Promise<{ pair: ServingPair; keeper?: NonNullable<Awaited<ReturnType<typeof keepServingCertificate>>>['keeper'] }> {
  const { config, certDir, nodeName, nodeIPs } = settings;
  const path = (file: string): string | undefined => (file === '' ? undefined : file);
  const given = await watchFlagPair(
    daemon.files,
    ['tls-cert-file', path(config.tlsCertFile)],
    ['tls-private-key-file', path(config.tlsPrivateKeyFile)],
  );
  if (given !== undefined) return { pair: given };
  const own = await ensureSelfSigned({
    directory: certDir,
    pairName: 'kubelet',
    commonName: nodeName,
    names: namesOf(config.address, nodeName, nodeIPs),
    now: new Date(),
    log: daemon.log,
  });
  return (await keepServingCertificate(daemon, settings, { before: own, addresses })) ?? { pair: fixedPair(own) };
}

function namesOf(address: string, nodeName: string, nodeIPs: readonly string[]): ServingNames {
  const { dnsNames, ipAddresses } = daemonNames(address);
  return {
    dnsNames: [...new Set([...dnsNames, nodeName])],
    ipAddresses: [...new Set([...ipAddresses, ...nodeIPs.filter((ip) => isIP(ip) !== 0)])],
  };
}

function authenticatorOf(
  { connection, client }: LeadingDaemon,
  { config }: NodeAgentSettings,
  clientAuthorities: ReloadableText | undefined,
  reviews: ReviewMetrics,
): RequestAuthenticator {
  const { webhook, anonymous: nobody } = config.authentication;
  if (webhook.enabled && connection === undefined)
    throw new UserError(
      'no client provided, cannot use webhook authentication: give --kubeconfig, or switch ' +
        'authentication.webhook.enabled off',
    );
  const tokens = webhook.enabled
    ? [
        bearerTokens(
          cachedTokens({
            tokens: webhookTokens({
              client: reviewsBy(
                client({ part: 'authentication', limits: { qps: 0 } }),
                '/apis/authentication.k8s.io/v1/tokenreviews',
                reviews.authentication,
              ),
              version: 'v1',
              audiences: [],
            }),
            successTtlMs: webhook.cacheTTL,
            failureTtlMs: webhook.cacheTTL,
          }),
          [],
        ),
      ]
    : [];
  const certificates =
    clientAuthorities === undefined
      ? []
      : [clientCertificates(new TrustedAuthorities(clientAuthorities), () => undefined)];
  return unionOfRequests([...certificates, ...tokens], nobody.enabled ? anonymous() : undefined);
}

function authorizerOf(
  { connection, client }: LeadingDaemon,
  { config }: NodeAgentSettings,
  reviews: ReviewMetrics,
): Authorizer {
  const { mode, webhook } = config.authorization;
  if (mode === 'AlwaysAllow') return { authorize: () => ({ decision: 'allow', reason: '' }) };
  if (connection === undefined)
    throw new UserError(
      'no client provided, cannot use webhook authorization: give --kubeconfig, or authorization.mode AlwaysAllow',
    );
  return createWebhookAuthorizer({
    client: reviewsBy(
      client({ part: 'authorization', limits: { qps: 0 } }),
      '/apis/authorization.k8s.io/v1/subjectaccessreviews',
      reviews.authorization,
    ),
    version: 'v1',
    authorizedTtlMs: webhook.cacheAuthorizedTTL,
    unauthorizedTtlMs: webhook.cacheUnauthorizedTTL,
    onFailure: 'noOpinion',
    conditions: [],
    withSelectors: false,
    observer: { called: () => undefined, conditionsJudged: () => undefined },
  });
}

/** `readOnlyPort`: pods, statistics and metrics without TLS. @returns what ends it */
async function serveOpen({ config }: NodeAgentSettings, routes: AgentRoutesOptions): Promise<() => Promise<void>> {
  const { log } = routes;
  const app = createApplication(openRoutes(routes), log);
  const answer = app.callback();
  const server = createServer((request, response) => {
    if (isOpenPath((request.url ?? '').split('?', 1)[0]!)) return void answer(request, response);
    response.writeHead(notFoundPage.status, notFoundPage.headers).end(notFoundPage.body);
  });
  const { address, readOnlyPort: port } = config;
  server.listen(port, address);
  await once(server, 'listening').catch((error: unknown) => {
    throw explainListenError(error, { address, port }, 'read-only-port', 'address');
  });
  log.info({ address, port }, 'serving without TLS');
  return async () => {
    const closed = once(server, 'close');
    server.close();
    server.closeAllConnections();
    await closed;
  };
}
