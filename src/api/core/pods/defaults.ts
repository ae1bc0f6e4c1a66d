/** What a pod gets when it does not say. Objects are changed in place. */
import type { Container, Pod, PodSpec } from '../../gen/types/core-v1.ts';
import { createMap } from '../../../machinery/value.ts';
import { roundResourceList } from '../resources/quantities.ts';
import { setContainerDefaults } from './container-defaults.ts';
import { statusLists } from './status-lists.ts';
import { setVolumeDefaults } from './volume-defaults.ts';

/** A pod itself gets more than the template of one: what templates leave open is decided when the pod is made. */
export function setPodDefaults(pod: Pod): void {
  const { spec } = pod;
  spec.enableServiceLinks ??= true;
  for (const list of ['containers', 'initContainers'] as const)
    spec[list]?.forEach((container) => setOwnDefaults(container, spec.hostNetwork === true));
  setPodSpecDefaults(spec);
  if (spec.terminationGracePeriodSeconds! < 0) spec.terminationGracePeriodSeconds = 1;
  dropInitContainerAnnotations(pod);
  setStatusDefaults(pod);
}

function setOwnDefaults({ resources, ports }: Container, hostNetwork: boolean): void {
  for (const name in resources.limits) {
    resources.requests ??= createMap();
    resources.requests[name] ??= resources.limits[name]!;
  }
  if (hostNetwork && ports !== undefined) for (const port of ports) port.hostPort ??= port.containerPort;
}

/** In pods and templates alike. */
export function setPodSpecDefaults(spec: PodSpec): void {
  spec.restartPolicy ??= 'Always';
  spec.dnsPolicy ??= 'ClusterFirst';
  spec.terminationGracePeriodSeconds ??= 30;
  spec.securityContext ??= {};
  spec.schedulerName ??= 'default-scheduler';
  setServiceAccount(spec);
  if (spec.volumes !== undefined) for (const volume of spec.volumes) setVolumeDefaults(volume);
  if (spec.initContainers !== undefined) for (const container of spec.initContainers) setContainerDefaults(container);
  if (spec.containers !== undefined) for (const container of spec.containers) setContainerDefaults(container);
  if (spec.ephemeralContainers !== undefined)
    for (const container of spec.ephemeralContainers) setContainerDefaults(container);
  roundResourceList(spec.overhead);
  if (spec.resources !== undefined) {
    roundResourceList(spec.resources.limits);
    roundResourceList(spec.resources.requests);
  }
}

/** `serviceAccount` is the former name of the field; the new one wins. */
function setServiceAccount(spec: PodSpec): void {
  const name = spec.serviceAccountName ?? spec.serviceAccount;
  if (name === undefined) return;
  spec.serviceAccountName = name;
  spec.serviceAccount = name;
}

const initContainerAnnotations = ['alpha', 'beta'].flatMap((stage) =>
  ['init-containers', 'init-container-statuses'].map((name) => `pod.${stage}.kubernetes.io/${name}`),
);

/** Very old clients sent init containers as annotations as well. */
export function dropInitContainerAnnotations({ metadata }: Pick<Pod, 'metadata'>): void {
  const { annotations } = metadata;
  if (annotations === undefined) return;
  for (const key of initContainerAnnotations) if (annotations[key] !== undefined) delete annotations[key];
}

/** `podIP` is the first of `podIPs`; where they differ the single one counts, which is what old nodes report. */
function setStatusDefaults({ status }: Pod): void {
  const { podIP, podIPs } = status;
  if (podIP === undefined) status.podIP = podIPs?.[0]?.ip;
  else if (podIPs?.[0]?.ip !== podIP) status.podIPs = [{ ip: podIP }];
  for (const list of statusLists) {
    status[list]?.forEach(({ allocatedResources, resources }) => {
      roundResourceList(allocatedResources);
      roundResourceList(resources?.limits);
      roundResourceList(resources?.requests);
    });
  }
}
