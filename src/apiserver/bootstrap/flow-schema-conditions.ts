/** Whether the priority level that a flow schema names is there, written into its status. */
import type { FlowSchema, PriorityLevelConfiguration } from '../../api/gen/types/flowcontrol-v1.ts';
import { isStatusError } from '../../machinery/status.ts';
import { timestamp } from '../../registry/generic/timestamp.ts';
import { flowControlGroup } from './flow-control-objects.ts';
import type { LoopbackClient } from '../loopback/loopback-client.ts';

const flowSchemas = { group: flowControlGroup, resource: 'flowschemas' };
const priorityLevels = { group: flowControlGroup, resource: 'prioritylevelconfigurations' };
/** What upstream's reader of these objects is called in managed fields. */
const reader = 'api-priority-and-fairness-config-consumer-v1';

/** What a round depends on. */
export const flowSchemaConditionResources = [flowSchemas, priorityLevels];

export async function updateFlowSchemaConditions(writer: LoopbackClient, now: () => Date): Promise<void> {
  const own = writer.as(reader);
  const levels = new Set(
    (await own.list<PriorityLevelConfiguration>(priorityLevels, 'any')).map(({ metadata }) => metadata.name),
  );
  for (const schema of await own.list<FlowSchema>(flowSchemas, 'any')) {
    const condition = danglingCondition(schema, levels, now());
    if (condition === undefined) continue;
    try {
      await own.applyStatus(
        { ...flowSchemas, namespace: '', name: schema.metadata.name! },
        { conditions: [condition] },
      );
    } catch (error) {
      if (!isStatusError(error) || error.reason !== 'NotFound') throw error;
    }
  }
}

/** Undefined when the schema has it already. */
function danglingCondition(
  { spec, status }: FlowSchema,
  levels: ReadonlySet<string | undefined>,
  now: Date,
): Record<string, string> | undefined {
  const { name = '' } = spec.priorityLevelConfiguration;
  const names = `This FlowSchema references the PriorityLevelConfiguration object named "${name}"`;
  const wanted = levels.has(name)
    ? { type: 'Dangling', status: 'False', reason: 'Found', message: `${names} and it exists` }
    : { type: 'Dangling', status: 'True', reason: 'NotFound', message: `${names} but there is no such object` };
  const current = status.conditions?.find(({ type }) => type === wanted.type);
  if (current?.status === wanted.status && current.reason === wanted.reason && current.message === wanted.message)
    return undefined;
  const lastTransitionTime = current?.status === wanted.status ? current.lastTransitionTime : undefined;
  return { ...wanted, lastTransitionTime: lastTransitionTime ?? timestamp(now) };
}
