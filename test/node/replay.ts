/**
 * Runs the steps of a recording on a node, and returns what they got and what the pods went through.
 *
 * Steps that need a part of the agent which is not there yet make a case unsupported (`unsupportedStep`).
 */
import { execFile } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { promisify } from 'node:util';
import type { Pod } from '../../src/api/gen/types/core-v1.ts';
import type { JsonObject, JsonValue } from '../../src/machinery/value.ts';
import { containerNameLabel, podNameLabel } from '../../src/node-agent/pods/config/labels.ts';
import { configHash } from '../../src/node-agent/pods/static/static-pod.ts';
import { namespace, nodeName, type NodeCluster } from './node-cluster.ts';
import { toolPath } from '../../hack/lib/test-tools.mjs';
import type { NodeCase, NodeStep, RecordedEvent } from './recording.ts';
import { memberAt } from './member-at.ts';
import { ServedSteps } from './served-steps.ts';

const run = promisify(execFile);
/** How long what comes after the last step may take: the next sync of a pod that has failed. */
const settleMs = 16_000;
const pollMs = 250;

export interface Played {
  /** What each step got, as far as it is compared. */
  readonly steps: readonly { readonly step: NodeStep; readonly got: Readonly<Record<string, JsonValue>> }[];
  /** By name of the pod. */
  readonly statuses: ReadonlyMap<string, readonly JsonObject[]>;
  readonly events: ReadonlyMap<string, readonly RecordedEvent[]>;
}

const resources: Readonly<Record<string, string>> = {
  Pod: 'pods',
  ConfigMap: 'configmaps',
  Secret: 'secrets',
  Service: 'services',
  ServiceAccount: 'serviceaccounts',
  PersistentVolume: 'persistentvolumes',
  PersistentVolumeClaim: 'persistentvolumeclaims',
  RuntimeClass: 'runtimeclasses',
};

const supported = ['create', 'static', 'wait', 'exec', 'log', 'call', 'pod', 'host', 'agent', 'sleep'];
/** Those that go to the port of the agent, or through it. */
const served = ['kubelet', 'kubectl'];

/**
 * The first step that cannot be played; undefined when all can.
 *
 * @param isServed the agent has its port
 */
export function unsupportedStep({ steps }: NodeCase, isServed = false): string | undefined {
  for (const step of steps) {
    if (![...supported, ...(isServed ? served : [])].some((kind) => kind in step)) return Object.keys(step)[0];
    if (isServed) continue;
    const { query } = step as { query?: Record<string, string> };
    if (query !== undefined && Object.keys(query).some((key) => key !== 'container')) return 'log with a query';
  }
  return undefined;
}

/**
 * @param isRight whether what came of it is as recorded: what comes later than the last step is waited for
 */
export async function play(
  recorded: NodeCase,
  cluster: NodeCluster,
  isRight: (played: Played) => boolean,
): Promise<Played> {
  const player = new Player(cluster);
  const names = Object.keys(recorded.pods);
  const stop = await player.watch(names);
  const steps: { step: NodeStep; got: Record<string, JsonValue> }[] = [];
  try {
    for (const step of recorded.steps) steps.push({ step, got: await player.step(step) });
    for (const end = Date.now() + settleMs; ; await new Promise((resolve) => setTimeout(resolve, pollMs))) {
      await cluster.flush();
      const played = { steps, statuses: player.statuses, events: await player.events(names) };
      if (isRight(played) || Date.now() > end) return played;
    }
  } finally {
    stop();
    await player.cleanUp(names);
  }
}

class Player {
  readonly #cluster: NodeCluster;
  readonly statuses = new Map<string, JsonObject[]>();
  readonly #pods = new Map<string, Pod | undefined>();
  readonly #gone = new Set<string>();
  readonly #changed: (() => void)[] = [];

  constructor(cluster: NodeCluster) {
    this.#cluster = cluster;
  }

  /** Where the agent has its port, steps go there. */
  get #ports(): ServedSteps | undefined {
    return this.#cluster.port === undefined ? undefined : new ServedSteps(this.#cluster);
  }

  get #dynamicPods() {
    return this.#cluster.client.dynamic<Pod>({ group: '', version: 'v1', resource: 'pods' }).namespace(namespace);
  }

  async watch(names: readonly string[]): Promise<() => void> {
    const abort = new AbortController();
    for (const name of names) {
      const seen: JsonObject[] = [];
      this.statuses.set(name, seen);
      const watch = this.#dynamicPods.watch({ fieldSelector: `metadata.name=${name}`, signal: abort.signal });
      void (async () => {
        for await (const { type, object } of watch) {
          const status = object.status as unknown as JsonObject;
          if (JSON.stringify(status) !== JSON.stringify(seen.at(-1))) seen.push(status);
          this.#pods.set(name, object);
          if (type === 'DELETED') this.#gone.add(name);
          for (const changed of this.#changed) changed();
        }
      })().catch(() => undefined);
    }
    await Promise.resolve();
    return () => abort.abort();
  }

  step(step: NodeStep): Promise<Record<string, JsonValue>> {
    const filled = this.#filled(step);
    if ('create' in filled) return this.#create(filled['create'] as JsonObject);
    if ('static' in filled) return this.#static(filled);
    if ('wait' in filled) return this.#wait(filled);
    const ports = this.#ports;
    if (ports !== undefined && 'exec' in filled) return ports.exec(filled);
    if (ports !== undefined && 'log' in filled) return ports.log(filled);
    if (ports !== undefined && 'kubelet' in filled) return ports.kubelet(filled);
    if (ports !== undefined && 'kubectl' in filled) return ports.kubectl(filled);
    if (ports !== undefined && 'call' in filled && 'keep' in filled) return ports.call(filled);
    if ('exec' in filled) return this.#exec(filled);
    if ('log' in filled) return this.#log(filled);
    if ('call' in filled) return this.#call(filled);
    if ('host' in filled) return this.#host(filled);
    if ('pod' in filled) return Promise.resolve(this.#pod(filled));
    if ('agent' in filled)
      return (filled['agent'] === 'stop' ? this.#cluster.stopAgent() : this.#cluster.startAgent()).then(() => ({}));
    if ('sleep' in filled)
      return new Promise((resolve) => setTimeout(() => resolve({}), Number(filled['sleep']) * 1000));
    throw new Error(`a step that is not known: ${Object.keys(filled).join(', ')}`);
  }

  #filled(step: NodeStep): NodeStep {
    const { hostIP, workDirectory, registry } = this.#cluster;
    const text = JSON.stringify(step)
      .replaceAll('$NODE', nodeName)
      .replaceAll('$HOSTIP', hostIP)
      .replaceAll('$WORK', workDirectory)
      .replaceAll('$REGISTRY', registry)
      .replace(/\$IP\(([^)]*)\)/g, (_, name: string) => this.#pods.get(name)?.status.podIP ?? '');
    return JSON.parse(text) as NodeStep;
  }

  async #create(object: JsonObject): Promise<Record<string, JsonValue>> {
    const { apiVersion, kind } = object as { apiVersion: string; kind: string };
    const [group, version] = apiVersion.includes('/') ? (apiVersion.split('/') as [string, string]) : ['', apiVersion];
    const resource = this.#cluster.client.dynamic({ group, version, resource: resources[kind] ?? '' });
    try {
      await resource.create(object as never);
      return { status: 201 };
    } catch (error) {
      const { code = 0, message } = error as { code?: number; message: string };
      return { status: code, message };
    }
  }

  async #static(step: NodeStep): Promise<Record<string, JsonValue>> {
    const { static: name, content } = step as unknown as { static: string; content: string | null };
    await this.#cluster.setStatic(name, content);
    return {};
  }

  async #wait(step: NodeStep): Promise<Record<string, JsonValue>> {
    const {
      wait,
      until,
      gone,
      seconds = 60,
    } = step as unknown as {
      wait: string;
      until?: Record<string, JsonValue>;
      gone?: boolean;
      seconds?: number;
    };
    const holds = (): boolean =>
      gone === true
        ? this.#gone.has(wait)
        : Object.entries(until ?? {}).every(([path, wanted]) => fits(memberAt(this.#pods.get(wait), path), wanted));
    const reached = await new Promise<boolean>((resolve) => {
      const check = (): void => {
        if (holds()) end(true);
      };
      const end = (value: boolean): void => {
        clearTimeout(timer);
        this.#changed.splice(this.#changed.indexOf(check), 1);
        resolve(value);
      };
      const timer = setTimeout(() => end(false), seconds * 1000);
      this.#changed.push(check);
      check();
    });
    return { reached };
  }

  async #containerId(pod: string, container: string | undefined): Promise<string> {
    const { runtime } = this.#cluster;
    const name = container ?? this.#pods.get(pod)?.spec.containers?.[0]?.name ?? '';
    const filter = { labelSelector: { [podNameLabel]: pod, [containerNameLabel]: name } };
    const { containers = [] } = await runtime.listContainers({
      filter: { ...filter, state: { state: 'CONTAINER_RUNNING' } },
    });
    return containers[0]?.id ?? '';
  }

  async #exec(step: NodeStep): Promise<Record<string, JsonValue>> {
    const { exec, command, container } = step as unknown as { exec: string; command: string[]; container?: string };
    const containerId = await this.#containerId(exec, container);
    if (containerId === '') return { exitCode: 1 };
    const answer = await this.#cluster.runtime.execSync({ containerId, cmd: command, timeout: 30 });
    const stdout = Buffer.from(answer.stdout ?? []).toString();
    return { exitCode: answer.exitCode ?? 0, ...(stdout === '' ? {} : { stdout }) };
  }

  async #log(step: NodeStep): Promise<Record<string, JsonValue>> {
    const { log, query = {} } = step as unknown as { log: string; query?: { container?: string } };
    const { metadata, spec, status } = this.#pods.get(log)!;
    const name = query.container ?? spec.containers?.[0]?.name ?? '';
    const all = [
      ...(status.initContainerStatuses ?? []),
      ...(status.containerStatuses ?? []),
      ...(status.ephemeralContainerStatuses ?? []),
    ];
    const known = all.find((container) => container.name === name);
    if (known?.containerID === undefined) return { status: 400 };
    const uid = metadata.annotations?.[configHash] ?? metadata.uid;
    const directory = `${this.#cluster.logDirectory}/${namespace}_${log}_${uid}`;
    const file = `${directory}/${name}/${known.restartCount ?? 0}.log`;
    const wanted = step.got?.['body'];
    // A container that has just started has written nothing yet.
    for (let tries = 0; ; tries++) {
      const body = await readLog(file);
      if (body === wanted || tries === 10) return { status: 200, body };
      await new Promise((resolve) => setTimeout(resolve, pollMs));
    }
  }

  async #call(step: NodeStep): Promise<Record<string, JsonValue>> {
    const {
      call,
      method = 'GET',
      body,
      contentType,
    } = step as unknown as {
      call: string;
      method?: string;
      body?: JsonValue;
      contentType?: string;
    };
    const type = contentType ?? (method === 'PATCH' ? 'application/merge-patch+json' : 'application/json');
    const answer = await this.#cluster.client.request({
      method,
      path: call,
      headers: { 'content-type': type, accept: 'application/json' },
      ...(body === undefined ? {} : { body: Buffer.from(JSON.stringify(body)) }),
    });
    answer.end();
    return { status: answer.status };
  }

  #pod(step: NodeStep): Record<string, JsonValue> {
    const { pod, keep } = step as unknown as { pod: string; keep: string[] };
    const seen = this.#pods.get(pod);
    if (seen === undefined) return { absent: true };
    return Object.fromEntries(keep.map((path) => [path, (memberAt(seen, path) ?? null) as JsonValue]));
  }

  async #host(step: NodeStep): Promise<Record<string, JsonValue>> {
    const { host, pod } = step as unknown as { host: string; pod?: string };
    const { rootDirectory, logDirectory, workDirectory, sandbox } = this.#cluster;
    const env = {
      ...process.env,
      ROOT_DIR: rootDirectory,
      LOG_DIR: logDirectory,
      WORK: workDirectory,
      SOCKET: sandbox.socket,
      KUBECTL: `${toolPath('kubectl-1.32')} --kubeconfig ${this.#cluster.kubeconfigPath}`,
      UID_OF: this.#pods.get(pod ?? '')?.metadata.uid ?? '',
    };
    try {
      const { stdout } = await run('bash', ['-c', host], { env });
      return { exitCode: 0, stdout };
    } catch (error) {
      const { code = 1, stdout = '' } = error as { code?: number; stdout?: string };
      return { exitCode: code, stdout };
    }
  }

  /** Of the agent, in the order of their creation. */
  async events(names: readonly string[]): Promise<Map<string, RecordedEvent[]>> {
    const { items } = await this.#cluster.client.core.v1.events.namespace(namespace).list();
    const own = items.filter(({ source }) => source.component === 'kubelet');
    return new Map(
      names.map((name) => [
        name,
        own
          .filter(({ involvedObject }) => involvedObject.kind === 'Pod' && involvedObject.name === name)
          .map(({ type = '', reason = '', message = '', involvedObject }) => ({
            type,
            reason,
            message,
            ...(involvedObject.fieldPath === undefined ? {} : { on: involvedObject.fieldPath }),
          })),
      ]),
    );
  }

  async cleanUp(names: readonly string[]): Promise<void> {
    const pods = this.#cluster.client.core.v1.pods.namespace(namespace);
    for (const name of names) await pods.delete(name, { gracePeriodSeconds: 0 }).catch(() => undefined);
  }
}

/** The texts of a log in the format of CRI. */
async function readLog(file: string): Promise<string> {
  const text = await readFile(file, 'utf8').catch(() => '');
  return text
    .split('\n')
    .map((line) => {
      const [, part, content = ''] = /^\S+ \S+ ([FP])\S* ?(.*)$/.exec(line) ?? [];
      return part === 'F' ? `${content}\n` : content;
    })
    .join('');
}

function fits(found: unknown, wanted: JsonValue): boolean {
  if (wanted === null) return found === undefined;
  if (typeof wanted === 'object' && !Array.isArray(wanted)) {
    if ('min' in wanted) return Number(found) >= Number(wanted['min']);
    if ('has' in wanted) return JSON.stringify(found ?? '').includes(String(wanted['has']));
  }
  return JSON.stringify(found) === JSON.stringify(wanted);
}
