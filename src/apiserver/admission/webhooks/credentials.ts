/**
 * What webhooks of a kind are shown: the users of the kubeconfig in the configuration of its plugin.
 *
 * @NOTE differs from upstream: `kubernetes.default.svc` is a server like any other. Upstream sends reviews there as
 * itself, so that an author of webhook configurations can have it post to paths of its own API with all rights.
 */
import type { FileReports } from '../../../base/file-reports.ts';
import type { Kubeconfig } from '../../../client/kubeconfig/merge.ts';
import { credentialsOfUser, userForServer } from '../../../client/kubeconfig/server-users.ts';
import type { CredentialsSource } from '../../webhooks/webhook-clients.ts';

/** @param id differs between kubeconfigs */
export const credentialsFrom = (
  id: string,
  kubeconfig: Kubeconfig,
  reports: FileReports | undefined,
): CredentialsSource => ({
  id,
  find({ server, cluster }) {
    const user = userForServer(kubeconfig, server);
    return user === undefined ? undefined : credentialsOfUser(user, cluster, { reports });
  },
});
