/** Goes back to an earlier revision, where a client of the old API versions asked for it by an annotation. */
import type { Deployment, ReplicaSet } from '../../api/gen/types/apps-v1.ts';
import type { EventType } from '../../client/index.ts';
import type { SyncResult } from '../../reconcile/controller.ts';
import type { MutationCache } from '../../reconcile/mutation-cache.ts';
import type { ControllerContext } from '../manager/context.ts';
import { byRevision, isSameTemplate, revisionOf, rollbackAnnotation, withoutHash } from './revisions.ts';

export async function rollBack(
  { client, events }: ControllerContext,
  deployments: MutationCache<Deployment>,
  deployment: Deployment,
  sets: readonly ReplicaSet[],
): Promise<SyncResult> {
  const { metadata, spec, told } = rolledBack(deployment, sets);
  const { namespace } = deployment.metadata;
  const written = await client.apps.v1.deployments.namespace(namespace!).update({ ...deployment, metadata, spec });
  deployments.wrote(written);
  events.event(deployment, ...told);
  return undefined;
}

/** The Deployment without the request, and what is told of it. */
export interface RolledBack extends Required<Pick<Deployment, 'metadata' | 'spec'>> {
  readonly told: readonly [type: EventType, reason: string, message: string];
}

export function rolledBack(deployment: Deployment, sets: readonly ReplicaSet[]): RolledBack {
  const { [rollbackAnnotation]: asked, ...annotations } = deployment.metadata.annotations!;
  const target = targetOf(Number(asked), sets);
  const isSame = target !== undefined && isSameTemplate(target.spec?.template, deployment.spec!.template);
  const template = target === undefined || isSame ? deployment.spec!.template : withoutHash(target.spec!.template)!;
  return {
    metadata: { ...deployment.metadata, annotations },
    spec: { ...deployment.spec!, template },
    told: outcome(deployment, Number(asked), target, isSame),
  };
}

/** Revision 0 is the one before the newest. */
function targetOf(revision: number, sets: readonly ReplicaSet[]): ReplicaSet | undefined {
  if (revision === 0) return sets.toSorted(byRevision).at(-2);
  return sets.find((set) => revisionOf(set) === revision);
}

function outcome(
  { metadata }: Deployment,
  asked: number,
  target: ReplicaSet | undefined,
  isSame: boolean,
): [EventType, string, string] {
  if (target === undefined) {
    const message = asked === 0 ? 'Unable to find last revision.' : 'Unable to find the revision to rollback to.';
    return ['Warning', 'DeploymentRollbackRevisionNotFound', message];
  }
  if (isSame)
    return [
      'Warning',
      'DeploymentRollbackTemplateUnchanged',
      `The rollback revision contains the same template as current deployment "${metadata.name}"`,
    ];
  const message = `Rolled back deployment "${metadata.name}" to revision ${revisionOf(target)}`;
  return ['Normal', 'DeploymentRollback', message];
}
