/**
 * The ServiceCIDR `kubernetes`: the ranges of the command line as an object. It is made when there is none, also after
 * it was deleted, and ready unless it says something else.
 * @see {@link https://kep.k8s.io/1880 | KEP-1880}
 */
import type { Condition } from '../../api/gen/types/meta-v1.ts';
import type { ServiceCIDR } from '../../api/gen/types/networking-v1beta1.ts';
import type { Logger } from '../../base/logger.ts';
import { formatTime } from '../../machinery/time.ts';
import type { JsonObject } from '../../machinery/value.ts';
import type { LoopbackClient, ObjectName } from '../loopback/loopback-client.ts';

/** How often it is looked at. */
export const defaultServiceCidrIntervalMs = 10_000;

const objectName: ObjectName = {
  group: 'networking.k8s.io',
  resource: 'servicecidrs',
  namespace: '',
  name: 'kubernetes',
};
/** Of its status in managed fields, as upstream. */
const manager = 'kubernetes-service-cidr-controller';

export interface DefaultServiceCidrOptions {
  readonly writer: LoopbackClient;
  readonly cidrs: readonly string[];
  readonly now: () => Date;
  readonly log: Logger;
}

export async function syncDefaultServiceCidr({ writer, cidrs, now, log }: DefaultServiceCidrOptions): Promise<void> {
  let range = await writer.find<ServiceCIDR>(objectName);
  if (range === undefined) {
    await writer.create(objectName, { metadata: {}, spec: { cidrs: [...cidrs] }, status: {} } as ServiceCIDR);
    range = await writer.find<ServiceCIDR>(objectName);
  }
  if (range === undefined || range.metadata.deletionTimestamp !== undefined) return;
  const found = range.spec.cidrs ?? [];
  if (found.join() !== cidrs.join()) {
    log.warn({ found, configured: cidrs }, 'the default ServiceCIDR has other ranges than the command line');
    return;
  }
  if (range.status?.conditions?.some(({ type }) => type === 'Ready') === true) return;
  const condition: Condition = {
    type: 'Ready',
    status: 'True',
    reason: '',
    message: 'Kubernetes default Service CIDR is ready',
    lastTransitionTime: formatTime(Math.floor(now().getTime() / 1000)),
  };
  await writer.as(manager).applyStatus(objectName, { conditions: [condition] } as unknown as JsonObject);
}
