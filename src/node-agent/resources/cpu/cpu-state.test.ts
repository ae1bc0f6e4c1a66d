import { describe, expect, test } from 'vitest';
import { CpuSet } from './cpu-set.ts';
import { formatCpuState, parseCpuState } from './cpu-state.ts';

describe('The state of CPUs as a file', () => {
  // Files of upstream's agent: the checksums are its own.
  test.each([
    { name: 'without any CPU', file: '{"policyName":"none","defaultCpuSet":"","checksum":1353318690}' },
    { name: 'with shared CPUs', file: '{"policyName":"none","defaultCpuSet":"4-6","checksum":354655845}' },
    {
      name: 'with CPUs of containers',
      file:
        '{"policyName":"none","defaultCpuSet":"1-3","entries":{"pod":{"container1":"4-6","container2":"1-3"}},' +
        '"checksum":3610638499}',
    },
  ])('A file of another agent $name is read, and written the same', ({ file }) => {
    expect(formatCpuState('none', parseCpuState(file, 'none'))).toBe(file);
  });

  test('A file without a checksum is read', () => {
    const { defaultCpus } = parseCpuState('{"policyName":"none","defaultCpuSet":"1-3"}', 'none');
    expect(defaultCpus).toEqual(CpuSet.parse('1-3'));
  });

  test.each([
    { file: '', message: 'unexpected end of JSON input' },
    { file: '[]', message: 'checkpoint is corrupted' },
    { file: '{"policyName":"none","defaultCpuSet":"4-7","checksum":354655845}', message: 'checkpoint is corrupted' },
    { file: '{"policyName":"none","entries":{"pod":{"a":1}}}', message: 'checkpoint is corrupted' },
    {
      file: '{"policyName":"none","defaultCpuSet":"4-6","checksum":354655845}',
      policy: 'static',
      message: 'configured policy "static" differs from state checkpoint policy "none"',
    },
    {
      file: '{"policyName":"none","defaultCpuSet":"1.3","checksum":3021697696}',
      message: 'could not parse default cpu set "1.3": strconv.Atoi: parsing "1.3": invalid syntax',
    },
    {
      file: '{"policyName":"none","entries":{"pod":{"a":"x"}}}',
      message: 'could not parse cpuset "x" for container "a" in pod "pod": strconv.Atoi: parsing "x": invalid syntax',
    },
  ])('The file $file is refused', ({ file, policy = 'none', message }) => {
    expect(() => parseCpuState(file, policy)).toThrow(message);
  });
});
