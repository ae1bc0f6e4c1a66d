import type { TypedLocalObjectReference } from '../../gen/types/core-v1.ts';
import type { IngressBackend, IngressServiceBackend } from '../../gen/types/networking-v1.ts';
import { invalid, required } from '../../../machinery/field-error.ts';
import type { FieldErrors } from '../../../machinery/field-errors.ts';
import type { FieldPath } from '../../../machinery/field-path.ts';
import { isDns1035Label, isDns1123Subdomain, isPathSegmentName, isPortName } from '../../../machinery/formats/names.ts';
import { isPortNumber } from '../../../machinery/formats/numbers.ts';
import { checkFormat, invalidEach } from '../../meta/checks.ts';

/** A service or another resource, never both. */
export function checkIngressBackend({ service, resource }: IngressBackend, path: FieldPath, errors: FieldErrors): void {
  if (service !== undefined && resource !== undefined)
    errors.push(invalid(path, '', 'cannot set both resource and service backends'));
  else if (resource !== undefined) checkTypedReference(resource, path.child('resource'), errors);
  else if (service !== undefined) checkService(service, path, errors);
  else errors.push(invalid(path, '', 'resource or service backend is required'));
}

function checkService({ name = '', port }: IngressServiceBackend, path: FieldPath, errors: FieldErrors): void {
  const { name: portName = '', number = 0 } = port;
  const service = path.child('service');
  if (name === '') errors.push(required(service.child('name')));
  else checkFormat(isDns1035Label, name, service.child('name'), errors);
  if (portName !== '' && number !== 0) errors.push(invalid(path, '', 'cannot set both port name & port number'));
  else if (portName !== '') checkFormat(isPortName, portName, service.child('port', 'name'), errors);
  else if (number !== 0) invalidEach(isPortNumber(number), service.child('port', 'number'), number, errors);
  else errors.push(required(path, 'port name or number is required'));
}

/** Group, kind and name of an object somewhere. */
export function checkTypedReference(
  { apiGroup, kind = '', name = '' }: TypedLocalObjectReference,
  path: FieldPath,
  errors: FieldErrors,
): void {
  if (apiGroup !== undefined) checkFormat(isDns1123Subdomain, apiGroup, path.child('apiGroup'), errors);
  if (kind === '') errors.push(required(path.child('kind'), 'kind is required'));
  else checkFormat(isPathSegmentName, kind, path.child('kind'), errors);
  if (name === '') errors.push(required(path.child('name'), 'name is required'));
  else checkFormat(isPathSegmentName, name, path.child('name'), errors);
}
