import { describe, expect, test } from 'vitest';
import type { ContainerRecord } from './state.ts';
import { graceSecondsOf, nextToStop } from './termination.ts';
import { created, exited, podOf, running, stateOf } from './testing/states.ts';

describe('Termination of Pods', () => {
  const pod = podOf({ main: ['a', 'b'], init: ['side-1', 'one', 'side-2'], ephemeral: ['debug'] });
  const sidecars = { 'side-1': running(), 'side-2': running() };

  test.each<{ name: string; state: Record<string, ContainerRecord>; stop: string[] }>([
    {
      name: 'main and ephemeral containers together',
      state: { a: running(), b: created, debug: running(), ...sidecars },
      stop: ['a', 'b', 'debug'],
    },
    { name: 'the rest of them', state: { a: exited(0), b: running(), ...sidecars }, stop: ['b'] },
    { name: 'then the last sidecar', state: { a: exited(0), b: exited(1), ...sidecars }, stop: ['side-2'] },
    { name: 'then the first one', state: { a: exited(0), 'side-1': running(), 'side-2': exited(0) }, stop: ['side-1'] },
    { name: 'an init container that runs', state: { 'side-1': running(), one: running() }, stop: ['one'] },
    { name: 'nothing that never started', state: {}, stop: [] },
    { name: 'nothing that has ended', state: { a: exited(0), 'side-1': exited(0) }, stop: [] },
  ])('Termination of Pods: $name', ({ state, stop }) => {
    expect(nextToStop(pod, stateOf(state)).map(({ name }) => name)).toEqual(stop);
  });

  test.each([
    { name: 'that of the deletion', deletion: 5, spec: 60, seconds: 5 },
    { name: 'that of the pod', deletion: undefined, spec: 60, seconds: 60 },
    { name: '30 s otherwise', deletion: undefined, spec: undefined, seconds: 30 },
    { name: 'no less than 2 s', deletion: 0, spec: 60, seconds: 2 },
  ])('The grace is $name', ({ deletion, spec, seconds }) => {
    const { metadata, ...rest } = podOf({
      spec: spec === undefined ? {} : { terminationGracePeriodSeconds: spec },
    });
    const deleted = deletion === undefined ? metadata : { ...metadata, deletionGracePeriodSeconds: deletion };
    expect(graceSecondsOf({ ...rest, metadata: deleted })).toBe(seconds);
  });
});
