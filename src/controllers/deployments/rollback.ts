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
  const { [rollbackAnnotation]: asked, ...annotations } = deployment.metadata.annotations!;
  const target = targetOf(Number(asked), sets);
  const isSame = target !== undefined && isSameTemplate(target.spec?.template, deployment.spec!.template);
  const template = target === undefined || isSame ? deployment.spec!.template : withoutHash(target.spec!.template)!;
  const written = await client.apps.v1.deployments.namespace(deployment.metadata.namespace!).update({
    ...deployment,
    metadata: { ...deployment.metadata, annotations },
    spec: { ...deployment.spec!, template },
  });
  deployments.wrote(written);
  const [type, reason, message] = outcome(deployment, Number(asked), target, isSame);
  events.event(deployment, type, reason, message);
  return undefined;
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
