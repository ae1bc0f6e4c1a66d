/**
 * Reads what pods use and other numbers from the metrics APIs, which are served by programs beside the cluster.
 * @see {@link
 *   https://kubernetes.io/docs/tasks/run-application/horizontal-pod-autoscale/#support-for-metrics-apis | Metrics APIs}
 */
import type { CrossVersionObjectReference } from '../../api/gen/types/autoscaling-v2.ts';
import { isNotFound } from '../../client/api-error.ts';
import type { Client } from '../../client/index.ts';
import { readObjectAnswer, statusErrorOf } from '../../client/status-answer.ts';
import { parseDuration } from '../../machinery/duration.ts';
import { isObject, type JsonObject, type JsonValue } from '../../machinery/value.ts';
import { timeMs } from '../shared/pod-conditions.ts';
import { groupResource, type Scales } from '../shared/scales.ts';
import { milli, type PodMetric } from './usage.ts';

/** How long a number counts as measured that does not say so. */
const defaultWindowMs = 60_000;

export class MetricsClient {
  readonly #client: Client;
  readonly #scales: Scales;

  constructor(client: Client, scales: Scales) {
    this.#client = client;
    this.#scales = scales;
  }

  /** What pods use of a resource, or one of their containers. Pods that do not say it of each are left out. */
  async resource(
    resource: string,
    namespace: string,
    selector: string,
    container?: string,
  ): Promise<Map<string, PodMetric>> {
    const path = `/apis/metrics.k8s.io/v1beta1/namespaces/${encodeURIComponent(namespace)}/pods`;
    const items = await this.#items('resource', 'pods.metrics.k8s.io', path, { labelSelector: selector });
    const metrics = new Map<string, PodMetric>();
    for (const item of items) {
      const name = String((item['metadata'] as JsonObject)['name']);
      const containers = objects(item['containers']).filter((each) => !container || each['name'] === container);
      if (container !== undefined && containers.length === 0)
        throw new Error(`container ${container} not present in metrics for pod ${namespace}/${name}`);
      const values = containers.map(({ usage }) => (isObject(usage) ? usage[resource] : undefined));
      if (values.some((value) => value === undefined)) continue;
      const value = values.reduce<number>((sum, text) => sum + milli(text), 0);
      metrics.set(name, { value, timestampMs: timeOf(item), windowMs: windowOf(item) });
    }
    return metrics;
  }

  /** A number of each pod. */
  async ofPods(
    metric: string,
    namespace: string,
    selector: string,
    metricSelector: string,
  ): Promise<Map<string, PodMetric>> {
    const items = await this.#custom(namespace, `pods/*/${encodeURIComponent(metric)}`, {
      labelSelector: selector,
      metricLabelSelector: metricSelector,
    });
    return new Map(
      items.map((item) => {
        const name = String((item['describedObject'] as JsonObject)['name']);
        return [name, { value: milli(item['value']), timestampMs: timeOf(item), windowMs: windowOf(item) }];
      }),
    );
  }

  /** A number of one object, in thousandths. */
  async ofObject(
    metric: string,
    namespace: string,
    { apiVersion = 'v1', kind = '', name = '' }: CrossVersionObjectReference,
    metricSelector: string,
  ): Promise<number> {
    const query = { metricLabelSelector: metricSelector };
    const resource = groupResource(await this.#scales.resourceOf(apiVersion, kind));
    const part = kind === 'Namespace' ? 'metrics' : `${resource}/${encodeURIComponent(name)}`;
    const scope = kind === 'Namespace' ? name : namespace;
    const [item] = await this.#custom(scope, `${part}/${encodeURIComponent(metric)}`, query);
    return milli(item!['value']);
  }

  /** The numbers of something that is not in the cluster, in thousandths. */
  async external(metric: string, namespace: string, selector: string): Promise<number[]> {
    const path = `/apis/external.metrics.k8s.io/v1beta1/namespaces/${encodeURIComponent(namespace)}`;
    const name = `${metric}.external.metrics.k8s.io`;
    const query = { labelSelector: selector };
    const items = await this.#items('external', name, `${path}/${encodeURIComponent(metric)}`, query);
    return items.map(({ value }) => milli(value));
  }

  #custom(namespace: string, part: string, query: Query): Promise<JsonObject[]> {
    const path = `/apis/custom.metrics.k8s.io/v1beta2/namespaces/${encodeURIComponent(namespace)}/${part}`;
    const older = path.replace('/v1beta2/', '/v1beta1/');
    return this.#items('custom', 'custom.metrics.k8s.io', path, query).catch((error: unknown) => {
      if (!isNotFound((error as Error).cause)) throw error;
      return this.#items('custom', 'custom.metrics.k8s.io', older, query);
    });
  }

  async #items(api: string, name: string, path: string, query: Query): Promise<JsonObject[]> {
    let items: JsonObject[];
    try {
      items = await this.#read(path, query);
    } catch (error) {
      const { reason, code, message } = error as { reason?: string; code?: number; message: string };
      // Where nothing serves the API the answer is no Status.
      const isUnserved = code === 404 && (reason === '' || reason === undefined);
      const text = isUnserved ? `the server could not find the requested resource (get ${name})` : message;
      throw new Error(`unable to fetch metrics from ${api} metrics API: ${text}`, { cause: error });
    }
    if (items.length === 0) throw new Error(`no metrics returned from ${api} metrics API`);
    return items;
  }

  async #read(path: string, query: Query): Promise<JsonObject[]> {
    const parameters = new URLSearchParams(Object.entries(query).filter(([, value]) => value !== ''));
    const full = parameters.size === 0 ? path : `${path}?${parameters.toString()}`;
    const answer = await this.#client.request({ method: 'GET', path: full, headers: { accept: 'application/json' } });
    try {
      if (answer.status !== 200) throw await statusErrorOf(answer);
      return objects(((await readObjectAnswer(answer)) as JsonObject)['items']);
    } finally {
      answer.end();
    }
  }
}

type Query = Readonly<Record<string, string>>;

const objects = (value: JsonValue | undefined): JsonObject[] => (Array.isArray(value) ? value.filter(isObject) : []);

const timeOf = ({ timestamp }: JsonObject): number => (typeof timestamp === 'string' ? timeMs(timestamp) : 0);

function windowOf({ window, windowSeconds }: JsonObject): number {
  if (typeof windowSeconds === 'number') return windowSeconds * 1000;
  return typeof window === 'string' ? Number(parseDuration(window) / 1_000_000n) : defaultWindowMs;
}
