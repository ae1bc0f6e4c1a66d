/** What a hollow node has: as much as a large machine unless an operator says otherwise. */
import { parseQuantity } from '../../../machinery/quantity.ts';

export interface NodeCapacity {
  readonly cpu: string;
  readonly memoryKi: number;
  readonly diskKi: number;
  readonly pods: number;
  /** Extended resources. */
  readonly other: Readonly<Record<string, string>>;
}

export const defaultCapacity: NodeCapacity = {
  cpu: '32',
  memoryKi: 256 * 1024 ** 2,
  diskKi: 1024 ** 3,
  pods: 110,
  other: {},
};

/** Bytes or pieces without an exponent. */
export const decimalOf = (amount: number): string => String(Math.floor(amount));

/** From names and quantities, the rest as by default. Throws for what is no quantity. */
export function capacityFrom(amounts: Readonly<Record<string, string>>): NodeCapacity {
  const { cpu = defaultCapacity.cpu, memory, pods, 'ephemeral-storage': disk, ...other } = amounts;
  for (const [name, amount] of Object.entries(amounts)) {
    if (parseQuantity(amount).sign() < 0) throw new RangeError(`${name}: must be greater than or equal to 0`);
  }
  const inKi = (amount: string): number => Math.floor(parseQuantity(amount).toNumber() / 1024);
  return {
    cpu,
    memoryKi: memory === undefined ? defaultCapacity.memoryKi : inKi(memory),
    diskKi: disk === undefined ? defaultCapacity.diskKi : inKi(disk),
    pods: pods === undefined ? defaultCapacity.pods : parseQuantity(pods).toNumber(),
    other,
  };
}
