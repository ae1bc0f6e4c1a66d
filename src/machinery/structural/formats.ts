/**
 * The formats of texts that schemas of custom resources may name. Others are no rule: they pass.
 * @see {@link
 *   https://kubernetes.io/docs/tasks/extend-kubernetes/custom-resources/custom-resource-definitions/#validation |
 *   Validation}
 */
import { isIP, isIPv4, isIPv6 } from 'node:net';

type Check = (text: string) => boolean;

const matching =
  (pattern: RegExp): Check =>
  (text) =>
    pattern.test(text);

const uuid = (version: string): Check =>
  matching(new RegExp(`^[0-9a-f]{8}-?[0-9a-f]{4}-?${version}[0-9a-f]{3}-?[0-9a-f]{4}-?[0-9a-f]{12}$`, 'i'));

/** Days exist: 2023-02-30 does not. */
function isDate(text: string): boolean {
  const match = /^(\d{4})-(\d{2})-(\d{2})$/.exec(text);
  if (match === null) return false;
  const [year, month, day] = match.slice(1).map(Number) as [number, number, number];
  const date = new Date(Date.UTC(2000, month - 1, day));
  date.setUTCFullYear(year, month - 1, day);
  return date.getUTCMonth() === month - 1 && date.getUTCDate() === day;
}

function isDateTime(text: string): boolean {
  const match = /^(\d{4}-\d{2}-\d{2})t(\d{2}):(\d{2}):(\d{2})(?:\.\d+)?(?:z|[+-]\d{2}:\d{2})$/i.exec(text);
  if (match === null || !isDate(match[1]!)) return false;
  const [hours, minutes, seconds] = match.slice(2).map(Number) as [number, number, number];
  return hours < 24 && minutes < 60 && seconds < 60;
}

/**
 * Go's durations, and the longer units that upstream reads as well: `1h30m`, `5 days`. No character can be read in two
 * ways.
 */
const isDuration = (text: string): boolean => goDuration.test(text) || wordDuration.test(text);

const goDuration = /^[+-]?(?:0|(?:(?:\d+(?:\.\d*)?|\.\d+)(?:ns|us|µs|μs|ms|s|m|h))+)$/;
const durationUnits = [
  ['ns', 'nanosec(?:ond)?s?', 'us', 'µs', 'microsec(?:ond)?s?', 'ms', 'millisec(?:ond)?s?'],
  ['s', 'sec(?:ond)?s?', 'm', 'min(?:ute)?s?', 'h', 'hrs?', 'hours?', 'd', 'days?', 'w', 'wk', 'weeks?'],
];
const wordDuration = new RegExp(String.raw`^\s*(?:-?\d+\s*(?:${durationUnits.flat().join('|')})\s*)+$`);

function isCidr(text: string): boolean {
  const match = /^(.+)\/(\d{1,3})$/.exec(text);
  if (match === null) return false;
  const family = isIP(match[1]!);
  return family !== 0 && Number(match[2]) <= (family === 4 ? 32 : 128);
}

function isBase64(text: string): boolean {
  return text.length % 4 === 0 && /^[A-Za-z0-9+/]*={0,2}$/.test(text);
}

function isUri(text: string): boolean {
  if (text.startsWith('/')) return !/[\s\u0000-\u001f\u007f]/.test(text);
  return /^[a-z][a-z0-9+.-]*:/i.test(text) && !/[\u0000-\u001f\u007f ]/.test(text) && !/%(?![0-9a-f]{2})/i.test(text);
}

/** The ranges of the issuers. */
const cardNumber = new RegExp(
  `^(?:${[
    /4\d{12}(?:\d{3})?/,
    /(?:5[1-5]\d{2}|222[1-9]|22[3-9]\d|2[3-6]\d{2}|27[01]\d|2720)\d{12}/,
    /6(?:011|5\d\d)\d{12}/,
    /3[47]\d{13}/,
    /3(?:0[0-5]|[68]\d)\d{11}/,
    /(?:2131|1800|35\d{3})\d{11}/,
    /6\d{13,18}/,
  ]
    .map(({ source }) => source)
    .join('|')})$`,
);

function isCreditCard(text: string): boolean {
  const digits = text.replace(/[^0-9]+/g, '');
  if (!cardNumber.test(digits)) return false;
  let sum = 0;
  [...digits].reverse().forEach((digit, i) => {
    const value = Number(digit) * (i % 2 === 0 ? 1 : 2);
    sum += value > 9 ? value - 9 : value;
  });
  return sum % 10 === 0;
}

function isIsbn10(text: string): boolean {
  const digits = text.replace(/[\s-]+/g, '');
  if (!/^\d{9}[\dX]$/.test(digits)) return false;
  return (
    [...digits].reduce((sum, digit, i) => sum + (digit === 'X' ? 10 : Number(digit)) * (i === 9 ? 10 : i + 1), 0) %
      11 ===
    0
  );
}

function isIsbn13(text: string): boolean {
  const digits = text.replace(/[\s-]+/g, '');
  if (!/^\d{13}$/.test(digits)) return false;
  return [...digits].reduce((sum, digit, i) => sum + Number(digit) * (i % 2 === 0 ? 1 : 3), 0) % 10 === 0;
}

const hostname = /^(?=.{1,255}$)[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?(?:\.[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?)*\.?$/i;
const mailbox = /(?:"(?:[^"\\]|\\.)+"|[^\s"(),:;<>@[\\\]]+)/.source;
const domainLabel = '[a-z0-9](?:[a-z0-9-]*[a-z0-9])?';
const addressLiteral = String.raw`\[[^\]\s]+\]`;
const email = new RegExp(String.raw`^${mailbox}@(?:${domainLabel}(?:\.${domainLabel})*|${addressLiteral})$`, 'i');
const pairsOfDigits = /(?:[0-9a-f]{2}[:-]){5}(?:(?:[0-9a-f]{2}[:-]){2})?[0-9a-f]{2}/.source;
const foursOfDigits = /(?:[0-9a-f]{4}\.){2}(?:[0-9a-f]{4}\.)?[0-9a-f]{4}/.source;
const mac = new RegExp(`^(?:${pairsOfDigits}|${foursOfDigits})$`, 'i');
const rgb = /^rgb\(\s*(?:(?:\d{1,2}|1\d{2}|2[0-4]\d|25[0-5])\s*,\s*){2}(?:\d{1,2}|1\d{2}|2[0-4]\d|25[0-5])\s*\)$/;

export const formatCheckers: ReadonlyMap<string, Check> = new Map<string, Check>([
  ['bsonobjectid', matching(/^[0-9a-f]{24}$/i)],
  ['uri', isUri],
  ['email', matching(email)],
  ['hostname', matching(hostname)],
  ['ipv4', isIPv4],
  ['ipv6', isIPv6],
  ['cidr', isCidr],
  ['mac', matching(mac)],
  ['uuid', uuid('[0-9a-f]')],
  ['uuid3', uuid('3')],
  ['uuid4', matching(/^[0-9a-f]{8}-?[0-9a-f]{4}-?4[0-9a-f]{3}-?[89ab][0-9a-f]{3}-?[0-9a-f]{12}$/i)],
  ['uuid5', matching(/^[0-9a-f]{8}-?[0-9a-f]{4}-?5[0-9a-f]{3}-?[89ab][0-9a-f]{3}-?[0-9a-f]{12}$/i)],
  ['isbn', (text) => isIsbn10(text) || isIsbn13(text)],
  ['isbn10', isIsbn10],
  ['isbn13', isIsbn13],
  ['creditcard', isCreditCard],
  ['ssn', matching(/^\d{3}[- ]?\d{2}[- ]?\d{4}$/)],
  ['hexcolor', matching(/^#?(?:[0-9a-f]{3}|[0-9a-f]{6})$/i)],
  ['rgbcolor', matching(rgb)],
  ['byte', isBase64],
  ['password', () => true],
  ['date', isDate],
  ['duration', isDuration],
  ['date-time', isDateTime],
  ['datetime', isDateTime],
]);
