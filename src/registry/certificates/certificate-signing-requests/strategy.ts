import { setConditionTimes } from '../../../api/certificates/request-conditions.ts';
import {
  validateSigningRequest,
  validateSigningRequestUpdate,
} from '../../../api/certificates/certificate-signing-requests/validation.ts';
import type {
  CertificateSigningRequest,
  CertificateSigningRequestSpec,
} from '../../../api/gen/types/certificates-v1.ts';
import type { UserInfo } from '../../../machinery/user.ts';
import { timestamp } from '../../generic/timestamp.ts';
import type { ResourceStrategy, Strategy } from '../../strategy.ts';

/** The requestor is the authenticated user, whatever the request says. */
function setRequester(spec: CertificateSigningRequestSpec, { name, uid = '', groups, extra = {} }: UserInfo): void {
  spec.username = name;
  spec.uid = uid;
  spec.groups = [...groups];
  delete spec.extra;
  if (Object.keys(extra).length > 0)
    spec.extra = Object.fromEntries(Object.entries(extra).map(([key, values]) => [key, [...values]]));
}

/** Approval writes conditions and nothing else. */
export const approvalStrategy: Strategy<CertificateSigningRequest> = {
  prepareForUpdate: (request, old, { now }) => {
    const { conditions } = request.status;
    setConditionTimes(conditions, old.status.conditions, timestamp(now));
    request.spec = old.spec;
    request.status = { ...old.status };
    if (conditions === undefined) delete request.status.conditions;
    else request.status.conditions = conditions;
  },
  validateUpdate: (request, old) => validateSigningRequestUpdate(request, old, { mayApprove: true }),
  resetFields: [['spec'], ['status', 'certificate']],
};

export const certificateSigningRequestStrategy: ResourceStrategy<CertificateSigningRequest> = {
  prepareForCreate: (request, { user }) => {
    setRequester(request.spec, user);
    request.status = {};
  },
  validate: validateSigningRequest,
  prepareForUpdate: (request, old) => {
    request.spec = old.spec;
    request.status = old.status;
  },
  validateUpdate: (request, old) => validateSigningRequestUpdate(request, old),
  resetFields: [['spec'], ['status']],
};

export const certificateSigningRequestStatusStrategy: Strategy<CertificateSigningRequest> = {
  prepareForUpdate: (request, old, { now }) => {
    request.spec = old.spec;
    setConditionTimes(request.status.conditions, old.status.conditions, timestamp(now));
  },
  validateUpdate: (request, old) => validateSigningRequestUpdate(request, old, { mayIssue: true }),
  resetFields: [['spec'], ['status', 'conditions']],
};
