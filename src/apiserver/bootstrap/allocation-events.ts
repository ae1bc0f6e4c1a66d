/** What the repair of ranges finds of a service, told to its owner as an event beside it. */
import type { Event, Service } from '../../api/gen/types/core-v1.ts';
import type { Logger } from '../../base/logger.ts';
import { formatTime } from '../../machinery/time.ts';
import type { Finding, FindingType, ObservedRange } from '../../registry/core/services/allocation/observer.ts';
import { familyOf } from '../../api/core/services/fields.ts';
import type { LoopbackClient } from '../loopback/loopback-client.ts';

interface Wording {
  readonly reason: string;
  note(value: string | number, range: string): string;
}

const ip = (value: string | number): string => `Cluster IP [${familyOf(String(value))}]:${value}`;

const wordings: Readonly<Record<ObservedRange['kind'], Readonly<Record<Exclude<FindingType, 'leak'>, Wording>>>> = {
  clusterIp: {
    outOfRange: {
      reason: 'ClusterIPOutOfRange',
      note: (value, range) =>
        range === ''
          ? `${ip(value)} is not within any configured Service CIDR; please recreate service`
          : `${ip(value)} is not within the service CIDR ${range}; please recreate service`,
    },
    duplicate: {
      reason: 'ClusterIPAlreadyAllocated',
      note: (value) => `${ip(value)} was assigned to multiple services; please recreate service`,
    },
    repair: { reason: 'ClusterIPNotAllocated', note: (value) => `${ip(value)} is not allocated; repairing` },
  },
  nodePort: {
    outOfRange: {
      reason: 'PortOutOfRange',
      note: (value, range) => `Port ${value} is not within the port range ${range}; please recreate service`,
    },
    duplicate: {
      reason: 'PortAlreadyAllocated',
      note: (value) => `Port ${value} was assigned to multiple services; please recreate service`,
    },
    repair: { reason: 'PortNotAllocated', note: (value) => `Port ${value} is not allocated; repairing` },
  },
};

const reporters = { clusterIp: 'ipallocator-repair-controller', nodePort: 'portallocator-repair-controller' } as const;
const actions = { clusterIp: 'ClusterIPAllocation', nodePort: 'PortAllocation' } as const;

export interface AllocationEventOptions {
  readonly writer: LoopbackClient;
  readonly now: () => Date;
  readonly log: Logger;
}

/** Events are made beside the repair, which does not wait for them. */
export function createAllocationEvents({
  writer,
  now,
  log,
}: AllocationEventOptions): (range: ObservedRange, finding: Finding) => void {
  let made = 0;
  return ({ kind, text }, { type, value, service }) => {
    if (type === 'leak' || service === undefined || !writer.isServed({ group: '', resource: 'events' })) return;
    const { reason, note } = wordings[kind][type];
    const { name = '', namespace = '' } = service.metadata;
    const object = {
      group: '',
      resource: 'events',
      namespace,
      name: `${name}.${now().getTime().toString(16)}${(made++).toString(16)}`,
    };
    const event = eventOf(service, {
      reason,
      message: note(value, text),
      reporter: reporters[kind],
      action: actions[kind],
      now: now(),
    });
    writer
      .create(object, event)
      .catch((error: unknown) =>
        log.warn({ err: error, service: `${namespace}/${name}` }, 'the event of a repair could not be made'),
      );
  };
}

interface EventText {
  readonly reason: string;
  readonly message: string;
  readonly reporter: string;
  readonly action: string;
  readonly now: Date;
}

function eventOf({ metadata }: Service, { reason, message, reporter, action, now }: EventText): Event {
  const time = formatTime(Math.floor(now.getTime() / 1000));
  return {
    metadata: {},
    involvedObject: {
      kind: 'Service',
      apiVersion: 'v1',
      namespace: metadata.namespace!,
      name: metadata.name!,
      uid: metadata.uid!,
      resourceVersion: metadata.resourceVersion!,
    },
    reason,
    message,
    type: 'Warning',
    source: { component: reporter },
    firstTimestamp: time,
    lastTimestamp: time,
    count: 1,
    reportingComponent: reporter,
    reportingInstance: reporter,
    action,
  };
}
