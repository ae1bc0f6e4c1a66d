import { expect, test } from 'vitest';
import type { Pod, Service, ServicePort } from '../../api/gen/types/core-v1.ts';
import { objectView } from '../../client/object-view.ts';
import type { KubeObject } from '../../machinery/object-meta.ts';
import type { InformerHandler } from '../../reconcile/handlers.ts';
import { ObjectIndexes } from '../../reconcile/indexers.ts';
import type { Informer } from '../../reconcile/informer.ts';
import { familiesOf, hasSelector, servicesOfPods, targetPortOf } from './service-pods.ts';

/** What a trigger asks of an informer; `handler` is the one that it added. */
function informerOf<T extends KubeObject>(...objects: readonly T[]) {
  const indexes = new ObjectIndexes<T>();
  for (const object of objects) indexes.set(objectView.keyOf(object), object);
  const added: InformerHandler<T>[] = [];
  const informer = {
    objects: indexes,
    keyOf: objectView.keyOf,
    addIndexers: indexes.addIndexers.bind(indexes),
    addHandler: (handler: InformerHandler<T>) => {
      added.push(handler);
      return { remove: () => undefined };
    },
  };
  return { informer: informer as unknown as Informer<T>, handler: () => added[0]! };
}

const service = (name: string, selector: Record<string, string>, namespace = 'n'): Service =>
  ({ metadata: { name, namespace }, spec: { selector } }) as unknown as Service;
const pod = (labels: Record<string, string>, more: { spec?: object; status?: object; metadata?: object } = {}): Pod =>
  ({
    metadata: { name: 'p', namespace: 'n', labels, ...more.metadata },
    spec: { nodeName: 'n1', containers: [], ...more.spec },
    status: { podIPs: [{ ip: '10.1.0.1' }], conditions: [{ type: 'Ready', status: 'True' }], ...more.status },
  }) as unknown as Pod;

const web = { app: 'web' };
const services = [
  service('web', web),
  service('web-blue', { app: 'web', color: 'blue' }),
  service('web', web, 'other'),
  service('all', {}),
];

function woken(run: (handler: InformerHandler<Pod>) => void): string[] {
  const pods = informerOf<Pod>();
  const keys: string[] = [];
  servicesOfPods(informerOf(...services).informer, pods.informer, 0).attach((key) => void keys.push(key));
  run(pods.handler());
  return keys.sort();
}

test.each([
  { name: 'no service for a pod without labels', labels: {}, expected: [] },
  { name: 'the service whose selector it matches', labels: web, expected: ['n/web'] },
  { name: 'all services that it matches', labels: { ...web, color: 'blue' }, expected: ['n/web', 'n/web-blue'] },
  { name: 'no service that wants another value', labels: { app: 'db', color: 'blue' }, expected: [] },
])('A pod that comes or goes wakes $name', ({ labels, expected }) => {
  expect(woken((handler) => handler.onAdd?.(pod(labels), false))).toEqual(expected);
  expect(woken((handler) => handler.onDelete?.(pod(labels), undefined))).toEqual(expected);
});

test.each([
  { name: 'its labels, also the service that it left', after: pod({ color: 'blue' }), expected: ['n/web'] },
  { name: 'its readiness', after: pod(web, { status: { conditions: [] } }), expected: ['n/web'] },
  { name: 'its address', after: pod(web, { status: { podIPs: [{ ip: '10.1.0.2' }] } }), expected: ['n/web'] },
  { name: 'its node', after: pod(web, { spec: { nodeName: 'n2' } }), expected: ['n/web'] },
  { name: 'its end', after: pod(web, { metadata: { deletionTimestamp: 'x' } }), expected: ['n/web'] },
  { name: 'its phase, once it is over', after: pod(web, { status: { phase: 'Failed' } }), expected: ['n/web'] },
  { name: 'nothing that endpoints show', after: pod(web, { metadata: { annotations: { a: 'b' } } }), expected: [] },
])('A pod that changes in $name wakes $expected', ({ after, expected }) => {
  expect(woken((handler) => handler.onUpdate?.(pod(web), after))).toEqual(expected);
});

const ports = (...containerPorts: object[]): Pod =>
  pod(web, {
    spec: {
      containers: [{ name: 'a', ports: containerPorts }],
      initContainers: [
        { name: 'init', ports: [{ name: 'setup', containerPort: 1 }] },
        { name: 'sidecar', restartPolicy: 'Always', ports: [{ name: 'proxy', containerPort: 2 }] },
      ],
    },
  });

test.each([
  { name: 'a number', port: { port: 80, targetPort: 8080 }, expected: 8080 },
  { name: 'its own number', port: { port: 80 }, expected: 80 },
  { name: 'a name', port: { port: 80, targetPort: 'http' }, expected: 8080 },
  {
    name: 'a name with another protocol',
    port: { port: 80, protocol: 'UDP', targetPort: 'http' },
    expected: undefined,
  },
  { name: 'a name of a sidecar', port: { port: 80, targetPort: 'proxy' }, expected: 2 },
  { name: 'a name of a container that only begins', port: { port: 80, targetPort: 'setup' }, expected: undefined },
])('A port of a service leads to a port of the pod by $name', ({ port, expected }) => {
  expect(targetPortOf(ports({ name: 'http', containerPort: 8080 }), port as ServicePort)).toBe(expected);
});

test.each([
  { name: 'the families that it says', spec: { ipFamilies: ['IPv6'] }, expected: ['IPv6'] },
  { name: 'that of its cluster IP', spec: { clusterIP: 'fd00::1' }, expected: ['IPv6'] },
  {
    name: 'those of its cluster IPs',
    spec: { clusterIP: '10.0.0.1', clusterIPs: ['10.0.0.1', 'fd00::1'] },
    expected: ['IPv4', 'IPv6'],
  },
  { name: 'both when it is headless', spec: { clusterIP: 'None' }, expected: ['IPv4', 'IPv6'] },
])('A service is for $name', ({ spec, expected }) => {
  expect(familiesOf({ metadata: {}, spec } as unknown as Service)).toEqual(expected);
});

test.each([
  { name: 'a selector', spec: { selector: web }, expected: true },
  { name: 'an empty selector', spec: { selector: {} }, expected: false },
  { name: 'a name elsewhere', spec: { selector: web, type: 'ExternalName' }, expected: false },
])('Whether endpoints of a service with $name follow from pods', ({ spec, expected }) => {
  expect(hasSelector({ metadata: {}, spec } as unknown as Service)).toBe(expected);
});
