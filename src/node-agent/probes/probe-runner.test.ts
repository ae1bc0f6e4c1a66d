import { describe, expect, test } from 'vitest';
import type { Pod, Probe } from '../../api/gen/types/core-v1.ts';
import { silentLogger } from '../../base/logger.ts';
import { FakeClock } from '../../base/testing/fake-clock.ts';
import { createProbeMetrics } from '../metrics/probe-metrics.ts';
import type { PodContainer } from '../pod-lifecycle/containers.ts';
import { PodEvents } from '../pods/pod-events.ts';
import { ProbeRunner } from './probe-runner.ts';
import type { ProbeResult } from './probe-result.ts';

type Answer = 'success' | 'failure' | 'warning' | 'error';

type ByKind = { readonly [K in 'startup' | 'liveness' | 'readiness']?: Partial<Probe> };

/** @param startedAtMs of the container: it has had time for its first steps unless it is given */
function probe(probes: ByKind, startedAtMs = -1000) {
  const clock = new FakeClock();
  const events: string[] = [];
  const state = { answer: 'success' as Answer, asked: 0, changes: 0 };
  const metrics = createProbeMetrics();
  const runner = new ProbeRunner({
    runtime: {} as never,
    clock,
    nowMs: () => clock.now(),
    random: () => 0,
    log: silentLogger,
    events: new PodEvents({ event: (_, type, reason, message) => void events.push(`${type} ${reason} ${message}`) }),
    onChange: () => void state.changes++,
    observer: metrics.observer,
    run: (): Promise<ProbeResult> => {
      state.asked++;
      if (state.answer === 'error') return Promise.reject(new Error('it cannot be asked'));
      return Promise.resolve({ outcome: state.answer, output: 'its words' });
    },
  });
  const spec = Object.fromEntries(
    Object.entries(probes).map(([kind, more]) => [`${kind}Probe`, { periodSeconds: 1, ...more }]),
  );
  const container: PodContainer = { name: 'main', role: 'main', spec: { name: 'main', resources: {}, ...spec } };
  const pod = { metadata: { name: 'web', namespace: 'default', uid: 'u' }, spec: {}, status: {} } as Pod;
  runner.startOf(pod, container, 'c', ['10.0.0.1'], startedAtMs);
  const is = () => ({
    ready: runner.isReady('c', container),
    started: runner.isStarted('c', container),
    failure: runner.failureOf('c'),
  });
  return { clock, events, state, runner, is, metrics: () => metrics.registry.metrics() };
}

describe('Probes of a container', () => {
  test('A container is ready after its first success, and no more after three failures', async () => {
    const { clock, is, state, events } = probe({ readiness: {} });
    expect(is().ready).toBe(false);
    await clock.advance(0);
    expect(is().ready).toBe(true);
    state.answer = 'failure';
    await clock.advance(2000);
    expect(is().ready).toBe(true);
    await clock.advance(1000);
    expect(is()).toEqual({ ready: false, started: true, failure: undefined });
    expect(new Set(events)).toEqual(new Set(['Warning Unhealthy Readiness probe failed: its words']));
  });

  test('A probe that does not succeed in a row begins to count anew', async () => {
    const { clock, is, state } = probe({ readiness: { successThreshold: 2 } });
    await clock.advance(0);
    state.answer = 'failure';
    await clock.advance(1000);
    state.answer = 'success';
    await clock.advance(1000);
    expect(is().ready).toBe(false);
    await clock.advance(1000);
    expect(is().ready).toBe(true);
  });

  test('Nothing is asked before the initial delay, nor of a container that has not started', async () => {
    const { clock, state, is } = probe({ startup: { initialDelaySeconds: 3 }, liveness: {}, readiness: {} }, 0);
    await clock.advance(2999);
    expect(state.asked).toBe(0);
    await clock.advance(1);
    expect(is()).toMatchObject({ started: true });
    await clock.advance(1000);
    expect(is().ready).toBe(true);
    expect(state.asked).toBeGreaterThan(2);
  });

  test('A container is first asked a second after its start', async () => {
    const { clock, state, is } = probe({ readiness: { periodSeconds: 10 } }, 0);
    await clock.advance(999);
    expect(state.asked).toBe(0);
    await clock.advance(1);
    expect(is().ready).toBe(true);
  });

  test('The first check does not wait for a period after the initial delay', async () => {
    const { clock, state } = probe({ liveness: { initialDelaySeconds: 3, periodSeconds: 10 } }, 0);
    await clock.advance(3000);
    expect(state.asked).toBe(1);
  });

  test('A container that is not alive is not asked again', async () => {
    const { clock, state, is } = probe({ liveness: { failureThreshold: 1 } });
    state.answer = 'failure';
    await clock.advance(5000);
    expect({ failure: is().failure, asked: state.asked }).toEqual({ failure: 'liveness', asked: 1 });
  });

  test('A check that cannot be made is made three times, and is no result', async () => {
    const { clock, state, is, events } = probe({ liveness: { failureThreshold: 1 } });
    state.answer = 'error';
    await clock.advance(0);
    expect({ failure: is().failure, asked: state.asked }).toEqual({ failure: undefined, asked: 3 });
    expect(events).toEqual(['Warning Unhealthy Liveness probe errored: it cannot be asked']);
  });

  test('A container that is being stopped is asked for its readiness alone', async () => {
    const { clock, state, runner } = probe({ liveness: {}, readiness: {} });
    await clock.advance(0);
    runner.stopOf('c');
    const before = state.asked;
    await clock.advance(3000);
    expect(state.asked).toBe(before + 3);
  });

  test('The worker is told of changes alone', async () => {
    const { clock, state } = probe({ readiness: {} });
    await clock.advance(10_000);
    expect(state.changes).toBe(1);
  });

  test('Metrics count the outcomes of a probe, and end with its container', async () => {
    const { clock, state, runner, metrics } = probe({ readiness: {} });
    await clock.advance(1000);
    state.answer = 'failure';
    await clock.advance(1000);
    state.answer = 'error';
    await clock.advance(1000);
    const labels = 'probe_type="Readiness",container="main",pod="web",namespace="default"';
    const of = (result: string): string => `prober_probe_total{${labels},result="${result}",pod_uid="u"}`;
    const text = await metrics();
    for (const [result, count] of [
      ['successful', 2],
      ['failed', 1],
      ['unknown', 1],
    ] as const)
      expect(text).toContain(`${of(result)} ${count}\n`);
    expect(text).toContain(`prober_probe_duration_seconds_count{${labels}} 3\n`);
    runner.keepOnly('u', new Set());
    expect(await metrics()).not.toContain('pod="web"');
  });
});
