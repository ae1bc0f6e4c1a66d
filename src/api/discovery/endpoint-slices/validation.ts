/**
 * Rules of endpoint slices. @see {@link https://kubernetes.io/docs/concepts/services-networking/endpoint-slices/ |
 * EndpointSlices}
 */
import type {
  AddressType,
  Endpoint,
  EndpointHints,
  EndpointPort,
  EndpointSlice,
} from '../../gen/types/discovery-v1.ts';
import { duplicate, internal, notSupported, required, tooMany } from '../../../machinery/field-error.ts';
import type { FieldErrors } from '../../../machinery/field-errors.ts';
import { FieldPath } from '../../../machinery/field-path.ts';
import { isIpv4Address, isIpv6Address } from '../../../machinery/formats/addresses.ts';
import { isDns1123Label, isDns1123Subdomain, isLabelValue, isQualifiedName } from '../../../machinery/formats/names.ts';
import { checkNonSpecialIp } from '../../meta/addresses.ts';
import { checkFormat, checkImmutable } from '../../meta/checks.ts';
import { checkFullyQualifiedDomainName } from '../../meta/domains.ts';
import { checkLabels } from '../../meta/labels.ts';
import { subdomainName } from '../../meta/name-rules.ts';
import { validateBuiltInMeta } from '../../meta/object-meta.ts';
import { protocols } from '../../core/services/ports-validation.ts';
import { zoneLabel } from './v1beta1.ts';

const addressTypePath = FieldPath.of('addressType');
const addressTypes = ['FQDN', 'IPv4', 'IPv6'];
const limits = { endpoints: 1000, addresses: 100, ports: 20_000, zones: 8, topologyLabels: 16 };

export function validateEndpointSlice(slice: EndpointSlice): FieldErrors {
  const { metadata, addressType, endpoints = [], ports = [] } = slice;
  const errors = validateBuiltInMeta(metadata, { namespaced: true, validateName: subdomainName });
  if (addressType === undefined) errors.push(required(addressTypePath));
  else if (!addressTypes.includes(addressType)) errors.push(notSupported(addressTypePath, addressType, addressTypes));
  const endpointsPath = FieldPath.of('endpoints');
  if (endpoints.length > limits.endpoints) errors.push(tooMany(endpointsPath, endpoints.length, limits.endpoints));
  else endpoints.forEach((endpoint, i) => checkEndpoint(endpoint, addressType, endpointsPath.index(i), errors));
  checkPorts(ports, FieldPath.of('ports'), errors);
  return errors;
}

export function validateEndpointSliceUpdate(slice: EndpointSlice, old: EndpointSlice): FieldErrors {
  const errors = validateEndpointSlice(slice);
  checkImmutable(slice.addressType ?? '', old.addressType ?? '', addressTypePath, errors);
  return errors;
}

function checkEndpoint(endpoint: Endpoint, type: AddressType | undefined, path: FieldPath, errors: FieldErrors): void {
  const { addresses = [], hostname, nodeName, hints, deprecatedTopology } = endpoint;
  const addressesPath = path.child('addresses');
  if (addresses.length === 0) errors.push(required(addressesPath, 'must contain at least 1 address'));
  else if (addresses.length > limits.addresses) errors.push(tooMany(addressesPath, addresses.length, limits.addresses));
  addresses.forEach((address, i) => checkAddress(address, type, addressesPath.index(i), errors));
  if (nodeName !== undefined) checkFormat(isDns1123Subdomain, nodeName, path.child('nodeName'), errors);
  checkTopology(deprecatedTopology, path.child('deprecatedTopology'), errors);
  if (hostname !== undefined) checkFormat(isDns1123Label, hostname, path.child('hostname'), errors);
  if (hints !== undefined) checkHints(hints, path.child('hints', 'forZones'), errors);
}

/** Addresses of a type that is not known are not judged. */
function checkAddress(address: string, type: AddressType | undefined, path: FieldPath, errors: FieldErrors): void {
  if (type === 'FQDN') return checkFullyQualifiedDomainName(address, path, errors);
  if (type !== 'IPv4' && type !== 'IPv6') return;
  checkFormat(type === 'IPv4' ? isIpv4Address : isIpv6Address, address, path, errors);
  checkNonSpecialIp(address, path, errors);
}

function checkTopology(
  topology: Readonly<Record<string, string>> | undefined,
  path: FieldPath,
  errors: FieldErrors,
): void {
  if (topology === undefined) return;
  const count = Object.keys(topology).length;
  if (count > limits.topologyLabels) errors.push(tooMany(path, count, limits.topologyLabels));
  checkLabels(topology, path, errors);
  if (Object.hasOwn(topology, zoneLabel))
    errors.push(internal(path.key(zoneLabel), 'reserved key was not removed in conversion'));
}

function checkHints({ forZones = [] }: EndpointHints, path: FieldPath, errors: FieldErrors): void {
  if (forZones.length > limits.zones) return void errors.push(tooMany(path, forZones.length, limits.zones));
  const seen = new Set<string>();
  forZones.forEach(({ name = '' }, i) => {
    const at = path.index(i).child('name');
    if (seen.has(name)) errors.push(duplicate(at, name));
    seen.add(name);
    checkFormat(isLabelValue, name, at, errors);
  });
}

function checkPorts(ports: readonly EndpointPort[], path: FieldPath, errors: FieldErrors): void {
  if (ports.length > limits.ports) return void errors.push(tooMany(path, ports.length, limits.ports));
  const names = new Set<string>();
  // The number is not judged: controllers of other load balancers may have their own.
  ports.forEach(({ name = '', protocol = 'TCP', appProtocol }, i) => {
    const at = path.index(i);
    if (name !== '') checkFormat(isDns1123Label, name, at.child('name'), errors);
    if (names.has(name)) errors.push(duplicate(at.child('name'), name));
    names.add(name);
    if (!protocols.includes(protocol)) errors.push(notSupported(at.child('protocol'), protocol, protocols));
    if (appProtocol !== undefined) checkFormat(isQualifiedName, appProtocol, at.child('appProtocol'), errors);
  });
}
