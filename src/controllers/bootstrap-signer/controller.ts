/**
 * Signs the public kubeconfig of the cluster (`kube-public/cluster-info`) with each bootstrap token that is for it.
 * @see {@link https://kubernetes.io/docs/reference/access-authn-authz/bootstrap-tokens/#configmap-signing | ConfigMap
 *   signing}
 */
import type { Secret } from '../../api/gen/types/core-v1.ts';
import { bootstrapTokenNamespace, bootstrapTokenType } from '../../auth/authentication/bootstrap-token-secrets.ts';
import { undefinedWhenGone } from '../../client/undefined-when-gone.ts';
import { changesOf } from '../../reconcile/controller.ts';
import type { ControllerContext } from '../manager/context.ts';
import { signedConfigMap, signingTokens } from './sync.ts';

const namespace = 'kube-public';
const configMapName = 'cluster-info';
const key = `${namespace}/${configMapName}`;

export function startBootstrapSigner(context: ControllerContext): void {
  const { configmaps, secrets: secretClient } = context.client.core.v1;
  const configMaps = context.informer(configmaps, { fieldSelector: `metadata.name=${configMapName}` });
  const secrets = context.informer(secretClient, { fieldSelector: `type=${bootstrapTokenType}` });
  const isToken = ({ metadata }: Secret): boolean => metadata.namespace === bootstrapTokenNamespace;
  context.work({
    queue: 'bootstrap_signer_queue',
    workers: 1,
    triggers: [
      changesOf(configMaps, ({ metadata }) => (metadata.namespace === namespace ? [key] : [])),
      changesOf(secrets, (secret) => (isToken(secret) ? [key] : [])),
    ],
    async sync() {
      const present = configMaps.lister.get(namespace, configMapName);
      if (present === undefined) return undefined;
      const tokens = signingTokens(secrets.lister.listIn(bootstrapTokenNamespace), context.wallTime());
      const signed = signedConfigMap(present, tokens);
      if (signed !== undefined) await configmaps.update(signed).catch(undefinedWhenGone);
      return undefined;
    },
  });
}
