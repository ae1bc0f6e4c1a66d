/**
 * Fills secrets of type `kubernetes.io/service-account-token` with a token that does not end, and deletes them with
 * their account.
 * @see {@link
 *   https://kubernetes.io/docs/concepts/configuration/secret/#serviceaccount-token-secrets | ServiceAccount token
 *   Secrets}
 */
import type { Secret, ServiceAccount } from '../../api/gen/types/core-v1.ts';
import { readSigningKey } from '../../auth/service-accounts/keys.ts';
import { accountTokenType, legacyClaims } from '../../auth/service-accounts/legacy-claims.ts';
import { createSigner, type Signer } from '../../auth/service-accounts/signer.ts';
import type { ReloadableText } from '../../base/reloadable-file.ts';
import { isConflict, isNotFound } from '../../client/api-error.ts';
import { undefinedWhenGone } from '../../client/undefined-when-gone.ts';
import type { Informer } from '../../client/index.ts';
import { changesOf } from '../../reconcile/controller.ts';
import type { ControllerContext } from '../manager/context.ts';
import { followedFile, rootCertificate } from '../shared/root-certificate.ts';
import { eventsOf } from '../shared/triggers.ts';
import { accountNameOf, claimsOf, completed, isFor, missingIn, withoutReference } from './sync.ts';

const accountIndex = 'service-account';

export async function startServiceAccountTokens(context: ControllerContext): Promise<void> {
  const { log, client, options } = context;
  const { privateKeyFile, concurrentSyncs: workers } = options.serviceAccountToken;
  if (privateKeyFile === undefined)
    return log.warn({}, 'secrets get no tokens: there is no --service-account-private-key-file');
  const signer = await followedSigner(context, privateKeyFile);
  const certificate = await rootCertificate(context);
  const accounts = context.informer(client.core.v1.serviceaccounts);
  const secrets = context.informer(client.core.v1.secrets, { fieldSelector: `type=${accountTokenType}` });
  context.index(secrets, accountIndex, (secret) => [`${secret.metadata.namespace}/${accountNameOf(secret) ?? ''}`]);
  const tokens = new Tokens(context, { secrets, accounts, certificate, signer });
  const controller = context.work({
    queue: 'serviceaccount_tokens_secret',
    workers,
    triggers: [
      changesOf(secrets),
      changesOf(accounts, (account) =>
        secrets.objects.byIndex(accountIndex, accounts.keyOf(account)).map((secret) => secrets.keyOf(secret)),
      ),
    ],
    sync: (key) => tokens.sync(key),
  });
  context.work({
    queue: 'serviceaccount_tokens_service',
    workers,
    triggers: [
      eventsOf(secrets, (add) => ({
        onDelete(secret) {
          const account = accountNameOf(secret);
          if (account !== undefined) add(`${secret.metadata.namespace}/${account}/${secret.metadata.name}`);
        },
      })),
    ],
    sync: (key) => tokens.removeReference(key),
  });
  const stopFollowing = certificate.onChange(() => {
    for (const key of secrets.objects.keys()) controller.add(key);
  });
  context.onStop(stopFollowing);
}

/** Signs with the key that the file has now. Rejects when it has none that can be used. */
async function followedSigner(context: ControllerContext, path: string): Promise<Signer> {
  const pem = await followedFile(context, path, (text) => void readSigningKey(text));
  let signer = createSigner(readSigningKey(pem.get()));
  pem.onChange(() => (signer = createSigner(readSigningKey(pem.get()))));
  return (claims, signal) => signer(claims, signal);
}

interface TokenParts {
  readonly secrets: Informer<Secret>;
  readonly accounts: Informer<ServiceAccount>;
  readonly certificate: ReloadableText;
  readonly signer: Signer;
}

class Tokens {
  readonly #context: ControllerContext;
  readonly #parts: TokenParts;

  constructor(context: ControllerContext, parts: TokenParts) {
    this.#context = context;
    this.#parts = parts;
  }

  async sync(key: string): Promise<undefined> {
    const secret = this.#parts.secrets.objects.get(key);
    if (secret?.type !== accountTokenType || secret.metadata.deletionTimestamp !== undefined) return;
    const name = accountNameOf(secret);
    if (name === undefined) return;
    const account = await this.#accountOf(secret, name);
    await (account === undefined ? this.#delete(secret) : this.#complete(secret, account)).catch(ignoreOlderView);
  }

  /** An account that was deleted with its secrets has no references any more. @param key namespace/account/secret */
  async removeReference(key: string): Promise<undefined> {
    const [namespace = '', name = '', secretName = ''] = key.split('/');
    const { secrets, accounts } = this.#parts;
    const known = accounts.lister.get(namespace, name);
    if (known === undefined || withoutReference(known, secretName) === undefined) return;
    if (secrets.lister.get(namespace, secretName) !== undefined) return;
    const { serviceaccounts } = this.#context.client.core.v1;
    const live = await serviceaccounts.namespace(namespace).get(name).catch(undefinedWhenGone);
    const changed = live?.metadata.uid === known.metadata.uid ? withoutReference(live!, secretName) : undefined;
    if (changed !== undefined) await serviceaccounts.update(changed);
  }

  /** The server is asked before an account is taken to be gone: the informer may not have told it yet. */
  async #accountOf(secret: Secret, name: string): Promise<ServiceAccount | undefined> {
    const namespace = secret.metadata.namespace!;
    const known = this.#parts.accounts.lister.get(namespace, name);
    if (known !== undefined && isFor(secret, known)) return known;
    const { serviceaccounts } = this.#context.client.core.v1;
    const live = await serviceaccounts.namespace(namespace).get(name).catch(undefinedWhenGone);
    return live !== undefined && isFor(secret, live) ? live : undefined;
  }

  async #delete({ metadata: { namespace, name, uid } }: Secret): Promise<void> {
    const { secrets } = this.#context.client.core.v1;
    await secrets.namespace(namespace!).delete(name!, { preconditions: { uid: uid! } });
  }

  async #complete(secret: Secret, account: ServiceAccount): Promise<void> {
    const certificate = this.#parts.certificate.get();
    const missing = missingIn(secret, certificate);
    if (missing === undefined) return;
    const token = missing.token
      ? await this.#parts.signer(legacyClaims(claimsOf(secret, account)), this.#context.signal)
      : undefined;
    const { secrets } = this.#context.client.core.v1;
    await secrets.update(completed(secret, missing, account, { certificate, token }));
  }
}

/** The secret was changed or deleted since: the informer tells of it, and it is looked at again. */
function ignoreOlderView(error: unknown): void {
  if (!isConflict(error) && !isNotFound(error)) throw error;
}
