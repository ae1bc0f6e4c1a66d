/**
 * Priority and fairness: which level and flow a request belongs to, and whether it runs now, waits, or is refused.
 *
 * @see {@link https://kubernetes.io/docs/concepts/cluster-administration/flow-control/ | API Priority and Fairness}
 */
import { mandatoryFlowSchemas, mandatoryPriorityLevels } from '../../api/flowcontrol/mandatory.ts';
import type { FlowSchema, PriorityLevelConfiguration } from '../../api/gen/types/flowcontrol-v1.ts';
import type { Clock } from '../../base/clock.ts';
import type { UserInfo } from '../../machinery/user.ts';
import type { RequestInfo } from '../request/request-info.ts';
import { SeatRequest } from './fair-queue.ts';
import type { Entry } from './fair-queues.ts';
import type { FlowControlMetrics, FlowSeries, RequestKind, RequestPhase } from './flow-control-metrics.ts';
import { compileFlowRules, type FlowMatcher } from './flow-schema-matching.ts';
import { LevelUsage } from './level-usage.ts';
import type { ObjectCounts } from './object-counts.ts';
import { PriorityLevel } from './priority-level.ts';
import { divideSeats, seatBounds } from './seat-limits.ts';
import { WatchCounts } from './watch-counts.ts';
import { estimateSeats } from './work-estimate.ts';

export interface FlowControlOptions {
  /** Seats of all levels together. */
  readonly seats: number;
  readonly clock: Clock;
  readonly countOf: (resource: string) => number | undefined;
  readonly metrics: FlowControlMetrics;
}

/** What the server tells of its state. */
export interface FairQueuing {
  readonly control: FlowControl;
  /** Told of every count of stored objects. */
  readonly counts: ObjectCounts;
  /** How often levels give and take seats, in milliseconds. */
  readonly adjustmentMs: number;
}

interface Schema {
  readonly name: string;
  readonly uid: string;
  readonly precedence: number;
  readonly distinguisher: 'ByUser' | 'ByNamespace' | undefined;
  readonly level: PriorityLevel;
  readonly matches: FlowMatcher;
  readonly series: FlowSeries;
}

/** What is known of a request where those that wait are listed. */
export interface Described {
  readonly info: RequestInfo;
  readonly user: UserInfo;
}

/** How a request was classified. */
export interface Classified {
  readonly schema: Pick<Schema, 'name' | 'uid' | 'series'>;
  readonly level: PriorityLevel;
  readonly distinguisher: string;
}

/** How often levels give and take seats (KEP-1040). */
export const adjustmentMs = 10_000;

export class FlowControl {
  readonly #options: FlowControlOptions;
  readonly #watches = new WatchCounts();
  #levels = new Map<string, PriorityLevel>();
  #schemas: readonly Schema[] = [];

  constructor(options: FlowControlOptions) {
    this.#options = options;
    this.configure([], []);
    options.metrics.show(() => [...this.#levels.values()]);
    options.metrics.setLimit(options.seats);
  }

  get levels(): readonly PriorityLevel[] {
    return [...this.#levels.values()];
  }

  /** Objects as they are now. Mandatory ones that are missing are as if they were there. */
  configure(levels: readonly PriorityLevelConfiguration[], schemas: readonly FlowSchema[]): void {
    const wanted = new Map(
      [...mandatoryPriorityLevels].map(([name, spec]): [string, PriorityLevelConfiguration] => [
        name,
        { metadata: { name }, spec, status: {} },
      ]),
    );
    for (const level of levels) if (isUsable(level)) wanted.set(level.metadata.name!, level);
    const next = new Map<string, PriorityLevel>();
    for (const [name, object] of wanted) {
      const level = this.#levels.get(name) ?? this.#create(name, object);
      level.object = object;
      next.set(name, level);
    }
    this.#schemas = this.#compile(schemas, next);
    for (const [name, level] of this.#levels) {
      if (wanted.has(name)) continue;
      if (level.queues.isIdle) this.#options.metrics.forget(name);
      else {
        level.isQuiescing = true;
        next.set(name, level);
      }
    }
    this.#levels = next;
    this.#setBounds();
  }

  /** Seats go where they are asked for; what is asked for is observed since the last time. */
  adjust(): void {
    const now = this.#options.clock.now();
    const levels = this.levels;
    const claims = levels.map(({ bounds, queues: { demand } }) => {
      demand.endPeriod(now);
      const lower = Math.max(bounds.lower, Math.min(bounds.nominal, demand.highWatermark));
      return { lower, upper: bounds.upper, target: Math.max(lower, demand.smoothed) };
    });
    const total = levels.reduce((sum, { bounds }) => sum + bounds.nominal, 0);
    const { seats, fairFraction } = divideSeats(total, claims);
    levels.forEach((level, i) => {
      level.target = claims[i]!.target;
      level.setSeats(Math.round(seats[i]!), this.#options.seats);
    });
    this.#options.metrics.fairFraction = fairFraction;
  }

  classify(info: RequestInfo, user: UserInfo): Classified {
    const schema = this.#schemas.find(({ matches }) => matches(info, user)) ?? this.#schemas.at(-1)!;
    const { level, distinguisher } = schema;
    return {
      schema,
      level,
      distinguisher: distinguisher === undefined ? '' : distinguisher === 'ByUser' ? user.name : info.namespace,
    };
  }

  /** The request of a flow, which is to be finished when it ran. */
  enter(
    { schema, level, distinguisher }: Classified,
    described: Described,
    query: URLSearchParams,
  ): { readonly entry: Entry; readonly request: SeatRequest } {
    const { info } = described;
    const { countOf } = this.#options;
    const seats = estimateSeats(info, query, { countOf, maxSeats: level.maxSeats });
    schema.series.estimated(seats);
    if (info.isResourceRequest && changes(info)) schema.series.watched(this.#watches.concerned(info));
    const request = new SeatRequest({
      flowSchema: schema.name,
      distinguisher,
      seats,
      observer: schema.series,
      about: described,
    });
    const entry = level.queues.enter(request);
    if (entry === 'refused') this.#noteRefused(schema, level, queueless(level) ? 'concurrency-limit' : 'queue-full');
    return { entry, request };
  }

  /** So many requests wait or run, of all levels. */
  noteCurrent(kind: RequestKind, phase: RequestPhase, count: number): void {
    this.#options.metrics.current[kind][phase].set(count, this.#options.clock.now());
  }

  /** A watch has begun. Returns what is to be called at its end. */
  beginWatch(info: RequestInfo): () => void {
    return this.#watches.begin(info);
  }

  /** A waiting request gives up. False when it does not wait. */
  leave({ schema, level }: Classified, request: SeatRequest, reason: 'time-out' | 'cancelled'): boolean {
    if (!level.queues.leave(request, reason)) return false;
    this.#noteRefused(schema, level, reason);
    this.#forgetIfOver(level);
    return true;
  }

  /** What is left of a running request is to send its answer. */
  send({ level }: Classified, request: SeatRequest): void {
    level.queues.send(request);
  }

  finish({ level }: Classified, request: SeatRequest): void {
    level.queues.finish(request);
    this.#forgetIfOver(level);
  }

  #create(name: string, object: PriorityLevelConfiguration): PriorityLevel {
    const { clock, metrics } = this.#options;
    return new PriorityLevel(name, object, clock, new LevelUsage(metrics.ratiosOf(name)));
  }

  #noteRefused(schema: Classified['schema'], level: PriorityLevel, reason: string): void {
    schema.series.refused(reason);
    level.retryAfter.refused(Math.floor(this.#options.clock.now() / 1000));
  }

  #forgetIfOver(level: PriorityLevel): void {
    if (!level.isQuiescing || !level.queues.isIdle || this.#levels.get(level.name) !== level) return;
    this.#levels.delete(level.name);
    this.#options.metrics.forget(level.name);
    this.#setBounds();
  }

  #setBounds(): void {
    const levels = this.levels;
    const bounds = seatBounds(
      this.#options.seats,
      levels.map(({ shares }) => shares),
    );
    levels.forEach((level, i) => (level.bounds = bounds[i]!));
    this.adjust();
  }

  /** In the order in which they are asked. A schema whose level is not there is not used. */
  #compile(objects: readonly FlowSchema[], levels: ReadonlyMap<string, PriorityLevel>): Schema[] {
    const all = new Map(
      [...mandatoryFlowSchemas].map(([name, spec]): [string, FlowSchema] => [
        name,
        { metadata: { name }, spec, status: {} },
      ]),
    );
    for (const object of objects) all.set(object.metadata.name!, object);
    return [...all.values()]
      .flatMap(({ metadata: { name = '', uid = '' }, spec }) => {
        const level = levels.get(spec.priorityLevelConfiguration.name ?? '');
        if (level === undefined) return [];
        return {
          name,
          uid,
          precedence: spec.matchingPrecedence ?? defaultPrecedence,
          distinguisher: spec.distinguisherMethod?.type as Schema['distinguisher'],
          level,
          matches: compileFlowRules(spec.rules),
          series: this.#options.metrics.seriesOf(name, level.name),
        };
      })
      .sort((a, b) => a.precedence - b.precedence || (a.name < b.name ? -1 : 1));
  }
}

const changing = new Set(['create', 'update', 'patch', 'delete']);

/** Whether others see the request as events. What is only asked, and tokens, are no objects of a watch. */
const changes = ({ verb, resource, subresource, group }: RequestInfo): boolean =>
  changing.has(verb) &&
  subresource !== 'token' &&
  !group.endsWith('authorization.k8s.io') &&
  !resource.endsWith('reviews');

const defaultPrecedence = 1000;

const queueless = ({ queues }: PriorityLevel): boolean => queues.queueCount === 0;

/** Only the mandatory level is exempt; a level that was written by an older server can say something else. */
const isUsable = ({ metadata: { name }, spec: { type, limited } }: PriorityLevelConfiguration): boolean =>
  (type === 'Exempt') === (name === 'exempt') && (type === 'Exempt' || limited !== undefined);
