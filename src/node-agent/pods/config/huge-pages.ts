/** Names of the sizes of huge pages. */
import { Quantity } from '../../../machinery/quantity.ts';

/** As a resource: `hugepages-2Mi`. */
export const hugePageResource = (bytes: number): string =>
  `hugepages-${new Quantity(BigInt(bytes), 0, 'BinarySI').toString()}`;

const units = ['B', 'KB', 'MB', 'GB', 'TB'];

/** As files of control groups name them: `2MB`. */
export function kernelPageSize(bytes: number): string {
  let [size, unit] = [bytes, 0];
  for (; size >= 1024 && size % 1024 === 0 && unit < units.length - 1; unit++) size /= 1024;
  return `${size}${units[unit]}`;
}
