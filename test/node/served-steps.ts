/** Steps of recordings that go to the port of the agent, by itself or by way of the API server. */
import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import type { JsonValue } from '../../src/machinery/value.ts';
import { askDaemon } from '../support/ask-daemon.ts';
import { toolPath } from '../../hack/lib/test-tools.mjs';
import { memberAt } from './member-at.ts';
import { namespace, type NodeCluster } from './node-cluster.ts';
import type { NodeStep } from './recording.ts';

type Got = Record<string, JsonValue>;

const commandTimeoutMs = 60_000;

export class ServedSteps {
  readonly #cluster: NodeCluster;

  constructor(cluster: NodeCluster) {
    this.#cluster = cluster;
  }

  exec(step: NodeStep): Promise<Got> {
    const { exec, command, container, stdin } = step as unknown as {
      exec: string;
      command: string[];
      container?: string;
      stdin?: string;
    };
    const flags = [...(container === undefined ? [] : ['-c', container]), ...(stdin === undefined ? [] : ['-i'])];
    return this.#kubectl(['exec', ...flags, exec, '--', ...command], stdin, true);
  }

  kubectl(step: NodeStep): Promise<Got> {
    return this.#kubectl(step['kubectl'] as string[], undefined, false);
  }

  /** @param leavesOut an empty output is not in what was got */
  async #kubectl(args: readonly string[], stdin: string | undefined, leavesOut: boolean): Promise<Got> {
    const argv = ['--kubeconfig', this.#cluster.kubeconfigPath, '-n', namespace, ...args];
    const running = promisify(execFile)(toolPath('kubectl-1.32'), argv, { timeout: commandTimeoutMs });
    running.child.stdin?.end(stdin ?? '');
    const { code, stdout, stderr } = await running.then(
      (done) => ({ code: 0, ...done }),
      (error: unknown) => error as { code: number; stdout: string; stderr: string },
    );
    const shown = (name: string, text: string): Got => (leavesOut && text === '' ? {} : { [name]: text });
    return { exitCode: code, ...shown('stdout', stdout), ...shown('stderr', stderr) };
  }

  async log(step: NodeStep): Promise<Got> {
    const { log, query = {} } = step as unknown as { log: string; query?: Record<string, string | number> };
    const asked = new URLSearchParams(
      Object.entries(query).map(([name, value]): [string, string] => [name, String(value)]),
    );
    return this.#ask(`/api/v1/namespaces/${namespace}/pods/${log}/log?${asked.toString()}`);
  }

  async call(step: NodeStep): Promise<Got> {
    const {
      call,
      method = 'GET',
      body,
      keep,
    } = step as unknown as {
      call: string;
      method?: string;
      body?: JsonValue;
      keep: string[];
    };
    const answer = await this.#ask(call, method, body);
    const kept = keep.map((path) => [path, (memberAt(answer['body'], path) ?? null) as JsonValue]);
    return { status: answer['status']!, body: Object.fromEntries(kept) as JsonValue };
  }

  async #ask(path: string, method = 'GET', body?: JsonValue): Promise<{ status: number; body: JsonValue }> {
    const type = method === 'PATCH' ? 'application/merge-patch+json' : 'application/json';
    const answer = await this.#cluster.client.request({
      method,
      path,
      headers: { accept: 'application/json', 'content-type': type },
      ...(body === undefined ? {} : { body: Buffer.from(JSON.stringify(body)) }),
    });
    const chunks: Buffer[] = [];
    for await (const chunk of answer.body) chunks.push(Buffer.from(chunk));
    answer.end();
    return { status: answer.status, body: parsed(Buffer.concat(chunks).toString()) };
  }

  async kubelet(step: NodeStep): Promise<Got> {
    const {
      kubelet,
      method = 'GET',
      body,
      got,
    } = step as unknown as {
      kubelet: string;
      method?: string;
      body?: string;
      got: Got;
    };
    const { port, certificate } = this.#cluster;
    const sent = method === 'GET' || body === undefined ? {} : { body };
    const answer = await askDaemon(port!, kubelet, { certificate, method, ...sent });
    return {
      status: answer.status,
      contentType: answer.type ?? null,
      ...('body' in got ? { body: parsed(answer.text) } : {}),
      ...('shape' in got ? { shape: shapeOf(JSON.parse(answer.text) as JsonValue) } : {}),
      ...('families' in got ? { families: familiesOf(answer.text) } : {}),
    };
  }
}

function parsed(text: string): JsonValue {
  try {
    return text.startsWith('{') ? (JSON.parse(text) as JsonValue) : text;
  } catch {
    return text;
  }
}

/** Rates come with the second reading, and the agent of a test has a control group of its own. */
export const isOfTest = (name: string): boolean => name === 'usageNanoCores' || name === 'cgroupRoot';

/** Members without their values; items of a list that look the same are one. */
export function shapeOf(value: JsonValue): JsonValue {
  if (Array.isArray(value)) {
    const shapes = new Map(value.map((item) => [JSON.stringify(shapeOf(item)), shapeOf(item)]));
    return [...shapes.values()];
  }
  if (value === null) return 'NoneType';
  if (typeof value === 'object')
    return Object.fromEntries(
      Object.entries(value).flatMap(([name, member]) => (isOfTest(name) ? [] : [[name, shapeOf(member ?? null)]])),
    );
  if (typeof value === 'string') return 'str';
  if (typeof value === 'boolean') return 'bool';
  return Number.isInteger(value) ? 'int' : 'float';
}

interface FamilyShape {
  readonly type: string;
  readonly labels: Set<string>;
  samples: number;
}

/** Types and names of labels, by name of the family. One without a sample has null for labels. */
export function familiesOf(text: string): Record<string, { type: string; labels: string[] | null }> {
  const families = new Map<string, FamilyShape>();
  let current: FamilyShape | undefined;
  for (const line of text.split('\n')) {
    const [, name = '', type = ''] = /^# TYPE (\S+) (\S+)$/.exec(line) ?? [];
    if (name !== '') families.set(name, (current = { type, labels: new Set(), samples: 0 }));
    if (line === '' || line.startsWith('#') || current === undefined) continue;
    current.samples++;
    for (const [, label = ''] of line.matchAll(/[{,]([a-z_A-Z]\w*)="/g)) current.labels.add(label);
  }
  return Object.fromEntries(
    [...families].map(([name, { type, labels, samples }]) => [
      name,
      { type, labels: samples === 0 ? null : [...labels].sort() },
    ]),
  );
}
