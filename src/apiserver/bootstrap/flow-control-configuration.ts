/** Tells the queues of requests which priority levels and flow schemas there are. */
import type { FlowSchema, PriorityLevelConfiguration } from '../../api/gen/types/flowcontrol-v1.ts';
import { flowControlGroup } from './flow-control-objects.ts';
import type { LoopbackClient } from '../loopback/loopback-client.ts';

export interface FlowControlReader {
  configure(levels: readonly PriorityLevelConfiguration[], schemas: readonly FlowSchema[]): void;
}

export async function configureFlowControl(writer: LoopbackClient, reader: FlowControlReader): Promise<void> {
  const levels = { group: flowControlGroup, resource: 'prioritylevelconfigurations' };
  const schemas = { group: flowControlGroup, resource: 'flowschemas' };
  reader.configure(
    await writer.list<PriorityLevelConfiguration>(levels, 'any'),
    await writer.list<FlowSchema>(schemas, 'any'),
  );
}
