/** The checks of a running server, under the names that upstream 1.32 has for them. */
import { expect, test } from 'vitest';
import { startTestServer } from '../support/test-server.ts';

const hooks = [
  'start-apiserver-admission-initializer',
  'generic-apiserver-start-informers',
  'priority-and-fairness-config-consumer',
  'priority-and-fairness-filter',
  'storage-object-count-tracker-hook',
  'start-apiextensions-informers',
  'start-apiextensions-controllers',
  'crd-informer-synced',
  'start-system-namespaces-controller',
  'start-cluster-authentication-info-controller',
  'start-kube-apiserver-identity-lease-controller',
  'start-kube-apiserver-identity-lease-garbage-collector',
  'start-legacy-token-tracking-controller',
  'start-service-ip-repair-controllers',
  'rbac/bootstrap-roles',
  'scheduling/bootstrap-system-priority-classes',
  'priority-and-fairness-config-producer',
  'bootstrap-controller',
  'start-kube-aggregator-informers',
  'apiservice-status-local-available-controller',
  'apiservice-status-remote-available-controller',
  'apiservice-registration-controller',
  'apiservice-wait-for-first-sync',
  'apiservice-discovery-controller',
  'kube-apiserver-autoregistration',
]
  .map((name) => `poststarthook/${name}`)
  .concat(
    'autoregister-completion',
    'poststarthook/apiservice-openapi-controller',
    'poststarthook/apiservice-openapiv3-controller',
  );

test('The checks of a server are listed as upstream lists them, and all pass once it has started', async () => {
  await using server = await startTestServer({ flags: ['--authorization-mode=RBAC'], settled: true });
  const lines = async (endpoint: string): Promise<string[]> =>
    (await server.send('GET', `/${endpoint}?verbose`)).text.trimEnd().split('\n');
  const passed = (names: readonly string[], endpoint: string): string[] => [
    ...names.map((name) => `[+]${name} ok`),
    `${endpoint} check passed`,
  ];
  expect(await lines('livez')).toEqual(passed(['ping', 'log', 'etcd', ...hooks], 'livez'));
  expect(await lines('healthz')).toEqual(passed(['ping', 'log', 'etcd', ...hooks], 'healthz'));
  expect(await lines('readyz')).toEqual(
    passed(['ping', 'log', 'etcd-readiness', 'informer-sync', ...hooks, 'shutdown'], 'readyz'),
  );
});

test('A server without fair queues and identity lease has the checks of what it has in their place', async () => {
  await using server = await startTestServer({
    flags: ['--enable-priority-and-fairness=false', '--feature-gates=APIServerIdentity=false'],
    settled: true,
  });
  const { text } = await server.send('GET', '/livez?verbose');
  expect(text).toContain('[+]poststarthook/max-in-flight-filter ok');
  expect(text).not.toMatch(/fairness-(config-consumer|filter)|identity-lease/);
});
