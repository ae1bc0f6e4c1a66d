import { describe, expect, test } from 'vitest';
import type { Container, PodSpec } from '../../../api/gen/types/core-v1.ts';
import { containerResources, type ResourceSettings } from './resources.ts';

const gi = 2n ** 30n;
const settings: ResourceSettings = {
  cpuCfsQuota: true,
  cpuCfsQuotaPeriodUs: 100_000,
  memoryCapacity: 8n * gi,
  isCgroupV2: true,
  hugePageSizes: [],
  killsSingleProcess: false,
  swap: undefined,
  memoryQos: undefined,
};

type Amounts = Readonly<Record<string, string>>;

function resourcesOf(requests: Amounts, limits: Amounts, more: Partial<ResourceSettings>, spec: Partial<PodSpec> = {}) {
  const container: Container = { name: 'main', resources: { requests, limits } };
  return containerResources(container, { containers: [container], ...spec }, { ...settings, ...more });
}

test.each([
  { name: 'with its last process', killsSingleProcess: false, group: '1' },
  { name: 'not with its last process', killsSingleProcess: true, group: undefined },
])('A container without memory ends $name', ({ killsSingleProcess, group }) => {
  expect(resourcesOf({}, {}, { killsSingleProcess }).unified?.['memory.oom.group']).toBe(group);
});

test('Each size of huge pages of the machine has a limit, also where none is asked for', () => {
  const limits = { 'hugepages-2Mi': '6Mi' };
  expect(resourcesOf(limits, limits, { hugePageSizes: [2 ** 21, 2 ** 30] }).hugepageLimits).toEqual([
    { pageSize: '2MB', limit: 6n << 20n },
    { pageSize: '1GB', limit: 0n },
  ]);
});

describe('Swap', () => {
  const limited = { isLimited: true, capacity: 4n * gi };
  test.each([
    {
      name: 'that does not swap',
      requests: { memory: '2Gi' },
      limits: {},
      swap: { ...limited, isLimited: false },
      max: '0',
    },
    { name: 'of a Burstable pod', requests: { memory: '2Gi' }, limits: {}, swap: limited, max: String(gi) },
    {
      name: 'that asks for all it may have',
      requests: { memory: '2Gi' },
      limits: { memory: '2Gi' },
      swap: limited,
      max: '0',
    },
    { name: 'that asks for nothing', requests: {}, limits: {}, swap: limited, max: '0' },
    {
      name: 'of a critical pod',
      requests: { memory: '2Gi' },
      limits: {},
      swap: limited,
      priority: 2_000_000_000,
      max: '0',
    },
    {
      name: 'on a kernel that does not count it',
      requests: { memory: '2Gi' },
      limits: {},
      swap: undefined,
      max: undefined,
    },
  ])('A container $name may swap $max bytes', ({ requests, limits, swap, priority = 0, max }) => {
    const { unified } = resourcesOf(requests as Amounts, limits as Amounts, { swap }, { priority });
    expect(unified?.['memory.swap.max']).toBe(max);
  });

  test('In v1 memory and swap together are limited to the memory', () => {
    const { memorySwapLimitInBytes } = resourcesOf({}, { memory: '1Gi' }, { swap: limited, isCgroupV2: false });
    expect(memorySwapLimitInBytes).toBe(gi);
  });
});

test.each([
  { name: 'its limit', limits: { memory: '2Gi' }, high: String(1_932_734_464) },
  { name: 'the memory of the machine', limits: {}, high: String(7_086_694_400) },
])('With MemoryQoS a container is slowed before $name', ({ limits, high }) => {
  const { unified } = resourcesOf({ memory: '1Gi' }, limits as Amounts, { memoryQos: { throttlingFactor: 0.8 } });
  expect(unified).toMatchObject({ 'memory.min': String(gi), 'memory.high': high });
});
