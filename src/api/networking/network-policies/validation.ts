/**
 * Rules of network policies. @see {@link https://kubernetes.io/docs/concepts/services-networking/network-policies/ |
 * Network Policies}
 */
import type {
  IPBlock,
  NetworkPolicy,
  NetworkPolicyPeer,
  NetworkPolicyPort,
  NetworkPolicySpec,
} from '../../gen/types/networking-v1.ts';
import { forbidden, invalid, notSupported, required } from '../../../machinery/field-error.ts';
import { FieldErrors } from '../../../machinery/field-errors.ts';
import { FieldPath } from '../../../machinery/field-path.ts';
import { isInCidr, parseCidr } from '../../../machinery/formats/addresses.ts';
import { isPortName } from '../../../machinery/formats/names.ts';
import { isPortNumber } from '../../../machinery/formats/numbers.ts';
import { goNames } from '../../../machinery/go-quote.ts';
import { checkCidr } from '../../meta/addresses.ts';
import { invalidEach } from '../../meta/checks.ts';
import {
  checkLabelSelector,
  hasInvalidSelector,
  formatLabelSelector,
  type LabelSelectorRules,
} from '../../meta/label-selector.ts';
import { subdomainName } from '../../meta/name-rules.ts';
import { judgedTwice, validateBuiltInMeta } from '../../meta/object-meta.ts';
import { ageCell } from '../../table/cells.ts';

const specPath = FieldPath.of('spec');
const protocols = ['TCP', 'UDP', 'SCTP'];
const policyTypes = ['Ingress', 'Egress'];

/**
 * A policy that does not say which traffic it is about means what comes in, and what goes out if it has rules for that.
 */
export function setNetworkPolicyDefaults({ spec }: Pick<NetworkPolicy, 'spec'>): void {
  for (const { ports } of [...(spec.ingress ?? []), ...(spec.egress ?? [])])
    for (const port of ports ?? []) port.protocol ??= 'TCP';
  if ((spec.policyTypes?.length ?? 0) === 0)
    spec.policyTypes = (spec.egress?.length ?? 0) > 0 ? ['Ingress', 'Egress'] : ['Ingress'];
}

const metaRules = { namespaced: true, validateName: subdomainName };

export function validateNetworkPolicy({ metadata, spec }: NetworkPolicy): FieldErrors {
  const errors = validateBuiltInMeta(metadata, metaRules);
  checkSpec(spec, errors, {});
  return errors;
}

export function validateNetworkPolicyUpdate({ metadata, spec }: NetworkPolicy, old: NetworkPolicy): FieldErrors {
  const specErrors = new FieldErrors();
  checkSpec(spec, specErrors, { allowInvalidValues: hasBadPodSelector(old) });
  return judgedTwice(metadata, old.metadata, metaRules, specErrors);
}

const hasBadPodSelector = ({ spec }: NetworkPolicy): boolean => hasInvalidSelector(spec.podSelector);

function checkSpec(
  { podSelector, ingress, egress, policyTypes: types = [] }: NetworkPolicySpec,
  errors: FieldErrors,
  rules: LabelSelectorRules,
): void {
  checkLabelSelector(podSelector, specPath.child('podSelector'), errors, rules);
  ingress?.forEach(({ ports, from }, i) => {
    const path = specPath.child('ingress').index(i);
    ports?.forEach((port, j) => checkPort(port, path.child('ports').index(j), errors));
    from?.forEach((peer, j) => checkPeer(peer, path.child('from').index(j), errors, rules));
  });
  egress?.forEach(({ ports, to }, i) => {
    const path = specPath.child('egress').index(i);
    ports?.forEach((port, j) => checkPort(port, path.child('ports').index(j), errors));
    to?.forEach((peer, j) => checkPeer(peer, path.child('to').index(j), errors, rules));
  });
  const typesPath = specPath.child('policyTypes');
  if (types.length > policyTypes.length)
    errors.push(
      invalid(typesPath, goNames('[]networking.PolicyType', types), 'may not specify more than two policyTypes'),
    );
  else
    types.forEach((type, i) => {
      if (!policyTypes.includes(type)) errors.push(notSupported(typesPath.index(i), type, policyTypes));
    });
}

function checkPort({ protocol, port, endPort }: NetworkPolicyPort, path: FieldPath, errors: FieldErrors): void {
  if (protocol !== undefined && !protocols.includes(protocol))
    errors.push(notSupported(path.child('protocol'), protocol, protocols));
  const endPath = path.child('endPort');
  if (typeof port === 'number') {
    invalidEach(isPortNumber(port), path.child('port'), port, errors);
    if (endPort === undefined) return;
    if (endPort < port) errors.push(invalid(endPath, port, 'must be greater than or equal to `port`'));
    invalidEach(isPortNumber(endPort), endPath, endPort, errors);
    return;
  }
  if (endPort !== undefined)
    errors.push(
      invalid(
        endPath,
        endPort,
        `may not be specified when \`port\` is ${port === undefined ? 'not specified' : 'non-numeric'}`,
      ),
    );
  if (port !== undefined) invalidEach(isPortName(port), path.child('port'), port, errors);
}

function checkPeer(
  { podSelector, namespaceSelector, ipBlock }: NetworkPolicyPeer,
  path: FieldPath,
  errors: FieldErrors,
  rules: LabelSelectorRules,
): void {
  checkLabelSelector(podSelector, path.child('podSelector'), errors, rules);
  checkLabelSelector(namespaceSelector, path.child('namespaceSelector'), errors, rules);
  if (ipBlock !== undefined) checkIpBlock(ipBlock, path.child('ipBlock'), errors);
  const hasSelector = podSelector !== undefined || namespaceSelector !== undefined;
  if (!hasSelector && ipBlock === undefined) errors.push(required(path, 'must specify a peer'));
  if (hasSelector && ipBlock !== undefined)
    errors.push(forbidden(path, 'may not specify both ipBlock and another peer'));
}

function checkIpBlock({ cidr = '', except }: IPBlock, path: FieldPath, errors: FieldErrors): void {
  if (cidr === '') return void errors.push(required(path.child('cidr')));
  checkCidr(cidr, path.child('cidr'), errors);
  const block = parseCidr(cidr);
  if (block === undefined) return;
  except?.forEach((text, i) => {
    const at = path.child('except').index(i);
    checkCidr(text, at, errors);
    const part = parseCidr(text);
    if (part !== undefined && (!isInCidr(block, part) || block.prefixLength >= part.prefixLength))
      errors.push(invalid(at, text, 'must be a strict subset of `cidr`'));
  });
}

export const networkPolicyCells = ({ metadata, spec }: NetworkPolicy, now: Date): string[] => [
  metadata.name ?? '',
  formatLabelSelector(spec.podSelector),
  ageCell(metadata.creationTimestamp, now),
];
