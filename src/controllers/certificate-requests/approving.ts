/**
 * Approves the requests of kubelets for client certificates, for users that may ask for them.
 * @see {@link https://kubernetes.io/docs/reference/access-authn-authz/kubelet-tls-bootstrapping/#approval | Approval of
 *   kubelet certificates}
 */
import type { CertificateSigningRequest } from '../../api/gen/types/certificates-v1.ts';
import { changesOf, type SyncResult } from '../../reconcile/controller.ts';
import type { ControllerContext } from '../manager/context.ts';
import { hasCertificate, isDecided } from './conditions.ts';
import { certificateRateLimiter, detailsOf } from './requests.ts';
import { type Approval, approvalsFor, withApproval } from './sync.ts';

const workers = 5;

export function startCertificateApproving(context: ControllerContext): void {
  const { client } = context;
  const { certificatesigningrequests } = client.certificates.v1;
  const requests = context.informer(certificatesigningrequests);

  const isAllowed = async ({ spec }: CertificateSigningRequest, { subresource }: Approval): Promise<boolean> => {
    const { username = '', uid = '', groups = [], extra = {} } = spec;
    const resourceAttributes = {
      group: 'certificates.k8s.io',
      resource: 'certificatesigningrequests',
      verb: 'create',
      subresource,
    };
    const review = await client.authorization.v1.subjectaccessreviews.create({
      spec: { user: username, uid, groups, extra, resourceAttributes },
    });
    return review.status?.allowed === true;
  };
  const sync = async (name: string): Promise<SyncResult> => {
    const request = requests.objects.get(name);
    if (request === undefined || hasCertificate(request) || isDecided(request)) return undefined;
    const approvals = approvalsFor(request, detailsOf(request));
    for (const approval of approvals) {
      if (!(await isAllowed(request, approval))) continue;
      await certificatesigningrequests.approval.update(withApproval(request, approval));
      return undefined;
    }
    // The permission may be given later.
    return approvals.length === 0 ? undefined : 'retry';
  };
  context.work({
    queue: 'certificate',
    workers,
    triggers: [changesOf(requests)],
    sync,
    rateLimiter: certificateRateLimiter(context.clock),
  });
}
