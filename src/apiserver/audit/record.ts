/** What audit keeps of one request on its way, and the events it makes of it. */
import { formatDuration } from '../../machinery/duration.ts';
import type { ObjectMeta } from '../../machinery/object-meta.ts';
import type { Status } from '../../machinery/status.ts';
import type { UserInfo } from '../../machinery/user.ts';
import { createMap } from '../../machinery/value.ts';
import type { ApiRequest, RequestRecord } from '../request/request.ts';
import type { RequestInfo } from '../request/request-info.ts';
import { AuditEvent, ObjectReference, RequestText, type ResponseStatus } from './event.ts';
import { microsOf, nowMicros } from './micro-time.ts';
import type { AuditDecision, AuditPolicy, Level, Stage } from './policy.ts';
import { quotesItsObject, requestUriOf, withoutQuotes } from './redaction.ts';
import { maxChars, Shortener } from './shorten.ts';
import { sourceAddresses } from './source-addresses.ts';

/** Requests that took longer have the time in an annotation. @NOTE differs from upstream: not that of their parts. */
const slowMicros = 500_000;

/** The log that a record belongs to. */
export interface RecordTrail {
  readonly policy: AuditPolicy;
  readonly counters: { level(level: Level): void };
  /** A record whose end is waited for. */
  opened(): void;
  closed(): void;
  /** Whether the request may go on. */
  process(event: AuditEvent): Promise<boolean> | boolean;
}

export class AuditRecord implements RequestRecord {
  readonly #request: ApiRequest;
  readonly #trail: RecordTrail;
  #decision: AuditDecision | undefined;
  #text: RequestText | undefined;
  #user: UserInfo | undefined;
  #objectRef: ObjectReference | undefined;
  #status: ResponseStatus | undefined;
  #requestObject: string | undefined;
  #responseObject: string | undefined;
  #annotations: Record<string, string> | undefined;
  #isDone = false;

  constructor(request: ApiRequest, trail: RecordTrail) {
    this.#request = request;
    this.#trail = trail;
  }

  /** Whether the policy was asked. */
  get isBegun(): boolean {
    return this.#decision !== undefined;
  }

  /** Whether the last event was made, or none is wanted. */
  get isDone(): boolean {
    return this.#isDone;
  }

  get keepsRequest(): boolean {
    const level = this.#decision?.level;
    return level === 'Request' || level === 'RequestResponse';
  }

  get keepsResponse(): boolean {
    return this.#decision?.level === 'RequestResponse';
  }

  get omitsManagedFields(): boolean {
    return this.#decision?.omitManagedFields === true;
  }

  annotate(key: string, value: string): void {
    this.#annotations ??= createMap<string>();
    this.#annotations[key] ??= value;
  }

  /** Asks the policy. False: nothing is recorded of this request. */
  begin(user: UserInfo | undefined): boolean {
    const { info, receivedAt } = this.#request;
    const decision = this.#trail.policy.decide(info, user);
    this.#decision = decision;
    this.#trail.counters.level(decision.level);
    if (decision.level === 'None') {
      this.#isDone = true;
      return false;
    }
    nowMicros(); // sets the clock that the next line reads
    this.#text = requestText(this.#request, user, decision, microsOf(receivedAt));
    this.#user = user;
    if (info.isResourceRequest) this.#objectRef = referenceOf(info);
    this.#trail.opened();
    return true;
  }

  /** What the body says of the object that the path leaves open. */
  completeReference({ namespace = '', name = '', uid = '', resourceVersion = '' }: ObjectMeta): void {
    const known = this.#objectRef?.facts;
    if (known === undefined) return;
    this.#objectRef = new ObjectReference({
      ...known,
      namespace: known.namespace || namespace,
      name: known.name || name,
      uid: known.uid || uid,
      resourceVersion: known.resourceVersion || resourceVersion,
    });
  }

  /** @param json on one line */
  keepRequest(json: string): void {
    if (this.keepsRequest) this.#requestObject = json;
  }

  /** @param json on one line */
  keepResponse(json: string): void {
    if (this.keepsResponse) this.#responseObject = json;
  }

  keepStatus({ status, message, reason, details, code }: Partial<Status>): void {
    this.#status = { status, message, reason, details, code } as ResponseStatus;
  }

  /** The status code that the answer goes out with. */
  setCode(code: number): void {
    this.#status = this.#status === undefined ? { code } : { ...this.#status, code };
  }

  /** Makes the event of a stage, unless it is left out. Whether the request may go on. */
  reach(stage: Exclude<Stage, 'ResponseComplete' | 'Panic'>): Promise<boolean> | boolean {
    return this.#emit(stage, stage === 'RequestReceived' ? this.#text!.facts.receivedMicros : nowMicros());
  }

  /** Makes the last event, once. */
  end(stage: Exclude<Stage, 'RequestReceived'>): Promise<boolean> | boolean {
    if (this.#isDone) return true;
    this.#isDone = true;
    const micros = nowMicros();
    const tookMicros = micros - this.#text!.facts.receivedMicros;
    if (stage === 'ResponseComplete' && tookMicros > slowMicros && !this.#request.isLongRunning)
      this.annotate('apiserver.latency.k8s.io/total', formatDuration(tookMicros * 1000));
    const result = this.#emit(stage, micros);
    this.#trail.closed();
    return result;
  }

  /** No further event: the request was refused for want of this one. */
  drop(): void {
    this.#isDone = true;
    this.#trail.closed();
  }

  #emit(stage: Stage, stageMicros: number): Promise<boolean> | boolean {
    if (this.#decision!.omitStages.has(stage)) return true;
    const { user } = this.#request;
    const text = this.#text!;
    const shortener = new Shortener(text.facts.cut);
    // Impersonation is the only step that replaces the user.
    const impersonatedUser =
      user === undefined || user === this.#user ? undefined : shortener.user('impersonatedUser', user);
    const objectRef = this.#shortReference(shortener);
    const status = this.#safeStatus();
    const responseStatus = status === undefined ? undefined : shortener.status(status);
    const annotations = shortener.annotations(this.#annotations);
    return this.#trail.process(
      new AuditEvent(text, {
        stage,
        stageMicros,
        impersonatedUser,
        objectRef,
        responseStatus,
        requestObject: this.#requestObject,
        responseObject: this.#responseObject,
        annotations,
      }),
    );
  }

  #shortReference(shortener: Shortener): ObjectReference | undefined {
    const whole = this.#objectRef;
    if (whole === undefined) return undefined;
    const facts = shortener.reference(whole.facts);
    return facts === whole.facts ? whole : new ObjectReference(facts);
  }

  #safeStatus(): ResponseStatus | undefined {
    const status = this.#status;
    return status === undefined || this.keepsRequest || !quotesItsObject(this.#request.info, status)
      ? status
      : withoutQuotes(status);
  }
}

const referenceOf = (info: RequestInfo): ObjectReference =>
  new ObjectReference({
    resource: info.resource,
    namespace: info.namespace,
    name: info.name,
    uid: '',
    apiGroup: info.group,
    apiVersion: info.version,
    resourceVersion: '',
    subresource: info.subresource,
  });

function requestText(
  request: ApiRequest,
  user: UserInfo | undefined,
  { level }: AuditDecision,
  receivedMicros: number,
): RequestText {
  const { exchange, auditId, info } = request;
  const shortener = new Shortener();
  const { addresses, isCut } = sourceAddresses(exchange);
  if (isCut) shortener.note('sourceIPs');
  const requestUri = requestUriOf(shortener.text('requestURI', exchange.target, maxChars.uri));
  const verb = shortener.text('verb', info.verb, maxChars.name);
  const userAgent = shortener.text('userAgent', request.header('user-agent') ?? '', maxChars.userAgent);
  const shortUser = user === undefined ? undefined : shortener.user('user', user);
  return new RequestText({
    level,
    auditId,
    requestUri,
    verb,
    user: shortUser,
    sourceIps: addresses,
    userAgent,
    receivedMicros,
    cut: shortener.cut,
  });
}
