import { expect, test } from 'vitest';
import type { KubeObject } from '../machinery/object-meta.ts';
import { openEmbeddedStore } from '../storage/embedded/open.ts';
import { createDirectCatalog } from './testing/direct-catalog.ts';

const about = { kind: 'Pod', name: 'p', namespace: 'team', uid: 'u' };
const event = (more: object): KubeObject =>
  ({ metadata: { name: 'e', namespace: 'team' }, involvedObject: about, source: {}, ...more }) as KubeObject;

interface Row {
  readonly name: string;
  readonly apiVersion: string;
  readonly resource: string;
  readonly object: KubeObject;
  readonly expected: Readonly<Record<string, string>>;
}

test.each<Row>([
  {
    name: 'the source of an event',
    apiVersion: 'v1',
    resource: 'events',
    object: event({ source: { component: 's' }, reportingComponent: 'r' }),
    expected: { source: 's', reportingComponent: 'r', 'involvedObject.name': 'p' },
  },
  {
    name: 'the reporting component of an event without a source',
    apiVersion: 'v1',
    resource: 'events',
    object: event({ reportingComponent: 'r' }),
    expected: { source: 'r', reportingComponent: 'r' },
  },
  {
    name: 'events of group events.k8s.io under the names that they have there',
    apiVersion: 'events.k8s.io/v1',
    resource: 'events',
    object: event({ reportingComponent: 'r', reason: 'R', type: 'Normal' }),
    expected: {
      'regarding.kind': 'Pod',
      'regarding.name': 'p',
      'regarding.namespace': 'team',
      'regarding.uid': 'u',
      reportingController: 'r',
      reason: 'R',
      type: 'Normal',
    },
  },
  {
    name: 'jobs by how many of their pods have succeeded',
    apiVersion: 'batch/v1',
    resource: 'jobs',
    object: {
      metadata: { name: 'e', namespace: 'team' },
      spec: { template: { spec: {} } },
      status: { succeeded: 3 },
    } as KubeObject,
    expected: { 'status.successful': '3' },
  },
])('Field selectors find $name', async ({ apiVersion, resource, object, expected }) => {
  await using store = await openEmbeddedStore();
  const group = apiVersion.includes('/') ? apiVersion.split('/')[0]! : '';
  const kept = createDirectCatalog(store, [apiVersion]).storeOf(group, resource)!;
  await kept.storage.create(kept.key('team', 'e'), kept.encode(object));
  const { attributes } = (await kept.find('team', 'e', { match: 'mostRecent' }))!;
  expect(Object.fromEntries(attributes.fields)).toMatchObject(expected);
});
