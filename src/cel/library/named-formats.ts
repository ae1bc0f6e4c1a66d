/**
 * Formats of texts by name. @see {@link https://kubernetes.io/docs/reference/using-api/cel/#kubernetes-format-library |
 * Kubernetes format library}
 */
import {
  isDns1035Label,
  isDns1123Label,
  isDns1123Subdomain,
  isLabelValue,
  isQualifiedName,
} from '../../machinery/formats/names.ts';
import { type FunctionDeclaration, globalOverload, type Library, memberOverload } from '../check/declarations.ts';
import { opaqueType, optionalType } from '../check/types.ts';
import * as estimates from '../cost/call-estimates.ts';
import { patternCost, textCost, valueSize } from '../cost/sizes.ts';
import { readBytes, readDate, readDateTime } from '../schema/formats.ts';
import { ArrayList, CelError, noValue, Opaque, Optional, type Value } from '../values/values.ts';
import { S, strings } from './signatures.ts';

const formatType = opaqueType('kubernetes.NamedFormat');

type Check = (text: string) => readonly string[];

class FormatValue extends Opaque {
  override readonly type = formatType;
  readonly name: string;
  readonly check: Check;
  readonly patternLength: number;
  constructor(name: string, check: Check, patternLength: number) {
    super();
    this.name = name;
    this.check = check;
    this.patternLength = patternLength;
  }

  override equals(other: Opaque): boolean {
    return other instanceof FormatValue && other.name === this.name;
  }
}

/** A name that something is put behind may end in a dash. */
const asPrefix =
  (check: Check): Check =>
  (text) =>
    check(text.endsWith('-') && text.length > 1 ? `${text.slice(0, -1)}a` : text);
const unless =
  (ok: (text: string) => boolean, message: string): Check =>
  (text) =>
    ok(text) ? [] : [message];
const isValue =
  (read: (text: string) => Value) =>
  (text: string): boolean =>
    !(read(text) instanceof CelError);
const uuid = /^(?:urn:uuid:|\{)?[0-9a-f]{8}-?[0-9a-f]{4}-?[0-9a-f]{4}-?[0-9a-f]{4}-?[0-9a-f]{12}\}?$/i;
const isUri = (text: string): boolean => /^(?:[a-z][a-z0-9+.-]*:\S+|\/[^\s]*)$/i.test(text);

/** Each with the length of the pattern that it is taken to match against. */
const checks: Readonly<Record<string, readonly [check: Check, patternLength: number]>> = {
  dns1123Label: [isDns1123Label, 30],
  dns1123Subdomain: [isDns1123Subdomain, 60],
  dns1035Label: [isDns1035Label, 30],
  qualifiedName: [isQualifiedName, 60],
  dns1123LabelPrefix: [asPrefix(isDns1123Label), 30],
  dns1123SubdomainPrefix: [asPrefix(isDns1123Subdomain), 60],
  dns1035LabelPrefix: [asPrefix(isDns1035Label), 30],
  labelValue: [isLabelValue, 40],
  uri: [unless(isUri, 'invalid URI'), 1120],
  uuid: [unless((text) => uuid.test(text), 'does not match the UUID format'), 72],
  byte: [unless(isValue(readBytes), 'invalid base64'), 84],
  date: [unless(isValue(readDate), 'invalid date'), 72],
  datetime: [unless(isValue(readDateTime), 'invalid datetime'), 72],
};

const named = new Map(
  Object.entries(checks).map(([name, [check, patternLength]]) => [name, new FormatValue(name, check, patternLength)]),
);

function validate(format: FormatValue, text: string): Value {
  const messages = format.check(text);
  return messages.length === 0 ? noValue : new Optional(new ArrayList([...messages]));
}

const constants: readonly FunctionDeclaration[] = Array.from(named, ([name, format]) => ({
  name: `format.${name}`,
  overloads: [globalOverload(`format-${name}`, [], formatType, () => format)],
}));
const reads = {
  cost: (format: Value, text?: Value): number =>
    textCost(valueSize(text!) + 1) * patternCost((format as FormatValue).patternLength),
  estimate: estimates.validates,
};

export const formats: Library = {
  functions: [
    ...constants,
    {
      name: 'format.named',
      overloads: [
        globalOverload('format-named', [S], optionalType(formatType), (name: string) =>
          named.has(name) ? new Optional(named.get(name)!) : noValue,
        ),
      ],
    },
    {
      name: 'validate',
      overloads: [memberOverload('format-validate', [formatType, S], optionalType(strings), validate, reads)],
    },
  ],
  types: new Map([['kubernetes.NamedFormat', formatType]]),
};
