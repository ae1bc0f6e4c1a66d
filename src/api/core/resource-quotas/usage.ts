/**
 * What an object counts against the quotas of its namespace.
 * @see {@link https://kubernetes.io/docs/concepts/policy/resource-quotas/ | Resource Quotas}
 */
import type { PersistentVolumeClaim, Pod, Service } from '../../gen/types/core-v1.ts';
import { isPodTerminal } from '../pods/is-terminal.ts';
import { hasPodLevelResources, podLimits, podRequests } from '../pods/pod-requests.ts';
import type { PodResourcesOptions } from '../pods/pod-requests.ts';
import { quantityOf } from '../resources/quantities.ts';
import type { KubeObject } from '../../../machinery/object-meta.ts';
import type { Quantity } from '../../../machinery/quantity.ts';

export type Usage = Map<string, Quantity>;

/** Counted under their plain name as well, as before `count/` was there. */
const legacyNames: ReadonlySet<string> = new Set(['configmaps', 'secrets', 'replicationcontrollers', 'resourcequotas']);

export function usageOf(group: string, resource: string, object: KubeObject, options: PodResourcesOptions): Usage {
  const usage: Usage = new Map([[countName(group, resource), quantityOf('1')]]);
  if (group !== '') return usage;
  if (resource === 'pods') addPod(usage, object as Pod, options);
  else if (resource === 'services') addService(usage, object as Service);
  else if (resource === 'persistentvolumeclaims') addClaim(usage, object as PersistentVolumeClaim);
  else if (legacyNames.has(resource)) usage.set(resource, quantityOf('1'));
  return usage;
}

const podCounts = /^(pods|((requests|limits)\.)?(cpu|memory|ephemeral-storage)|(requests\.)?hugepages-.*)$/;
const serviceCounts = /^services(\.nodeports|\.loadbalancers)?$/;
const claimCounts = /^(.*\.storageclass\.storage\.k8s\.io\/)?(persistentvolumeclaims|requests\.storage)$/;

/** Whether objects of this resource can count under this name of a quota; not each of them does. */
export function countsAs(group: string, resource: string, name: string): boolean {
  if (name === countName(group, resource)) return true;
  if (group !== '') return false;
  switch (resource) {
    case 'pods':
      return podCounts.test(name) || (name.startsWith('requests.') && !isNative(name));
    case 'services':
      return serviceCounts.test(name);
    case 'persistentvolumeclaims':
      return claimCounts.test(name);
    default:
      return legacyNames.has(resource) && name === resource;
  }
}

/** The name under which objects are counted by number: `count/deployments.apps`. */
export const countName = (group: string, resource: string): string =>
  `count/${group === '' ? resource : `${resource}.${group}`}`;

const standard: ReadonlySet<string> = new Set(['cpu', 'memory', 'ephemeral-storage']);
const isNative = (name: string): boolean => !name.includes('/') || name.includes('kubernetes.io/');

/** The names under which requests and limits are counted. */
function computeNames<Amount>(
  requests: Iterable<readonly [string, Amount]>,
  limits: Iterable<readonly [string, Amount]>,
): [string, Amount][] {
  return [
    ...[...requests].flatMap(([name, amount]): [string, Amount][] => {
      if (standard.has(name) || name.startsWith('hugepages-'))
        return [
          [name, amount],
          [`requests.${name}`, amount],
        ];
      return isNative(name) ? [] : [[`requests.${name}`, amount]];
    }),
    ...[...limits].flatMap(([name, amount]): [string, Amount][] =>
      standard.has(name) ? [[`limits.${name}`, amount]] : [],
    ),
  ];
}

/**
 * Whether the pod uses something: one that is over does not, nor one that should have ended by now, such as on a node
 * that is lost.
 *
 * @param nowMs since 1970; such pods count when absent
 */
export function isCharged(pod: Pod, nowMs?: number): boolean {
  if (isPodTerminal(pod)) return false;
  if (nowMs === undefined) return true;
  const { deletionTimestamp, deletionGracePeriodSeconds } = pod.metadata;
  if (deletionTimestamp === undefined || deletionGracePeriodSeconds === undefined) return true;
  return nowMs <= Date.parse(deletionTimestamp) + Number(deletionGracePeriodSeconds) * 1000;
}

function addPod(usage: Usage, pod: Pod, options: PodResourcesOptions): void {
  if (!isCharged(pod)) return;
  usage.set('pods', quantityOf('1'));
  for (const [name, amount] of computeNames(podRequests(pod, options), podLimits(pod, options)))
    usage.set(name, amount);
}

function addService(usage: Usage, { spec }: Service): void {
  const ports = spec?.ports ?? [];
  const withNodePort =
    spec?.type === 'LoadBalancer' && spec.allocateLoadBalancerNodePorts === false
      ? ports.filter(({ nodePort = 0 }) => nodePort !== 0)
      : ports;
  const hasNodePorts = spec?.type === 'NodePort' || spec?.type === 'LoadBalancer';
  usage.set('services', quantityOf('1'));
  usage.set('services.nodeports', quantityOf(String(hasNodePorts ? withNodePort.length : 0)));
  usage.set('services.loadbalancers', quantityOf(spec?.type === 'LoadBalancer' ? '1' : '0'));
}

function addClaim(usage: Usage, { metadata, spec }: PersistentVolumeClaim): void {
  const size = spec.resources?.requests?.['storage'];
  const className = metadata.annotations?.['volume.beta.kubernetes.io/storage-class'] ?? spec.storageClassName ?? '';
  for (const prefix of ['', ...(className === '' ? [] : [`${className}.storageclass.storage.k8s.io/`])]) {
    usage.set(`${prefix}persistentvolumeclaims`, quantityOf('1'));
    if (size !== undefined) usage.set(`${prefix}requests.storage`, quantityOf(size));
  }
}

const mustBeSaid: ReadonlySet<string> = new Set([
  'cpu',
  'memory',
  'requests.cpu',
  'requests.memory',
  'limits.cpu',
  'limits.memory',
]);

/** `requests.cpu for: a,b`: what a quota counts and containers leave open; empty when nothing is missing. */
export function missingOf({ spec }: Pod, counted: readonly string[], { podLevel }: PodResourcesOptions): string {
  if (podLevel && hasPodLevelResources(spec)) return '';
  const containers = [...(spec.containers ?? []), ...(spec.initContainers ?? [])].map(({ name = '', resources }) => ({
    name,
    said: new Set(
      computeNames(Object.entries(resources?.requests ?? {}), Object.entries(resources?.limits ?? {})).map(
        ([said]) => said,
      ),
    ),
  }));
  return counted
    .filter((name) => mustBeSaid.has(name))
    .sort()
    .flatMap((name) => {
      const silent = containers
        .filter(({ said }) => !said.has(name))
        .map((container) => container.name)
        .sort();
      return silent.length === 0 ? [] : [`${name} for: ${silent.join(',')}`];
    })
    .join('; ');
}
