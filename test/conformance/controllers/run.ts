/** Plays a case on a cluster, step by step, and says where it came out differently. */
import { setTimeout as sleep } from 'node:timers/promises';
import type { JsonObject, JsonValue } from '../../../src/machinery/value.ts';
import type { Api, ReadObject } from './api.ts';
import { type Cluster, isReference } from './cluster.ts';
import { differences } from './differences.ts';
import { eventSet } from './events.ts';
import { byAge, hasLabel, play } from './kubelet.ts';
import { markReady } from './nodes.ts';
import { NodeLeases } from './leases.ts';
import { prepareNamespace } from './namespace.ts';
import { Names } from './names.ts';
import { membersOf } from './json.ts';
import { masked, normalForm } from './normal-form.ts';
import { entriesOfLines, type Observation } from './observation.ts';
import type { RecordedCase, RecordedRequest, RecordedSnapshot, RecordedStep } from './recording.ts';
import { asIn120 } from './reference.ts';
import { placeOf } from './resources.ts';
import type { SectionRules } from './sections.ts';
import { patience, Surroundings } from './settle.ts';
import { Masks } from './tokens.ts';
import { waitFor } from './waiting.ts';

/** Lines that say what is different; empty when nothing is. */
export async function replay(recorded: RecordedCase, cluster: Cluster, rules: SectionRules): Promise<string[]> {
  using run = new Run(recorded, cluster, rules);
  return await run.play();
}

const minuteMs = 60_000;
/** What a case needs of a minute from the request on until its snapshot. */
const calmMs = 20_000;

/** Waits for the next minute when this one is over soon: a schedule would come due once more before the snapshot. */
async function beginningOfMinute(): Promise<void> {
  const restMs = minuteMs - (Date.now() % minuteMs);
  if (restMs < calmMs) await sleep(restMs);
}

/** The values of a recording whose part after the colon is a number. */
const recordedMasks = new Masks('<u>');

class Run implements Disposable {
  readonly #recorded: RecordedCase;
  readonly #cluster: Cluster;
  readonly #rules: SectionRules;
  readonly #names: Names;
  readonly #masks: Masks;
  readonly #leases: NodeLeases;
  readonly #resources: ReadonlySet<string>;
  readonly #surroundings: Surroundings;
  readonly #observations: Observation[] = [];
  readonly #shownEvents = new Set<string>();

  constructor(recorded: RecordedCase, cluster: Cluster, rules: SectionRules) {
    this.#recorded = recorded;
    this.#cluster = cluster;
    this.#rules = rules;
    this.#names = new Names(recorded);
    this.#masks = new Masks(this.#names.token, this.#names.nodes);
    this.#leases = new NodeLeases(cluster.api);
    this.#resources = new Set(
      recorded.steps.flatMap(({ snapshot = {} }) => Object.keys(snapshot).filter((resource) => resource !== 'events')),
    );
    this.#surroundings = new Surroundings(cluster.watches, this.#namespace, this.#names.token, this.#resources);
  }

  get #api(): Api {
    return this.#cluster.api;
  }

  get #namespace(): string {
    return this.#names.text(this.#recorded.namespaces[0]!);
  }

  async play(): Promise<string[]> {
    await this.#cluster.watches.open([...this.#resources, 'pods', 'events']);
    await prepareNamespace(this.#cluster, this.#namespace);
    const failures: string[] = [];
    for (const [i, step] of this.#recorded.steps.entries()) {
      const failure = await this.#step(i, step);
      if (failure === undefined) continue;
      failures.push(`step ${i}: ${failure.text}`);
      if (failure.isFinal) break;
    }
    return [...failures, ...differences(this.#observations)];
  }

  /** What failed. Where it is final the steps after it have nothing to go on. */
  async #step(i: number, step: RecordedStep): Promise<{ text: string; isFinal: boolean } | undefined> {
    const final = (text: string | undefined) => (text === undefined ? undefined : { text, isFinal: true });
    if (step.request !== undefined) return final(await this.#request(i, step.request, step));
    if (step.until !== undefined)
      return final(await waitFor(this.#api, this.#names.value(step.until), this.#rules.waitMs * patience));
    if (step.sleep !== undefined) await sleep(step.sleep * 1000);
    else if (step.silence !== undefined) this.#leases.stop(this.#names.text(step.silence));
    else if (step.attachments !== undefined) await this.#attachments(i, step.attachments);
    else if (step.pick !== undefined) return final(await this.#pick(step.pick));
    else if (step.kubelet !== undefined) await play(this.#api, this.#namespace, this.#names.value(step.kubelet));
    else if (step.settle !== undefined && step.snapshot !== undefined) return this.#settle(i, step);
    else throw new Error(`unknown step: ${Object.keys(step).join()}`);
    return undefined;
  }

  async #request(
    i: number,
    { method, path, contentType, body, noLease }: RecordedRequest,
    { response }: RecordedStep,
  ): Promise<string | undefined> {
    if (this.#rules.waitsForTime(method, body)) await beginningOfMinute();
    const filled = body === undefined ? undefined : this.#names.value(body);
    const answer = await this.#api.send(method, this.#names.text(path), filled, contentType);
    const object = answer.body as JsonObject;
    if (answer.status !== response!.status)
      return `${method} ${path} answers ${answer.status}, not ${response!.status}: ${String(object['message'])}`;
    if (method === 'POST' && object['metadata'] !== undefined && object['kind'] !== 'Status')
      this.#names.remember(object);
    if (method === 'POST' && path === '/api/v1/nodes') await this.#startNode(object, noLease !== true);
    const { message, body: shown } = response!;
    if (message !== undefined)
      this.#observe(i, 'answer', { message }, { message: masked(object['message']!, this.#masks) });
    if (shown !== undefined) this.#observe(i, 'answer', { body: shown }, { body: normalForm(object, this.#masks, '') });
    return undefined;
  }

  async #startNode({ metadata }: JsonObject, renewsLease: boolean): Promise<void> {
    const name = String((metadata as JsonObject)['name']);
    if (renewsLease) await this.#leases.start(name);
    if (!this.#cluster.running.has('node-lifecycle-controller')) await markReady(this.#api, name);
  }

  #observe(step: number, what: string, expected: JsonObject, actual: JsonObject): void {
    const known = masked(expected, recordedMasks) as JsonObject;
    this.#observations.push({
      step,
      what,
      expected: new Map(membersOf(known)),
      actual: new Map(membersOf(actual)),
    });
  }

  async #attachments(i: number, expected: readonly JsonValue[]): Promise<void> {
    const found = (await this.#api.list('volumeattachments')).map(({ spec }) => spec as JsonValue);
    const ours = found.filter((spec) => JSON.stringify(spec).includes(this.#names.token));
    const byText = (specs: readonly JsonValue[]): JsonObject =>
      Object.fromEntries(
        specs
          .map((spec) => JSON.stringify(spec, Object.keys(spec as JsonObject).sort()))
          .sort()
          .entries(),
      );
    this.#observe(i, 'attachments', byText(expected), byText(ours.map((spec) => masked(spec, this.#masks))));
  }

  async #pick({ resource, index, selector, name }: NonNullable<RecordedStep['pick']>): Promise<string | undefined> {
    const objects = (await this.#api.list(resource, this.#namespace))
      .filter((object) => selector === undefined || hasLabel(object, selector))
      .sort(byAge);
    const picked = objects[index];
    if (picked === undefined) return `there is no ${resource} number ${index} to pick`;
    this.#names.pick(name, picked.metadata.name);
    return undefined;
  }

  async #settle(
    i: number,
    { settle, snapshot }: RecordedStep,
  ): Promise<{ text: string; isFinal: boolean } | undefined> {
    const filled = this.#names.value(settle!);
    const restless = await this.#surroundings.settle(this.#api, filled);
    await this.#snapshot(i, snapshot!, (settle!.play ?? []).length > 0);
    return restless === undefined ? undefined : { text: `was never quiet: ${restless} changed`, isFinal: false };
  }

  async #snapshot(i: number, { events, ...resources }: RecordedSnapshot, played: boolean): Promise<void> {
    await Promise.all(
      Object.entries(resources as Record<string, Record<string, JsonValue>>).map(async ([resource, expected]) => {
        const objects = await this.#api.list(resource, this.#namespace);
        const ours = placeOf(resource).namespaced
          ? objects
          : objects.filter(({ metadata }) => metadata.name.includes(this.#names.token));
        this.#observe(i, resource, expected, this.#forms(ours, resource));
      }),
    );
    const said = (line: string): string => (isReference ? asIn120(line, played) : line);
    const lines = this.#surroundings.takeLines().filter((line) => this.#rules.keepsEvent(line, this.#recorded));
    const shown = eventSet(
      lines.map((line) => said(this.#masks.text(line))),
      played,
    );
    const fresh = shown.filter((line) => !this.#shownEvents.has(line));
    for (const line of fresh) this.#shownEvents.add(line);
    const expected = (events ?? []).map((line) => said(recordedMasks.text(line)));
    this.#observations.push({
      step: i,
      what: 'events',
      expected: entriesOfLines(expected),
      actual: entriesOfLines(fresh),
    });
  }

  #forms(objects: readonly ReadObject[], resource: string): Record<string, JsonValue> {
    return Object.fromEntries(
      objects.map((object) => [
        this.#masks.text(object.metadata.name),
        normalForm(object as unknown as JsonObject, this.#masks, resource),
      ]),
    );
  }

  [Symbol.dispose](): void {
    this.#leases[Symbol.dispose]();
    this.#surroundings[Symbol.dispose]();
    // The namespace goes when it goes: another case has another.
    this.#cluster.leave(this.#namespace, this.#names.token);
  }
}
