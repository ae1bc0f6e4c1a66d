/** Events as lines: `type reason Kind/name [component] message`. */
import { withoutNumbers } from './tokens.ts';

export interface RecordedEvent {
  readonly type?: string;
  readonly reason?: string;
  readonly message?: string;
  readonly reportingComponent?: string;
  readonly source?: { readonly component?: string };
  readonly involvedObject: { readonly kind?: string; readonly name?: string; readonly namespace?: string };
}

const combined = '(combined from similar events): ';

/** The line of an event, with names as they are. */
export function eventLine(event: RecordedEvent): string {
  const { type, reason, involvedObject, reportingComponent, source, message = '' } = event;
  const component =
    reportingComponent === undefined || reportingComponent === '' ? source?.component : reportingComponent;
  const text = message.startsWith(combined) ? message.slice(combined.length) : message;
  return `${type} ${reason} ${involvedObject.kind}/${involvedObject.name} [${component ?? ''}] ${text}`;
}

/** More lines than these that are alike but for placeholders are shown as one: a recorder of events combines them. */
const shownAlike = 8;

/**
 * A sorted set of masked lines.
 *
 * @param played pods changed while the events came, so that the steps in which something was scaled depend on time
 */
export function eventSet(lines: readonly string[], played: boolean): string[] {
  const named = lines.map((line) => (played ? withoutSteps(line) : line)).map(withoutTriedName);
  const alike = new Map<string, string[]>();
  for (const line of new Set(named))
    alike.set(withoutNumbers(line), [...(alike.get(withoutNumbers(line)) ?? []), line]);
  return [...alike].flatMap(([line, all]) => (all.length > shownAlike ? [line] : all)).sort();
}

const withoutSteps = (line: string): string =>
  line.replace(/(Scaled (?:up|down) replica set \S+) from \d+ to \d+$/, '$1 from <n> to <n>');

/** The name of a pod that was refused: each attempt has another. */
const withoutTriedName = (line: string): string =>
  / FailedCreate /.test(line) ? line.replace(/<random:[^<>]*>/g, '<random>') : line;
