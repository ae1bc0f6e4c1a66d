import { describe, expect, test } from 'vitest';
import type { Node, Pod } from '../../api/gen/types/core-v1.ts';
import { type AttachedEntry, AttachedVolumes, clearFailures, delayRetry } from './attached-volumes.ts';
import { isManaged, maxUnmountWaitMs, multiAttachMessage, planNode, reportFor, wantsVolumes } from './sync.ts';

const now = 1_000_000;

interface NodeParts {
  readonly inUse?: string[];
  readonly ready?: boolean;
  readonly taint?: string;
  readonly attached?: string[];
  readonly annotations?: Record<string, string>;
}

const nodeWith = ({ inUse = [], ready = true, taint, attached = [], annotations = {} }: NodeParts = {}): Node => ({
  metadata: { name: 'n', annotations },
  spec: taint === undefined ? {} : { taints: [{ key: taint, effect: 'NoExecute' }] },
  status: {
    ...({} as NonNullable<Node['status']>),
    volumesInUse: inUse,
    volumesAttached: attached.map((name) => ({ name, devicePath: '' })),
    conditions: [{ type: 'Ready', status: ready ? 'True' : 'Unknown' }],
  },
});

const pod = (name: string, namespace = 'ns'): Pod => ({ metadata: { name, namespace }, spec: {}, status: {} });

const entry = (name: string, more: Partial<AttachedEntry> = {}): AttachedEntry => ({
  ...{ name, node: 'n', isAttached: true, isReported: true, devicePath: '', failures: 0, retryAt: 0 },
  ...more,
});

interface Row {
  readonly title: string;
  readonly wanted?: string[];
  readonly shared?: boolean;
  readonly entries?: AttachedEntry[];
  readonly elsewhere?: AttachedEntry[];
  readonly node?: NodeParts | 'gone';
  readonly forced?: boolean;
  readonly attach?: string[];
  readonly blocked?: string[];
  readonly detach?: string[];
  readonly lookAt?: number;
}

const longAgo = now - maxUnmountWaitMs;

const rows: Row[] = [
  { title: 'a volume that is wanted is attached', wanted: ['a'], attach: ['a'] },
  { title: 'a volume that is attached stays', wanted: ['a'], entries: [entry('a')] },
  {
    title: 'a volume that may be attached is tried again',
    wanted: ['a'],
    entries: [entry('a', { isAttached: false, isReported: false })],
    attach: ['a'],
  },
  {
    title: 'a volume whose detachment had begun is reported again',
    wanted: ['a'],
    entries: [entry('a', { isReported: false })],
    attach: ['a'],
  },
  { title: 'an exclusive volume waits for the other node', wanted: ['a'], elsewhere: [entry('a')], blocked: ['a'] },
  {
    title: 'a volume that the other node may get is waited for as well',
    wanted: ['a'],
    elsewhere: [entry('a', { isAttached: false })],
    blocked: ['a'],
  },
  { title: 'a shared volume waits for no node', wanted: ['a'], shared: true, elsewhere: [entry('a')], attach: ['a'] },
  { title: 'a volume that is not wanted and not mounted is detached', entries: [entry('a')], detach: ['a'] },
  {
    title: 'a volume that is mounted stays until it is not, or for six minutes',
    entries: [entry('a')],
    node: { inUse: ['a'] },
    lookAt: now + maxUnmountWaitMs,
  },
  {
    title: 'a volume that is mounted on a healthy node stays for longer',
    entries: [entry('a', { unwantedSince: longAgo })],
    node: { inUse: ['a'] },
  },
  {
    title: 'a volume that is mounted on a silent node is detached after six minutes',
    entries: [entry('a', { unwantedSince: longAgo })],
    node: { inUse: ['a'], ready: false },
    detach: ['a timeout'],
  },
  {
    title: 'a volume stays on a silent node for less than six minutes',
    entries: [entry('a', { unwantedSince: longAgo + 1 })],
    node: { inUse: ['a'], ready: false },
    lookAt: now + 1,
  },
  {
    title: 'with --disable-force-detach-on-timeout a volume stays on a silent node',
    entries: [entry('a', { unwantedSince: longAgo })],
    node: { inUse: ['a'], ready: false },
    forced: false,
  },
  {
    title: 'volumes leave a node that is out of service at once',
    entries: [entry('a')],
    node: { inUse: ['a'], taint: 'node.kubernetes.io/out-of-service' },
    forced: false,
    detach: ['a out-of-service'],
  },
  {
    title: 'what a node that is out of service does not need is forced all the same',
    entries: [entry('a')],
    node: { taint: 'node.kubernetes.io/out-of-service' },
    detach: ['a out-of-service'],
  },
  { title: 'volumes leave a node that is gone', entries: [entry('a')], node: 'gone', detach: ['a'] },
  { title: 'what is being detached is waited for', entries: [entry('a', { detachingSince: 1 })] },
  {
    title: 'a detachment that failed is tried again later',
    entries: [entry('a', { retryAt: now + 5 })],
    lookAt: now + 5,
  },
  {
    title: 'the earliest look counts',
    entries: [entry('a', { retryAt: now + 5 }), entry('b', { retryAt: now + 3 })],
    lookAt: now + 3,
  },
];

test.each(rows)('Volumes of a node: $title', (row) => {
  const { wanted = [], shared = false, entries = [], elsewhere = [], node = {}, forced = true } = row;
  const plan = planNode({
    node: node === 'gone' ? undefined : nodeWith(node),
    wanted: new Map(wanted.map((name) => [name, { volume: { name, title: name, isExclusive: !shared }, pods: [] }])),
    entries,
    isForcedOnTimeout: forced,
    now,
    elsewhere: () => elsewhere,
  });
  expect({
    attach: plan.attach.map(({ volume }) => volume.name),
    blocked: plan.blocked.map(({ volume }) => volume.name),
    detach: plan.detach.map((item) => [item.entry.name, item.force].filter(Boolean).join(' ')),
    lookAt: plan.lookAt,
  }).toEqual({
    attach: row.attach ?? [],
    blocked: row.blocked ?? [],
    detach: row.detach ?? [],
    lookAt: row.lookAt,
  });
});

test('The time of a volume that no pod wants begins again when a pod wanted it in between.', () => {
  const held = entry('a', { unwantedSince: longAgo });
  const wanted = new Map([['a', { volume: { name: 'a', title: 'a', isExclusive: true }, pods: [] }]]);
  planNode({ node: nodeWith(), wanted, entries: [held], isForcedOnTimeout: true, now, elsewhere: () => [] });
  expect(held.unwantedSince).toBeUndefined();
});

describe('pods that want their volumes', () => {
  const running = { name: 'c', state: { running: {} }, lastState: {} };
  const waiting = { name: 'c', state: { waiting: {} }, lastState: {} };
  const ending = { deletionTimestamp: '2026-01-01T00:00:00Z' };
  test.each([
    { title: 'a pending one does', phase: 'Pending', is: true },
    { title: 'one that is over does not', phase: 'Succeeded', is: false },
    { title: 'one that is told to go does while a container runs', metadata: ending, states: [running], is: true },
    { title: 'one that is told to go does not without one', metadata: ending, states: [waiting], is: false },
    { title: 'one that is over does where the node keeps volumes', phase: 'Failed', keeps: true, is: true },
  ])('A pod that wants its volumes: $title', ({ phase = 'Running', metadata = {}, states = [], keeps = false, is }) => {
    const annotations = { 'volumes.kubernetes.io/keep-terminated-pod-volumes': String(keeps) };
    const of = { ...pod('p'), status: { phase: phase as 'Running', containerStatuses: states } };
    expect(wantsVolumes({ ...of, metadata: { ...of.metadata, ...metadata } }, nodeWith({ annotations }))).toBe(is);
  });
});

describe('the status of the node', () => {
  test.each([
    { title: 'is written when a volume came', entries: [entry('b'), entry('a')], attached: ['a'], report: ['a', 'b'] },
    {
      title: 'is written when a volume goes',
      entries: [entry('a', { isReported: false })],
      attached: ['a'],
      report: [],
    },
    { title: 'has no volume that is not certain', entries: [entry('a', { isAttached: false })], attached: [] },
    { title: 'is left when it says so', entries: [entry('a')], attached: ['a'] },
  ])('The list of attached volumes in the status of a node: $title', ({ entries, attached, report }) => {
    expect(reportFor(nodeWith({ attached }), entries)?.map(({ name }) => name)).toEqual(report);
  });

  test('Only nodes that say so are managed.', () => {
    const annotations = { 'volumes.kubernetes.io/controller-managed-attach-detach': 'true' };
    expect([isManaged(nodeWith({ annotations })), isManaged(nodeWith()), isManaged(undefined)]).toEqual([
      true,
      false,
      false,
    ]);
  });
});

test.each([
  { others: [], says: "Volume is already exclusively attached to one node and can't be attached to another" },
  { others: [pod('a'), pod('b')], says: 'Volume is already used by pod(s) a, b' },
  { others: [pod('a', 'x')], says: 'Volume is already used by 1 pod(s) in different namespaces' },
  {
    others: [pod('a'), pod('b', 'x')],
    says: 'Volume is already used by pod(s) a and 1 pod(s) in different namespaces',
  },
])('The pods of a volume that is elsewhere are told: $says', ({ others, says }) => {
  expect(multiAttachMessage('pv', pod('p'), others)).toBe(`Multi-Attach error for volume "pv" ${says}`);
});

describe('what is attached', () => {
  test('Other nodes of a volume are found, until they are removed.', () => {
    const attached = new AttachedVolumes();
    const here = attached.add('n1', 'v', true);
    attached.add('n2', 'v');
    expect(attached.elsewhere('v', 'n2')).toEqual([here]);
    attached.remove(here);
    expect([attached.elsewhere('v', 'n2'), attached.hasNode('n1')]).toEqual([[], false]);
  });

  test('What is known stays as it is.', () => {
    const attached = new AttachedVolumes();
    const known = attached.add('n', 'v', true, '/dev/a');
    expect(attached.add('n', 'v')).toBe(known);
  });

  test('Pauses between tries double up to two minutes, and begin again after a success.', () => {
    const held = entry('a');
    const pauses = Array.from({ length: 10 }, () => {
      delayRetry(held, now);
      return held.retryAt - now;
    });
    expect(pauses).toEqual([500, 1000, 2000, 4000, 8000, 16_000, 32_000, 64_000, 122_000, 122_000]);
    clearFailures(held);
    expect(held).toMatchObject({ failures: 0, retryAt: 0 });
  });
});
