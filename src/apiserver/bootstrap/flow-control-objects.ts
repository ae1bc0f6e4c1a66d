/**
 * The priority levels and flow schemas of every cluster. Mandatory ones are always put back. Suggested ones are kept
 * until an operator takes them over: says so in the annotation, or, where there is none, has changed the spec.
 *
 * @see {@link
 *   https://kubernetes.io/docs/concepts/cluster-administration/flow-control/#maintenance-of-the-mandatory-and-suggested-configuration-objects
 *   | Maintenance of these objects}
 */
import { mandatoryFlowSchemas, mandatoryPriorityLevels } from '../../api/flowcontrol/mandatory.ts';
import { suggestedFlowSchemas, suggestedPriorityLevels } from '../../api/flowcontrol/suggested.ts';
import type {
  FlowSchema,
  PriorityLevelConfiguration,
  PriorityLevelConfigurationSpec,
} from '../../api/gen/types/flowcontrol-v1.ts';
import { isEqual } from '../../machinery/equal.ts';
import { isStatusError } from '../../machinery/status.ts';
import { createMap } from '../../machinery/value.ts';
import type { LoopbackClient } from '../loopback/loopback-client.ts';

type FlowControlObject = FlowSchema | PriorityLevelConfiguration;

export const flowControlGroup = 'flowcontrol.apiserver.k8s.io';
const autoUpdate = 'apf.kubernetes.io/autoupdate-spec';
/** What upstream's keeper of these objects is called in managed fields. */
const keeper = 'api-priority-and-fairness-config-producer-v1';

/** How often what was changed or deleted is put back. */
export const flowControlIntervalMs = 60_000;

/** One round. Levels come first: a schema without its level is dangling. */
export async function keepFlowControlObjects(writer: LoopbackClient): Promise<void> {
  const own = writer.as(keeper);
  await keep<PriorityLevelConfiguration>(
    own,
    'prioritylevelconfigurations',
    mandatoryPriorityLevels,
    suggestedPriorityLevels,
  );
  await keep<FlowSchema>(own, 'flowschemas', mandatoryFlowSchemas, suggestedFlowSchemas);
}

async function keep<T extends FlowControlObject>(
  writer: LoopbackClient,
  resource: string,
  mandatory: ReadonlyMap<string, T['spec']>,
  suggested: ReadonlyMap<string, T['spec']>,
): Promise<void> {
  const kind = { group: flowControlGroup, resource };
  if (!writer.isServed(kind)) return;
  const present = new Map(
    (await writer.list<T>(kind, 'mostRecent')).map((object) => [object.metadata.name ?? '', object]),
  );
  for (const [name, spec] of [...mandatory, ...suggested]) {
    const object = { ...kind, namespace: '', name };
    const current = present.get(name);
    const isMandatory = mandatory.has(name);
    if (current === undefined)
      await writer.create(object, {
        metadata: { annotations: updated(true) },
        spec: structuredClone(spec),
        status: {},
      } as object);
    else if (isMandatory || followsSuggestion(current)) await restore<T>(writer, object, current, spec);
    else if (annotationOf(current) === undefined)
      await ignoreGone(writer.change<T>(object, (changed) => annotate(changed, false)));
  }
  for (const [name, object] of present) {
    if (!mandatory.has(name) && !suggested.has(name) && annotationOf(object) === 'true')
      await ignoreGone(writer.remove({ ...kind, namespace: '', name }));
  }
}

async function restore<T extends FlowControlObject>(
  writer: LoopbackClient,
  name: Parameters<LoopbackClient['change']>[0],
  current: T,
  spec: T['spec'],
): Promise<void> {
  const wanted = withOwnShares(current.spec, spec);
  if (annotationOf(current) === 'true' && isEqual(current.spec, wanted)) return;
  await ignoreGone(
    writer.change<T>(name, (object) => {
      object.spec = structuredClone(withOwnShares(object.spec, spec));
      annotate(object, true);
    }),
  );
}

/** Shares of the exempt level are the operator's. */
function withOwnShares<S extends FlowControlObject['spec']>(current: S, spec: S): S {
  const { exempt } = current as PriorityLevelConfigurationSpec;
  return exempt === undefined || (spec as PriorityLevelConfigurationSpec).type !== 'Exempt'
    ? spec
    : { ...spec, exempt };
}

/** Without an annotation, an object that was not changed is kept up to date. */
function followsSuggestion(object: FlowControlObject): boolean {
  const annotation = annotationOf(object);
  return annotation === undefined ? object.metadata.generation === 1 : annotation === 'true';
}

const annotationOf = ({ metadata }: FlowControlObject): string | undefined => metadata.annotations?.[autoUpdate];

function annotate({ metadata }: FlowControlObject, follows: boolean): void {
  metadata.annotations = { ...metadata.annotations, ...updated(follows) };
}

const updated = (follows: boolean): Record<string, string> =>
  Object.assign(createMap<string>(), { [autoUpdate]: String(follows) });

/** Another server was first: the next round reads the result. */
async function ignoreGone(work: Promise<void>): Promise<void> {
  try {
    await work;
  } catch (error) {
    if (!isStatusError(error) || error.reason !== 'NotFound') throw error;
  }
}
