import { beforeEach, describe, expect, it } from 'vitest';
import { ApiError } from '../../client/api-error.ts';
import type { DiscoveredResource } from '../../client/discovery/resources.ts';
import type { KubeObject, OwnerReference } from '../../machinery/object-meta.ts';
import { AbsentOwners } from './absent-owners.ts';
import { Collector, UnknownKindError } from './collector.ts';
import { OwnerGraph } from './graph.ts';
import type { Objects } from './objects.ts';

const resource = (name: string, kind: string, namespaced = true): DiscoveredResource => ({
  group: '',
  version: 'v1',
  resource: name,
  kind,
  namespaced,
  verbs: new Set(),
});
const maps = resource('configmaps', 'ConfigMap');
const nodes = resource('nodes', 'Node', false);
const kinds: Readonly<Record<string, DiscoveredResource>> = { ConfigMap: maps, Node: nodes };

const error = (code: number, reason: string): ApiError => new ApiError(code, reason, reason);
const away = error(503, 'ServiceUnavailable');
const forbidden = error(403, 'Forbidden');

const object = (name: string, ownerReferences?: OwnerReference[], namespace = 'team'): KubeObject => ({
  metadata: {
    name,
    uid: name,
    ...(namespace === '' ? {} : { namespace }),
    ...(ownerReferences === undefined ? {} : { ownerReferences }),
  },
});
const to = (name: string, kind = 'ConfigMap'): OwnerReference => ({ apiVersion: 'v1', kind, name, uid: name });

/** What the server has; an error in place of what it answers. */
let server: Map<string, KubeObject | Error>;
let calls: string[];
let checked: string[];
let graph: OwnerGraph;
let collector: Collector;

beforeEach(() => {
  server = new Map();
  calls = [];
  checked = [];
  const find = (name: string): Promise<KubeObject | undefined> => {
    calls.push(`get ${name}`);
    const answer = server.get(name);
    return answer instanceof Error ? Promise.reject(answer) : Promise.resolve(answer);
  };
  const write = (call: string, name: string): Promise<void> => {
    calls.push(call);
    const refusal = server.get(`write ${name}`);
    return refusal instanceof Error ? Promise.reject(refusal) : Promise.resolve();
  };
  const objects: Partial<Objects> = {
    find: (_, __, name) => find(name),
    latest: ({ name }) => find(name),
    delete: ({ name }, _, policy) => write(`delete ${name} ${policy}`, name),
    release: ({ name }, owners) => write(`release ${name} from ${owners.join(',')}`, name),
    removeFinalizer: ({ name }, finalizer) => write(`remove ${finalizer} from ${name}`, name),
  };
  const check = ({ uid }: { readonly uid: string }): void => void checked.push(uid);
  graph = new OwnerGraph({
    check,
    orphan: () => undefined,
    gone: () => undefined,
    refersAcrossNamespaces: () => undefined,
  });
  collector = new Collector({
    graph,
    objects: objects as Objects,
    absent: new AbsentOwners(),
    resourceOf: (_, kind) => kinds[kind],
    check,
  });
});

/** The server has it, and an informer has told of it. */
function exists(of: KubeObject, kind = maps): void {
  server.set(of.metadata!.name!, of);
  graph.observe(kind, of);
}

describe('an object whose owners are to be looked at', () => {
  it('An object whose owners are to be looked at is deleted when the server has none of them', async () => {
    exists(object('child', [to('gone')]));
    await collector.check('child');
    expect(calls).toEqual(['get child', 'get gone', 'delete child Background']);
  });

  it('An object is kept while the server cannot say whether its owner is there', async () => {
    for (const failure of [away, forbidden]) {
      exists(object('child', [to('unclear')]));
      server.set('unclear', failure);
      await expect(collector.check('child')).rejects.toBe(failure);
    }
    expect(calls).toEqual(['get child', 'get unclear', 'get child', 'get unclear']);
  });

  it('An object whose owners are to be looked at is kept while the kind of an owner is not known', async () => {
    exists(object('child', [to('gone', 'Nothing')]));
    await expect(collector.check('child')).rejects.toBeInstanceOf(UnknownKindError);
    expect(calls).toEqual(['get child']);
  });

  it('An object is kept when it is in no namespace and its owner would be in one', async () => {
    exists(object('node', [to('map')], ''), nodes);
    await collector.check('node');
    expect(calls).toEqual(['get node']);
  });

  it('An object whose owners are to be looked at is looked at again when its deletion is refused', async () => {
    exists(object('child', [to('gone')]));
    server.set('write child', forbidden);
    await expect(collector.check('child')).rejects.toBe(forbidden);
    expect(graph.get('child')).toBeDefined();
  });

  it('An object is not deleted when it has another owner now than the graph says', async () => {
    exists(object('child', [to('gone')]));
    server.set('child', object('child'));
    await collector.check('child');
    expect(calls).toEqual(['get child']);
  });

  it('An object is forgotten by the graph of owners when the server has another one of its name', async () => {
    exists(object('child', [to('gone')]));
    server.delete('child');
    await collector.check('child');
    expect(graph.get('child')).toBeUndefined();
  });

  it('An owner that is absent is asked for once for all its dependents', async () => {
    for (const name of ['a', 'b', 'c']) exists(object(name, [to('gone')]));
    for (const name of ['a', 'b', 'c']) await collector.check(name);
    expect(calls.filter((call) => call === 'get gone')).toEqual(['get gone']);
  });
});

describe('an owner that no informer has told of', () => {
  beforeEach(() => {
    exists(object('a', [to('owner')]));
    exists(object('b', [to('owner')]));
    checked = [];
  });

  it('An owner that no informer knows has its dependents looked at when the server has no such owner', async () => {
    expect(await collector.check('owner')).toBeUndefined();
    expect(new Set(checked)).toEqual(new Set(['a', 'b']));
    expect(calls).toEqual(['get owner']);
    expect(graph.get('owner')).toBeUndefined();
  });

  it('An owner that no informer has told of is asked for again while the server has it', async () => {
    server.set('owner', object('owner'));
    expect(await collector.check('owner')).toBe('retry');
    expect(checked).toEqual([]);
    expect(calls).toEqual(['get owner']);
  });

  it('An owner that no informer has told of is asked for again when the server cannot say', async () => {
    server.set('owner', away);
    await expect(collector.check('owner')).rejects.toBe(away);
    expect(checked).toEqual([]);
  });
});

describe('an object that leaves its dependents', () => {
  const deleted = {
    metadata: { ...object('owner').metadata, deletionTimestamp: '2026-01-01T00:00:00Z', finalizers: ['orphan'] },
  };

  beforeEach(() => {
    exists(deleted);
    for (const name of ['a', 'b']) exists(object(name, [to('owner')]));
  });

  it('An object that leaves its dependents goes when they do not refer to it any more', async () => {
    await collector.orphan('owner');
    expect(calls).toEqual(['release a from owner', 'release b from owner', 'remove orphan from owner']);
  });

  it('An object that leaves its dependents stays while one of them still does', async () => {
    server.set('write a', forbidden);
    await expect(collector.orphan('owner')).rejects.toBe(forbidden);
    expect(calls).toEqual(['release a from owner', 'release b from owner']);
  });
});
