/**
 * The functions of templates: Go's own, kwok's, and those of sprig that stages use.
 * @see {@link https://pkg.go.dev/text/template#hdr-Functions | text/template: Functions}
 * @see {@link https://kwok.sigs.k8s.io/docs/user/go-template/ | kwok: Go template}
 */
import { orchVersion } from '../../../../base/version.ts';
import { writeYaml } from '../../../../machinery/json/yaml.ts';
import { isObject, type JsonObject } from '../../../../machinery/value.ts';
import { TemplateError } from './tokens.ts';
import { elementOf, isSame, isTrue, memberOf, numberOf, printed, type Value } from './values.ts';

/** What a template is told of its time and place. */
export interface TemplateContext {
  /** RFC 3339 with fractions. */
  readonly now: string;
  readonly startTime: string;
  readonly nodeName: string;
  readonly nodePort: number;
  nodeIPs(nodeName: string): readonly string[];
  /** Of the pod that the template is for: the same each time. */
  podIPs(nodeName: string, hostNetwork: boolean): readonly string[];
}

export type TemplateFunction = (values: readonly Value[], context: TemplateContext) => Value;

const text = (value: Value | undefined): string => (typeof value === 'string' ? value : printed(value ?? null));

/** With their number of values: at least, and at most. */
export interface KnownFunction {
  readonly least: number;
  readonly most: number;
  readonly call: TemplateFunction;
}

const fn = (least: number, most: number, call: TemplateFunction): KnownFunction => ({ least, most, call });
const none = (call: (context: TemplateContext) => Value): KnownFunction => fn(0, 0, (_, context) => call(context));
const one = (call: (value: Value) => Value): KnownFunction => fn(1, 1, ([value]) => call(value!));
const two = (call: (a: Value, b: Value) => Value): KnownFunction => fn(2, 2, ([a, b]) => call(a!, b!));
const any = (least: number, call: TemplateFunction): KnownFunction => fn(least, Infinity, call);

const order = (compare: (sign: number) => boolean): KnownFunction =>
  two((a, b) => {
    if (typeof a === 'string' && typeof b === 'string') return compare(a < b ? -1 : a > b ? 1 : 0);
    return compare(Math.sign(numberOf(a) - numberOf(b)));
  });

const sum = (add: (a: number, b: number) => number): KnownFunction =>
  any(1, (values) => values.map(numberOf).reduce((a, b) => add(a, b)));

/** `and` and `or` are not here: they do not look at values beyond the one that decides. */
export const templateFunctions: ReadonlyMap<string, KnownFunction> = new Map<string, KnownFunction>([
  ['not', one((value) => !isTrue(value))],
  ['eq', any(2, ([first, ...others]) => others.some((other) => isSame(first!, other)))],
  ['ne', two((a, b) => !isSame(a, b))],
  ['lt', order((sign) => sign < 0)],
  ['le', order((sign) => sign <= 0)],
  ['gt', order((sign) => sign > 0)],
  ['ge', order((sign) => sign >= 0)],
  ['len', one(lengthOf)],
  ['index', any(1, ([value, ...keys]) => keys.reduce(elementOf, value!))],
  ['print', any(0, (values) => values.map(text).join(''))],
  ['printf', any(1, ([format, ...values]) => formatted(text(format), values))],

  ['Quote', one((value) => JSON.stringify(typeof value === 'string' ? value : JSON.stringify(value)))],
  ['YAML', fn(1, 2, ([value, indent]) => yamlOf(value!, indent === undefined ? 0 : numberOf(indent)))],
  ['Now', none(({ now }) => now)],
  ['StartTime', none(({ startTime }) => startTime)],
  ['Version', none(() => `v${orchVersion}`)],
  ['NodeConditions', none(() => nodeConditions.map((condition) => ({ ...condition })))],
  ['NodeName', none(({ nodeName }) => nodeName)],
  ['NodePort', none(({ nodePort }) => nodePort)],
  ['NodeIP', none(({ nodeIPs, nodeName }) => nodeIPs(nodeName)[0] ?? '')],
  ['NodeIPs', none(({ nodeIPs, nodeName }) => [...nodeIPs(nodeName)])],
  ['NodeIPWith', fn(1, 1, ([name], { nodeIPs }) => nodeIPs(text(name))[0] ?? '')],
  ['NodeIPsWith', fn(1, 1, ([name], { nodeIPs }) => [...nodeIPs(text(name))])],
  ['PodIPWith', fn(5, 5, ([name, isHost], { podIPs }) => podIPs(text(name), isHost === true)[0] ?? '')],
  ['PodIPsWith', fn(5, 5, ([name, isHost], { podIPs }) => [...podIPs(text(name), isHost === true)])],

  ['dict', any(0, dictOf)],
  ['list', any(0, (values) => [...values])],
  ['default', two((fallback, value) => (isTrue(value) ? value : fallback))],
  ['coalesce', any(1, (values) => values.find(isTrue) ?? null)],
  ['empty', one((value) => !isTrue(value))],
  ['ternary', fn(3, 3, ([yes, no, condition]) => (isTrue(condition!) ? yes! : no!))],
  ['hasKey', two((value, key) => isObject(value) && Object.hasOwn(value, text(key)))],
  ['get', two((value, key) => (isObject(value) ? (memberOf(value, text(key)) ?? '') : ''))],
  ['add', sum((a, b) => a + b)],
  ['sub', sum((a, b) => a - b)],
  ['mul', sum((a, b) => a * b)],
  ['int', one((value) => Math.trunc(numberOf(value)))],
  ['toString', one((value) => text(value))],
  ['quote', any(1, (values) => values.map((value) => JSON.stringify(text(value))).join(' '))],
  ['lower', one((value) => text(value).toLowerCase())],
  ['upper', one((value) => text(value).toUpperCase())],
  ['trim', one((value) => text(value).trim())],
  ['contains', two((part, value) => text(value).includes(text(part)))],
  ['hasPrefix', two((start, value) => text(value).startsWith(text(start)))],
  ['hasSuffix', two((end, value) => text(value).endsWith(text(end)))],
  ['join', two((separator, values) => (Array.isArray(values) ? values.map(text).join(text(separator)) : text(values)))],
]);

function lengthOf(value: Value): number {
  if (typeof value === 'string') return Buffer.byteLength(value);
  if (Array.isArray(value)) return value.length;
  if (isObject(value)) return Object.keys(value).length;
  throw new TemplateError(`error calling len: len of ${value === null ? 'nil pointer' : `type ${typeof value}`}`);
}

function dictOf(values: readonly Value[]): JsonObject {
  const dict: JsonObject = {};
  for (let i = 0; i < values.length; i += 2) dict[text(values[i])] = values[i + 1] ?? '';
  return dict;
}

/** Levels are two spaces wide; an indented text begins on a line of its own. */
function yamlOf(value: Value, levels: number): string {
  const yaml = writeYaml(value);
  return levels <= 0 ? yaml : `\n${yaml}`.replaceAll('\n', `\n${' '.repeat(levels * 2)}`);
}

/** `%s`, `%v`, `%d`, `%q` and `%%`. */
function formatted(format: string, values: readonly Value[]): string {
  let used = 0;
  const result = format.replace(/%(.)/g, (whole, verb: string) => {
    if (verb === '%') return '%';
    const value = values[used++];
    if (value === undefined) return `%!${verb}(MISSING)`;
    if (verb === 'q') return JSON.stringify(text(value));
    if (verb === 's' || verb === 'v') return text(value);
    return verb === 'd' ? String(Math.trunc(numberOf(value))) : whole;
  });
  return result;
}

const nodeConditions = [
  { type: 'Ready', status: 'True', reason: 'KubeletReady', message: 'kubelet is posting ready status' },
  {
    type: 'MemoryPressure',
    status: 'False',
    reason: 'KubeletHasSufficientMemory',
    message: 'kubelet has sufficient memory available',
  },
  {
    type: 'DiskPressure',
    status: 'False',
    reason: 'KubeletHasNoDiskPressure',
    message: 'kubelet has no disk pressure',
  },
  {
    type: 'PIDPressure',
    status: 'False',
    reason: 'KubeletHasSufficientPID',
    message: 'kubelet has sufficient PID available',
  },
  {
    type: 'NetworkUnavailable',
    status: 'False',
    reason: 'RouteCreated',
    message: 'RouteController created a route',
  },
];
