/** What webhooks of a kind are shown: the users of the kubeconfig in the configuration of its plugin. */
import type { Kubeconfig } from '../../../client/kubeconfig/merge.ts';
import { credentialsOfUser, userForServer } from '../../../client/kubeconfig/server-users.ts';
import type { CredentialsSource } from '../../webhooks/webhook-clients.ts';

/** @param id differs between kubeconfigs */
export const credentialsFrom = (id: string, kubeconfig: Kubeconfig): CredentialsSource => ({
  id,
  find(server) {
    const user = userForServer(kubeconfig, server);
    return user === undefined ? undefined : credentialsOfUser(user);
  },
});
