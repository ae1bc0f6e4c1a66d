import { beforeEach, describe, expect, it } from 'vitest';
import type { DiscoveredResource } from '../../client/discovery/resources.ts';
import type { KubeObject, OwnerReference } from '../../machinery/object-meta.ts';
import { OwnerGraph } from './graph.ts';

const resource = (name: string, kind: string, namespaced = true): DiscoveredResource => ({
  group: '',
  version: 'v1',
  resource: name,
  kind,
  namespaced,
  verbs: new Set(),
});
const pods = resource('pods', 'Pod');
const maps = resource('configmaps', 'ConfigMap');

let told: string[];
let graph: OwnerGraph;

beforeEach(() => {
  told = [];
  graph = new OwnerGraph({
    check: ({ uid }) => told.push(`check ${uid}`),
    orphan: ({ uid }) => told.push(`orphan ${uid}`),
    gone: ({ uid }) => told.push(`gone ${uid}`),
    refersAcrossNamespaces: ({ uid }, { uid: owner }) => told.push(`${uid} refers across namespaces to ${owner}`),
  });
});

const to = (uid: string, more: OwnerReference = {}): OwnerReference => ({
  apiVersion: 'v1',
  kind: 'ConfigMap',
  name: uid,
  uid,
  ...more,
});
const object = (uid: string, metadata: KubeObject['metadata'] = {}): KubeObject => ({
  metadata: { uid, name: uid, namespace: 'team', ...metadata },
});
const deleted = (...finalizers: string[]) => ({ deletionTimestamp: '2026-01-01T00:00:00Z', finalizers });

interface Row {
  readonly name: string;
  readonly before?: () => void;
  readonly change: () => void;
  readonly told: readonly string[];
}

const owner = (metadata: KubeObject['metadata'] = {}): void => graph.observe(maps, object('owner', metadata));
const dependent = (reference: OwnerReference = to('owner'), metadata: KubeObject['metadata'] = {}): void =>
  graph.observe(pods, object('dependent', { ownerReferences: [reference], ...metadata }));

describe('the graph of owners', () => {
  it.each<Row>([
    { name: 'asks for an owner that is not in the graph', change: () => dependent(), told: ['check owner'] },
    {
      name: 'asks for it once for all dependents',
      before: () => dependent(),
      change: () => graph.observe(pods, object('second', { ownerReferences: [to('owner')] })),
      told: [],
    },
    { name: 'asks for nothing when the owner is there', before: () => owner(), change: () => dependent(), told: [] },
    { name: 'is content when the owner comes later', before: () => dependent(), change: () => owner(), told: [] },
    {
      name: 'has dependents of what is gone looked at',
      before: () => (owner(), dependent()),
      change: () => graph.remove('owner'),
      told: ['gone owner', 'check dependent'],
    },
    {
      name: 'has dependents looked at whose reference has another name',
      before: () => owner(),
      change: () => dependent(to('owner', { name: 'other' })),
      told: ['check dependent'],
    },
    {
      name: 'has dependents looked at whose reference turns out to be wrong',
      before: () => dependent(to('owner', { kind: 'Secret' })),
      change: () => owner(),
      told: ['check dependent'],
    },
    {
      name: 'tells of a reference into another namespace',
      before: () => owner({ namespace: 'other' }),
      change: () => dependent(),
      told: ['dependent refers across namespaces to owner', 'check dependent'],
    },
    {
      name: 'tells of it when the owner comes later too',
      before: () => dependent(),
      change: () => owner({ namespace: 'other' }),
      told: ['dependent refers across namespaces to owner', 'check dependent'],
    },
    {
      name: 'lets any namespace refer to an owner that is in none',
      before: () => graph.observe(maps, { metadata: { uid: 'owner', name: 'owner' } }),
      change: () => dependent(),
      told: [],
    },
    {
      name: 'has the dependents looked at before an owner that is deleted in the foreground',
      before: () => (owner(), dependent()),
      change: () => owner(deleted('foregroundDeletion')),
      told: ['check dependent', 'check owner'],
    },
    {
      name: 'has this done once',
      before: () => (owner(), dependent(), owner(deleted('foregroundDeletion'))),
      change: () => owner(deleted('foregroundDeletion', 'other')),
      told: [],
    },
    {
      name: 'has dependents that come later looked at too',
      before: () => owner(deleted('foregroundDeletion')),
      change: () => dependent(),
      told: ['check dependent'],
    },
    {
      name: 'has an owner looked at that waited for what is gone',
      before: () => (owner(deleted('foregroundDeletion')), dependent()),
      change: () => graph.remove('dependent'),
      told: ['check owner'],
    },
    {
      name: 'has an owner looked at that is not blocked any more',
      before: () => (owner(), dependent(to('owner', { blockOwnerDeletion: true }))),
      change: () => dependent(to('owner', { blockOwnerDeletion: false })),
      told: ['check owner'],
    },
    {
      name: 'has dependents of what is deleted with the finalizer orphan released',
      before: () => (owner(), dependent()),
      change: () => owner(deleted('orphan')),
      told: ['orphan owner'],
    },
    {
      name: 'does not care for finalizers of what is not deleted',
      change: () => owner({ finalizers: ['orphan', 'foregroundDeletion'] }),
      told: [],
    },
    {
      name: 'asks for owners again whose resource is not served any more',
      before: () => (owner(), dependent()),
      change: () => graph.forget(maps),
      told: ['check owner'],
    },
    { name: 'knows nothing of what it was not told', change: () => graph.remove('nothing'), told: [] },
  ])('The graph of owners: $name', ({ before, change, told: expected }) => {
    before?.();
    told = [];
    change();
    expect(told).toEqual(expected);
  });

  it('The graph of owners has no nodes when nothing is left', () => {
    dependent();
    expect(graph.size).toBe(2);
    graph.remove('dependent');
    expect(graph.size).toBe(0);
    owner();
    dependent();
    graph.forget(maps);
    graph.forget(pods);
    expect(graph.size).toBe(0);
  });

  it('The graph of owners knows which dependents block their owner', () => {
    owner();
    dependent();
    graph.observe(pods, object('blocking', { ownerReferences: [to('owner', { blockOwnerDeletion: true })] }));
    expect(
      graph
        .get('owner')!
        .blockingDependents()
        .map(({ uid }) => uid),
    ).toEqual(['blocking']);
  });
});
