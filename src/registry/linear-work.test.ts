/** Lists that clients send are judged in one pass: twice as many items are looked at twice as often. */
import { expect, test } from 'vitest';
import { isGateOn } from '../api/feature-gates.ts';
import type { KubeObject } from '../machinery/object-meta.ts';
import { runToEnd } from '../machinery/cooperative-scheduling.ts';
import { type FieldErrors, gathered } from '../machinery/field-errors.ts';
import { readsDuring } from '../../test/support/count-reads.ts';
import { definitionOf } from './resource-definitions.ts';
import type { StrategyContext } from './strategy.ts';

interface Case {
  readonly name: string;
  readonly resource: string;
  readonly subresource?: string;
  readonly object: (items: <T>(make: (i: number) => T) => T[]) => object;
  /** Absent for a create. */
  readonly old?: (items: <T>(make: (i: number) => T) => T[]) => object;
}

const context: StrategyContext = {
  now: new Date(0),
  user: { name: 'tester', groups: [] },
  enabled: (gate) => isGateOn(gate, { PodLevelResources: true }),
  apiVersion: 'v1',
  allowPrivileged: true,
};
const metadata = {
  name: 'a',
  namespace: 'default',
  uid: 'u',
  creationTimestamp: '2026-01-01T00:00:00Z',
  resourceVersion: '1',
};
const app = { name: 'app', image: 'app:1', resources: {}, imagePullPolicy: 'Always', terminationMessagePolicy: 'File' };
const podSpec = {
  containers: [app],
  restartPolicy: 'Always',
  dnsPolicy: 'ClusterFirst',
  terminationGracePeriodSeconds: 30,
};
const pod = (spec: object, status: object = {}, more: object = {}): object => ({
  metadata: { ...metadata, ...more },
  spec: { ...podSpec, ...spec },
  status,
});
const claim = (i: number): object => ({ name: `v${i}`, persistentVolumeClaim: { claimName: `c${i}` } });
const selector = { matchLabels: { a: 'b' } };
const ended = (i: number): object => ({ name: `s${i}`, state: { terminated: { exitCode: 0 } }, lastState: {} });

test.each<Case>([
  {
    name: 'mounts beside devices',
    resource: '/pods',
    object: (items) =>
      pod({
        volumes: items(claim),
        containers: [
          {
            ...app,
            volumeMounts: items((i) => ({ name: `v${i}`, mountPath: `/m${i}` })),
            volumeDevices: items((i) => ({ name: `v${i}`, devicePath: `/d${i}` })),
          },
        ],
      }),
  },
  {
    name: 'claims beside claims to be made',
    resource: '/pods',
    object: (items) =>
      pod({
        volumes: [
          ...items(claim),
          ...items((i) => ({
            name: `e${i}`,
            ephemeral: {
              volumeClaimTemplate: { metadata: {}, spec: { resources: {}, accessModes: ['ReadWriteOnce'] } },
            },
          })),
        ],
      }),
  },
  {
    name: 'topology spread constraints',
    resource: '/pods',
    object: (items) =>
      pod({
        topologySpreadConstraints: items((i) => ({
          maxSkew: 1,
          topologyKey: `k${i}`,
          whenUnsatisfiable: 'DoNotSchedule',
          labelSelector: selector,
        })),
      }),
  },
  {
    name: 'label keys of an affinity',
    resource: '/pods',
    object: (items) =>
      pod({
        affinity: {
          podAffinity: {
            requiredDuringSchedulingIgnoredDuringExecution: [
              {
                topologyKey: 'z',
                labelSelector: { matchExpressions: items((i) => ({ key: `k${i}`, operator: 'Exists' })) },
                matchLabelKeys: items((i) => `k${i}`),
                mismatchLabelKeys: items((i) => `m${i}`),
              },
            ],
          },
        },
      }),
  },
  {
    name: 'sidecars, each with a resource of its own',
    resource: '/pods',
    object: (items) =>
      pod({
        resources: { limits: { cpu: '1' } },
        initContainers: items((i) => ({
          ...app,
          name: `s${i}`,
          restartPolicy: 'Always',
          resources: { requests: { [`a.example.com/r${i}`]: '1' }, limits: { [`a.example.com/r${i}`]: '1' } },
        })),
      }),
  },
  {
    name: 'ports of the host',
    resource: '/pods',
    object: (items) =>
      pod({ containers: [{ ...app, ports: items((i) => ({ containerPort: 80, protocol: 'TCP', hostPort: i + 1 })) }] }),
  },
  {
    name: 'scheduling gates that are removed',
    resource: '/pods',
    object: (items) => pod({ schedulingGates: items((i) => ({ name: `g${i}` })) }),
    old: (items) => pod({ schedulingGates: items((i) => ({ name: `g${i}` })) }),
  },
  {
    name: 'tolerations that are kept',
    resource: '/pods',
    object: (items) => pod({ tolerations: items((i) => ({ key: `k${i}`, operator: 'Exists' })).reverse() }),
    old: (items) => pod({ tolerations: items((i) => ({ key: `k${i}`, operator: 'Exists' })) }),
  },
  {
    name: 'finalizers of what is being deleted',
    resource: '/pods',
    object: (items) =>
      pod({}, {}, { deletionTimestamp: metadata.creationTimestamp, finalizers: items((i) => `a/f${i}`).reverse() }),
    old: (items) => pod({}, {}, { deletionTimestamp: metadata.creationTimestamp, finalizers: items((i) => `a/f${i}`) }),
  },
  {
    name: 'states of containers that have ended',
    resource: '/pods',
    subresource: 'status',
    object: (items) => pod({ restartPolicy: 'Never' }, { containerStatuses: items(ended) }),
    old: (items) => pod({ restartPolicy: 'Never' }, { containerStatuses: items(ended) }),
  },
  {
    name: 'states of claims',
    resource: '/pods',
    subresource: 'status',
    object: (items) =>
      pod(
        { resourceClaims: items((i) => ({ name: `c${i}` })) },
        { resourceClaimStatuses: items((i) => ({ name: `c${i}` })) },
      ),
    old: (items) => pod({ resourceClaims: items((i) => ({ name: `c${i}` })) }),
  },
  {
    name: 'health of devices',
    resource: '/pods',
    subresource: 'status',
    old: () => pod({}),
    object: (items) =>
      pod(
        { containers: items((i) => ({ ...app, name: `s${i}` })) },
        {
          containerStatuses: items((i) => ({
            name: `s${i}`,
            state: {},
            lastState: {},
            allocatedResourcesStatus: [{ name: 'cpu', resources: [] }],
          })),
        },
      ),
  },
  {
    name: 'ephemeral containers',
    resource: '/pods',
    subresource: 'ephemeralcontainers',
    object: (items) => pod({ ephemeralContainers: items((i) => ({ ...app, name: `e${i}` })) }),
    old: (items) => pod({ ephemeralContainers: items((i) => ({ ...app, name: `e${i}` })) }),
  },
  {
    name: 'scopes beside resources of a quota',
    resource: '/resourcequotas',
    object: (items) => ({
      metadata,
      spec: {
        scopes: items(() => 'Terminating'),
        hard: Object.fromEntries(items((i) => [`requests.a.example.com/r${i}`, '1'])),
      },
      status: {},
    }),
  },
  {
    name: 'scopes of a quota that stay',
    resource: '/resourcequotas',
    object: (items) => ({ metadata, spec: { scopes: items((i) => `s${i}`).reverse() }, status: {} }),
    old: (items) => ({ metadata, spec: { scopes: items((i) => `s${i}`) }, status: {} }),
  },
  {
    name: 'drivers of a node',
    resource: 'storage.k8s.io/csinodes',
    object: (items) => ({ metadata, spec: { drivers: items((i) => ({ name: `d${i}`, nodeID: 'n' })).reverse() } }),
    old: (items) => ({ metadata, spec: { drivers: items((i) => ({ name: `d${i}`, nodeID: 'n' })) } }),
  },
  {
    name: 'conditions of a request for a certificate',
    resource: 'certificates.k8s.io/certificatesigningrequests',
    subresource: 'status',
    object: (items) => ({
      metadata,
      spec: {},
      status: { conditions: items((i) => ({ type: `T${i}`, status: 'True' })) },
    }),
    old: (items) => ({
      metadata,
      spec: {},
      status: {
        conditions: items((i) => ({
          type: `T${i}`,
          status: 'True',
          lastTransitionTime: metadata.creationTimestamp,
        })).reverse(),
      },
    }),
  },
  {
    name: 'versions of a definition, and those that are stored',
    resource: 'apiextensions.k8s.io/customresourcedefinitions',
    object: (items) => ({
      metadata: { ...metadata, name: 'things.example.com' },
      status: { storedVersions: items((i) => `v${i}`).reverse(), acceptedNames: {} },
      spec: {
        group: 'example.com',
        scope: 'Namespaced',
        names: { plural: 'things', singular: 'thing', kind: 'Thing', listKind: 'ThingList' },
        versions: items((i) => ({
          name: `v${i}`,
          served: true,
          storage: i === 0,
          schema: { openAPIV3Schema: { type: 'object' } },
        })),
      },
    }),
  },
  {
    name: 'keys of a list in a schema',
    resource: 'apiextensions.k8s.io/customresourcedefinitions',
    object: (items) => ({
      metadata: { ...metadata, name: 'things.example.com' },
      status: { storedVersions: ['v1'], acceptedNames: {} },
      spec: {
        group: 'example.com',
        scope: 'Namespaced',
        names: { plural: 'things', singular: 'thing', kind: 'Thing', listKind: 'ThingList' },
        versions: [
          {
            name: 'v1',
            served: true,
            storage: true,
            schema: {
              openAPIV3Schema: {
                type: 'object',
                properties: {
                  list: {
                    type: 'array',
                    'x-kubernetes-list-type': 'map',
                    'x-kubernetes-list-map-keys': items((i) => `k${i}`),
                    items: {
                      type: 'object',
                      required: items((i) => `k${i}`).reverse(),
                      properties: Object.fromEntries(items((i) => [`k${i}`, { type: 'string' }])),
                    },
                  },
                },
              },
            },
          },
        ],
      },
    }),
  },
])('The work of a write grows with the object and no faster: $name', ({ resource, subresource = '', object, old }) => {
  const [group = '', name = ''] = resource.split('/');
  const definition = definitionOf(group, name);
  const strategy =
    subresource === ''
      ? definition.strategy
      : subresource === 'status'
        ? definition.status!
        : definition.subresources![subresource]!;
  const judged = (errors: FieldErrors, given: { object: KubeObject; old: KubeObject | undefined }): FieldErrors =>
    strategy.validateInTurns === undefined
      ? errors
      : runToEnd(strategy.validateInTurns(given.object, given.old, errors, context));
  const readsOf = (count: number): number => {
    const items = <T>(make: (i: number) => T): T[] => Array.from({ length: count }, (_, i) => make(i));
    return readsDuring(
      { object: object(items), old: old?.(items) } as { object: KubeObject; old: KubeObject | undefined },
      (given) => {
        if (given.old === undefined) {
          strategy.prepareForCreate?.(given.object, context);
          return gathered(() => judged(strategy.validate!(given.object, context), given));
        }
        strategy.prepareForUpdate?.(given.object, given.old, context);
        return gathered(() => judged(strategy.validateUpdate!(given.object, given.old!, context), given));
      },
    );
  };
  const few = readsOf(200);
  expect(few).toBeGreaterThan(400);
  expect(readsOf(400)).toBeLessThan(2.2 * few);
});
