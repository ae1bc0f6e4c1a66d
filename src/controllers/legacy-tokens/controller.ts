/**
 * Takes tokens in secrets out of use that have not been used for a year: first they are marked as invalid, and after
 * another year they are deleted.
 * @see {@link
 *   https://kubernetes.io/docs/reference/access-authn-authz/service-accounts-admin/#legacy-serviceaccount-token-cleaner
 *   | Legacy ServiceAccount token cleaner}
 */
import type { Secret } from '../../api/gen/types/core-v1.ts';
import { podReferences } from '../../api/core/pods/references.ts';
import {
  accountAnnotations,
  accountTokenType,
  legacyTokenLabels,
  trackingConfigMap,
} from '../../auth/service-accounts/legacy-claims.ts';
import { isConflict, isNotFound } from '../../client/api-error.ts';
import type { ControllerContext } from '../manager/context.ts';
import { dateOf, knownFromMs, verdictOn } from './sync.ts';

const periodMs = 24 * 3600 * 1000;

export function startLegacyTokenCleaner(context: ControllerContext): void {
  const { client, log, wallTime } = context;
  const { cleanUpPeriodMs } = context.options.legacyServiceAccountTokenCleaner;
  const { serviceaccounts, configmaps, pods: podClient } = client.core.v1;
  const secrets = context.informer(client.core.v1.secrets, { fieldSelector: `type=${accountTokenType}` });
  const accounts = context.informer(serviceaccounts);
  const pods = context.informer(podClient);

  const areUsesKnown = async (): Promise<boolean> => {
    const { data } = await configmaps.namespace('kube-system').get(trackingConfigMap);
    const fromMs = knownFromMs(data?.['since'], cleanUpPeriodMs);
    if (fromMs === undefined) throw new Error(`the ConfigMap kube-system/${trackingConfigMap} has no date`);
    return wallTime() >= fromMs;
  };
  const clean = async (secret: Secret, isMounted: () => boolean): Promise<void> => {
    const { namespace, name, uid, resourceVersion, annotations } = secret.metadata;
    const account = accounts.lister.get(namespace!, annotations?.[accountAnnotations.name] ?? '');
    const nowMs = wallTime();
    const verdict = verdictOn({ secret, account, isMounted, nowMs, periodMs: cleanUpPeriodMs });
    if (verdict === 'keep') return;
    const ofNamespace = client.core.v1.secrets.namespace(namespace!);
    if (verdict === 'invalidate')
      await ofNamespace.patch(name!, {
        merge: { metadata: { uid, labels: { [legacyTokenLabels.invalidSince]: dateOf(nowMs) } } },
      });
    else await ofNamespace.delete(name!, { preconditions: { resourceVersion: resourceVersion! } });
    log.info({ secret: `${namespace}/${name}`, verdict }, 'the token in a secret has not been used for long');
  };

  context.every(
    periodMs,
    async (signal) => {
      await Promise.all([secrets, accounts, pods].map((informer) => informer.untilSynced(signal)));
      if (!(await areUsesKnown())) return;
      const mounted = mountedSecrets((namespace) => pods.lister.listIn(namespace));
      for (const secret of [...secrets.objects.values()]) {
        const { namespace, name } = secret.metadata;
        await clean(secret, () => mounted(namespace!).has(name!)).catch((error: unknown) => {
          if (!isConflict(error) && !isNotFound(error))
            log.error(
              { err: error, secret: `${namespace}/${name}` },
              'a token that is not used could not be cleaned up',
            );
        });
      }
    },
    0,
  );
}

/** The pods of a namespace are looked at once. */
function mountedSecrets(
  podsIn: (namespace: string) => readonly Parameters<typeof podReferences>[0][],
): (namespace: string) => ReadonlySet<string> {
  const known = new Map<string, ReadonlySet<string>>();
  return (namespace) => {
    let names = known.get(namespace);
    if (names === undefined) {
      names = new Set(podsIn(namespace).flatMap((pod) => [...podReferences(pod).secrets]));
      known.set(namespace, names);
    }
    return names;
  };
}
