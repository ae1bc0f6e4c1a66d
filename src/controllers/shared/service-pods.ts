/** Which pods are behind a service, and how they are reached. */
import type { Pod, Service, ServicePort } from '../../api/gen/types/core-v1.ts';
import { requirementsOfMap } from '../../machinery/label-selector.ts';
import { isEqual } from '../../machinery/equal.ts';
import type { Trigger } from '../../reconcile/controller.ts';
import type { Informer } from '../../reconcile/informer.ts';
import type { Lister } from '../../reconcile/lister.ts';
import { isPodTerminal } from '../../api/core/pods/is-terminal.ts';
import { isPodReady } from './pod-conditions.ts';

export type IpFamily = 'IPv4' | 'IPv6';

export const headlessLabel = 'service.kubernetes.io/headless';

/** `None`, and for services of before there were cluster IPs also none. */
export const isHeadless = ({ spec }: Service): boolean =>
  spec?.clusterIP === undefined || spec.clusterIP === '' || spec.clusterIP === 'None';

export const familyOfIp = (ip: string): IpFamily => (ip.includes(':') ? 'IPv6' : 'IPv4');

/** Whether its endpoints follow from pods. */
export const hasSelector = ({ spec }: Service): boolean =>
  spec?.type !== 'ExternalName' && Object.keys(spec?.selector ?? {}).length > 0;

/** The families that the service is for; of an old service without the field, that of its cluster IP. */
export function familiesOf({ spec }: Service): readonly IpFamily[] {
  const families = spec?.ipFamilies as readonly IpFamily[] | undefined;
  if (families !== undefined && families.length > 0) return families;
  const ips = (spec?.clusterIPs ?? []).filter((ip) => ip !== 'None' && ip !== '');
  if (ips.length > 0) return [...new Set(ips.map(familyOfIp))];
  return isHeadless({ spec } as Service) ? ['IPv4', 'IPv6'] : [familyOfIp(spec!.clusterIP!)];
}

export const podIps = ({ status }: Pod): readonly string[] => {
  const ips = (status?.podIPs ?? []).flatMap(({ ip }) => (ip === undefined ? [] : [ip]));
  return ips.length > 0 || status?.podIP === undefined || status.podIP === '' ? ips : [status.podIP];
};

/** @param includeTerminating pods that are about to end may still answer */
export const mayHaveEndpoint = (pod: Pod, includeTerminating: boolean): boolean =>
  !isPodTerminal(pod) && podIps(pod).length > 0 && (includeTerminating || pod.metadata.deletionTimestamp === undefined);

/** The name that DNS gives the pod below its service. */
export const hostnameOf = ({ spec, metadata }: Pod, service: Service): string | undefined => {
  const { hostname = '', subdomain } = spec ?? {};
  const { name, namespace } = service.metadata;
  return hostname !== '' && subdomain === name && metadata.namespace === namespace ? hostname : undefined;
};

/** The port of the pod that a port of a service leads to; undefined where the pod has none of that name. */
export function targetPortOf(pod: Pod, { targetPort, port, protocol = 'TCP' }: ServicePort): number | undefined {
  if (typeof targetPort === 'number') return targetPort === 0 ? port : targetPort;
  if (targetPort === undefined || targetPort === '') return port;
  const sidecars = (pod.spec?.initContainers ?? []).filter(({ restartPolicy }) => restartPolicy === 'Always');
  for (const { ports = [] } of [...(pod.spec?.containers ?? []), ...sidecars])
    for (const found of ports)
      if (found.name === targetPort && (found.protocol ?? 'TCP') === protocol) return found.containerPort;
  return undefined;
}

export const podsOf = (pods: Lister<Pod>, { metadata, spec }: Service): Pod[] =>
  pods.listIn(metadata.namespace!, requirementsOfMap(spec?.selector));

/** The index of services by one label that their pods must have. */
const selectorIndex = 'selector-label';

/**
 * Wakes the services that select a pod when the pod changed in what matters to them. It looks at services of one label
 * of the pod, and not at all services.
 * @param delayMs in which further changes are awaited
 */
export function servicesOfPods(services: Informer<Service>, pods: Informer<Pod>, delayMs: number): Trigger {
  if (!services.objects.hasIndex(selectorIndex)) services.addIndexers({ [selectorIndex]: selectorKeys });
  return {
    attach(add) {
      const wake = (found: ReadonlySet<string>): void => {
        for (const key of found) add(key, delayMs);
      };
      const registration = pods.addHandler({
        onAdd: (pod) => wake(serviceKeys(services, pod)),
        onDelete: (pod) => wake(serviceKeys(services, pod)),
        onUpdate(before, after) {
          const isRelabelled =
            before.metadata.labels !== after.metadata.labels && !isEqual(before.metadata.labels, after.metadata.labels);
          if (!isRelabelled && !isEndpointChanged(before, after)) return;
          const found = serviceKeys(services, after);
          wake(isRelabelled ? new Set([...serviceKeys(services, before), ...found]) : found);
        },
      });
      return () => registration.remove();
    },
    untilSynced: (signal) => pods.untilSynced(signal),
  };
}

function selectorKeys({ metadata, spec }: Service): string[] {
  const [first] = Object.entries(spec?.selector ?? {});
  return first === undefined ? [] : [`${metadata.namespace}/${first[0]}=${first[1]}`];
}

function serviceKeys(services: Informer<Service>, { metadata }: Pod): Set<string> {
  const keys = new Set<string>();
  const { labels = {}, namespace } = metadata;
  for (const [name, value] of Object.entries(labels))
    for (const service of services.objects.byIndex(selectorIndex, `${namespace}/${name}=${value}`))
      if (isSelected(service.spec!.selector!, labels)) keys.add(services.keyOf(service));
  return keys;
}

const isSelected = (selector: Readonly<Record<string, string>>, labels: Readonly<Record<string, string>>): boolean =>
  Object.entries(selector).every(([name, value]) => labels[name] === value);

const isEndpointChanged = (before: Pod, after: Pod): boolean =>
  before === after ||
  before.metadata.deletionTimestamp !== after.metadata.deletionTimestamp ||
  before.spec?.nodeName !== after.spec?.nodeName ||
  before.spec?.hostname !== after.spec?.hostname ||
  before.spec?.subdomain !== after.spec?.subdomain ||
  isPodReady(before) !== isPodReady(after) ||
  isPodTerminal(before) !== isPodTerminal(after) ||
  podIps(before).join() !== podIps(after).join();
