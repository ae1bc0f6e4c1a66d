/**
 * The clients of the controllers: each has its own limit and user agent, and with `--use-service-account-credentials`
 * its own service account, which may do no more than the controller needs.
 */
import type { Client } from '../../client/client.ts';
import { type RateFactors, processAccount } from '../../controllers/manager/controller-table.ts';
import type { LeadingDaemon } from '../daemon/daemon-spec.ts';
import { accountCredentials } from './account-credentials.ts';

export type ClientFor = (account: string, rates?: RateFactors) => Client;

/**
 * One client for each account, whichever controllers use it, and however often they are started again. It has the rates
 * of the first that asks.
 */
export function controllerClients(
  daemon: Pick<LeadingDaemon, 'client' | 'log'>,
  { useServiceAccountCredentials }: { readonly useServiceAccountCredentials: boolean },
): ClientFor {
  const clients = new Map<string, Client>();
  const root = daemon.client({ part: 'token-requests' });
  const create = (account: string, rates: RateFactors | undefined): Client => {
    const options = { part: account, ...(rates === undefined ? {} : { rates }) };
    // Informers read what all controllers need: no single account may.
    return useServiceAccountCredentials && account !== processAccount
      ? daemon.client({ ...options, credentials: accountCredentials(root, account, { log: daemon.log }) })
      : daemon.client(options);
  };
  return (account, rates) => {
    let client = clients.get(account);
    if (client === undefined) clients.set(account, (client = create(account, rates)));
    return client;
  };
}
