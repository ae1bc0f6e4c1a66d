/** What each metric of an autoscaler leads to: a number of pods, and what is shown of the metric. */
import type { MetricIdentifier, MetricSpec, MetricStatus } from '../../api/gen/types/autoscaling-v2.ts';
import type { LabelSelector } from '../../api/gen/types/meta-v1.ts';
import type { Pod } from '../../api/gen/types/core-v1.ts';
import { selectorText } from '../../machinery/label-selector-text.ts';
import { requirementsOf } from '../../machinery/label-selector.ts';
import { Quantity } from '../../machinery/quantity.ts';
import { shownSelector } from '../shared/shown-selector.ts';
import { SpecError } from './metrics.ts';
import type { MetricsClient } from './metrics-client.ts';
import {
  milli,
  type PodMetrics,
  replicasByAverage,
  replicasByRatio,
  replicasByShare,
  replicasByUtilization,
  requestsOf,
  type UsageInput,
  type UsageOptions,
} from './usage.ts';

export interface MetricInput {
  readonly namespace: string;
  readonly selector: string;
  readonly pods: readonly Pod[];
  readonly specReplicas: number;
  readonly statusReplicas: number;
  readonly options: UsageOptions;
  readonly nowMs: number;
}

export interface MetricProposal {
  readonly replicas: number;
  readonly name: string;
  readonly status: MetricStatus;
}

/** A metric that says nothing: the autoscaler goes by the others. */
export class MetricError extends Error {
  override readonly name: string = 'MetricError';
  readonly reason: string;
  /** Without what it is told beside. */
  readonly detail: string;

  constructor(reason: string, detail: string, message = detail, options?: ErrorOptions) {
    super(message, options);
    this.reason = reason;
    this.detail = detail;
  }
}

/** Rejects with a `MetricError`. */
export function proposalOf(metric: MetricSpec, client: MetricsClient, input: MetricInput): Promise<MetricProposal> {
  const { type, resource, containerResource, pods, object, external } = metric;
  switch (type) {
    case 'Resource':
      return told('FailedGetResourceMetric', `failed to get ${resource!.name} resource metric value`, () =>
        ofResource(resource!, undefined, client, input),
      );
    case 'ContainerResource':
      return told(
        'FailedGetContainerResourceMetric',
        `failed to get ${containerResource!.container} container metric value`,
        () => ofResource(containerResource!, containerResource!.container, client, input),
      );
    case 'Pods':
      return told('FailedGetPodsMetric', 'failed to get pods metric value', () => ofPods(pods!, client, input));
    case 'Object':
      return told('FailedGetObjectMetric', 'failed to get object metric value', () => ofObject(object!, client, input));
    case 'External':
      return told('FailedGetExternalMetric', `failed to get ${external!.metric.name} external metric value`, () =>
        ofExternal(external!, client, input),
      );
    default:
      return told('InvalidMetricSourceType', '', () => {
        throw new SpecError(`unknown metric source type "${type}"`);
      });
  }
}

async function told(reason: string, prefix: string, work: () => Promise<MetricProposal>): Promise<MetricProposal> {
  try {
    return await work();
  } catch (error) {
    const { message } = error as Error;
    throw new MetricError(reason, message, prefix === '' ? message : `${prefix}: ${message}`, { cause: error });
  }
}

async function prefixed<T>(prefix: string, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    throw new Error(`${prefix}: ${(error as Error).message}`, { cause: error });
  }
}

const usageInput = (input: MetricInput, metrics: PodMetrics, isCpu: boolean): UsageInput => ({
  ...{
    pods: input.pods,
    metrics,
    currentReplicas: input.specReplicas,
    options: input.options,
    nowMs: input.nowMs,
    isCpu,
  },
});

const quantity = (milliValue: number): string => new Quantity(BigInt(Math.trunc(milliValue)), -3).toString();

async function ofResource(
  { name = '', target }: NonNullable<MetricSpec['resource']>,
  container: string | undefined,
  client: MetricsClient,
  input: MetricInput,
): Promise<MetricProposal> {
  const { averageValue, averageUtilization } = target;
  if (averageValue === undefined && averageUtilization === undefined)
    throw new SpecError(
      'invalid resource metric source: neither an average utilization nor an average value target was set',
    );
  const { replicas, average, utilization } = await prefixed(
    `failed to get ${name} ${averageValue === undefined ? 'utilization' : 'usage'}`,
    async () => {
      const metrics = await prefixed(`unable to get metrics for resource ${name}`, () =>
        client.resource(name, input.namespace, input.selector, container),
      );
      const usage = usageInput(input, metrics, name === 'cpu');
      return averageValue === undefined
        ? replicasByUtilization(usage, averageUtilization!, requestsOf(input.pods, name, container))
        : replicasByAverage(usage, milli(averageValue));
    },
  );
  const current = {
    averageValue: quantity(average),
    ...(utilization === undefined ? {} : { averageUtilization: utilization }),
  };
  const of = utilization === undefined ? '' : ' utilization (percentage of request)';
  return container === undefined
    ? { replicas, name: `${name} resource${of}`, status: { type: 'Resource', resource: { name, current } } }
    : {
        replicas,
        name: `${name} container resource${of}`,
        status: { type: 'ContainerResource', containerResource: { name, container, current } },
      };
}

async function ofPods(
  { metric, target }: NonNullable<MetricSpec['pods']>,
  client: MetricsClient,
  input: MetricInput,
): Promise<MetricProposal> {
  const metrics = await prefixed(`unable to get metric ${metric.name}`, () =>
    client.ofPods(metric.name!, input.namespace, input.selector, textOf(metric.selector)),
  );
  const { replicas, average } = replicasByAverage(usageInput(input, metrics, false), milli(target.averageValue));
  const current = { averageValue: quantity(average) };
  return { replicas, name: `pods metric ${metric.name}`, status: { type: 'Pods', pods: { metric, current } } };
}

async function ofObject(
  { describedObject, metric, target }: NonNullable<MetricSpec['object']>,
  client: MetricsClient,
  input: MetricInput,
): Promise<MetricProposal> {
  const { kind, name } = describedObject;
  const value = await client
    .ofObject(metric.name!, input.namespace, describedObject, textOf(metric.selector))
    .catch((error: unknown) => {
      const where = `${kind} on ${input.namespace} ${name}`;
      throw new Error(`unable to get metric ${metric.name}: ${where}/${(error as Error).message}`, { cause: error });
    });
  const { replicas, current } = byNumber(value, target, input);
  const title = target.type === 'Value' ? `${kind} metric ${metric.name}` : shownExternal(metric);
  return { replicas, name: title, status: { type: 'Object', object: { describedObject, metric, current } } };
}

async function ofExternal(
  { metric, target }: NonNullable<MetricSpec['external']>,
  client: MetricsClient,
  input: MetricInput,
): Promise<MetricProposal> {
  const { namespace } = input;
  const values = await prefixed(
    `unable to get external metric ${namespace}/${metric.name}/${shownSelector(metric.selector)}`,
    () => client.external(metric.name!, namespace, textOf(metric.selector)),
  );
  const value = values.reduce((sum, each) => sum + each, 0);
  const { replicas, current } = byNumber(value, target, input);
  return { replicas, name: shownExternal(metric), status: { type: 'External', external: { metric, current } } };
}

function byNumber(
  value: number,
  { averageValue, value: whole }: { readonly averageValue?: string; readonly value?: string },
  { specReplicas, statusReplicas, pods, options: { tolerance } }: MetricInput,
): { readonly replicas: number; readonly current: { value?: string; averageValue?: string } } {
  if (averageValue !== undefined) {
    const replicas = replicasByShare(value, milli(averageValue), statusReplicas, tolerance);
    return { replicas, current: { averageValue: quantity(Math.ceil(value / Math.max(1, statusReplicas))) } };
  }
  if (whole === undefined)
    throw new SpecError('invalid metric source: neither a value target nor an average value target was set');
  const replicas = replicasByRatio(value / milli(whole), specReplicas, pods, tolerance);
  return { replicas, current: { value: quantity(value) } };
}

const textOf = (selector: LabelSelector | undefined): string =>
  selector === undefined ? '' : selectorText(requirementsOf(selector));

const shownExternal = ({ name, selector }: MetricIdentifier): string =>
  `external metric ${name}(${shownSelector(selector)})`;
