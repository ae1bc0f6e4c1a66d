/**
 * Rules of endpoints. @see {@link https://kubernetes.io/docs/concepts/services-networking/service/#endpoints |
 * Endpoints}
 */
import type { EndpointAddress, EndpointPort, Endpoints, EndpointSubset } from '../../gen/types/core-v1.ts';
import { isEqual } from '../../../machinery/equal.ts';
import { invalid, required } from '../../../machinery/field-error.ts';
import { FieldErrors } from '../../../machinery/field-errors.ts';
import { FieldPath } from '../../../machinery/field-path.ts';
import { isDns1123Label, isDns1123Subdomain, isQualifiedName } from '../../../machinery/formats/names.ts';
import { isPortNumber } from '../../../machinery/formats/numbers.ts';
import { checkIp, checkNonSpecialIp } from '../../meta/addresses.ts';
import { checkFormat, invalidEach } from '../../meta/checks.ts';
import { subdomainName } from '../../meta/name-rules.ts';
import { validateBuiltInMeta, validateBuiltInMetaUpdate } from '../../meta/object-meta.ts';
import { checkProtocol } from '../services/ports-validation.ts';

/** When the pods changed that made the endpoints change. */
const triggerTimeAnnotation = 'endpoints.kubernetes.io/last-change-trigger-time';

export function validateEndpoints({ metadata, subsets }: Endpoints, old?: Endpoints): FieldErrors {
  const errors = validateBuiltInMeta(metadata, { namespaced: true, validateName: subdomainName });
  const time = metadata.annotations?.[triggerTimeAnnotation];
  if (time !== undefined && !isTime(time))
    errors.push(
      invalid(
        FieldPath.of('annotations', triggerTimeAnnotation),
        time,
        'must be a valid time value in RFC3339Nano format',
      ),
    );
  // Bad subsets from before there was a rule are no reason to refuse other changes.
  if (old === undefined || !isEqual(old.subsets, subsets))
    subsets?.forEach((subset, i) => checkSubset(subset, FieldPath.of('subsets').index(i), errors));
  return errors;
}

export function validateEndpointsUpdate(endpoints: Endpoints, old: Endpoints): FieldErrors {
  return FieldErrors.joined(
    validateBuiltInMetaUpdate(endpoints.metadata, old.metadata),
    validateEndpoints(endpoints, old),
  );
}

const timePattern = /^\d{4}-(\d\d)-(\d\d)T([01]\d|2[0-3]):[0-5]\d:[0-5]\d([.,]\d+)?(Z|[+-]([01]\d|2[0-4]):[0-5]\d)$/;

function isTime(text: string): boolean {
  const match = timePattern.exec(text);
  if (match === null) return false;
  const [month, day] = [Number(match[1]), Number(match[2])];
  const days = new Date(Date.UTC(Number(text.slice(0, 4)), month, 0)).getUTCDate();
  return month >= 1 && month <= 12 && day >= 1 && day <= days;
}

function checkSubset(
  { addresses = [], notReadyAddresses = [], ports = [] }: EndpointSubset,
  path: FieldPath,
  errors: FieldErrors,
): void {
  if (addresses.length === 0 && notReadyAddresses.length === 0)
    errors.push(required(path, 'must specify `addresses` or `notReadyAddresses`'));
  addresses.forEach((address, i) => checkAddress(address, path.child('addresses').index(i), errors));
  notReadyAddresses.forEach((address, i) => checkAddress(address, path.child('notReadyAddresses').index(i), errors));
  ports.forEach((port, i) => checkPort(port, ports.length > 1, path.child('ports').index(i), errors));
}

function checkAddress(
  { ip = '', hostname = '', nodeName }: EndpointAddress,
  path: FieldPath,
  errors: FieldErrors,
): void {
  checkIp(ip, path.child('ip'), errors);
  if (hostname !== '') checkFormat(isDns1123Label, hostname, path.child('hostname'), errors);
  if (nodeName !== undefined) checkFormat(isDns1123Subdomain, nodeName, path.child('nodeName'), errors);
  checkNonSpecialIp(ip, path.child('ip'), errors);
}

function checkPort(
  { name = '', port = 0, protocol, appProtocol }: EndpointPort,
  needsName: boolean,
  path: FieldPath,
  errors: FieldErrors,
): void {
  if (name !== '') checkFormat(isDns1123Label, name, path.child('name'), errors);
  else if (needsName) errors.push(required(path.child('name')));
  invalidEach(isPortNumber(port), path.child('port'), port, errors);
  checkProtocol(protocol, path.child('protocol'), errors);
  if (appProtocol !== undefined) checkFormat(isQualifiedName, appProtocol, path.child('appProtocol'), errors);
}
