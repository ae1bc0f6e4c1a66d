/** Whether a node did with pods what was recorded. */
import type { JsonValue } from '../../src/machinery/value.ts';
import { maskedValue, type MaskOptions, recordedValue } from './masks.ts';
import type { NodeCase, NodeStep, RecordedPod } from './recording.ts';
import type { Played } from './replay.ts';
import { isOfTest } from './served-steps.ts';

/** A status that stood longer has to appear. */
const lastedSeconds = 2;

/** What differs, in words; empty when nothing does. */
export function differences(recorded: NodeCase, played: Played, options: MaskOptions): string[] {
  return [
    ...stepDifferences(played, options),
    ...Object.entries(recorded.pods).flatMap(([name, pod]) => [
      ...statusDifferences(name, pod, played, options),
      ...eventDifferences(name, pod, played, options),
    ]),
  ];
}

const notCompared = new Set(['seconds', 'stderr']);
/** By SIGKILL. */
const killed = 137;

/** A command that ends the first process of its container may be killed with the container. */
const endsContainer = ({ exec, command }: NodeStep): boolean =>
  exec !== undefined && Array.isArray(command) && /^kill -\w+ 1$/.test(String(command.at(-1)));

function stepDifferences({ steps }: Played, options: MaskOptions): string[] {
  return steps.flatMap(({ step, got }, index) => {
    if (step.varies === true || step.got === undefined) return [];
    return Object.entries(step.got).flatMap(([key, wanted]) => {
      if (notCompared.has(key) || (key === 'body' && got[key] === undefined)) return [];
      if (key === 'families')
        return familyDifferences(String(step['kubelet']), wanted, got[key] ?? null).map(
          (difference) => `step ${index} (${String(step['kubelet'])}): ${difference}`,
        );
      if (key === 'exitCode' && got[key] === killed && endsContainer(step)) return [];
      // Two streams are written one after the other, in either order.
      const text = (value: JsonValue): string =>
        'log' in step && typeof value === 'string' ? value.split('\n').sort().join('\n') : withoutPort(value);
      const expected = text(recordedValue(key === 'shape' ? comparableShape(wanted) : wanted));
      const found = text(maskedValue(got[key] ?? null, options));
      return expected === found
        ? []
        : [`step ${index} (${Object.keys(step)[0]}), ${key}: ${found} instead of ${expected}`];
    });
  });
}

const comparableShape = (shape: JsonValue): JsonValue =>
  JSON.parse(JSON.stringify(shape, (name, value: JsonValue) => (isOfTest(name) ? undefined : value))) as JsonValue;

/** Each run has another one. */
const withoutPort = (value: JsonValue): string => JSON.stringify(value).replace(/"Port":\d+/g, '"Port":0');

type Families = Readonly<Record<string, { readonly type: string; readonly labels: readonly string[] | null }>>;

/** Of what the runtime of a program shows of itself each has its own. */
const ofRuntime = /^(go|process|nodejs)_/;

/** Metrics of the agent itself may be fewer; those that there are have upstream's type and labels. */
function familyDifferences(path: string, recorded: JsonValue, found: JsonValue): string[] {
  const [wanted, got] = [recorded, found] as unknown as [Families, Families];
  return Object.entries(wanted).flatMap(([name, family]) => {
    const own = got[name];
    if (own === undefined) return path === '/metrics' || ofRuntime.test(name) ? [] : [`${name} is missing`];
    // Nothing has been counted yet: that shows no labels.
    const shown = { ...own, labels: own.labels ?? family.labels };
    const [theirs, ours] = [family, shown].map(({ type, labels }) => `${type} {${labels?.join() ?? ''}}`);
    return theirs === ours ? [] : [`${name} is ${ours} instead of ${theirs}`];
  });
}

const text = (value: JsonValue): string => JSON.stringify(value);

function statusDifferences(name: string, pod: RecordedPod, { statuses }: Played, options: MaskOptions): string[] {
  const seen = (statuses.get(name) ?? []).map((status) => text(maskedValue(status, options)));
  const needed = pod.statuses.filter(({ t, sometimes }, index) => {
    const next = pod.statuses[index + 1];
    return next === undefined || (sometimes !== true && next.t - t > lastedSeconds);
  });
  let at = 0;
  const missing: string[] = [];
  for (const { status } of needed) {
    const wanted = text(recordedValue(status));
    const found = seen.indexOf(wanted, at);
    if (found < 0) missing.push(wanted);
    else at = found;
  }
  return missing.length === 0
    ? []
    : [`statuses of ${name}, missing:\n    ${missing.join('\n    ')}\n  seen:\n    ${seen.join('\n    ')}`];
}

function eventDifferences(name: string, pod: RecordedPod, { events }: Played, options: MaskOptions): string[] {
  const line = ({ type, reason, message, on = '' }: RecordedPod['events'][number]): string =>
    `${type} ${reason} ${on} ${message.trim()}`;
  const seen = new Set((events.get(name) ?? []).map((event) => String(maskedValue(line(event), options))));
  const known = new Set(pod.events.map((event) => String(recordedValue(line(event)))));
  const needed = pod.events
    .filter(({ sometimes }) => sometimes !== true)
    .map((event) => String(recordedValue(line(event))));
  const missing = needed.filter((event) => !seen.has(event)).map((event) => `event of ${name} missing: ${event}`);
  const more = [...seen].filter((event) => !known.has(event)).map((event) => `event of ${name} too much: ${event}`);
  return [...new Set([...missing, ...more])];
}
