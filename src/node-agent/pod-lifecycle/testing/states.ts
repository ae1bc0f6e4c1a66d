/** Builders of pods and states of runtimes, for tables of tests. */
import type { Container, Pod, PodSpec } from '../../../api/gen/types/core-v1.ts';
import type { BackOff, ContainerRecord, ExitedContainer, PodState, RunningContainer } from '../state.ts';

const container = (name: string, more: Partial<Container> = {}): Container => ({
  name,
  image: 'image:1',
  resources: {},
  ...more,
});

export interface PodShape {
  readonly restartPolicy?: PodSpec['restartPolicy'];
  readonly main?: readonly string[];
  /** Sidecars begin with `side`. */
  readonly init?: readonly string[];
  readonly ephemeral?: readonly string[];
  readonly spec?: Partial<PodSpec>;
}

export const podOf = ({
  restartPolicy = 'Always',
  main = ['main'],
  init = [],
  ephemeral = [],
  spec,
}: PodShape): Pod => ({
  metadata: { name: 'web', namespace: 'default', uid: 'uid-1' },
  spec: {
    restartPolicy,
    containers: main.map((name) => container(name)),
    ...(init.length === 0
      ? {}
      : {
          initContainers: init.map((name) =>
            container(name, name.startsWith('side') ? { restartPolicy: 'Always' } : {}),
          ),
        }),
    ...(ephemeral.length === 0 ? {} : { ephemeralContainers: ephemeral.map((name) => ({ ...container(name) })) }),
    ...spec,
  },
  status: {},
});

const identity = { id: 'test://1', image: 'image:1', imageID: 'sha256:1' };

export const running = (more: Partial<RunningContainer> = {}): ContainerRecord => ({
  newest: { state: 'running', ...identity, startedAtMs: 0, isStarted: true, isReady: true, ...more },
  restartCount: 0,
});

export const created: ContainerRecord = { newest: { state: 'created', ...identity }, restartCount: 0 };

export const exited = (exitCode: number, finishedAtMs = 0, backOff?: BackOff): ContainerRecord => ({
  newest: exitedInstance(exitCode, finishedAtMs),
  restartCount: 0,
  backOff,
});

export const exitedInstance = (exitCode: number, finishedAtMs = 0): ExitedContainer => ({
  state: 'exited',
  ...identity,
  startedAtMs: 0,
  finishedAtMs,
  exitCode,
  reason: exitCode === 0 ? 'Completed' : 'Error',
});

export const stateOf = (
  containers: Readonly<Record<string, ContainerRecord>>,
  sandbox: PodState['sandbox'] = 'ready',
): PodState => ({ sandbox, podIPs: ['10.0.0.1'], containers: new Map(Object.entries(containers)) });
