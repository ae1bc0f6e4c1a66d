import { gunzipSync } from 'node:zlib';
import protobuf from 'protobufjs';
import { describe, expect, test } from 'vitest';
import { encodeProfile } from './pprof.ts';
import { cpuSamples, heapSamples } from './profiler.ts';

/** What `go tool pprof` reads, in the fields that are written here. */
const { root } = protobuf.parse(`
  syntax = "proto3";
  message Profile {
    repeated ValueType sample_type = 1; repeated Sample sample = 2; repeated Location location = 4;
    repeated Function function = 5; repeated string string_table = 6; int64 time_nanos = 9;
    int64 duration_nanos = 10; ValueType period_type = 11; int64 period = 12;
  }
  message ValueType { int64 type = 1; int64 unit = 2; }
  message Sample { repeated uint64 location_id = 1; repeated int64 value = 2; }
  message Location { uint64 id = 1; repeated Line line = 4; }
  message Line { uint64 function_id = 1; int64 line = 2; }
  message Function { uint64 id = 1; int64 name = 2; int64 system_name = 3; int64 filename = 4; int64 start_line = 5; }
`);

interface Decoded {
  readonly sampleType: readonly { type: number; unit: number }[];
  readonly sample: readonly { locationId: number[]; value: number[] }[];
  readonly location: readonly { id: number; line: { functionId: number; line: number }[] }[];
  readonly function: readonly { id: number; name: number; filename: number; startLine: number }[];
  readonly stringTable: readonly string[];
  readonly timeNanos: number;
  readonly durationNanos: number;
  readonly periodType: { type: number; unit: number };
  readonly period: number;
}

function decode(gzipped: Buffer): Decoded {
  const type = root.lookupType('Profile');
  return type.toObject(type.decode(gunzipSync(gzipped)), { longs: Number, arrays: true, defaults: true }) as Decoded;
}

const frame = (functionName: string, lineNumber = 0, url = 'file:///a.js') => ({ functionName, url, lineNumber });

test('A profile has its stacks, the innermost function first, with each text and function once', async () => {
  const [main, parse, anonymous] = [frame('main', 9), frame('parse', 19, 'file:///b.js'), frame('', 4)];
  const decoded = decode(
    await encodeProfile({
      sampleTypes: [
        { type: 'samples', unit: 'count' },
        { type: 'cpu', unit: 'nanoseconds' },
      ],
      samples: [
        { stack: [parse, main], values: [3, 3000] },
        { stack: [anonymous, parse, main], values: [1, 2 ** 40] },
        { stack: [main], values: [0, 7] },
      ],
      periodType: { type: 'cpu', unit: 'nanoseconds' },
      period: 1_000_000,
      begunAt: 1_700_000_000_000,
      durationMs: 1500,
    }),
  );
  const text = (index: number): string => decoded.stringTable[index]!;
  const named = ({ type, unit }: { type: number; unit: number }): string => `${text(type)}/${text(unit)}`;
  const functions = new Map(decoded.function.map((entry) => [entry.id, entry]));
  const stackOf = (ids: readonly number[]): string[] =>
    ids.map((id) => {
      const { line } = decoded.location.find((location) => location.id === id)!;
      const { name, filename } = functions.get(line[0]!.functionId)!;
      return `${text(name)} ${text(filename)}:${line[0]!.line}`;
    });
  expect(decoded.sampleType.map(named)).toEqual(['samples/count', 'cpu/nanoseconds']);
  expect(named(decoded.periodType)).toBe('cpu/nanoseconds');
  expect([decoded.period, decoded.timeNanos, decoded.durationNanos]).toEqual([1_000_000, 1.7e18, 1.5e9]);
  expect(decoded.sample.map(({ locationId, value }) => ({ stack: stackOf(locationId), value }))).toEqual([
    { stack: ['parse file:///b.js:20', 'main file:///a.js:10'], value: [3, 3000] },
    { stack: ['(anonymous) file:///a.js:5', 'parse file:///b.js:20', 'main file:///a.js:10'], value: [1, 2 ** 40] },
    { stack: ['main file:///a.js:10'], value: [0, 7] },
  ]);
  expect(decoded.stringTable[0]).toBe('');
  expect(new Set(decoded.stringTable).size).toBe(decoded.stringTable.length);
  expect(decoded.function).toHaveLength(3);
});

describe('the samples of V8', () => {
  const callFrame = (functionName: string) => ({ ...frame(functionName), scriptId: '1', columnNumber: 0 });

  test('The samples of V8 of the CPU are summed up by stack; idle time is no work', () => {
    const node = (id: number, name: string, children: number[] = []) => ({
      id,
      callFrame: callFrame(name),
      hitCount: 0,
      children,
    });
    const samples = cpuSamples({
      nodes: [node(1, '(root)', [2, 3, 5]), node(2, '(idle)'), node(3, 'main', [4]), node(4, 'parse'), node(5, 'main')],
      startTime: 0,
      endTime: 1000,
      samples: [2, 4, 4, 3, 1],
      timeDeltas: [100, 20, 30, -5, 9],
    });
    expect([...samples].map(({ stack, values }) => [stack.map(({ functionName }) => functionName), values])).toEqual([
      [['main'], [1, 0]],
      [
        ['parse', 'main'],
        [2, 50_000],
      ],
    ]);
  });

  test('The samples of V8 of the heap have the size that is left at each stack, and the count', () => {
    const node = (id: number, name: string, selfSize: number, children: object[] = []) => ({
      id,
      callFrame: callFrame(name),
      selfSize,
      children: children as never[],
    });
    const samples = heapSamples({
      head: node(1, '(root)', 0, [node(2, 'main', 10, [node(3, 'parse', 500)]), node(4, 'other', 0)]),
      samples: [{ nodeId: 3 }, { nodeId: 3 }, { nodeId: 2 }],
    });
    const found = [...samples].map(({ stack, values }) => [
      stack.map(({ functionName }) => functionName).join(),
      values,
    ]);
    expect(Object.fromEntries(found)).toEqual({ main: [1, 10], 'parse,main': [2, 500] });
  });
});
