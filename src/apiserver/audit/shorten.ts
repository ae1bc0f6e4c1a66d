/**
 * What an event says has an end: clients choose names, addresses and headers, up to a mebibyte in a request, and a
 * request has several events. A text that was cut ends with `...TRUNCATED`, as upstream ends user agents, and the
 * annotation {@link cutAnnotation} names the members that are not whole.
 *
 * @NOTE differs from upstream: there only the user agent has an end.
 */
import type { StatusCause, StatusDetails } from '../../machinery/status.ts';
import type { UserInfo } from '../../machinery/user.ts';
import type { ReferenceFacts, ResponseStatus } from './event.ts';

export const cutAnnotation = 'audit.orch.io/cut';

/** UTF-16 units, without the mark of what was cut. */
export const maxChars = {
  userAgent: 1024,
  name: 1024,
  uri: 16_384,
  message: 16_384,
  annotation: 16_384,
  list: 32_768,
} as const;
export const maxItems = 1000;

const mark = '...TRUNCATED';
const nothing: readonly string[] = [];

/** Shortens the members of an event, and remembers which. */
export class Shortener {
  /** As JSON paths, each once. Never changed: most events have the same empty one. */
  #cut: readonly string[];

  /** @param cut before: what all events of a request have in common */
  constructor(cut: readonly string[] = nothing) {
    this.#cut = cut;
  }

  get cut(): readonly string[] {
    return this.#cut;
  }

  note(member: string): void {
    if (!this.#cut.includes(member)) this.#cut = [...this.#cut, member];
  }

  text(member: string, text: string, max: number): string {
    if (text.length <= max) return text;
    this.note(member);
    return text.slice(0, max) + mark;
  }

  /**
   * The same list where nothing is to be cut.
   * @param left UTF-16 units for all texts
   */
  texts(member: string, texts: readonly string[], left: number = maxChars.list): readonly string[] {
    if (fits(texts, left)) return texts;
    this.note(member);
    const kept: string[] = [];
    for (const text of texts) {
      left -= Math.min(text.length, maxChars.name);
      if (kept.length === maxItems || left < 0) return [...kept, mark];
      kept.push(this.text(member, text, maxChars.name));
    }
    return kept;
  }

  /** The same object where nothing is to be cut. */
  user(member: string, user: UserInfo): UserInfo {
    if (isShortUser(user)) return user;
    const { name, uid, groups, extra } = user;
    const short = {
      name: this.text(`${member}.username`, name, maxChars.name),
      uid: this.#optional(`${member}.uid`, uid),
      groups: this.texts(`${member}.groups`, groups),
      extra: this.#extra(`${member}.extra`, extra),
    };
    return {
      name: short.name,
      groups: short.groups,
      ...(short.uid === undefined ? {} : { uid: short.uid }),
      ...(short.extra === undefined ? {} : { extra: short.extra }),
    };
  }

  #optional<T extends string | undefined>(member: string, text: T): T | string {
    return text === undefined ? text : this.text(member, text, maxChars.name);
  }

  #extra(member: string, extra: UserInfo['extra']): UserInfo['extra'] {
    if (extra === undefined || fitsExtra(extra)) return extra;
    this.note(member);
    const kept: [string, readonly string[]][] = [];
    let left: number = maxChars.list;
    for (const key of Object.keys(extra)) {
      left -= key.length;
      if (kept.length === maxItems || left < 0) break;
      const values = this.texts(member, extra[key]!, left);
      left -= values.reduce((sum, { length }) => sum + length, 0);
      kept.push([this.text(member, key, maxChars.name), values]);
    }
    return Object.fromEntries(kept);
  }

  /** The same object where nothing is to be cut. */
  reference(facts: ReferenceFacts): ReferenceFacts {
    const { resource, namespace, name, uid, apiGroup, apiVersion, resourceVersion, subresource } = facts;
    const max = Math.max(
      resource.length,
      namespace.length,
      name.length,
      uid.length,
      apiGroup.length,
      apiVersion.length,
      resourceVersion.length,
      subresource.length,
    );
    if (max <= maxChars.name) return facts;
    return Object.fromEntries(
      Object.entries(facts).map(([member, text]: [string, string]) => [
        member,
        this.text(`objectRef.${member}`, text, maxChars.name),
      ]),
    ) as unknown as ReferenceFacts;
  }

  /** The same object where nothing is to be cut. */
  status(status: ResponseStatus): ResponseStatus {
    const { message, details } = status;
    const short = {
      message: message === undefined ? message : this.text('responseStatus.message', message, maxChars.message),
      details: details === undefined ? details : this.#details(details),
    };
    return short.message === message && short.details === details
      ? status
      : ({ ...status, ...short } as ResponseStatus);
  }

  #details(details: StatusDetails): StatusDetails {
    const { name, group, kind, uid, causes } = details;
    const at = 'responseStatus.details';
    const isWhole = [name, group, kind, uid].every((text) => text === undefined || text.length <= maxChars.name);
    const kept = causes === undefined ? causes : this.#causes(`${at}.causes`, causes);
    if (isWhole && kept === causes) return details;
    const short = {
      name: this.#optional(`${at}.name`, name),
      group: this.#optional(`${at}.group`, group),
      kind: this.#optional(`${at}.kind`, kind),
      uid: this.#optional(`${at}.uid`, uid),
      causes: kept,
    };
    return { ...details, ...Object.fromEntries(Object.entries(short).filter(([, value]) => value !== undefined)) };
  }

  #causes(member: string, causes: readonly StatusCause[]): readonly StatusCause[] {
    let left: number = maxChars.list;
    let count = 0;
    while (count < causes.length && count < maxItems && left >= 0) left -= lengthOf(causes[count++]!);
    if (left < 0) count--;
    if (count === causes.length) return causes;
    this.note(member);
    return causes.slice(0, count);
  }

  /** The annotations with what was cut, if anything was; undefined where there are none. */
  annotations(annotations: Readonly<Record<string, string>> | undefined): Readonly<Record<string, string>> | undefined {
    const short: [string, string][] = [];
    for (const key in annotations) {
      const text = annotations[key]!;
      if (text.length > maxChars.annotation)
        short.push([key, this.text(`annotations.${key}`, text, maxChars.annotation)]);
    }
    return this.#cut.length === 0
      ? annotations
      : { ...annotations, ...Object.fromEntries(short), [cutAnnotation]: this.#cut.join(', ') };
  }
}

const isShortUser = ({ name, uid = '', groups, extra }: UserInfo): boolean =>
  name.length <= maxChars.name &&
  uid.length <= maxChars.name &&
  fits(groups, maxChars.list) &&
  (extra === undefined || fitsExtra(extra));

const fitsExtra = (extra: NonNullable<UserInfo['extra']>): boolean =>
  fits(Object.entries(extra).flat(2), maxChars.list);

function fits(texts: readonly string[], left: number): boolean {
  if (texts.length > maxItems) return false;
  for (const { length } of texts) if (length > maxChars.name || (left -= length) < 0) return false;
  return true;
}

const lengthOf = ({ reason = '', message = '', field = '' }: StatusCause): number =>
  reason.length + message.length + field.length;
