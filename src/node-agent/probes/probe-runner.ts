/**
 * The probes of all containers: each with a timer of its own, so that one that hangs holds up no other.
 * @see {@link https://kubernetes.io/docs/tasks/configure-pod-container/configure-liveness-readiness-startup-probes/ |
 *   Configure Liveness, Readiness and Startup Probes}
 */
import type { Pod, Probe } from '../../api/gen/types/core-v1.ts';
import type { Clock, Timer } from '../../base/clock.ts';
import type { Logger } from '../../base/logger.ts';
import type { ProbeObserver, ProbeOutcome } from '../metrics/probe-metrics.ts';
import type { PodContainer } from '../pod-lifecycle/containers.ts';
import type { PodEvents } from '../pods/pod-events.ts';
import { type ContainerRuntime, runtimeErrorText } from '../runtime/container-runtime.ts';
import type { FailedProbe, Probes } from './probes.ts';
import type { ProbeResult } from './probe-result.ts';
import { runProbe } from './run-probe.ts';

export interface ProbeRunnerOptions {
  readonly runtime: ContainerRuntime;
  readonly clock: Clock;
  readonly nowMs: () => number;
  /** A number in [0, 1). */
  readonly random: () => number;
  readonly log: Logger;
  readonly events: PodEvents;
  /** A result of the pod's probes is another one now. */
  readonly onChange: (uid: string) => void;
  readonly observer?: ProbeObserver | undefined;
  readonly run?: typeof runProbe;
}

type Kind = 'liveness' | 'readiness' | 'startup';

interface ProbeState {
  readonly kind: Kind;
  readonly probe: Probe;
  /** Undefined before the first result that counts. */
  isGood: boolean | undefined;
  /** Results in a row, of one kind. */
  run: number;
  lastWasGood: boolean | undefined;
  timer: Timer | undefined;
}

interface Probed {
  readonly pod: Pod;
  readonly container: PodContainer;
  readonly podIP: string;
  readonly startedAtMs: number;
  readonly states: ReadonlyMap<Kind, ProbeState>;
  failure: FailedProbe | undefined;
  isStopped: boolean;
}

const kinds: readonly Kind[] = ['startup', 'liveness', 'readiness'];
/**
 * A container has this time for its first steps, such as to open its port. Upstream has it too, as it sees with its
 * next list of containers, each second, that one runs.
 */
const settlingMs = 1000;
/** A check that cannot be made is made again at once, so often. */
const maxTries = 3;

/** A warning counts as a success. */
const outcomeOf = (result: ProbeResult | undefined): ProbeOutcome =>
  result === undefined ? 'unknown' : result.outcome === 'failure' ? 'failed' : 'successful';

const probeOf = ({ spec, role }: PodContainer, kind: Kind): Probe | undefined =>
  role === 'ephemeral' ? undefined : spec[`${kind}Probe`];

export class ProbeRunner implements Probes {
  readonly #options: ProbeRunnerOptions;
  /** By id of the container. */
  readonly #probed = new Map<string, Probed>();
  readonly #beganAt: number;

  constructor(options: ProbeRunnerOptions) {
    this.#options = options;
    this.#beganAt = options.clock.now();
  }

  startOf(pod: Pod, container: PodContainer, id: string, podIPs: readonly string[], startedAtMs: number): void {
    if (this.#probed.has(id)) return;
    const present = kinds.flatMap((kind): [Kind, ProbeState][] => {
      const probe = probeOf(container, kind);
      const isGood = kind === 'liveness' ? true : undefined;
      if (probe === undefined) return [];
      return [[kind, { kind, probe, isGood, run: 0, lastWasGood: undefined, timer: undefined }]];
    });
    if (present.length === 0) return;
    const probed: Probed = {
      pod,
      container,
      podIP: podIPs[0] ?? '',
      startedAtMs,
      states: new Map(present),
      failure: undefined,
      isStopped: false,
    };
    this.#probed.set(id, probed);
    const { clock, random, nowMs } = this.#options;
    const runsForMs = Math.max(0, nowMs() - startedAtMs);
    for (const [, state] of present) {
      const { periodSeconds = 10, initialDelaySeconds = 0 } = state.probe;
      const periodMs = periodSeconds * 1000;
      const firstInMs = Math.max(settlingMs, initialDelaySeconds * 1000) - runsForMs;
      // After a restart of the agent not all probes are made at the same time.
      const isEarly = clock.now() - this.#beganAt < periodMs;
      this.#schedule(id, probed, state, Math.max(0, firstInMs, isEarly ? random() * periodMs : 0));
    }
  }

  stopOf(id: string): void {
    const probed = this.#probed.get(id);
    if (probed === undefined) return;
    for (const [kind, state] of probed.states) if (kind !== 'readiness') state.timer?.cancel();
    probed.isStopped = true;
  }

  keepOnly(uid: string, ids: ReadonlySet<string>): void {
    for (const [id, probed] of this.#probed)
      if (probed.pod.metadata.uid === uid && !ids.has(id)) {
        for (const state of probed.states.values()) state.timer?.cancel();
        this.#probed.delete(id);
        this.#endSeries(probed);
      }
  }

  isStarted(id: string, container: PodContainer): boolean {
    return probeOf(container, 'startup') === undefined || this.#stateOf(id, 'startup')?.isGood === true;
  }

  isReady(id: string, container: PodContainer): boolean {
    return probeOf(container, 'readiness') === undefined || this.#stateOf(id, 'readiness')?.isGood === true;
  }

  failureOf(id: string): FailedProbe | undefined {
    return this.#probed.get(id)?.failure;
  }

  stop(): void {
    for (const { states } of this.#probed.values()) for (const state of states.values()) state.timer?.cancel();
    this.#probed.clear();
  }

  /** A container that follows counts on, under the same name. */
  #endSeries({ pod, container, states }: Probed): void {
    const isProbed = [...this.#probed.values()].some(
      (other) => other.pod.metadata.uid === pod.metadata.uid && other.container.name === container.name,
    );
    if (!isProbed) for (const kind of states.keys()) this.#options.observer?.ended(pod, container.name, kind);
  }

  #stateOf(id: string, kind: Kind): ProbeState | undefined {
    return this.#probed.get(id)?.states.get(kind);
  }

  #schedule(id: string, probed: Probed, state: ProbeState, inMs: number): void {
    state.timer = this.#options.clock.after(inMs, () => void this.#check(id, probed, state));
  }

  async #check(id: string, probed: Probed, state: ProbeState): Promise<void> {
    const isOver = (): boolean => this.#probed.get(id) !== probed || (probed.isStopped && state.kind !== 'readiness');
    if (isOver()) return;
    const periodMs = (state.probe.periodSeconds ?? 10) * 1000;
    const begunAt = this.#options.clock.now();
    if (this.#isDue(probed, state)) {
      const result = await this.#tried(id, probed, state);
      if (isOver()) return;
      const seconds = (this.#options.clock.now() - begunAt) / 1000;
      this.#options.observer?.checked(probed.pod, probed.container.name, state.kind, outcomeOf(result), seconds);
      if (result !== undefined) this.#count(probed, state, result);
      // A startup probe has one result; a container that is not alive is to be stopped.
      if (state.kind === 'startup' && state.isGood !== undefined) return;
      if (probed.failure !== undefined && state.kind === 'liveness') return;
    }
    this.#schedule(id, probed, state, Math.max(0, periodMs - (this.#options.clock.now() - begunAt)));
  }

  #isDue(probed: Probed, { probe, kind }: ProbeState): boolean {
    const runsForMs = this.#options.nowMs() - probed.startedAtMs;
    if (runsForMs < (probe.initialDelaySeconds ?? 0) * 1000) return false;
    return kind === 'startup' || (probed.states.get('startup')?.isGood !== false && this.#hasStarted(probed));
  }

  #hasStarted(probed: Probed): boolean {
    const startup = probed.states.get('startup');
    return startup === undefined || startup.isGood === true;
  }

  /** Undefined when the check could not be made. */
  async #tried(id: string, probed: Probed, state: ProbeState): Promise<ProbeResult | undefined> {
    const { runtime, events, run = runProbe } = this.#options;
    const { container, podIP, pod } = probed;
    const title = `${state.kind[0]!.toUpperCase()}${state.kind.slice(1)} probe`;
    let failure: unknown;
    for (let tries = 0; tries < maxTries; tries++) {
      try {
        const result = await run(state.probe, { container, containerId: id, podIP, runtime });
        if (result.outcome === 'failure')
          events.ofContainer(pod, container, 'Warning', 'Unhealthy', `${title} failed: ${result.output}`);
        else if (result.outcome === 'warning')
          events.ofContainer(pod, container, 'Warning', 'ProbeWarning', `${title} warning: ${result.output}`);
        return result;
      } catch (error) {
        failure = error;
      }
    }
    if (this.#probed.get(id) !== probed) return undefined;
    const text = `${title} errored: ${runtimeErrorText(failure)}`;
    events.ofContainer(pod, container, 'Warning', 'Unhealthy', text);
    // As upstream: what cannot be checked is no result.
    return undefined;
  }

  #count(probed: Probed, state: ProbeState, { outcome }: ProbeResult): void {
    const { probe, kind } = state;
    const isGood = outcome !== 'failure';
    state.run = state.lastWasGood === isGood ? state.run + 1 : 1;
    state.lastWasGood = isGood;
    const threshold = isGood ? (probe.successThreshold ?? 1) : (probe.failureThreshold ?? 3);
    if (state.run < threshold || state.isGood === isGood) return;
    const wasKnown = state.isGood !== undefined;
    state.isGood = isGood;
    if (!isGood && kind !== 'readiness') probed.failure = kind;
    // A container is not ready before its first result either.
    if (!wasKnown && !isGood && kind === 'readiness') return;
    if (isGood && kind === 'startup') this.#checkReadinessNow(probed);
    this.#options.onChange(probed.pod.metadata.uid ?? '');
  }

  #checkReadinessNow(probed: Probed): void {
    const readiness = probed.states.get('readiness');
    const id = [...this.#probed].find(([, candidate]) => candidate === probed)?.[0];
    if (readiness === undefined || id === undefined) return;
    readiness.timer?.cancel();
    this.#schedule(id, probed, readiness, 0);
  }
}
