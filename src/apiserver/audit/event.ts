/**
 * Audit events: what is known of a request at one stage of it, and how that is written.
 *
 * What all stages of a request share is kept once and made text once; a stage adds the rest. An event lives no longer
 * than it takes to make it text: what it refers to goes on changing with its request.
 * @see {@link https://kubernetes.io/docs/reference/config-api/apiserver-audit.v1/#audit-k8s-io-v1-Event | Event
 *   (audit.k8s.io/v1)}
 */
import { remembered, textBytes } from '../../base/bounded-cache.ts';
import type { Status } from '../../machinery/status.ts';
import type { UserInfo } from '../../machinery/user.ts';
import { escapeHtml } from '../representation/meta-object.ts';
import { microTimeText } from './micro-time.ts';
import type { Level, Stage } from './policy.ts';

export const auditApiVersion = 'audit.k8s.io/v1';

/** What does not change from stage to stage. */
export interface RequestFacts {
  readonly level: Level;
  readonly auditId: string;
  readonly requestUri: string;
  readonly verb: string;
  /** Undefined when authentication failed. */
  readonly user: UserInfo | undefined;
  readonly sourceIps: readonly string[];
  readonly userAgent: string;
  /** Microseconds since 1970. */
  readonly receivedMicros: number;
  /** The members above that are not whole. */
  readonly cut: readonly string[];
}

export interface ReferenceFacts {
  readonly resource: string;
  readonly namespace: string;
  readonly name: string;
  readonly uid: string;
  readonly apiGroup: string;
  readonly apiVersion: string;
  readonly resourceVersion: string;
  readonly subresource: string;
}

export class ObjectReference {
  readonly facts: ReferenceFacts;
  #text: string | undefined;

  constructor(facts: ReferenceFacts) {
    this.facts = facts;
  }

  /** JSON */
  get text(): string {
    return (this.#text ??= referenceText(this.facts));
  }
}

/** A Status without what says that it is one. */
export type ResponseStatus = Partial<Pick<Status, 'status' | 'message' | 'reason' | 'details' | 'code'>>;

export interface StageFacts {
  readonly stage: Stage;
  readonly stageMicros: number;
  readonly impersonatedUser: UserInfo | undefined;
  readonly objectRef: ObjectReference | undefined;
  readonly responseStatus: ResponseStatus | undefined;
  /** JSON on one line. */
  readonly requestObject: string | undefined;
  readonly responseObject: string | undefined;
  readonly annotations: Readonly<Record<string, string>> | undefined;
}

export class AuditEvent {
  readonly request: RequestText;
  readonly at: StageFacts;

  constructor(request: RequestText, at: StageFacts) {
    this.request = request;
    this.at = at;
  }

  /** The event's JSON on one line, between `head`, which has the opening bracket, and `tail`. */
  text(head: string, tail: string): string {
    const { request } = this;
    const {
      stage,
      stageMicros,
      impersonatedUser,
      objectRef,
      responseStatus,
      requestObject,
      responseObject,
      annotations,
    } = this.at;
    const parts = [head, request.head, stage, request.front];
    if (impersonatedUser !== undefined) parts.push(',"impersonatedUser":', userText(impersonatedUser));
    parts.push(request.origin);
    if (objectRef !== undefined) parts.push(',"objectRef":', objectRef.text);
    if (responseStatus !== undefined) parts.push(',"responseStatus":', statusText(responseStatus));
    if (requestObject !== undefined) parts.push(',"requestObject":', requestObject);
    if (responseObject !== undefined) parts.push(',"responseObject":', responseObject);
    parts.push(request.received, microTimeText(stageMicros), '"');
    if (annotations !== undefined) parts.push(annotationsText(annotations));
    parts.push('}', tail);
    // Joined, the text is flat: it may wait for a while, and its parts need not.
    return parts.join('');
  }

  /** The same without the objects, and with a note that they were left out. */
  truncated(): AuditEvent {
    return new AuditEvent(this.request, {
      ...this.at,
      requestObject: undefined,
      responseObject: undefined,
      annotations: { ...this.at.annotations, 'audit.k8s.io/truncated': 'true' },
    });
  }
}

/** `{"kind":"Event","apiVersion":"audit.k8s.io/v1",` */
export const eventHead = (apiVersion: string): string => `{"kind":"Event","apiVersion":"${apiVersion}",`;

/** The facts of a request, and their JSON, made when an event is first written. */
export class RequestText {
  readonly facts: RequestFacts;
  #front: string | undefined;
  #origin: string | undefined;
  #received: string | undefined;

  constructor(facts: RequestFacts) {
    this.facts = facts;
  }

  get head(): string {
    return `"level":"${this.facts.level}","auditID":${quote(this.facts.auditId)},"stage":"`;
  }

  get front(): string {
    const { requestUri, verb, user } = this.facts;
    return (this.#front ??= `","requestURI":${quote(requestUri)},"verb":${shortText(verb)},"user":${userText(user)}`);
  }

  get origin(): string {
    const { sourceIps, userAgent } = this.facts;
    return (this.#origin ??= addressesText(sourceIps) + userAgentText(userAgent));
  }

  get received(): string {
    return (this.#received ??=
      `,"requestReceivedTimestamp":"${microTimeText(this.facts.receivedMicros)}",` + '"stageTimestamp":"');
  }
}

/** Nothing in it has to be escaped. */
const plain = /^[ !#-%'-;=?-[\]-~]*$/;

const quote = (text: string): string => (plain.test(text) ? `"${text}"` : escapeHtml(JSON.stringify(text)));

/** Of each kind of text that comes again and again. */
const maxCacheBytes = 1024 * 1024;
const maxShort = 256;
const maxUserAgent = 2048;
const quoted = (maxKeyLength: number, make: (text: string) => string): ((text: string) => string) =>
  remembered(make, { maxBytes: maxCacheBytes, maxKeyLength, bytesOf: textBytes });

const userAgentText = quoted(maxUserAgent, (userAgent) => (userAgent === '' ? '' : `,"userAgent":${quote(userAgent)}`));
/** Most requests have one. */
const addressText = quoted(maxShort, (address) => `,"sourceIPs":[${quote(address)}]`);
const addressesText = (addresses: readonly string[]): string =>
  addresses.length === 0
    ? ''
    : addresses.length === 1
      ? addressText(addresses[0]!)
      : `,"sourceIPs":${listText(addresses)}`;
/** Longer ones are made each time. */
const shortText = quoted(maxShort, quote);

/**
 * Authenticators hand out the same object for the same caller as far as they can, and keep it: long texts are not kept
 * beside it.
 */
const userTexts = new WeakMap<UserInfo, string>();
const maxUserText = 4096;

function userText(user: UserInfo | undefined): string {
  if (user === undefined) return '{}';
  const known = userTexts.get(user);
  if (known !== undefined) return known;
  const text = makeUserText(user);
  if (text.length <= maxUserText) userTexts.set(user, text);
  return text;
}

function makeUserText({ name, uid = '', groups, extra = {} }: UserInfo): string {
  const members: string[] = [];
  if (name !== '') members.push(`"username":${quote(name)}`);
  if (uid !== '') members.push(`"uid":${quote(uid)}`);
  if (groups.length > 0) members.push(`"groups":${listText(groups)}`);
  const keys = Object.keys(extra).sort();
  if (keys.length > 0)
    members.push(`"extra":{${keys.map((key) => `${quote(key)}:${listText(extra[key]!)}`).join(',')}}`);
  return `{${members.join(',')}}`;
}

const listText = (texts: readonly string[]): string => `[${texts.map(quote).join(',')}]`;

const memberOf = (member: keyof ReferenceFacts, textOf: (text: string) => string) => ({
  member,
  head: `"${member}":`,
  textOf,
});
/** In this order. What many requests have in common is quoted once. */
const referenceMembers = [
  memberOf('resource', shortText),
  memberOf('namespace', shortText),
  memberOf('name', quote),
  memberOf('uid', quote),
  memberOf('apiGroup', shortText),
  memberOf('apiVersion', shortText),
  memberOf('resourceVersion', quote),
  memberOf('subresource', shortText),
];

function referenceText(reference: ReferenceFacts): string {
  let text = '';
  for (const { member, head, textOf } of referenceMembers)
    if (reference[member] !== '') text += (text === '' ? '{' : ',') + head + textOf(reference[member]);
  return text === '' ? '{}' : `${text}}`;
}

function statusText({ status, message, reason, details, code }: ResponseStatus): string {
  if (status === undefined && message === undefined && reason === undefined && details === undefined)
    return `{"metadata":{},"code":${code ?? 0}}`;
  return escapeHtml(
    JSON.stringify({
      metadata: {},
      status,
      message: message === '' ? undefined : message,
      reason: reason === '' ? undefined : reason,
      details,
      code,
    }),
  );
}

function annotationsText(annotations: Readonly<Record<string, string>>): string {
  let text = '';
  for (const key of sorted(Object.keys(annotations)))
    text += `${text === '' ? ',"annotations":{' : ','}${shortText(key)}:${shortText(annotations[key]!)}`;
  return text === '' ? '' : `${text}}`;
}

/** Most have two, in this order. */
const sorted = (keys: string[]): string[] =>
  keys.length < 2 || (keys.length === 2 && keys[0]! < keys[1]!) ? keys : keys.sort();
