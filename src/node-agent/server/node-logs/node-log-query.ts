/**
 * What is asked of the logs of a node.
 * @see {@link https://kubernetes.io/docs/concepts/cluster-administration/system-logs/#log-query | Log query}
 */
import { parseInteger } from '../../../machinery/parse-integer.ts';
import { parseTime } from '../../../machinery/time.ts';
import { Refusal } from '../refusal.ts';

export interface NodeLogQuery {
  readonly services: readonly string[];
  /** Below the folder of logs, in place of services. */
  readonly file: string | undefined;
  /** As journals take it. */
  readonly since: string | undefined;
  readonly until: string | undefined;
  readonly tailLines: number | undefined;
  readonly pattern: string | undefined;
  /** 0 is the present one, -1 the one before. */
  readonly boot: number | undefined;
}

const maxServices = 4;
const maxPatternCharacters = 1024;

/** Undefined where nothing is asked. Throws a {@link Refusal}. */
export function readNodeLogQuery(query: URLSearchParams): NodeLogQuery | undefined {
  const asked = query.getAll('query').filter((name) => name !== '');
  if (asked.length === 0) return undefined;
  const files = asked.filter((name) => name.includes('/'));
  const services = asked.filter((name) => !name.includes('/'));
  if (files.length > 1 || (files.length > 0 && services.length > 0)) throw refused('one file, or services');
  const odd = services.find((name) => !/^[A-Za-z0-9_][A-Za-z0-9_.@:-]*$/.test(name));
  if (odd !== undefined) throw refused(`${JSON.stringify(odd)} is no name of a service`);
  if (services.length > maxServices) throw refused(`at most ${maxServices} services`);
  const pattern = query.get('pattern') || undefined;
  if (pattern !== undefined && pattern.length > maxPatternCharacters)
    throw refused(`a pattern has at most ${maxPatternCharacters} characters`);
  const tailLines = number(query, 'tailLines');
  if (tailLines !== undefined && tailLines < 0) throw refused('tailLines must be at least 0');
  const boot = number(query, 'boot');
  if (boot !== undefined && boot > 0) throw refused('boot must be at most 0');
  const [file] = files;
  const times = { since: time(query, 'sinceTime'), until: time(query, 'untilTime') };
  return { services, file, ...times, tailLines, pattern, boot };
}

const refused = (why: string): Refusal => new Refusal(400, `invalid query: ${why}\n`);

function number(query: URLSearchParams, name: string): number | undefined {
  const text = query.get(name) ?? '';
  if (text === '') return undefined;
  try {
    return Number(parseInteger(text));
  } catch {
    throw refused(`${name} is no number`);
  }
}

function time(query: URLSearchParams, name: string): string | undefined {
  const text = query.get(name) ?? '';
  if (text === '') return undefined;
  try {
    const seconds = Number(parseTime(text).seconds);
    return new Date(seconds * 1000).toISOString().slice(0, 19).replace('T', ' ');
  } catch {
    throw refused(`${name} is no time`);
  }
}
