/**
 * Profiles in the form that `go tool pprof` and what is built on it read: stacks with values, as gzipped protobuf.
 * @see {@link https://github.com/google/pprof/blob/main/proto/profile.proto | profile.proto}
 */
import { promisify } from 'node:util';
import { gzip } from 'node:zlib';
import { ProtoWriter } from '../../base/protobuf/writer.ts';

/** `cpu` in `nanoseconds` */
export interface ValueType {
  readonly type: string;
  readonly unit: string;
}

export interface Frame {
  readonly functionName: string;
  readonly url: string;
  /** From 0, as V8 counts. */
  readonly lineNumber: number;
}

/** What is measured at one stack. */
export interface StackSample {
  /** The innermost first. */
  readonly stack: readonly Frame[];
  /** One of each type. */
  readonly values: readonly number[];
}

export interface Profile {
  readonly sampleTypes: readonly ValueType[];
  readonly samples: Iterable<StackSample>;
  readonly periodType: ValueType;
  readonly period: number;
  /** Milliseconds since 1970. */
  readonly begunAt: number;
  readonly durationMs: number;
}

const nanosPerMilli = 1e6;

/** The numbers of the fields in `Profile` and the messages in it. */
const field = {
  sampleType: 1,
  sample: 2,
  location: 4,
  function: 5,
  stringTable: 6,
  timeNanos: 9,
  durationNanos: 10,
  periodType: 11,
  period: 12,
} as const;

export async function encodeProfile(profile: Profile): Promise<Buffer> {
  const tables = new Tables();
  const samples = [...profile.samples].map(({ stack, values }) => ({
    locations: stack.map((frame) => tables.location(frame)),
    values,
  }));
  const typeOf = ({ type, unit }: ValueType): readonly [number, number] => [tables.string(type), tables.string(unit)];
  const sampleTypes = profile.sampleTypes.map(typeOf);
  const periodType = typeOf(profile.periodType);

  // From the end to the beginning, as the writer wants it.
  const out = new ProtoWriter(64 * 1024);
  out.uint(field.period, profile.period);
  writeType(out, field.periodType, periodType);
  out.uint(field.durationNanos, Math.round(profile.durationMs * nanosPerMilli));
  out.bigint(field.timeNanos, BigInt(Math.round(profile.begunAt)) * BigInt(nanosPerMilli));
  for (const text of tables.strings.toReversed()) out.string(field.stringTable, text);
  tables.write(out);
  for (const { locations, values } of samples.toReversed()) {
    const end = out.length;
    for (const value of values.toReversed()) out.uint(2, Math.round(value));
    for (const location of locations.toReversed()) out.uint(1, location);
    out.message(field.sample, end);
  }
  for (const type of sampleTypes.toReversed()) writeType(out, field.sampleType, type);
  return promisify(gzip)(out.finish());
}

function writeType(out: ProtoWriter, number: number, [type, unit]: readonly [number, number]): void {
  const end = out.length;
  out.uint(2, unit);
  out.uint(1, type);
  out.message(number, end);
}

interface FunctionEntry {
  readonly name: number;
  readonly file: number;
  readonly line: number;
}

/** Texts, functions and locations are written once, and named by their numbers. A function is one location here. */
class Tables {
  readonly strings: string[] = [''];
  readonly #numbers = new Map<string, number>([['', 0]]);
  readonly #functions: FunctionEntry[] = [];
  readonly #known = new Map<string, number>();

  string(text: string): number {
    let number = this.#numbers.get(text);
    if (number === undefined) {
      this.#numbers.set(text, (number = this.strings.length));
      this.strings.push(text);
    }
    return number;
  }

  /** Numbers from 1 on. */
  location({ functionName, url, lineNumber }: Frame): number {
    const name = functionName === '' ? '(anonymous)' : functionName;
    const key = `${name}\n${url}\n${lineNumber}`;
    let number = this.#known.get(key);
    if (number === undefined) {
      number = this.#functions.push({ name: this.string(name), file: this.string(url), line: lineNumber + 1 });
      this.#known.set(key, number);
    }
    return number;
  }

  write(out: ProtoWriter): void {
    for (let number = this.#functions.length; number > 0; number--) {
      const { name, file, line } = this.#functions[number - 1]!;
      const end = out.length;
      out.uint(5, line);
      out.uint(4, file);
      out.uint(3, name);
      out.uint(2, name);
      out.uint(1, number);
      out.message(field.function, end);
    }
    for (let number = this.#functions.length; number > 0; number--) {
      const end = out.length;
      const lineEnd = out.length;
      out.uint(2, this.#functions[number - 1]!.line);
      out.uint(1, number);
      out.message(4, lineEnd);
      out.uint(1, number);
      out.message(field.location, end);
    }
  }
}
