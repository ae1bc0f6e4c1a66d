/**
 * Gives cluster roles with an aggregation rule the rules of the cluster roles that it selects.
 * @see {@link https://kubernetes.io/docs/reference/access-authn-authz/rbac/#aggregated-clusterroles | Aggregated
 *   ClusterRoles}
 */
import { isUnsupportedMediaType } from '../../client/api-error.ts';
import { changesOf } from '../../reconcile/controller.ts';
import type { ControllerContext } from '../manager/context.ts';
import { aggregatedRules, isAggregated } from './sync.ts';

const workers = 5;
const fieldManager = 'clusterrole-aggregation-controller';

export function startClusterRoleAggregation(context: ControllerContext): void {
  const { clusterroles } = context.client.rbac.v1;
  const roles = context.informer(clusterroles);
  const aggregatedIndex = 'aggregated';
  context.index(roles, aggregatedIndex, (role) => (isAggregated(role) ? [''] : []));
  context.work({
    queue: 'ClusterRoleAggregator',
    workers,
    // A change of one role may concern any that is made of others, also by way of a third.
    triggers: [
      changesOf(roles, () => roles.objects.byIndex(aggregatedIndex, '').map(({ metadata }) => metadata.name!)),
    ],
    async sync(name) {
      const role = roles.objects.get(name);
      if (role === undefined || !isAggregated(role)) return undefined;
      const rules = aggregatedRules(role, roles.lister.list());
      if (rules === undefined) return undefined;
      try {
        await clusterroles.apply({ metadata: { name }, rules }, { fieldManager, force: true });
      } catch (error) {
        if (!isUnsupportedMediaType(error)) throw error;
        await clusterroles.update({ ...role, rules });
      }
      return undefined;
    },
  });
}
