/**
 * A container runtime in memory, which answers the calls of CRI as containerd does: containers run until a test ends
 * them, or a call stops them. What was called is kept, to be compared.
 */
import { GrpcError } from '../../../grpc/grpc-error.ts';
import { GrpcCode } from '../../../grpc/status.ts';
import type { ContainerRuntime } from '../container-runtime.ts';
import type { ContainerConfig, ContainerStatus, ExecSyncResponse, Methods, PodSandboxStatus } from '../gen/cri.ts';

interface SimulatedContainer {
  readonly status: ContainerStatus;
  readonly sandboxId: string;
  readonly config: ContainerConfig;
}

type Handlers = { readonly [M in keyof Methods]?: (request: Methods[M][0]) => Methods[M][1] };

export class SimulatedContainers {
  /** `createContainer main`: method, and the name of the container or pod. Questions are not in it. */
  readonly calls: string[] = [];
  /** Methods of all that was asked, questions too. */
  readonly asked: string[] = [];
  /** What the last container of each name was made with. */
  readonly configs = new Map<string, ContainerConfig>();
  readonly sandboxes = new Map<string, PodSandboxStatus>();
  readonly containers = new Map<string, SimulatedContainer>();
  /** Names of images that are present. */
  readonly images = new Set(['image:1']);
  /** Errors of the next calls, by `<method> <name>`; each is thrown once. */
  readonly failures = new Map<string, GrpcError>();
  /** What commands answer. */
  exec: (containerId: string, command: readonly string[]) => ExecSyncResponse = () => ({ exitCode: 0 });
  /** With which code a container ends that is stopped. */
  exitCodeOnStop = 137;
  readonly #nowMs: () => number;
  #count = 0;

  constructor(nowMs: () => number) {
    this.#nowMs = nowMs;
  }

  /** Ends the running container of this name by itself. */
  end(name: string, exitCode: number): void {
    for (const { status } of this.containers.values())
      if (status.metadata?.name === name && status.state === 'CONTAINER_RUNNING') this.#exit(status.id!, exitCode);
  }

  /** States of all instances of a container, the oldest first. */
  statesOf(name: string): (string | undefined)[] {
    return [...this.containers.values()].flatMap(({ status }) =>
      status.metadata?.name === name ? [status.state] : [],
    );
  }

  /** Called before each call; what it returns is waited for. A rejection is the answer. */
  before: (method: keyof Methods) => Promise<void> = () => Promise.resolve();

  readonly runtime = new Proxy({} as ContainerRuntime, {
    get: (_, method: keyof Methods) => async (request: never) => {
      this.asked.push(method);
      // As over a socket: the answer comes later.
      await this.before(method);
      const handler = this.#handlers[method] as ((request: never) => object) | undefined;
      if (handler === undefined) throw new GrpcError(GrpcCode.unimplemented, `unknown method ${method}`);
      return handler(request);
    },
  });

  readonly #handlers: Handlers = {
    version: () => ({ version: '0.1.0', runtimeName: 'simulated', runtimeVersion: '1', runtimeApiVersion: 'v1' }),
    listPodSandbox: ({ filter }) => ({
      items: [...this.sandboxes.values()].filter(hasLabels(filter?.labelSelector)).map((sandbox) => ({ ...sandbox })),
    }),
    listContainers: ({ filter }) => ({
      containers: [...this.containers.values()]
        .filter(({ status }) => hasLabels(filter?.labelSelector)(status))
        .map(({ status, sandboxId }) => ({
          id: status.id,
          podSandboxId: sandboxId,
          metadata: status.metadata,
          state: status.state,
          createdAt: status.createdAt,
          labels: status.labels,
          annotations: status.annotations,
        })),
    }),
    podSandboxStatus: ({ podSandboxId = '' }) => ({ status: found(this.sandboxes, podSandboxId) }),
    containerStatus: ({ containerId = '' }) => ({ status: found(this.containers, containerId).status }),
    imageStatus: ({ image }) => (this.images.has(image?.image ?? '') ? { image: { id: image!.image } } : {}),
    runPodSandbox: ({ config = {} }) => {
      const id = this.#newId('sandbox');
      this.#called('runPodSandbox', config.metadata?.name);
      this.sandboxes.set(id, {
        id,
        metadata: config.metadata,
        state: 'SANDBOX_READY',
        createdAt: this.#now(),
        network: { ip: `10.0.0.${this.sandboxes.size + 1}` },
        labels: config.labels,
        annotations: config.annotations,
        linux: { namespaces: { options: config.linux?.securityContext?.namespaceOptions } },
      });
      return { podSandboxId: id };
    },
    stopPodSandbox: ({ podSandboxId = '' }) => {
      const sandbox = found(this.sandboxes, podSandboxId);
      this.#called('stopPodSandbox', sandbox.metadata?.name);
      this.sandboxes.set(podSandboxId, { ...sandbox, state: 'SANDBOX_NOTREADY', network: {} });
      return {};
    },
    removePodSandbox: ({ podSandboxId = '' }) => {
      this.#called('removePodSandbox', this.sandboxes.get(podSandboxId)?.metadata?.name);
      this.sandboxes.delete(podSandboxId);
      return {};
    },
    pullImage: ({ image }) => {
      this.#called('pullImage', image?.image);
      this.images.add(image?.image ?? '');
      return { imageRef: image?.image };
    },
    createContainer: ({ podSandboxId = '', config = {} }) => {
      this.#called('createContainer', config.metadata?.name);
      this.configs.set(config.metadata?.name ?? '', config);
      const id = this.#newId('container');
      const { metadata, labels, annotations, image } = config;
      const state = 'CONTAINER_CREATED';
      const createdAt = this.#now();
      this.containers.set(id, {
        status: { id, metadata, labels, annotations, image, imageRef: image?.image, state, createdAt },
        sandboxId: podSandboxId,
        config,
      });
      return { containerId: id };
    },
    startContainer: ({ containerId = '' }) => {
      const { status } = found(this.containers, containerId);
      try {
        this.#called('startContainer', status.metadata?.name);
      } catch (error) {
        this.#exit(containerId, 128);
        throw error;
      }
      this.#change(containerId, { state: 'CONTAINER_RUNNING', startedAt: this.#now() });
      return {};
    },
    stopContainer: ({ containerId = '', timeout = 0 }) => {
      const { status } = found(this.containers, containerId);
      this.#called('stopContainer', `${status.metadata?.name} ${timeout}s`);
      if (status.state === 'CONTAINER_RUNNING') this.#exit(containerId, this.exitCodeOnStop);
      return {};
    },
    removeContainer: ({ containerId = '' }) => {
      this.#called('removeContainer', this.containers.get(containerId)?.status.metadata?.name);
      this.containers.delete(containerId);
      return {};
    },
    updateContainerResources: ({ containerId = '', linux = {} }) => {
      const { status } = found(this.containers, containerId);
      const amounts = `${linux.cpuQuota ?? 0} ${linux.memoryLimitInBytes ?? 0}`;
      this.#called('updateContainerResources', `${status.metadata?.name} ${amounts}`);
      return {};
    },
    execSync: ({ containerId = '', cmd = [] }) => this.exec(containerId, cmd),
  };

  #called(method: keyof Methods, name = ''): void {
    this.calls.push(`${method} ${name}`);
    const failure = this.failures.get(`${method} ${name}`);
    if (failure === undefined) return;
    this.failures.delete(`${method} ${name}`);
    throw failure;
  }

  #exit(id: string, exitCode: number): void {
    const reason = exitCode === 0 ? 'Completed' : 'Error';
    this.#change(id, { state: 'CONTAINER_EXITED', finishedAt: this.#now(), exitCode, reason });
  }

  #change(id: string, change: Partial<ContainerStatus>): void {
    const container = found(this.containers, id);
    this.containers.set(id, { ...container, status: { ...container.status, ...change } });
  }

  #newId = (kind: string): string => `${kind}-${++this.#count}`;

  /** Nanoseconds. No two are the same. */
  #now(): bigint {
    return BigInt(this.#nowMs()) * 1_000_000n + BigInt(this.#count);
  }
}

function found<T>(map: ReadonlyMap<string, T>, id: string): T {
  const value = map.get(id);
  if (value === undefined) throw new GrpcError(GrpcCode.notFound, `an error occurred: ${id}: not found`);
  return value;
}

const hasLabels =
  (selector: Readonly<Record<string, string>> = {}) =>
  ({ labels = {} }: { readonly labels?: Readonly<Record<string, string>> | undefined }): boolean =>
    Object.entries(selector).every(([key, value]) => labels[key] === value);
