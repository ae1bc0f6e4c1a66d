/**
 * Names of resources: native ones (`cpu`, `hugepages-2Mi`, `kubernetes.io/x`) and extended ones (`example.com/gpu`).
 * @see {@link https://kubernetes.io/docs/concepts/configuration/manage-resources-containers/#extended-resources |
 *   Extended resources}
 */
import { isQualifiedName } from '../../../machinery/formats/names.ts';
import { parseQuantity, type Quantity, QuantityError } from '../../../machinery/quantity.ts';

const counted = [
  'pods',
  'resourcequotas',
  'services',
  'replicationcontrollers',
  'secrets',
  'configmaps',
  'persistentvolumeclaims',
  'services.nodeports',
  'services.loadbalancers',
];
const countedNames = new Set(counted);
const amounts = ['cpu', 'memory', 'ephemeral-storage'];
const standardNames = new Set([
  ...counted,
  ...amounts,
  ...amounts.map((name) => `requests.${name}`),
  ...amounts.map((name) => `limits.${name}`),
  'storage',
  'requests.storage',
]);

const hugePages = 'hugepages-';

export const isHugePageName = (name: string): boolean => name.startsWith(hugePages);

/** Everything the API has a meaning for, also in quotas. */
export const isStandardResourceName = (name: string): boolean =>
  standardNames.has(name) || isHugePageName(name) || name.startsWith(`requests.${hugePages}`);

export const isStandardContainerResourceName = (name: string): boolean =>
  amounts.includes(name) || isHugePageName(name);

export const isNativeResource = (name: string): boolean => !name.includes('/') || name.includes('kubernetes.io/');

export const isExtendedResourceName = (name: string): boolean =>
  !isNativeResource(name) && !name.startsWith('requests.') && isQualifiedName(`requests.${name}`).length === 0;

/** Whether a request may be lower than its limit. */
export const isOvercommitAllowed = (name: string): boolean => isNativeResource(name) && !isHugePageName(name);

/** What can only be counted. */
export const isIntegerResourceName = (name: string): boolean => countedNames.has(name) || isExtendedResourceName(name);

/** Whether the amount is a whole number of pages of the size that the name tells. */
export function isMultipleOfPageSize(name: string, amount: Quantity): boolean {
  const size = pageSizeOf(name);
  return size !== undefined && size.sign() > 0 && size.isInteger() && amount.value() % size.value() === 0n;
}

function pageSizeOf(name: string): Quantity | undefined {
  try {
    return parseQuantity(name.slice(hugePages.length));
  } catch (error) {
    if (error instanceof QuantityError) return undefined;
    throw error;
  }
}
