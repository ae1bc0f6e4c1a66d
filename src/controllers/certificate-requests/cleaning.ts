/** Deletes requests for certificates that are decided, expired, or were left alone for long. */
import { isNotFound } from '../../client/api-error.ts';
import type { ControllerContext } from '../manager/context.ts';
import { outdatedReason } from './outdated.ts';

const periodMs = 3_600_000;

export function startCertificateCleaning(context: ControllerContext): void {
  const { log, wallTime } = context;
  const { certificatesigningrequests } = context.client.certificates.v1;
  const requests = context.informer(certificatesigningrequests);
  context.every(
    periodMs,
    async (signal) => {
      await requests.untilSynced(signal);
      for (const request of [...requests.objects.values()]) {
        const { name, uid } = request.metadata;
        try {
          const reason = outdatedReason(request, wallTime());
          if (reason === undefined) continue;
          await certificatesigningrequests.delete(name!, { preconditions: { uid: uid! } });
          log.info({ request: name, reason }, 'a certificate request was deleted');
        } catch (error) {
          signal.throwIfAborted();
          if (!isNotFound(error)) log.error({ err: error, request: name }, 'a certificate request is not cleaned up');
        }
      }
    },
    0,
  );
}
