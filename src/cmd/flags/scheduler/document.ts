/**
 * What a KubeSchedulerConfiguration says of the process: how it reaches the API server, how it becomes the leader. How
 * pods are scheduled is read by the scheduler.
 * @see {@link https://kubernetes.io/docs/reference/config-api/kube-scheduler-config.v1/ | kube-scheduler Configuration
 *   (v1)}
 */
import { isObject, type JsonObject, type JsonValue } from '../../../machinery/value.ts';
import { parseYaml } from '../../../machinery/json/yaml.ts';
import { formatDuration, parseDuration } from '../duration.ts';
import type { ClientConnectionOptions } from '../shared/client-connection.ts';
import type { LeaderElectionOptions } from '../shared/leader-election.ts';
import { schedulerLocks } from './table.ts';

export interface ComponentSettings {
  readonly client: Omit<ClientConnectionOptions, 'master'>;
  readonly leaderElection: LeaderElectionOptions;
  readonly enableProfiling: boolean;
  readonly enableContentionProfiling: boolean;
  readonly parallelism: number;
  /** The rest: how pods are scheduled. */
  readonly scheduling: JsonObject;
}

export const apiVersion = 'kubescheduler.config.k8s.io/v1';
export const kind = 'KubeSchedulerConfiguration';

/** What the members of a document are when they are absent. */
export const defaultComponent: ComponentSettings = {
  client: {
    kubeconfig: undefined,
    qps: 50,
    burst: 100,
    contentType: 'application/vnd.kubernetes.protobuf',
  },
  leaderElection: {
    leaderElect: true,
    leaseDurationMs: 15_000,
    renewDeadlineMs: 10_000,
    retryPeriodMs: 2000,
    resourceLock: 'leases',
    resourceName: schedulerLocks.original.name,
    resourceNamespace: schedulerLocks.original.namespace,
  },
  enableProfiling: true,
  enableContentionProfiling: true,
  parallelism: 16,
  scheduling: {},
};

/** Throws for what is no such document, with every problem there is. */
export function parseComponent(text: string): ComponentSettings {
  const { value, problems } = parseYaml(text);
  if (problems.length > 0) throw new Error(problems.join(', '));
  if (!isObject(value)) throw new Error('the document is no object');
  if (value['apiVersion'] !== apiVersion || value['kind'] !== kind)
    throw new Error(
      `no kind ${JSON.stringify(value['kind'] ?? '')} is registered for version ` +
        `${JSON.stringify(value['apiVersion'] ?? '')}: there is ${kind} of ${apiVersion}`,
    );
  const fields = new Fields(value, '');
  const client = fields.object('clientConnection');
  const election = fields.object('leaderElection');
  const own = defaultComponent;
  const settings: ComponentSettings = {
    client: {
      kubeconfig: client.text('kubeconfig', '') || undefined,
      qps: client.number('qps', own.client.qps) || own.client.qps,
      burst: client.number('burst', own.client.burst) || own.client.burst,
      contentType: client.text('contentType', '') || own.client.contentType,
    },
    leaderElection: {
      leaderElect: election.bool('leaderElect', own.leaderElection.leaderElect),
      leaseDurationMs: election.duration('leaseDuration', own.leaderElection.leaseDurationMs),
      renewDeadlineMs: election.duration('renewDeadline', own.leaderElection.renewDeadlineMs),
      retryPeriodMs: election.duration('retryPeriod', own.leaderElection.retryPeriodMs),
      resourceLock: election.text('resourceLock', '') || own.leaderElection.resourceLock,
      resourceName: election.text('resourceName', '') || own.leaderElection.resourceName,
      resourceNamespace: election.text('resourceNamespace', '') || own.leaderElection.resourceNamespace,
    },
    enableProfiling: fields.bool('enableProfiling', own.enableProfiling),
    enableContentionProfiling: fields.bool('enableContentionProfiling', own.enableContentionProfiling),
    parallelism: fields.number('parallelism', own.parallelism),
    scheduling: fields.rest([...componentFields, 'apiVersion', 'kind']),
  };
  client.known(['kubeconfig', 'qps', 'burst', 'contentType', 'acceptContentTypes']);
  election.known([
    'leaderElect',
    'leaseDuration',
    'renewDeadline',
    'retryPeriod',
    'resourceLock',
    'resourceName',
    'resourceNamespace',
  ]);
  const wrong = [...fields.problems, ...client.problems, ...election.problems];
  if (settings.parallelism <= 0)
    wrong.push(`parallelism: Invalid value: ${settings.parallelism}: should be an integer value greater than zero`);
  if (wrong.length > 0) throw new Error(wrong.join(', '));
  return settings;
}

const componentFields = [
  'clientConnection',
  'leaderElection',
  'enableProfiling',
  'enableContentionProfiling',
  'parallelism',
];

/** The document that says the same, with all that was left out. */
export const formatComponent = ({ client, leaderElection, ...settings }: ComponentSettings): JsonObject => ({
  apiVersion,
  clientConnection: {
    acceptContentTypes: '',
    burst: client.burst,
    contentType: client.contentType,
    kubeconfig: client.kubeconfig ?? '',
    qps: client.qps,
  },
  enableContentionProfiling: settings.enableContentionProfiling,
  enableProfiling: settings.enableProfiling,
  kind,
  leaderElection: {
    leaderElect: leaderElection.leaderElect,
    leaseDuration: formatDuration(leaderElection.leaseDurationMs),
    renewDeadline: formatDuration(leaderElection.renewDeadlineMs),
    resourceLock: leaderElection.resourceLock,
    resourceName: leaderElection.resourceName,
    resourceNamespace: leaderElection.resourceNamespace,
    retryPeriod: formatDuration(leaderElection.retryPeriodMs),
  },
  parallelism: settings.parallelism,
  podInitialBackoffSeconds: 1,
  podMaxBackoffSeconds: 10,
  percentageOfNodesToScore: 0,
  profiles: [{ schedulerName: 'default-scheduler' }],
  ...settings.scheduling,
});

/** Members of an object, by their types. */
class Fields {
  readonly #value: JsonObject;
  readonly #path: string;
  readonly problems: string[] = [];

  constructor(value: JsonObject, path: string) {
    this.#value = value;
    this.#path = path;
  }

  object(name: string): Fields {
    const value = this.#value[name];
    if (value === undefined || value === null) return new Fields({}, this.#pathOf(name));
    if (isObject(value)) return new Fields(value, this.#pathOf(name));
    this.#expected(name, 'an object', value);
    return new Fields({}, this.#pathOf(name));
  }

  text(name: string, usual: string): string {
    return this.#typed(name, usual, 'a text', (value): value is string => typeof value === 'string');
  }

  number(name: string, usual: number): number {
    return Number(this.#typed(name, usual, 'a number', (value): value is number => /number|bigint/.test(typeof value)));
  }

  bool(name: string, usual: boolean): boolean {
    return this.#typed(name, usual, 'true or false', (value): value is boolean => typeof value === 'boolean');
  }

  duration(name: string, usualMs: number): number {
    const text = this.text(name, formatDuration(usualMs));
    try {
      return parseDuration(text);
    } catch (error) {
      this.problems.push(`${this.#pathOf(name)}: ${(error as Error).message}`);
      return usualMs;
    }
  }

  /** Others are problems. */
  known(names: readonly string[]): void {
    for (const name of Object.keys(this.rest(names))) this.problems.push(`unknown field "${this.#pathOf(name)}"`);
  }

  rest(names: readonly string[]): JsonObject {
    return Object.fromEntries(Object.entries(this.#value).filter(([name]) => !names.includes(name)));
  }

  #typed<T>(name: string, usual: T, what: string, is: (value: unknown) => value is T): T {
    const value: unknown = this.#value[name];
    if (value === undefined || value === null) return usual;
    if (is(value)) return value;
    this.#expected(name, what, value as JsonValue);
    return usual;
  }

  #expected(name: string, what: string, value: JsonValue): void {
    this.problems.push(`${this.#pathOf(name)}: Invalid value: ${JSON.stringify(value)}: must be ${what}`);
  }

  #pathOf(name: string): string {
    return this.#path === '' ? name : `${this.#path}.${name}`;
  }
}
