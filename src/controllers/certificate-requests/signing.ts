/**
 * Signs approved requests for certificates, for the four signers of the cluster.
 * @see {@link https://kubernetes.io/docs/reference/access-authn-authz/certificate-signing-requests/#kubernetes-signers
 *   | Kubernetes signers}
 */
import { changesOf, type SyncResult } from '../../reconcile/controller.ts';
import type { ControllerContext } from '../manager/context.ts';
import type { SignerFiles } from '../manager/options.ts';
import { authorityOf } from './authority-files.ts';
import { pemOf } from './conditions.ts';
import { certificateRateLimiter, detailsOf } from './requests.ts';
import { requestProblem, type SignerName, signerNames } from './rules.ts';
import { durationMsOf, isToBeSigned, validityOf, withFailure } from './sync.ts';

/** For each signer. */
const workers = 5;

export async function startCertificateSigning(context: ControllerContext): Promise<void> {
  const { signers } = context.options.signing;
  for (const [key, name] of Object.entries(signerNames)) {
    const files = signers[key as keyof typeof signerNames];
    if (files === undefined) context.log.info({ signer: name }, 'a signer has no certificate authority');
    else await startSigner(context, name, files);
  }
}

async function startSigner(context: ControllerContext, signer: SignerName, files: SignerFiles): Promise<void> {
  const { wallTime } = context;
  const { certificatesigningrequests } = context.client.certificates.v1;
  const authority = await authorityOf(context, files);
  const requests = context.informer(certificatesigningrequests);

  const sync = async (name: string): Promise<SyncResult> => {
    const request = requests.objects.get(name);
    if (request === undefined || !isToBeSigned(request, signer)) return undefined;
    const { usages = [], expirationSeconds } = request.spec;
    const problem = requestProblem(signer, detailsOf(request), usages);
    if (problem !== undefined) {
      await certificatesigningrequests.status.update(withFailure(request, problem, wallTime()));
      return undefined;
    }
    const durationMs = durationMsOf(expirationSeconds, context.options.signing.durationMs);
    const signing = authority();
    const pem = signing.sign(pemOf(request), usages, validityOf(wallTime(), durationMs, signing.notAfter));
    const certificate = Buffer.from(pem).toString('base64');
    await certificatesigningrequests.status.update({ ...request, status: { ...request.status, certificate } });
    return undefined;
  };
  context.work({
    queue: 'certificate',
    workers,
    triggers: [changesOf(requests, (request) => (isToBeSigned(request, signer) ? [requests.keyOf(request)] : []))],
    sync,
    rateLimiter: certificateRateLimiter(context.clock),
  });
}
