import { describe, expect, test } from 'vitest';
import type { Lease } from '../../api/gen/types/coordination-v1.ts';
import type { LeaseCandidate, LeaseCandidateSpec } from '../../api/gen/types/coordination-v1alpha2.ts';
import { formatMicroTime } from '../../machinery/time.ts';
import { nextStep } from './election.ts';

/** Seconds since 1970. */
const now = 1_000_000;
const at = (secondsAgo: number): string =>
  formatMicroTime(now - Math.ceil(secondsAgo), (Math.ceil(secondsAgo) - secondsAgo) * 1e9);

const candidate = (name: string, spec: LeaseCandidateSpec = {}, created = '1970-01-02T00:00:00Z'): LeaseCandidate => ({
  metadata: { name, namespace: 'n', creationTimestamp: created },
  spec: {
    leaseName: 'l',
    binaryVersion: '1.32.0',
    emulationVersion: '1.32.0',
    strategy: 'OldestEmulationVersion',
    renewTime: at(1),
    ...spec,
  },
});
const held = (holderIdentity: string, preferredHolder?: string): Lease => ({
  metadata: { name: 'l', namespace: 'n' },
  spec: { holderIdentity, ...(preferredHolder === undefined ? {} : { preferredHolder }) },
});

const silent = { renewTime: at(60) };
const asked = (secondsAgo: number): LeaseCandidateSpec => ({ renewTime: at(60), pingTime: at(secondsAgo) });
const old = { emulationVersion: '1.31.0' };
const nothing = { kind: 'nothing' };
const elect = (winner: string) => ({ kind: 'elect', winner });

describe('a coordinated election', () => {
  test.each<{ name: string; lease?: Lease; isEnded?: boolean; candidates: LeaseCandidate[]; step: object }>([
    { name: 'has no winner without candidates', candidates: [], step: nothing },
    {
      name: 'knows no candidate that never renewed',
      candidates: [candidate('a', { renewTime: undefined })],
      step: nothing,
    },
    { name: 'knows no candidate of long ago', candidates: [candidate('a', { renewTime: at(301) })], step: nothing },
    { name: 'has a winner when there is no lease', candidates: [candidate('a')], step: elect('a') },
    {
      name: 'has a winner when nobody holds the lease',
      lease: held(''),
      candidates: [candidate('a')],
      step: elect('a'),
    },
    {
      name: 'has a winner when the lease is over',
      lease: held('b'),
      isEnded: true,
      candidates: [candidate('a')],
      step: elect('a'),
    },
    {
      name: 'is for the oldest emulated version',
      candidates: [candidate('a'), candidate('b', old), candidate('c')],
      step: elect('b'),
    },
    {
      name: 'is for the oldest program of one emulated version',
      candidates: [
        candidate('a', { ...old, binaryVersion: '1.32.5' }),
        candidate('b', { ...old, binaryVersion: '1.31.9' }),
      ],
      step: elect('b'),
    },
    {
      name: 'is for the candidate that came first among equals',
      candidates: [candidate('a'), candidate('b', {}, '1970-01-01T00:00:00Z')],
      step: elect('b'),
    },
    {
      name: 'passes over versions that cannot be compared',
      candidates: [candidate('a', { emulationVersion: 'old' }), candidate('b')],
      step: elect('b'),
    },
    {
      name: 'is not needed while the best candidate leads',
      lease: held('a'),
      candidates: [candidate('a')],
      step: nothing,
    },
    {
      name: 'is not needed for an equal candidate that came later',
      lease: held('a'),
      candidates: [candidate('a'), candidate('b', {}, '1970-01-03T00:00:00Z')],
      step: nothing,
    },
    {
      name: 'is not needed for a better candidate that did not answer',
      lease: held('a'),
      candidates: [candidate('a', silent), candidate('b', { ...asked(6), ...old })],
      step: nothing,
    },
    {
      name: 'asks a leader to give up for a better candidate',
      lease: held('a'),
      candidates: [candidate('a'), candidate('b', old)],
      step: { kind: 'prefer', winner: 'b' },
    },
    {
      name: 'asks a leader once',
      lease: held('a', 'b'),
      candidates: [candidate('a'), candidate('b', old)],
      step: nothing,
    },
    {
      name: 'asks those who were silent whether they are alive',
      candidates: [candidate('a', silent), candidate('b')],
      step: {
        kind: 'ask',
        candidates: [expect.objectContaining({ metadata: expect.objectContaining({ name: 'a' }) })],
      },
    },
    {
      name: 'waits for answers',
      candidates: [candidate('a', asked(2)), candidate('b')],
      step: { kind: 'wait', ms: 3000 },
    },
    {
      name: 'goes on without those who do not answer',
      candidates: [candidate('a', { ...asked(5), ...old, renewTime: at(60) }), candidate('b')],
      step: elect('b'),
    },
    {
      name: 'counts an answer as long as another one was waited for',
      candidates: [candidate('a', asked(6)), candidate('b', { pingTime: at(6), renewTime: at(5.5) })],
      step: elect('b'),
    },
    {
      name: 'fails when nobody answers',
      candidates: [candidate('a', asked(6))],
      step: { kind: 'fail', message: 'no candidate is alive' },
    },
    {
      name: 'is left to others when the newest program wants another strategy',
      candidates: [candidate('a'), candidate('b', { strategy: 'example.com/s', binaryVersion: '1.33.0' })],
      step: nothing,
    },
    {
      name: 'fails when programs of one version want different strategies',
      candidates: [candidate('a'), candidate('b', { strategy: 'example.com/s' })],
      step: {
        kind: 'fail',
        message: 'the candidates a and b have the same version and different strategies',
      },
    },
  ])('It $name', ({ lease, isEnded = false, candidates, step }) => {
    expect(nextStep(lease, candidates, { nowMs: now * 1000, isEnded })).toEqual(step);
  });
});
