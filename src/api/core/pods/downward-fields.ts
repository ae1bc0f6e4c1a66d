/**
 * References to fields of the pod and to resources of its containers, for environment variables and files.
 * @see {@link https://kubernetes.io/docs/concepts/workloads/pods/downward-api/ | Downward API}
 */
import type { ObjectFieldSelector, ResourceFieldSelector } from '../../gen/types/core-v1.ts';
import { invalid, notSupported } from '../../../machinery/field-error.ts';
import type { FieldErrors } from '../../../machinery/field-errors.ts';
import type { FieldPath } from '../../../machinery/field-path.ts';
import { isQualifiedName } from '../../../machinery/formats/names.ts';
import { checkFormat, checkRequiredText } from '../../meta/checks.ts';
import { quantityOf } from '../resources/quantities.ts';

const knownFields = new Set([
  'metadata.annotations',
  'metadata.labels',
  'metadata.name',
  'metadata.namespace',
  'metadata.uid',
  'spec.nodeName',
  'spec.restartPolicy',
  'spec.serviceAccountName',
  'spec.schedulerName',
  'status.phase',
  'status.hostIP',
  'status.hostIPs',
  'status.podIP',
  'status.podIPs',
]);

/** The former name of the node's name. */
const aliases: Readonly<Record<string, string>> = { 'spec.host': 'spec.nodeName' };

/** `metadata.labels['key']`: the field, and the key where there is one. */
function partsOf(fieldPath: string): { readonly field: string; readonly key?: string } {
  const open = fieldPath.indexOf("['");
  if (open < 1 || open + 4 > fieldPath.length || !fieldPath.endsWith("']")) return { field: fieldPath };
  return { field: fieldPath.slice(0, open), key: fieldPath.slice(open + 2, -2) };
}

/** `supported` are the fields that are allowed here, sorted; annotations and labels may always be named with a key. */
export function checkObjectField(
  { apiVersion, fieldPath = '' }: ObjectFieldSelector,
  supported: readonly string[],
  path: FieldPath,
  errors: FieldErrors,
): void {
  if (!checkRequiredText(apiVersion, path.child('apiVersion'), errors)) return;
  if (!checkRequiredText(fieldPath, path.child('fieldPath'), errors)) return;
  if (supported.includes(fieldPath) && apiVersion === 'v1') return;
  const { field, key } = partsOf(fieldPath);
  const problem = conversionProblem(apiVersion!, field, key, fieldPath);
  if (problem !== undefined)
    errors.push(invalid(path.child('fieldPath'), fieldPath, `error converting fieldPath: ${problem}`));
  else if (key !== undefined)
    checkFormat(isQualifiedName, field === 'metadata.annotations' ? key.toLowerCase() : key, path, errors);
  else {
    const name = aliases[field] ?? field;
    if (!supported.includes(name)) errors.push(notSupported(path.child('fieldPath'), name, supported));
  }
}

function conversionProblem(
  apiVersion: string,
  field: string,
  key: string | undefined,
  fieldPath: string,
): string | undefined {
  if (apiVersion !== 'v1') return `unsupported pod version: ${apiVersion}`;
  if (key !== undefined)
    return field === 'metadata.annotations' || field === 'metadata.labels'
      ? undefined
      : `field label does not support subscript: ${fieldPath}`;
  return knownFields.has(field) || Object.hasOwn(aliases, field)
    ? undefined
    : `field label not supported: ${fieldPath}`;
}

const resourceFields = [
  'limits.cpu',
  'limits.ephemeral-storage',
  'limits.memory',
  'requests.cpu',
  'requests.ephemeral-storage',
  'requests.memory',
];
const hugePageField = /^(requests|limits)\.hugepages-/;

export function checkResourceField(
  { containerName, resource = '', divisor }: ResourceFieldSelector,
  rules: { needsContainer: boolean },
  path: FieldPath,
  errors: FieldErrors,
): void {
  if (!rules.needsContainer || checkRequiredText(containerName, path.child('containerName'), errors)) {
    if (
      checkRequiredText(resource, path.child('resource'), errors) &&
      !resourceFields.includes(resource) &&
      !hugePageField.test(resource)
    ) {
      errors.push(notSupported(path.child('resource'), resource, resourceFields));
    }
  }
  checkDivisor(resource, divisor, path.child('divisor'), errors);
}

const unitDivisors = ['1', '1k', '1M', '1G', '1T', '1P', '1E', '1Ki', '1Mi', '1Gi', '1Ti', '1Pi', '1Ei'];

function checkDivisor(resource: string, divisor: string | undefined, path: FieldPath, errors: FieldErrors): void {
  if (divisor === undefined || quantityOf(divisor).isZero()) return;
  if (resource === 'limits.cpu' || resource === 'requests.cpu') {
    if (divisor !== '1' && divisor !== '1m')
      errors.push(invalid(path, resource, "only divisor's values 1m and 1 are supported with the cpu resource"));
    return;
  }
  const name = unitResource(resource);
  if (name !== undefined && !unitDivisors.includes(divisor))
    errors.push(
      invalid(
        path,
        resource,
        `only divisor's values ${unitDivisors.join(', ')} are supported with the ${name} resource`,
      ),
    );
}

function unitResource(resource: string): string | undefined {
  if (hugePageField.test(resource)) return 'hugepages';
  if (resource === 'limits.memory' || resource === 'requests.memory') return 'memory';
  return resource === 'limits.ephemeral-storage' || resource === 'requests.ephemeral-storage'
    ? 'local ephemeral storage'
    : undefined;
}
