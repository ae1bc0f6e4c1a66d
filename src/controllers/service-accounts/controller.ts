/**
 * Each namespace has an account `default`, which its pods run as unless they name another one.
 * @see {@link https://kubernetes.io/docs/concepts/security/service-accounts/#default-service-accounts | Default service
 *   accounts}
 */
import type { ControllerContext } from '../manager/context.ts';
import { eventsOf, presentNamespaces } from '../shared/triggers.ts';
import { accountName, isSettled, lacksAccount } from './sync.ts';

export function startServiceAccounts(context: ControllerContext): void {
  const { serviceaccounts } = context.client.core.v1;
  const namespaces = context.informer(context.client.core.v1.namespaces);
  const accounts = context.informer(serviceaccounts);
  context.work({
    queue: 'serviceaccount',
    workers: 1,
    triggers: [
      presentNamespaces(namespaces),
      eventsOf(accounts, (add) => ({ onDelete: ({ metadata }) => add(metadata.namespace!) })),
    ],
    async sync(namespace) {
      if (!lacksAccount(namespaces.objects.get(namespace), accounts.lister.get(namespace, accountName)))
        return undefined;
      try {
        await serviceaccounts.create({ metadata: { name: accountName, namespace } });
      } catch (error) {
        if (!isSettled(error)) throw error;
      }
      return undefined;
    },
  });
}
