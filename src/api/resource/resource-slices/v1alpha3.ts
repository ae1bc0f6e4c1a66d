/** Slices of v1alpha3, in which a capacity is its quantity alone. */
import type { ResourceSlice as OldSlice } from '../../gen/types/resource-v1alpha3.ts';
import type { DeviceCapacity, ResourceSlice } from '../../gen/types/resource-v1beta1.ts';

export const fromOldSlice = (slice: OldSlice): ResourceSlice =>
  withCapacities(slice, (value: string): DeviceCapacity => ({ value })) as ResourceSlice;

export const toOldSlice = (slice: ResourceSlice): OldSlice =>
  withCapacities(slice, ({ value = '0' }: DeviceCapacity) => value) as OldSlice;

function withCapacities<A, B>(slice: OldSlice | ResourceSlice, convert: (capacity: A) => B): unknown {
  const { devices } = slice.spec;
  return {
    ...slice,
    spec: {
      ...slice.spec,
      ...(devices === undefined
        ? {}
        : {
            devices: devices.map((device) =>
              device.basic?.capacity === undefined
                ? device
                : {
                    ...device,
                    basic: {
                      ...device.basic,
                      capacity: mapped(device.basic.capacity as Readonly<Record<string, A>>, convert),
                    },
                  },
            ),
          }),
    },
  };
}

const mapped = <A, B>(capacities: Readonly<Record<string, A>>, convert: (capacity: A) => B): Record<string, B> =>
  Object.fromEntries(Object.entries(capacities).map(([name, capacity]) => [name, convert(capacity)]));
