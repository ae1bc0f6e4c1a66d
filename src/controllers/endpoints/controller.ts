/**
 * Keeps the Endpoints of services with a selector.
 * @see {@link https://kubernetes.io/docs/concepts/services-networking/service/#endpoints | Endpoints}
 */
import type { Endpoints, Service } from '../../api/gen/types/core-v1.ts';
import { isForbidden } from '../../client/api-error.ts';
import { undefinedWhenGone } from '../../client/undefined-when-gone.ts';
import { changesOf, type Trigger } from '../../reconcile/controller.ts';
import type { Informer } from '../../reconcile/informer.ts';
import type { ControllerContext } from '../manager/context.ts';
import { isNamespaceTerminating } from '../shared/pod-control.ts';
import { hasSelector, podsOf, servicesOfPods } from '../shared/service-pods.ts';
import { TriggerTimes } from '../shared/trigger-times.ts';
import { endpointsOf } from './sync.ts';

export function startEndpoints(context: ControllerContext): void {
  const { client, options, events } = context;
  const services = context.informer(client.core.v1.services);
  const pods = context.informer(client.core.v1.pods);
  const endpoints = context.informer(client.core.v1.endpoints);
  const cache = context.mutationCache(endpoints);
  const { concurrentSyncs, updatesBatchPeriodMs } = options.endpoints;
  const triggerTimes = new TriggerTimes();

  const sync = async (key: string): Promise<undefined> => {
    const service = services.objects.get(key);
    if (service === undefined) {
      triggerTimes.forget(key);
      return deleteOf(key);
    }
    if (!hasSelector(service)) return undefined;
    const selected = podsOf(pods.lister, service);
    const current = cache.get(key);
    const triggerTime = triggerTimes.next(key, service, selected);
    const wanted = endpointsOf(service, selected, current, triggerTime);
    if (wanted !== undefined) await write(service, wanted, current === undefined);
    return undefined;
  };

  /** Endpoints that a user made for a service of that name end with it too. */
  const deleteOf = async (key: string): Promise<undefined> => {
    const current = cache.get(key);
    if (current === undefined) return;
    const { namespace, name } = current.metadata;
    try {
      await client.core.v1.endpoints.namespace(namespace!).delete(name!);
      cache.deleted(current);
    } catch (error) {
      undefinedWhenGone(error);
    }
  };

  const write = async (service: Service, wanted: Endpoints, isNew: boolean): Promise<void> => {
    const { namespace, name } = service.metadata;
    const resource = client.core.v1.endpoints.namespace(namespace!);
    try {
      cache.wrote(await (isNew ? resource.create(wanted) : resource.update(wanted)));
    } catch (error) {
      // The namespace ends, and the service with it.
      if (isNew && isForbidden(error) && isNamespaceTerminating(error)) return;
      const { message } = error as Error;
      const about = { ...wanted, apiVersion: 'v1', kind: 'Endpoints' };
      if (isNew)
        events.event(
          about,
          'Warning',
          'FailedToCreateEndpoint',
          `Failed to create endpoint for service ${namespace}/${name}: ${message}`,
        );
      else
        events.event(
          about,
          'Warning',
          'FailedToUpdateEndpoint',
          `Failed to update endpoint ${namespace}/${name}: ${message}`,
        );
      throw error;
    }
  };

  context.work({
    queue: 'endpoint',
    workers: concurrentSyncs,
    triggers: [changesOf(services), leftoversOf(endpoints), servicesOfPods(services, pods, updatesBatchPeriodMs)],
    sync,
  });
}

/** Locks of old clients are kept in Endpoints, which no service has. */
const lockAnnotation = 'control-plane.alpha.kubernetes.io/leader';

/** What was left of services that ended while no one looked, and Endpoints that were deleted. */
function leftoversOf(endpoints: Informer<Endpoints>): Trigger {
  return {
    attach(add) {
      const registration = endpoints.addHandler({
        onAdd(object, isInitial) {
          if (isInitial && object.metadata.annotations?.[lockAnnotation] === undefined) add(endpoints.keyOf(object));
        },
        onDelete: (object) => add(endpoints.keyOf(object)),
      });
      return () => registration.remove();
    },
    untilSynced: (signal) => endpoints.untilSynced(signal),
  };
}
