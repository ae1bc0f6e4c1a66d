/** What the default admission plugins cost the create of a pod, over a registry on the embedded store with caches. */
import { setImmediate } from 'node:timers/promises';
import { codecs } from '../../src/api/codecs.ts';
import { groupVersions } from '../../src/api/resources.ts';
import { schemas } from '../../src/api/schemas.ts';
import { createImageReviews } from '../../src/apiserver/admission/image-reviews.ts';
import { createAdmissionPlugins } from '../../src/apiserver/admission/plugins.ts';
import { WatchedPolicies } from '../../src/apiserver/admission/policies/sources.ts';
import { attributesFor } from '../../src/apiserver/admission/testing/attributes.ts';
import { WatchedSources } from '../../src/apiserver/admission/webhooks/sources.ts';
import { createCachedObjects } from '../../src/apiserver/loopback/cached-objects.ts';
import { LoopbackClient } from '../../src/apiserver/loopback/loopback-client.ts';
import { createSharedDecoder } from '../../src/apiserver/loopback/shared-decoder.ts';
import { Metrics } from '../../src/apiserver/metrics/metrics.ts';
import { WebhookClients } from '../../src/apiserver/webhooks/webhook-clients.ts';
import { alwaysAllow } from '../../src/auth/authorization/always-allow.ts';
import { silentLogger } from '../../src/base/logger.ts';
import { createAttributesScanner } from '../../src/machinery/codec/attributes-scanner.ts';
import { createFieldManager } from '../../src/machinery/managed-fields/field-manager.ts';
import { type Admission, createAdmissionChain } from '../../src/registry/admission.ts';
import { createCatalog } from '../../src/registry/catalog.ts';
import { ResourceStores } from '../../src/registry/resource-stores.ts';
import { createWatchCache } from '../../src/storage/cache/watch-cache.ts';
import { openEmbeddedStore } from '../../src/storage/embedded/open.ts';
import { benchPod } from '../pod.ts';
import { median } from '../report.ts';
import { manyPolicies } from './policies.ts';

const podsPerRound = 2000;
const policies = 1000;

/** Microseconds of CPU for each pod: all plugins, and all with as many policies that are not for it. */
export async function chainCosts(rounds: number): Promise<{ readonly plain: number; readonly beside: number }> {
  await using store = await openEmbeddedStore();
  const stores = new ResourceStores();
  const decode = createSharedDecoder();
  const objects = createCachedObjects(stores, decode);
  const fieldManager = createFieldManager({ schemas });
  const metrics = new Metrics({ serverId: 'bench' });
  const enabled = (): boolean => true;
  const webhooks = new WebhookClients({
    resolve: () => Promise.reject(new Error('no services here')),
    observer: metrics.calls,
  });
  const sources = new WatchedPolicies({ registry: stores, decode, log: silentLogger });
  const hooks = new WatchedSources({ registry: stores, log: silentLogger });
  let admission: Admission = { admit: () => Promise.resolve(), validate: () => Promise.resolve() };
  createCatalog({
    stores,
    groupVersions,
    schemas,
    codecs,
    scanner: (typeId, fields) => createAttributesScanner(schemas, typeId, fields),
    storeOf: () => store,
    storePrefix: '/registry',
    mediaType: 'application/vnd.kubernetes.protobuf',
    openStorage: ({ namespaced }, prefix, codec) => createWatchCache({ store, prefix, codec, namespaced }),
    admission,
    garbageCollection: true,
    hooks: new Map(),
    eventLease: () => Promise.resolve('0'),
  });
  const writer = new LoopbackClient({ registry: stores, fieldManager, enabled });
  const create = (group: string, resource: string, namespace: string, name: string, body: object): Promise<unknown> =>
    writer.create({ group, resource, namespace, name }, body as never);
  await create('', 'namespaces', '', 'default', {});
  await create('', 'serviceaccounts', 'default', 'default', {});
  const plugins = createAdmissionPlugins({
    settings: {
      enable: [],
      disable: [],
      notReadyTolerationSeconds: 300,
      unreachableTolerationSeconds: 300,
      configuration: {},
    },
    registry: stores,
    groupVersions,
    objects,
    authorizer: alwaysAllow,
    fieldManager,
    now: () => new Date(),
    featureEnabled: enabled,
    services: { createNamespace: () => Promise.resolve(), takeEvent: () => undefined },
    imageReviews: createImageReviews(webhooks, undefined),
    policies: { sources, kinds: stores, observe: metrics.admissionPolicies },
    webhooks: { clients: webhooks, createSource: hooks.create, observe: metrics.admissionWebhooks },
    observePodSecurity: metrics.podSecurity,
    log: silentLogger,
  });
  admission = createAdmissionChain(plugins, metrics.admission);
  const plain = await costOf(admission, rounds);
  for (let i = 0; i < policies; i++)
    for (const [resource, body] of Object.entries(manyPolicies(i % 2 === 0 ? 'resources' : 'namespaces', i)))
      await create(
        'admissionregistration.k8s.io',
        resource,
        '',
        (body as { metadata: { name: string } }).metadata.name,
        body,
      );
  await checkSeen(admission, create);
  const beside = await costOf(admission, rounds);
  await Promise.all([sources.stop(), hooks.stop()]);
  await stores.close();
  return { plain, beside };
}

const refusedPod = { metadata: { name: 'refused', labels: { refused: 'true' } }, spec: { containers: [] } };

/** Policies come by a watch: one that refuses everything else shows that they are there. */
async function checkSeen(
  admission: Admission,
  create: (group: string, resource: string, namespace: string, name: string, body: object) => Promise<unknown>,
): Promise<void> {
  const { validatingadmissionpolicies: policy, validatingadmissionpolicybindings: binding } = manyPolicies('pods', 0);
  const group = 'admissionregistration.k8s.io';
  await create(group, 'validatingadmissionpolicies', '', 'pods-0', policy!);
  await create(group, 'validatingadmissionpolicybindings', '', 'pods-0', binding!);
  for (;;) {
    const refused = attributesFor('pods', refusedPod as never, { namespace: 'default' });
    const isRefused = await admission.validate(refused).then(
      () => false,
      () => true,
    );
    if (isRefused) return;
    await setImmediate();
  }
}

async function costOf(admission: Admission, rounds: number): Promise<number> {
  const found: number[] = [];
  for (let round = 0; round <= rounds; round++) {
    const pods = Array.from({ length: podsPerRound }, (_, i) =>
      attributesFor('pods', podOf(i) as never, { namespace: 'default' }),
    );
    const before = process.cpuUsage();
    for (const attributes of pods) {
      await admission.admit(attributes);
      await admission.validate(attributes);
    }
    const { user, system } = process.cpuUsage(before);
    if (round > 0) found.push((user + system) / podsPerRound);
  }
  return median(found.sort((a, b) => a - b));
}

function podOf(i: number): object {
  const pod = structuredClone(benchPod(i)) as { metadata: { namespace?: string } };
  pod.metadata.namespace = 'default';
  return pod;
}
