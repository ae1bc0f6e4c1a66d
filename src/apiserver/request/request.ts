/**
 * The request description: what the filter chain and the endpoints know of a request. A leaf: it knows no transport,
 * so that HTTP/2, HTTP/1.1 and upgraded connections pass the same chain.
 */
import { describeWork, type Work, type WorkDescription } from '../../base/work-description.ts';
import type { ObjectMeta } from '../../machinery/object-meta.ts';
import type { Status } from '../../machinery/status.ts';
import type { UserInfo } from '../../machinery/user.ts';
import { isLongRunning, type RequestInfo } from './request-info.ts';
import { Warnings } from './warnings.ts';
import { type Caller, ClientGone, type Exchange } from '../../server/exchange.ts';
import type { Handler as RequestHandler, Middleware } from '../../server/middleware.ts';

/** What audit keeps of a request. Steps that have something for it find it at {@link ApiRequest.audit}. */
export interface RequestRecord {
  /**
   * For steps that would have to make it first: whether the policy wants the object of the request, or of the answer.
   */
  readonly keepsRequest: boolean;
  readonly keepsResponse: boolean;
  readonly omitsManagedFields: boolean;
  /** Adds a note, unless there is one under this key. Nothing secret: notes are in every event. */
  annotate(key: string, value: string): void;
  /** What the body says of the object that the path leaves open. */
  completeReference(metadata: ObjectMeta): void;
  /** @param json on one line */
  keepRequest(json: string): void;
  /** @param json on one line */
  keepResponse(json: string): void;
  /** A Status that is the answer. */
  keepStatus(status: Partial<Status>): void;
}

/** Characters of a name in a description of the work: clients choose how long they are. */
const maxDescribed = 256;

/** One request on its way through the chain. Filters fill it in order; nothing is removed. */
export class ApiRequest implements Work {
  readonly exchange: Exchange;
  readonly method: string;
  /** Decoded path, and the query. */
  readonly path: string;
  readonly query: URLSearchParams;
  readonly auditId: string;
  readonly receivedAt: number;
  info!: RequestInfo;
  user!: UserInfo;
  /** Where another program handed the request over and answers for its sender: credentials do not count then. */
  caller: Caller | undefined;
  /** Undefined where nothing is recorded: no policy, or none that wants this request. */
  audit: RequestRecord | undefined;
  /** Texts for `Warning` headers (RFC 7234 section 5.5, code 299). */
  readonly warnings = new Warnings();
  /** Whether the connection ends after the answer, in HTTP/2. */
  closes = false;
  /** Whether the client speaks the `orch` names (design: names on the wire); answered in kind. */
  orchNames = false;
  /** When it times out, by `performance.now()`; undefined for what may take any time. */
  deadline: number | undefined;
  /** Bodies from this length on are worked on elsewhere (`large-requests/`). */
  largeBodyBytes: number | undefined;
  /** The body, where it has been read already. */
  givenBody: Buffer | undefined;
  #controller: AbortController | undefined;
  #aborted: Error | undefined;

  constructor(exchange: Exchange, path: string, query: URLSearchParams, auditId: string, receivedAt: number) {
    this.exchange = exchange;
    this.method = exchange.method;
    this.path = path;
    this.query = query;
    this.auditId = auditId;
    this.receivedAt = receivedAt;
  }

  header(name: string): string | undefined {
    return this.exchange.header(name);
  }

  get isLongRunning(): boolean {
    return isLongRunning(this.info);
  }

  [describeWork](): WorkDescription {
    const { info } = this;
    // Filled in order: an early step knows less.
    const user = (this.user as UserInfo | undefined)?.name ?? '';
    const { verb, group, version, resource, subresource, namespace, name } = info;
    const about = info.isResourceRequest
      ? { verb, group, version, resource, subresource, namespace, name, user }
      : { verb, path: info.path, user };
    return Object.fromEntries(
      Object.entries({ ...about, auditId: this.auditId })
        .filter(([, text]) => text !== '')
        .map(([key, text]) => [key, text.slice(0, maxDescribed)]),
    );
  }

  /** Ends when the client goes away or the request times out. Made at first use: most requests never need it. */
  get signal(): AbortSignal {
    if (this.#controller === undefined) {
      this.#controller = new AbortController();
      if (this.#aborted !== undefined) this.#controller.abort(this.#aborted);
      else this.exchange.onClose(() => this.abort(new ClientGone()));
    }
    return this.#controller.signal;
  }

  abort(reason: Error): void {
    this.#aborted ??= reason;
    this.#controller?.abort(reason);
  }

  /** By which objects of flow control the request was let run, or refused; undefined where none apply. */
  flow: { readonly schemaUid: string; readonly levelUid: string } | undefined;

  /** Clients of a server that is full are told so in a line of text, whatever they accept. */
  isRefusedInPlainText = false;

  /** Whether another server answers, or should have: it counts the request then. */
  isPassedOn = false;

  /** Called once when the work is another server's from here on, so that it takes no place here. */
  onHandOver: (() => void) | undefined;

  handOver(): void {
    this.onHandOver?.();
    this.onHandOver = undefined;
  }

  /** Adds to what the audit event of this request says, where there is one. */
  annotate(key: string, value: string): void {
    this.audit?.annotate(key, value);
  }

  /** Returns what takes back every warning since. */
  beginWarnings(): () => void {
    return this.warnings.mark();
  }

  /** Adds a warning once. False when no more are told: the caller need not make them. */
  warn(text: string): boolean {
    this.warnings.add(text);
    return !this.warnings.isFull;
  }
}

export type Handler = RequestHandler<ApiRequest>;

/** A step of the request chain. */
export type Filter = Middleware<ApiRequest>;
