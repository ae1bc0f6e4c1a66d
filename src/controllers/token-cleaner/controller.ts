/**
 * Deletes bootstrap tokens when they expire.
 * @see {@link https://kubernetes.io/docs/reference/access-authn-authz/bootstrap-tokens/ | Authenticating with Bootstrap
 *   Tokens}
 */
import { bootstrapTokenType } from '../../auth/authentication/bootstrap-token-secrets.ts';
import { isConflict, isNotFound } from '../../client/api-error.ts';
import { changesOf, type SyncResult } from '../../reconcile/controller.ts';
import type { ControllerContext } from '../manager/context.ts';
import { isBootstrapToken, verdictOn } from './sync.ts';

export function startTokenCleaner(context: ControllerContext): void {
  const client = context.client.core.v1.secrets;
  const secrets = context.informer(client, { fieldSelector: `type=${bootstrapTokenType}` });
  context.work({
    queue: 'token_cleaner',
    workers: 1,
    triggers: [changesOf(secrets, (secret) => (isBootstrapToken(secret) ? [secrets.keyOf(secret)] : []))],
    async sync(key): Promise<SyncResult> {
      const secret = secrets.objects.get(key);
      if (secret === undefined) return undefined;
      const verdict = verdictOn(secret, context.wallTime());
      if (verdict === undefined) return undefined;
      if (verdict !== 'delete') return { requeueAfterMs: verdict };
      const { namespace, name, uid } = secret.metadata;
      // Another secret of the name, or a token that is gone, is no concern of this look.
      await client
        .namespace(namespace!)
        .delete(name!, { preconditions: { uid: uid! } })
        .catch((error: unknown) => {
          if (!isNotFound(error) && !isConflict(error)) throw error;
        });
      return undefined;
    },
  });
}
