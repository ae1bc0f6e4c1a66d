import { expect, test } from 'vitest';
import { createFieldManager } from '../../machinery/managed-fields/field-manager.ts';
import { schemas } from '../../api/schemas.ts';
import { alwaysAllow } from '../../auth/authorization/always-allow.ts';
import { pluginNames } from './plugin-names.ts';
import { silentLogger } from '../../base/logger.ts';
import { MatchIndex } from './matching/match-index.ts';
import { ResourceStores } from '../../registry/resource-stores.ts';
import { listedPolicies } from './policies/sources.ts';
import { createAdmissionPlugins } from './plugins.ts';
import type { CompiledWebhook } from './webhooks/compiled-webhook.ts';
import { objectsOf } from './testing/attributes.ts';

const imagePolicy = {
  kubeConfigFile: '/images.kubeconfig',
  allowTtlMs: 0,
  denyTtlMs: 0,
  retryBackoffMs: 1,
  defaultAllow: false,
};

const running = (enable: readonly string[], disable: readonly string[]): string[] =>
  createAdmissionPlugins({
    settings: {
      enable,
      disable,
      notReadyTolerationSeconds: 300,
      unreachableTolerationSeconds: 300,
      configuration: { imagePolicy },
    },
    registry: { storeOf: () => undefined, stores: [] },
    groupVersions: [],
    objects: objectsOf({}),
    authorizer: alwaysAllow,
    fieldManager: createFieldManager({ schemas }),
    now: () => new Date(),
    featureEnabled: () => true,
    services: { createNamespace: () => Promise.resolve(), takeEvent: () => undefined },
    imageReviews: { post: () => Promise.resolve('') },
    webhooks: {
      clients: { hold: () => ({}) as never },
      createSource: () => ({ current: () => new MatchIndex<CompiledWebhook>([]) }),
      observe: () => undefined,
    },
    policies: { sources: listedPolicies(objectsOf({})), kinds: new ResourceStores(), observe: () => undefined },
    observePodSecurity: () => undefined,
    log: silentLogger,
  }).map(({ name }) => name);

const all = pluginNames.map(({ name }) => name);
const usual = pluginNames.filter((plugin) => plugin.default).map(({ name }) => name);

test('The plugins of this server run in the order of their names', () => {
  expect(running([], [])).toEqual(usual);
  expect(all.filter((name) => !usual.includes(name))).toEqual([
    'AlwaysAdmit',
    'NamespaceAutoProvision',
    'NamespaceExists',
    'LimitPodHardAntiAffinityTopology',
    'NodeRestriction',
    'AlwaysPullImages',
    'ImagePolicyWebhook',
    'PodNodeSelector',
    'PodTolerationRestriction',
    'EventRateLimit',
    'ExtendedResourceToleration',
    'OwnerReferencesPermissionEnforcement',
    'DenyServiceExternalIPs',
    'AlwaysDeny',
  ]);
  expect(all.length).toBeGreaterThan(10);
});

test('Flags take plugins out, and do not change the order', () => {
  expect(running([...all].reverse(), [])).toEqual(all);
  expect(running([], ['Priority', 'ServiceAccount'])).toEqual(
    usual.filter((name) => !['Priority', 'ServiceAccount'].includes(name)),
  );
});
