/** The flags that set a field of the configuration, from the table of its fields. */
import type { Taint } from '../../../api/gen/types/core-v1.ts';
import { fieldsByName, type FieldName } from '../../../node-agent/config/config.ts';
import type { Field } from '../../../node-agent/config/field.ts';
import { images } from '../../../node-agent/config/fields/images.ts';
import { node } from '../../../node-agent/config/fields/node.ts';
import { pods } from '../../../node-agent/config/fields/pods.ts';
import type { MemoryReservation } from '../../../node-agent/config/fields/resources.ts';
import { resources } from '../../../node-agent/config/fields/resources.ts';
import { serving } from '../../../node-agent/config/fields/serving.ts';
import { formatDuration, parseDuration } from '../duration.ts';
import { customFlag, type Flag, type FlagTable, section } from '../flag.ts';
import { parseBool, parseCsv, parseFloatValue, parseInteger, parseIp } from '../values.ts';

/** How values of a kind are written. What is read and shown is of the type that the table of fields says. */
interface Form {
  readonly type: string;
  readonly bareValue?: string;
  parse(text: string, before: unknown): unknown;
  format(value: unknown): string;
}

const shown = (value: unknown): string => (value === '' || value === 0 || value === false ? '' : String(value));
const scalar = (type: string, parse: (text: string) => unknown): Form => ({
  type,
  parse: (text) => parse(text),
  format: shown,
});

/** Comma separated and repeatable; the first occurrence replaces the default. */
const pairs = (separator: string): Form => ({
  type: `key${separator}value`,
  parse: (text, before: Readonly<Record<string, string>> = {}) => ({
    ...before,
    ...Object.fromEntries(
      text
        .split(',')
        .filter((pair) => pair.trim() !== '')
        .map((pair) => pairOf(pair, separator)),
    ),
  }),
  format: (value: Readonly<Record<string, string>>) =>
    Object.entries(value)
      .map(([key, amount]) => `${key}${separator}${amount}`)
      .join(','),
});

function pairOf(pair: string, separator: string): [string, string] {
  const at = pair.indexOf(separator);
  if (at < 0) throw new Error(`malformed pair, expect string${separator}string`);
  return [pair.slice(0, at).trim(), pair.slice(at + 1).trim()];
}

const forms: Readonly<Record<Field['kind'], Form>> = {
  bool: { ...scalar('', parseBool), bareValue: 'true' },
  int: scalar('int', parseInteger),
  float: scalar('float', parseFloatValue),
  text: scalar('string', (text) => text),
  path: scalar('file', (text) => text),
  duration: {
    type: 'duration',
    parse: parseDuration,
    format: (value: number) => (value === 0 ? '' : formatDuration(value)),
  },
  texts: {
    type: 'strings',
    parse: (text: string, before: readonly string[] = []) => [...before, ...parseCsv(text)],
    format: (value: readonly string[]) => (value.length === 0 ? '' : `[${value.join(',')}]`),
  },
  textMap: pairs('='),
  gates: pairs('='),
  object: scalar('object', () => {
    throw new Error('has no form as a flag');
  }),
};

const headers: Form = {
  type: 'name:value',
  parse(text, before: Readonly<Record<string, readonly string[]>> = {}) {
    const values: Record<string, readonly string[]> = { ...before };
    for (const pair of text.split(',').filter((part) => part !== '')) {
      const [name, value] = pairOf(pair, ':');
      values[name] = [...(values[name] ?? []), value];
    }
    return values;
  },
  format: () => '',
};

/** `key=value:effect`; the value may be left out. */
function taintOf(text: string): Taint {
  const [, key, value = '', effect] = /^([^=:]+)(?:=([^:]*))?:(\w+)$/.exec(text) ?? [];
  if (key === undefined || effect === undefined) throw new Error(`invalid taint spec: ${text}`);
  return { key, effect: effect as Taint['effect'], ...(value === '' ? {} : { value }) };
}

const taints: Form = {
  type: 'key=value:effect',
  parse: (text, before: readonly Taint[] = []) => [...before, ...text.split(',').filter(Boolean).map(taintOf)],
  format: () => '',
};

/** `0:memory=1Gi,hugepages-1Gi=2Gi;1:memory=2Gi` */
const memory: Form = {
  type: 'node:type=quantity',
  parse: (text, before: readonly MemoryReservation[] = []) => [
    ...before,
    ...text.split(';').map((part) => {
      const [, numaNode, limits] = /^(\d+):(.+)$/.exec(part) ?? [];
      if (numaNode === undefined || limits === undefined)
        throw new Error(
          `the reserved memory has incorrect format, expected numaNodeID:type=quantity[,type=quantity...], got ${part}`,
        );
      return { numaNode: Number(numaNode), limits: pairs('=').parse(limits, undefined) };
    }),
  ],
  format: () => '',
};

const address = scalar('ip', parseIp);
const thresholds = pairs('<');

/** Where a field is written in another way than others of its kind. */
const ownForms: Readonly<Record<FieldName, Form>> = {
  address,
  healthzBindAddress: address,
  evictionHard: thresholds,
  evictionSoft: thresholds,
  staticPodURLHeader: headers,
  registerWithTaints: taints,
  reservedMemory: memory,
};

function flagOf(name: FieldName, field: Field, flag: string): Flag {
  const form = ownForms[name] ?? forms[field.kind];
  return customFlag<unknown>(
    flag,
    field.support ?? 'supported',
    { help: field.help, default: field.withoutFile ?? field.default },
    form,
  );
}

/** By the names of the fields. */
function flagsFor(groups: readonly string[]): FlagTable {
  const isOf = (name: FieldName): boolean => groups.includes(name.split('.', 1)[0]!);
  return Object.fromEntries(
    [...fieldsByName].flatMap(([name, field]) =>
      field.flag === undefined || !isOf(name) ? [] : [[name, flagOf(name, field, field.flag)]],
    ),
  );
}

export const configSections = {
  serving: section('Serving', flagsFor(Object.keys(serving))),
  node: section('Node', flagsFor(Object.keys(node))),
  pods: section('Pod', flagsFor(Object.keys(pods))),
  images: section('Image', flagsFor(Object.keys(images))),
  resources: section('Resource', flagsFor(Object.keys(resources))),
  metrics: section('Metrics', flagsFor(['showHiddenMetricsForVersion'])),
};
