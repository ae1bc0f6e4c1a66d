/** What stands in the requests of a case for the values of this run. */
import { randomUUID } from 'node:crypto';
import type { JsonObject, JsonValue } from '../../../src/machinery/value.ts';
import { membersOf } from './json.ts';
import type { RecordedCase } from './recording.ts';

/** Kind and name of an object. */
type Identity = string;

const identity = (kind: JsonValue | undefined, name: JsonValue | undefined): Identity =>
  `${String(kind)}/${String(name)}`;

export class Names {
  /** `u` and six more. */
  readonly token = `u${Math.random().toString(36).slice(2).padEnd(6, '0').slice(0, 6)}`;
  /** Nodes of cases in which they stand for each other. */
  readonly nodes: readonly string[];
  readonly #case: RecordedCase;
  /** Recorded names that steps have picked, and ours. */
  readonly #picked = new Map<string, string>();
  readonly #uids = new Map<string, string>();
  readonly #made = new Map<Identity, string>();

  constructor(recorded: RecordedCase) {
    this.#case = recorded;
    const numbers = new Set([...JSON.stringify(recorded).matchAll(/<node:(\d+)>/g)].map(([, number]) => number!));
    this.nodes = [...numbers].map((number) => this.#node(number));
  }

  #node(number: string): string {
    return `n${number}-${this.token}`;
  }

  pick(recorded: string, name: string): void {
    this.#picked.set(recorded, name);
  }

  /** An object that a request has made. */
  remember(object: JsonObject): void {
    const { name, uid } = object['metadata'] as JsonObject;
    this.#made.set(identity(object['kind'], name), String(uid));
  }

  text(text: string): string {
    let filled = text;
    for (const [recorded, name] of this.#picked) filled = filled.replaceAll(recorded, name);
    return filled
      .replace(/<now(?:-(\d+))?>/g, (_, seconds?: string) => secondsAgo(Number(seconds ?? 0)))
      .replace(/<node:(\d+)>/g, (_, number: string) => this.#node(number))
      .replace(/<uid:\d+>/g, (placeholder) => this.#uid(placeholder))
      .replace(/<u>|\$\{u\}/g, this.token);
  }

  /** A value of a request. What a reference names is known by the object that was made under that name. */
  value<T>(value: T): T {
    return this.#value(value as JsonValue) as T;
  }

  #value(value: JsonValue): JsonValue {
    if (typeof value === 'string') return this.text(value);
    if (Array.isArray(value)) return value.map((item) => this.#value(item));
    if (typeof value !== 'object' || value === null) return value;
    const { kind, name, uid } = value;
    if (typeof uid === 'string' && uid.startsWith('<uid:')) this.#refer(uid, kind, name);
    return Object.fromEntries(membersOf(value).map(([key, item]) => [this.text(key), this.#value(item)]));
  }

  #refer(placeholder: string, kind: JsonValue | undefined, name: JsonValue | undefined): void {
    if (this.#uids.has(placeholder) || this.#isOfAnother(placeholder, String(name))) return;
    const uid = this.#made.get(identity(kind, typeof name === 'string' ? this.text(name) : name));
    if (uid !== undefined) this.#uids.set(placeholder, uid);
  }

  /** Whether the recording shows the object of this name with another uid only: the reference is to nothing. */
  #isOfAnother(placeholder: string, name: string): boolean {
    const shown = this.#case.steps.flatMap(({ snapshot = {} }) =>
      Object.entries(snapshot).flatMap(([resource, objects]) =>
        resource === 'events' || !(name in objects)
          ? []
          : [((objects as Record<string, JsonObject>)[name]!['metadata'] as JsonObject)['uid']],
      ),
    );
    return shown.length > 0 && !shown.includes(placeholder);
  }

  /** One that no object has was made up. */
  #uid(placeholder: string): string {
    const uid = this.#uids.get(placeholder) ?? randomUUID();
    this.#uids.set(placeholder, uid);
    return uid;
  }
}

/** RFC 3339, whole seconds. */
const secondsAgo = (seconds: number): string => `${new Date(Date.now() - seconds * 1000).toISOString().slice(0, 19)}Z`;
