import { describe, expect, test } from 'vitest';
import { nextActions } from './next-actions.ts';
import type { ContainerRecord, PodState } from './state.ts';
import { created, exited, podOf, type PodShape, running, stateOf } from './testing/states.ts';

interface Row {
  readonly name: string;
  readonly pod: PodShape;
  readonly state: Readonly<Record<string, ContainerRecord>>;
  readonly sandbox?: PodState['sandbox'];
  /** Names that start; `ended` where nothing is left to do. */
  readonly next: readonly string[] | 'ended';
}

const crashed = exited(1);
const done = exited(0);
const slow = running({ isStarted: false });

describe('Pod lifecycle', () => {
  test.each<Row>([
    // Main containers
    { name: 'all main containers start together', pod: { main: ['a', 'b'] }, state: {}, next: ['a', 'b'] },
    { name: 'nothing starts twice', pod: {}, state: { main: created }, next: [] },
    { name: 'what runs goes on', pod: {}, state: { main: running() }, next: [] },
    { name: 'the rest starts', pod: { main: ['a', 'b'] }, state: { a: running() }, next: ['b'] },
    // Restart policies
    { name: 'Always: an end is restarted', pod: {}, state: { main: done }, next: ['main'] },
    { name: 'Always: a failure is restarted', pod: {}, state: { main: crashed }, next: ['main'] },
    {
      name: 'OnFailure: a failure is restarted',
      pod: { restartPolicy: 'OnFailure' },
      state: { main: crashed },
      next: ['main'],
    },
    {
      name: 'OnFailure: a success is the end',
      pod: { restartPolicy: 'OnFailure' },
      state: { main: done },
      next: 'ended',
    },
    { name: 'Never: a failure is the end', pod: { restartPolicy: 'Never' }, state: { main: crashed }, next: 'ended' },
    {
      name: 'Never: another container goes on',
      pod: { restartPolicy: 'Never', main: ['a', 'b'] },
      state: { a: crashed, b: running() },
      next: [],
    },
    {
      name: 'OnFailure: one fails, one has succeeded',
      pod: { restartPolicy: 'OnFailure', main: ['a', 'b'] },
      state: { a: crashed, b: done },
      next: ['a'],
    },
    // Init containers
    { name: 'the first init container', pod: { init: ['one', 'two'] }, state: {}, next: ['one'] },
    { name: 'an init container runs', pod: { init: ['one', 'two'] }, state: { one: running() }, next: [] },
    { name: 'the second init container', pod: { init: ['one', 'two'] }, state: { one: done }, next: ['two'] },
    { name: 'init is done', pod: { init: ['one', 'two'] }, state: { one: done, two: done }, next: ['main'] },
    { name: 'init is retried', pod: { init: ['one'] }, state: { one: crashed }, next: ['one'] },
    {
      name: 'init is retried with OnFailure',
      pod: { init: ['one'], restartPolicy: 'OnFailure' },
      state: { one: crashed },
      next: ['one'],
    },
    {
      name: 'init fails with Never',
      pod: { init: ['one'], restartPolicy: 'Never' },
      state: { one: crashed },
      next: 'ended',
    },
    { name: 'init is not repeated once the pod runs', pod: { init: ['one'] }, state: { main: running() }, next: [] },
    // Sidecars
    { name: 'what follows waits for the start of a sidecar', pod: { init: ['side'] }, state: { side: slow }, next: [] },
    {
      name: 'a started sidecar lets the next one go',
      pod: { init: ['side', 'one'] },
      state: { side: running() },
      next: ['one'],
    },
    {
      name: 'a started sidecar lets the main containers go',
      pod: { init: ['side'] },
      state: { side: running() },
      next: ['main'],
    },
    {
      name: 'a sidecar that ended before it started',
      pod: { init: ['side'] },
      state: { side: crashed },
      next: ['side'],
    },
    {
      name: 'a sidecar that ended during init, with Never',
      pod: { init: ['side', 'one'], restartPolicy: 'Never' },
      state: { side: done, one: running() },
      next: ['side'],
    },
    {
      name: 'a sidecar that ended does not hold up the next one',
      pod: { init: ['side', 'one', 'two'] },
      state: { side: crashed, one: done },
      next: ['side', 'two'],
    },
    {
      name: 'a sidecar is restarted while the pod runs, with Never',
      pod: { init: ['side'], restartPolicy: 'Never' },
      state: { side: done, main: running() },
      next: ['side'],
    },
    {
      name: 'a sidecar does not keep a pod alive',
      pod: { init: ['side'], restartPolicy: 'Never' },
      state: { side: running(), main: done },
      next: 'ended',
    },
    {
      name: 'a sidecar is not restarted for a pod that has ended',
      pod: { init: ['side'], restartPolicy: 'Never' },
      state: { side: crashed, main: done },
      next: 'ended',
    },
    // Ephemeral containers
    {
      name: 'an ephemeral container starts',
      pod: { ephemeral: ['debug'] },
      state: { main: running() },
      next: ['debug'],
    },
    {
      name: 'an ephemeral container is not restarted',
      pod: { ephemeral: ['debug'] },
      state: { main: running(), debug: crashed },
      next: [],
    },
    {
      name: 'an ephemeral container does not keep a pod alive',
      pod: { ephemeral: ['debug'], restartPolicy: 'Never' },
      state: { main: done, debug: running() },
      next: 'ended',
    },
  ])('Pod lifecycle: $name', ({ pod, state, next }) => {
    const actions = nextActions(podOf(pod), stateOf(state), 0);
    expect(actions.hasEnded ? 'ended' : actions.start.map(({ name }) => name)).toEqual(next);
  });

  test.each<Pick<Row, 'name' | 'state' | 'sandbox'> & { readonly needs: boolean }>([
    { name: 'a new pod', state: {}, sandbox: 'none', needs: true },
    { name: 'a pod whose sandbox was lost', state: { main: crashed }, sandbox: 'stopped', needs: true },
    { name: 'a pod with a sandbox', state: {}, sandbox: 'ready', needs: false },
    {
      name: 'a pod that waits',
      state: { main: exited(1, 0, { delayMs: 10, atMs: 0 }) },
      sandbox: 'none',
      needs: false,
    },
  ])('Pod lifecycle: $name needs a sandbox: $needs', ({ state, sandbox, needs }) => {
    expect(nextActions(podOf({}), stateOf(state, sandbox), 0).needsSandbox).toBe(needs);
  });

  test('A container waits for the end of its back-off, and another one does not', () => {
    const state = stateOf({ a: exited(1, 1000, { delayMs: 10_000, atMs: 500 }), b: exited(1, 1000) });
    const { start, waiting } = nextActions(podOf({ main: ['a', 'b'] }), state, 4000);
    expect(start.map(({ name }) => name)).toEqual(['b']);
    expect(waiting).toMatchObject([{ container: { name: 'a' }, inMs: 7000 }]);
    expect(nextActions(podOf({ main: ['a', 'b'] }), state, 11_000).waiting).toEqual([]);
  });
});
