/**
 * Which labels a node may give itself. @see {@link
 * https://kubernetes.io/docs/reference/access-authn-authz/admission-controllers/#noderestriction | NodeRestriction}
 */
const allowed = new Set([
  'kubernetes.io/hostname',
  'topology.kubernetes.io/zone',
  'topology.kubernetes.io/region',
  'failure-domain.beta.kubernetes.io/zone',
  'failure-domain.beta.kubernetes.io/region',
  'beta.kubernetes.io/instance-type',
  'node.kubernetes.io/instance-type',
  'kubernetes.io/os',
  'kubernetes.io/arch',
  'beta.kubernetes.io/os',
  'beta.kubernetes.io/arch',
]);
const allowedDomains = ['kubelet.kubernetes.io', 'node.kubernetes.io'];
const forbiddenDomain = 'node-restriction.kubernetes.io';
const ownDomains = ['kubernetes.io', 'k8s.io'];

const isIn = (domain: string, parent: string): boolean => domain === parent || domain.endsWith(`.${parent}`);

/** Whether workloads are steered by the label, so that a node may not have it from its agent. */
export function isForbiddenToNodes(label: string): boolean {
  const slash = label.indexOf('/');
  const domain = slash < 0 ? '' : label.slice(0, slash);
  if (isIn(domain, forbiddenDomain)) return true;
  if (!ownDomains.some((own) => isIn(domain, own))) return false;
  return !allowed.has(label) && !allowedDomains.some((own) => isIn(domain, own));
}

/** What its agent may say of a node in the domains of Kubernetes, for messages. */
export const allowedToNodes = { domains: allowedDomains, labels: [...allowed] } as const;

type Labels = Readonly<Record<string, string>>;

/** Labels that came, changed or went and that a node may not touch: workloads are steered by them. Sorted. */
export function forbiddenChanges(labels: Labels = {}, before: Labels = {}): string[] {
  const own = (of: Labels, key: string): string | undefined => (Object.hasOwn(of, key) ? of[key] : undefined);
  return [...new Set([...Object.keys(labels), ...Object.keys(before)])]
    .filter((key) => own(labels, key) !== own(before, key) && isForbiddenToNodes(key))
    .sort();
}
