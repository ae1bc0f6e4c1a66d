import { duplicate, forbidden, invalid, notSupported, required } from '../../../machinery/field-error.ts';
import type { FieldErrors } from '../../../machinery/field-errors.ts';
import { FieldPath } from '../../../machinery/field-path.ts';
import { isEqual } from '../../../machinery/equal.ts';
import { isCidr, parseCidr } from '../../../machinery/formats/addresses.ts';
import { isLabelValue } from '../../../machinery/formats/names.ts';
import { goStrings } from '../../../machinery/go-quote.ts';
import { checkLabelName } from '../../meta/labels.ts';
import { invalidEach } from '../../meta/checks.ts';
import { subdomainName } from '../../meta/name-rules.ts';
import { validateBuiltInMeta, validateBuiltInMetaUpdate } from '../../meta/object-meta.ts';
import type { Node, NodeAddress, NodeSpec, Taint } from '../../gen/types/core-v1.ts';
import { checkResourceAmount } from '../resources/resource-amounts.ts';
import { shownStruct } from '../../shown-struct.ts';

const spec = FieldPath.of('spec');
const status = FieldPath.of('status');
const effects = ['NoSchedule', 'PreferNoSchedule', 'NoExecute'];

/** @see {@link https://kubernetes.io/docs/concepts/architecture/nodes/ | Nodes} */
export function validateNode(object: Node): FieldErrors {
  const errors = validateBuiltInMeta(object.metadata ?? {}, { namespaced: false, validateName: subdomainName });
  // Upstream reports taints below metadata.
  checkTaints(object.spec?.taints, FieldPath.of('metadata', 'taints'), errors);
  checkAmounts(object, errors);
  checkPodCidrs(object.spec, errors);
  return errors;
}

function checkAmounts({ status: { capacity, allocatable } }: Node, errors: FieldErrors): void {
  for (const [name, amount] of sorted(capacity))
    checkResourceAmount(name, amount, status.child('capacity', name), errors);
  for (const [name, amount] of sorted(allocatable))
    checkResourceAmount(name, amount, status.child('allocatable', name), errors);
}

const sorted = (amounts: Readonly<Record<string, string>> | undefined): [string, string][] =>
  Object.entries(amounts ?? {}).sort(([a], [b]) => (a < b ? -1 : 1));

function checkTaints(taints: readonly Taint[] | undefined, path: FieldPath, errors: FieldErrors): void {
  const seen = new Set<string>();
  for (const [i, taint] of (taints ?? []).entries()) {
    const at = path.index(i);
    checkLabelName(taint.key ?? '', at.child('key'), errors);
    invalidEach(isLabelValue(taint.value ?? ''), at.child('value'), taint.value ?? '', errors);
    if ((taint.effect ?? '') === '') errors.push(required(at.child('effect')));
    else if (!effects.includes(taint.effect!)) errors.push(notSupported(at.child('effect'), taint.effect!, effects));
    const pair = `${taint.effect} ${taint.key}`;
    if (seen.has(pair))
      errors.push({
        type: 'FieldValueDuplicate',
        field: at.toString(),
        body:
          `Duplicate value: ${shownStruct('core/v1.Taint', taint).text}: ` +
          'taints must be unique by key and effect pair',
      });
    seen.add(pair);
  }
}

/** One for each IP family at most. */
function checkPodCidrs({ podCIDRs = [] }: NodeSpec = {}, errors: FieldErrors): void {
  const path = spec.child('podCIDRs');
  for (const [i, cidr] of podCIDRs.entries()) invalidEach(isCidr(cidr), path.index(i), cidr, errors);
  const families = podCIDRs.map((cidr) => parseCidr(cidr)?.family);
  const repeated = podCIDRs.length > 2 || (podCIDRs.length === 2 && families[0] === families[1]);
  if (repeated) errors.push(invalid(path, goStrings(podCIDRs), 'may specify no more than one CIDR for each IP family'));
}

export function validateNodeUpdate(object: Node, old: Node): FieldErrors {
  const errors = validateBuiltInMetaUpdate(object.metadata ?? {}, old.metadata ?? {});
  checkAmounts(object, errors);
  checkAddresses(object.status.addresses, status.child('addresses'), errors);
  if ((old.spec?.podCIDRs?.length ?? 0) > 0 && !isEqual(object.spec?.podCIDRs, old.spec?.podCIDRs)) {
    errors.push(forbidden(spec.child('podCIDRs'), 'node updates may not change podCIDR except from "" to valid'));
  }
  if ((old.spec?.providerID ?? '') !== '' && object.spec?.providerID !== old.spec?.providerID) {
    errors.push(forbidden(spec.child('providerID'), 'node updates may not change providerID except from "" to valid'));
  }
  checkTaints(object.spec?.taints, spec.child('taints'), errors);
  return errors;
}

function checkAddresses(addresses: readonly NodeAddress[] | undefined, path: FieldPath, errors: FieldErrors): void {
  const seen = new Set<string>();
  for (const [i, { type, address }] of (addresses ?? []).entries()) {
    const key = JSON.stringify([type, address]);
    if (seen.has(key)) errors.push(duplicate(path.index(i), shownStruct('core/v1.NodeAddress', { type, address })));
    seen.add(key);
  }
}
