/** What the signers of the cluster ask of a request. The texts are upstream's. */
import { type RequestDetails } from '../../pki/request-details.ts';
import { subjectIds } from '../../pki/request-subject.ts';

export const signerNames = {
  kubeApiserverClient: 'kubernetes.io/kube-apiserver-client',
  kubeletClient: 'kubernetes.io/kube-apiserver-client-kubelet',
  kubeletServing: 'kubernetes.io/kubelet-serving',
  legacyUnknown: 'kubernetes.io/legacy-unknown',
} as const;

export type SignerName = (typeof signerNames)[keyof typeof signerNames];

/** What is wrong with a request; undefined when nothing is. */
type Rule = (request: RequestDetails, usages: readonly string[]) => string | undefined;

const nodeGroup = 'system:nodes';
const nodePrefix = 'system:node:';

export const commonNameOf = ({ subject }: RequestDetails): string => subject.get(subjectIds.commonName)?.at(-1) ?? '';

function organizationProblem({ subject }: RequestDetails): string | undefined {
  const organizations = subject.get(subjectIds.organization) ?? [];
  const isNodes = organizations.length === 1 && organizations[0] === nodeGroup;
  return isNodes ? undefined : 'subject organization is not system:nodes';
}

const nameProblem = (request: RequestDetails): string | undefined =>
  commonNameOf(request).startsWith(nodePrefix) ? undefined : 'subject common name does not begin with system:node:';

/** @param auth `client auth` or `server auth`. Keys that cannot encipher leave that usage out. */
function usageProblem(usages: readonly string[], auth: string): string | undefined {
  const all = [auth, 'digital signature', 'key encipherment'].sort();
  const given = new Set(usages);
  const isGood = given.has(auth) && given.has('digital signature') && [...given].every((usage) => all.includes(usage));
  return isGood ? undefined : `usages did not match [${all.join(' ')}]`;
}

const notAllowed = (kind: string, names: readonly unknown[]): string | undefined =>
  names.length === 0 ? undefined : `${kind} subjectAltNames are not allowed`;

const rules: Readonly<Record<SignerName, Rule>> = {
  [signerNames.kubeletClient]: (request, usages) =>
    organizationProblem(request) ??
    notAllowed('DNS', request.dnsNames) ??
    notAllowed('Email', request.emailAddresses) ??
    notAllowed('IP', request.ipAddresses) ??
    notAllowed('URI', request.uris) ??
    nameProblem(request) ??
    usageProblem(usages, 'client auth'),
  [signerNames.kubeletServing]: (request, usages) =>
    organizationProblem(request) ??
    (request.dnsNames.length + request.ipAddresses.length === 0 ? 'DNS or IP subjectAltName is required' : undefined) ??
    notAllowed('Email', request.emailAddresses) ??
    notAllowed('URI', request.uris) ??
    usageProblem(usages, 'server auth') ??
    nameProblem(request),
  [signerNames.kubeApiserverClient](_, usages) {
    const optional = ['digital signature', 'key encipherment', 'client auth'];
    const other = usages.find((usage) => !optional.includes(usage));
    if (other !== undefined) return `invalid usage for client certificate: ${other}`;
    return usages.includes('client auth') ? undefined : 'missing required usage for client certificate: client auth';
  },
  [signerNames.legacyUnknown]: () => undefined,
};

/** Why the signer does not sign the request; undefined when it does. */
export const requestProblem = (
  signer: SignerName,
  request: RequestDetails,
  usages: readonly string[],
): string | undefined => rules[signer](request, usages);
