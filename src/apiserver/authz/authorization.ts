/** From the configured modes to the one authorizer that the server asks. */
import type { PolicyRule } from '../../api/gen/types/rbac-v1.ts';
import type { Logger } from '../../base/logger.ts';
import type { RegistryCatalog } from '../../registry/catalog.ts';
import { bootstrapPolicy } from './rbac/bootstrap-policy/policy.ts';
import type { SharedDecoder } from '../loopback/shared-decoder.ts';
import type { WebhookClient } from '../webhooks/webhook-client.ts';
import type { WebhookClients } from '../webhooks/webhook-clients.ts';
import { createAbacAuthorizer } from './abac/authorizer.ts';
import { alwaysAllow } from '../../auth/authorization/always-allow.ts';
import { alwaysDeny } from '../../auth/authorization/always-deny.ts';
import type { Authorizer } from '../../auth/authorization/authorizer.ts';
import { type AuthorizationConfig, type AuthorizerConfig, type AuthorizerType, uses } from './configuration.ts';
import type { AuthorizationMetrics } from './metrics.ts';
import { createNodeAuthorizer } from './node/authorizer.ts';
import { NodeGraph } from './node/graph.ts';
import { createRbacAuthorizer } from './rbac/authorizer.ts';
import { RbacSource } from './rbac/source.ts';
import { ResourceInformers } from './resource-informers.ts';
import { createUnion } from '../../auth/authorization/union.ts';
import { createWebhookAuthorizer } from '../../auth/authorization/webhook/authorizer.ts';

export interface AuthorizationOptions {
  readonly config: AuthorizationConfig;
  readonly registry: Pick<RegistryCatalog, 'storeOf'>;
  readonly decode: SharedDecoder;
  readonly log: Logger;
  readonly featureEnabled: (gate: string) => boolean;
  readonly metrics: AuthorizationMetrics;
  readonly webhooks: Pick<WebhookClients, 'open'>;
}

export interface Authorization {
  readonly authorizer: Authorizer;
  /** Roles and bindings; escalation checks need them in every mode. */
  readonly rbac: RbacSource;
  /** Begins to read what decisions need. */
  start(): void;
  stop(): Promise<void>;
}

/** The authorizers of one state of the configuration. */
interface Chain {
  readonly authorizer: Authorizer;
  close(): Promise<void>;
}

export function createAuthorization(options: AuthorizationOptions): Authorization {
  const { config, log, metrics } = options;
  const parts = createParts(options);
  let current = parts.chainOf(config.authorizers);
  const reload = async (): Promise<void> => {
    try {
      const authorizers = await config.file!.read(config.file!.text.get());
      checkTypes(authorizers, config.authorizers);
      const before = current;
      current = parts.chainOf(authorizers);
      metrics.reloaded(true);
      await before.close();
    } catch (error) {
      metrics.reloaded(false);
      log.error({ err: error }, 'the new authorization configuration cannot be used; the one before stays in force');
    }
  };
  const stopWatching = config.file?.text.onChange(() => void reload());
  return {
    authorizer: {
      authorize: (attributes) => current.authorizer.authorize(attributes),
      rulesFor: (user, namespace) => current.authorizer.rulesFor!(user, namespace),
    },
    rbac: parts.rbac,
    start: () => {
      if (uses(config.authorizers, 'RBAC')) parts.rbac.start();
      if (uses(config.authorizers, 'Node')) parts.nodeObjects.start();
    },
    stop: async () => {
      stopWatching?.();
      await Promise.all([parts.rbac.stop(), parts.nodeObjects.stop(), current.close()]);
    },
  };
}

/** What needs more than the file is there from the start or never. */
const needsMore: readonly AuthorizerType[] = ['Node', 'RBAC', 'ABAC'];

/**
 * A reload may add and remove only webhooks: the other authorizers of the start stay, in any order.
 *
 * @NOTE differs from upstream: AlwaysAllow cannot be added either. Whether anonymous requests are on was decided at the
 * start, when AlwaysAllow was not configured.
 */
function checkTypes(authorizers: readonly AuthorizerConfig[], initial: readonly AuthorizerConfig[]): void {
  const missing = new Set(
    initial.map(({ type }) => type).filter((type) => type !== 'Webhook' && !uses(authorizers, type)),
  );
  if (missing.size > 0) throw new Error(`missing required types: [${[...missing].sort().join(' ')}]`);
  for (const type of [...needsMore, 'AlwaysAllow'] as const) {
    if (uses(authorizers, type) && !uses(initial, type))
      throw new Error(`authorizer type ${type} is not allowed if it was not enabled at initial server startup`);
  }
}

interface Parts {
  readonly rbac: RbacSource;
  readonly nodeObjects: ResourceInformers;
  chainOf(authorizers: readonly AuthorizerConfig[]): Chain;
}

/** What is there once, whatever the order of the authorizers, and however often it changes. */
function createParts({ registry, decode, log, featureEnabled, metrics, webhooks }: AuthorizationOptions): Parts {
  const rbac = new RbacSource({ registry, decode, log });
  const graph = new NodeGraph(decode, (operation, seconds) => metrics.graphChanged(operation, seconds));
  const nodeObjects = new ResourceInformers(registry, log, graph.resources);
  const authorizerOf = (config: AuthorizerConfig, clients: WebhookClient[]): Authorizer => {
    switch (config.type) {
      case 'AlwaysAllow':
        return alwaysAllow;
      case 'AlwaysDeny':
        return alwaysDeny;
      case 'ABAC':
        return createAbacAuthorizer(config.rules);
      case 'RBAC':
        return createRbacAuthorizer(rbac.policy);
      case 'Node':
        return createNodeAuthorizer({
          graph,
          loading: () => nodeObjects.loading(),
          rules: nodeRules(featureEnabled),
          ownOnly: featureEnabled('AuthorizeNodeWithSelectors'),
        });
      case 'Webhook': {
        const { connection, timeoutMs, ...settings } = config.webhook;
        const client = webhooks.open(connection, { timeoutMs });
        clients.push(client);
        return createWebhookAuthorizer({
          ...settings,
          client,
          withSelectors: featureEnabled('AuthorizeWithSelectors'),
          observer: observerOf(config.name, metrics),
        });
      }
    }
  };
  return {
    rbac,
    nodeObjects,
    chainOf(configs) {
      const clients: WebhookClient[] = [];
      const authorizers = configs.map((config) => ({
        type: config.type,
        name: config.name,
        authorizer: authorizerOf(config, clients),
      }));
      return {
        authorizer: createUnion(authorizers, ({ type, name }, decision) => metrics.decided(type, name, decision)),
        close: async () => {
          await Promise.all(clients.map((client) => client.close()));
        },
      };
    },
  };
}

const observerOf = (
  name: string,
  metrics: AuthorizationMetrics,
): Parameters<typeof createWebhookAuthorizer>[0]['observer'] => ({
  called: (result, seconds, failedOpen) => metrics.webhookCalled(name, result, seconds, failedOpen),
  conditionsJudged: (seconds, result) => metrics.conditionsJudged(name, seconds, result),
});

const nodeRules = (featureEnabled: (gate: string) => boolean): readonly PolicyRule[] =>
  bootstrapPolicy(featureEnabled).clusterRoles.find(({ metadata }) => metadata.name === 'system:node')?.rules ?? [];
