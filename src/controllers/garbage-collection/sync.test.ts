import { describe, expect, it } from 'vitest';
import type { KubeObject, OwnerReference } from '../../machinery/object-meta.ts';
import { AbsentOwners } from './absent-owners.ts';
import type { GraphNode } from './graph.ts';
import { releasedReferences, releasePatch, unblockedReferences, unblockPatch, verdictOn } from './sync.ts';

const to = (uid: string, more: OwnerReference = {}): OwnerReference => ({ uid, ...more });
const none = { solid: [], dangling: [], waiting: [] };
const childless = new Set<GraphNode>();
const withChild = (isDeletingDependents: boolean): Set<GraphNode> => new Set([{ isDeletingDependents } as GraphNode]);
const latest = (...finalizers: string[]): KubeObject => ({ metadata: { finalizers } });

describe('what becomes of an object', () => {
  it.each([
    {
      name: 'it is kept while all its owners are there',
      classes: { ...none, solid: [to('a')] },
      verdict: { action: 'keep' },
    },
    {
      name: 'it loses owners that are gone or wait for it, while another one is there',
      classes: { solid: [to('a')], dangling: [to('b')], waiting: [to('c')] },
      verdict: { action: 'release', uids: ['b', 'c'] },
    },
    {
      name: 'it goes when all its owners are gone',
      classes: { ...none, dangling: [to('a')] },
      verdict: { action: 'delete', policy: 'Background', unblock: false },
    },
    {
      name: 'it leaves its dependents where it was deleted so before',
      classes: { ...none, dangling: [to('a')] },
      latest: latest('orphan'),
      verdict: { action: 'delete', policy: 'Orphan', unblock: false },
    },
    {
      name: 'it waits for its dependents where it was deleted so before',
      classes: { ...none, dangling: [to('a')] },
      latest: latest('foregroundDeletion'),
      verdict: { action: 'delete', policy: 'Foreground', unblock: false },
    },
    {
      name: 'it waits for its dependents where its owner does',
      classes: { ...none, waiting: [to('a')] },
      dependents: withChild(false),
      verdict: { action: 'delete', policy: 'Foreground', unblock: false },
    },
    {
      name: 'it blocks its owner no longer when a dependent waits in turn',
      classes: { ...none, waiting: [to('a')] },
      dependents: withChild(true),
      verdict: { action: 'delete', policy: 'Foreground', unblock: true },
    },
    {
      name: 'it goes at once where its owner waits and it has no dependents',
      classes: { ...none, waiting: [to('a')] },
      verdict: { action: 'delete', policy: 'Background', unblock: false },
    },
  ])('What becomes of an object: $name', ({ classes, verdict, dependents = childless, latest: object = latest() }) => {
    expect(verdictOn({ dependents }, object, classes)).toEqual(verdict);
  });
});

describe('references are changed', () => {
  const references = [to('a', { blockOwnerDeletion: true }), to('b'), to('c', { blockOwnerDeletion: true })];
  const object: KubeObject = { metadata: { uid: 'u', ownerReferences: references } };

  it('References are changed by a strategic patch, of this object alone', () => {
    expect(releasePatch('u', ['a', 'b'])).toEqual({
      metadata: {
        uid: 'u',
        ownerReferences: [
          { $patch: 'delete', uid: 'a' },
          { $patch: 'delete', uid: 'b' },
        ],
      },
    });
    expect(unblockPatch(object)).toEqual({
      metadata: {
        uid: 'u',
        ownerReferences: [
          { uid: 'a', blockOwnerDeletion: false },
          { uid: 'c', blockOwnerDeletion: false },
        ],
      },
    });
  });

  it('References are changed as a list, where the server merges none', () => {
    expect(releasedReferences(object, ['a', 'c'])).toEqual([to('b')]);
    expect(unblockedReferences(object)).toEqual([
      to('a', { blockOwnerDeletion: false }),
      to('b'),
      to('c', { blockOwnerDeletion: false }),
    ]);
  });
});

describe('owners that are absent', () => {
  const reference = { apiVersion: 'v1', kind: 'ConfigMap', name: 'a', uid: '1' };

  it.each([
    { name: 'in the namespace that they were looked for in', added: 'team', asked: 'team', expected: true },
    { name: 'not in another namespace', added: 'team', asked: 'other', expected: false },
    { name: 'in any namespace when they are in none', added: '', asked: 'team', expected: true },
  ])('Owners that are absent are known $name', ({ added, asked, expected }) => {
    const absent = new AbsentOwners();
    absent.add(reference, added);
    expect(absent.has(reference, asked)).toBe(expected);
  });

  it('Owners that are absent are forgotten in the order of their use', () => {
    const absent = new AbsentOwners(2);
    for (const uid of ['1', '2']) absent.add({ ...reference, uid }, '');
    absent.has(reference, '');
    absent.add({ ...reference, uid: '3' }, '');
    expect(['1', '2', '3'].map((uid) => absent.has({ ...reference, uid }, ''))).toEqual([true, false, true]);
  });
});
