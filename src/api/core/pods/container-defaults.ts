import type { LifecycleHandler, Probe } from '../../gen/types/core-v1.ts';
import { roundResourceList } from '../resources/quantities.ts';
import type { AnyContainer } from './container-list.ts';
import { defaultPullPolicy } from './pull-policy.ts';

/** Every kind of container. */
export function setContainerDefaults(container: AnyContainer): void {
  container.imagePullPolicy ??= defaultPullPolicy(container.image ?? '');
  container.terminationMessagePath ??= '/dev/termination-log';
  container.terminationMessagePolicy ??= 'File';
  const { ports, env, resources, livenessProbe, readinessProbe, startupProbe, lifecycle } = container;
  if (ports !== undefined) for (const port of ports) port.protocol ??= 'TCP';
  if (env !== undefined)
    for (const { valueFrom } of env) if (valueFrom?.fieldRef !== undefined) valueFrom.fieldRef.apiVersion ??= 'v1';
  roundResourceList(resources.limits);
  roundResourceList(resources.requests);
  if (livenessProbe !== undefined) setProbeDefaults(livenessProbe);
  if (readinessProbe !== undefined) setProbeDefaults(readinessProbe);
  if (startupProbe !== undefined) setProbeDefaults(startupProbe);
  if (lifecycle === undefined) return;
  setHandlerDefaults(lifecycle.postStart);
  setHandlerDefaults(lifecycle.preStop);
}

function setProbeDefaults(probe: Probe): void {
  probe.timeoutSeconds ??= 1;
  probe.periodSeconds ??= 10;
  probe.successThreshold ??= 1;
  probe.failureThreshold ??= 3;
  setHandlerDefaults(probe);
  if (probe.grpc !== undefined) probe.grpc.service ??= '';
}

function setHandlerDefaults(handler: Pick<LifecycleHandler, 'httpGet'> | undefined): void {
  const httpGet = handler?.httpGet;
  if (httpGet === undefined) return;
  httpGet.path ??= '/';
  httpGet.scheme ??= 'HTTP';
}
