import { describe, expect, test } from 'vitest';
import { type ClaimVerdict, claimVerdict } from './claims.ts';
import { claimOf, refTo, storageOf, volumeOf } from './testing/objects.ts';

const bindCompleted = { 'pv.kubernetes.io/bind-completed': 'yes' };
const onNode = { 'volume.kubernetes.io/selected-node': 'n1' };
const large = { capacity: { storage: '9Gi' } };

/** In one line. */
function shown(verdict: ClaimVerdict): string {
  if (verdict.do === 'bind') return `bind ${verdict.volume.metadata.name}`;
  if ('className' in verdict) return `${verdict.do} ${verdict.className}`;
  return verdict.notice === undefined ? verdict.do : `${verdict.do}: ${verdict.notice.reason}`;
}

const both = { accessModes: ['ReadWriteOnce' as const, 'ReadOnlyMany' as const] };

describe('a claim without a volume', () => {
  test.each([
    { name: 'takes the smallest that is large enough', volumes: [volumeOf('l', large), volumeOf('a')], is: 'bind a' },
    {
      name: 'takes a larger one with fewer access modes first',
      volumes: [volumeOf('many', both), volumeOf('few', large)],
      is: 'bind few',
    },
    {
      name: 'takes the one that is kept for it, be it of another class',
      volumes: [volumeOf('a'), volumeOf('kept', { claimRef: refTo('c'), storageClassName: 'x' })],
      is: 'bind kept',
    },
    {
      name: 'takes none that is too small',
      volumes: [volumeOf('a', { capacity: { storage: '1Gi' } })],
      is: 'wait: FailedBinding',
    },
    {
      name: 'takes none of an earlier claim of its name',
      volumes: [volumeOf('a', { claimRef: refTo('c', 'u0') })],
      is: 'wait: FailedBinding',
    },
    { name: 'takes none for blocks', volumes: [volumeOf('a', { volumeMode: 'Block' })], is: 'wait: FailedBinding' },
    {
      name: 'takes none without its labels',
      claim: claimOf({ selector: { matchLabels: { a: 'b' } } }),
      volumes: [volumeOf('a')],
      is: 'wait: FailedBinding',
    },
    {
      name: 'takes none without its access mode',
      claim: claimOf({ accessModes: ['ReadWriteMany'] }),
      volumes: [volumeOf('a')],
      is: 'wait: FailedBinding',
    },
    {
      name: 'is provisioned by its class',
      claim: claimOf({ storageClassName: 'immediate' }),
      is: 'provision immediate',
    },
    { name: 'is provisioned by a class that is missing', claim: claimOf({ storageClassName: 'x' }), is: 'provision x' },
    { name: 'that wants no class gets no default', default: 'd', is: 'wait: FailedBinding' },
    {
      name: 'waits for a consumer, though a volume would suit',
      claim: claimOf({ storageClassName: 'later' }),
      volumes: [volumeOf('a', { storageClassName: 'later' })],
      is: 'wait: WaitForFirstConsumer',
    },
    {
      name: 'waits for the scheduler',
      claim: claimOf({ storageClassName: 'later' }),
      pods: ['p'],
      is: 'wait: WaitForPodScheduled',
    },
    {
      name: 'does not wait for a volume that the scheduler chose',
      claim: claimOf({ storageClassName: 'later' }),
      volumes: [volumeOf('a', { storageClassName: 'later', claimRef: refTo('c', 'u1') })],
      is: 'bind a',
    },
    {
      name: 'is provisioned when it has a node',
      claim: claimOf({ storageClassName: 'later' }, onNode),
      is: 'provision later',
    },
  ])('A claim without a volume: $name', ({ claim = claimOf(), volumes, pods, is, ...rest }) => {
    const storage = storageOf({ ...rest, ...(volumes && { volumes }), ...(pods && { pods }) });
    expect(shown(claimVerdict(claim, storage))).toBe(is);
  });

  test('A claim without a volume that says nothing of a class gets the default one, unless a volume suits it', () => {
    const { storageClassName: _, ...spec } = claimOf().spec;
    const claim = { ...claimOf(), spec };
    expect(shown(claimVerdict(claim, storageOf({ default: 'd' })))).toBe('setClass d');
    expect(shown(claimVerdict(claim, storageOf({ default: 'd', volumes: [volumeOf('a')] })))).toBe('bind a');
  });

  test.each([
    { pods: ['p'], message: 'waiting for pod p to be scheduled' },
    { pods: ['p', 'q'], message: 'waiting for pods p,q to be scheduled' },
  ])('A claim without a volume is told that it is $message', ({ pods, message }) => {
    const verdict = claimVerdict(claimOf({ storageClassName: 'later' }), storageOf({ pods }));
    expect(verdict).toMatchObject({ notice: { type: 'Normal', message } });
  });
});

describe('a claim that names a volume', () => {
  const claim = claimOf({ volumeName: 'a' });
  test.each([
    { name: 'waits in silence until it is there', is: 'wait' },
    { name: 'gets it', volume: volumeOf('a'), is: 'bind a' },
    { name: 'gets it when it is kept for it', volume: volumeOf('a', { claimRef: refTo('c') }), is: 'bind a' },
    {
      name: 'waits while another claim has it',
      volume: volumeOf('a', { claimRef: refTo('d', 'u2') }),
      is: 'wait: FailedBinding',
    },
  ])('A claim that names a volume: $name', ({ volume, is }) => {
    expect(shown(claimVerdict(claim, storageOf({ volumes: volume === undefined ? [] : [volume] })))).toBe(is);
  });

  test.each([
    { spec: { capacity: { storage: '1Gi' } }, why: 'requested PV is too small' },
    { spec: { storageClassName: 'x' }, why: 'storageClassName does not match' },
    { spec: { volumeMode: 'Block' as const }, why: 'incompatible volumeMode' },
    { spec: { accessModes: ['ReadOnlyMany' as const] }, why: 'incompatible accessMode' },
  ])('A claim that names a volume does not get it: $why', ({ spec, why }) => {
    expect(claimVerdict(claim, storageOf({ volumes: [volumeOf('a', spec)] }))).toEqual({
      do: 'wait',
      notice: { type: 'Warning', reason: 'VolumeMismatch', message: `Cannot bind to requested volume "a": ${why}` },
    });
  });

  test('A claim that names a volume of another claim, and has not chosen it itself, is an error', () => {
    const chosen = claimOf({ volumeName: 'a' }, { 'pv.kubernetes.io/bound-by-controller': 'yes' });
    const storage = storageOf({ volumes: [volumeOf('a', { claimRef: refTo('d', 'u2') })] });
    expect(claimVerdict(chosen, storage)).toEqual({
      do: 'fail',
      notice: { type: 'Warning', reason: 'FailedBinding', message: 'volume "a" already bound to a different claim.' },
      problem: 'invalid binding of claim "n/c" to volume "a": volume already claimed by "n/d"',
    });
  });
});

test.each([
  { name: 'that no longer names one', volumeName: '', is: 'lose: ClaimLost' },
  { name: 'whose volume is gone', volumeName: 'a', is: 'lose: ClaimLost' },
  {
    name: 'whose volume another claim has',
    volumeName: 'a',
    claimRef: refTo('d', 'u2'),
    is: 'lose: ClaimMisbound',
  },
  { name: 'whose volume has it', volumeName: 'a', claimRef: refTo('c', 'u1'), is: 'bind a' },
])('A claim that had a volume, and $name', ({ volumeName, claimRef, is }) => {
  const volumes = claimRef === undefined ? [] : [volumeOf('a', { claimRef })];
  expect(shown(claimVerdict(claimOf({ volumeName }, bindCompleted), storageOf({ volumes })))).toBe(is);
});
