/**
 * Writes with large bodies are handled in a separate thread, so that decoding, validating and converting them does not
 * delay other requests. The thread starts with the first such request, has a limit of memory, and ends when it was idle
 * for a while.
 *
 * 1. The verb reads the body, and stops there with `LargeBody` when it is large.
 * 2. The request goes to the thread, which has the same registry on the same store, without caches.
 * 3. The response, the warnings and the audit record of the thread become those of the request here.
 *
 * A thread that needs too much memory ends, and one that does not react to an abort is ended: its requests fail with
 * 500 or 504, as their outcome is not known, and the next one starts another thread.
 */
import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { Worker } from 'node:worker_threads';
import type { DialObservation, ObserveDial } from '../egress/dialers.ts';
import type { ObservePodSecurity, PodSecurityObservation } from '../admission/pod-security/observations.ts';
import type { ObservePolicy, PolicyObservation } from '../admission/policies/observations.ts';
import type { ObserveWebhook, WebhookObservation } from '../admission/webhooks/observations.ts';
import type { Logger } from '../../base/logger.ts';
import { type CallPort, type Method, PortCalls } from '../../base/message-port-calls.ts';
import { internalError } from '../../machinery/status.ts';
import type { AdmissionObserver } from '../../registry/admission.ts';
import type { CustomObserver } from '../../api/apiextensions/custom-observer.ts';
import type { Store } from '../../storage/interface.ts';
import { storeMethods } from '../../storage/remote/serve-store.ts';
import type { AuthorizationAttributes, Authorizer } from '../../auth/authorization/authorizer.ts';
import type { ServedResource } from '../served/served-resource.ts';
import type { ApiResponse } from '../../server/exchange.ts';
import type { ApiRequest, RequestRecord } from '../request/request.ts';
import { LargeBody, type LargeBodyHandler } from '../endpoints/large-body.ts';
import { type LargeRequestLimits, usualLimits } from './limits.ts';
import type { EventKeys } from '../admission/event-rate-limit.ts';
import type { PluginServices } from '../admission/plugins.ts';
import {
  type AdmissionObservation,
  type LargeOutcome,
  type LargeRequest,
  type LargeRequestsConfig,
  type RecordedCall,
  requestErrors,
} from './messages.ts';

export interface LargeRequestsOptions {
  readonly config: LargeRequestsConfig;
  /** By the names of `messages.ts`. */
  readonly storeOf: (name: string) => Store;
  readonly authorizer: Authorizer;
  readonly admission: AdmissionObserver;
  readonly pluginServices: PluginServices;
  readonly admissionWebhooks: ObserveWebhook;
  readonly admissionPolicies: ObservePolicy;
  readonly podSecurity: ObservePodSecurity;
  readonly customObjects: CustomObserver;
  readonly dials: ObserveDial;
  readonly log: Logger;
  readonly limits?: Partial<LargeRequestLimits>;
  /** Of the bundle with the thread; undefined where there is none, and requests are worked on here. */
  readonly file?: URL | undefined;
}

interface Thread {
  readonly worker: Worker;
  readonly calls: PortCalls;
  /** Requests that it has. */
  inWork: number;
}

export class LargeRequests implements LargeBodyHandler {
  readonly #options: LargeRequestsOptions;
  readonly #limits: LargeRequestLimits;
  readonly #file: URL | undefined;
  #thread: Thread | undefined;
  #inWork = 0;
  readonly #waiting: (() => void)[] = [];
  #idleTimer: NodeJS.Timeout | undefined;
  #isClosed = false;

  constructor(options: LargeRequestsOptions) {
    this.#options = options;
    this.#limits = { ...usualLimits, ...options.limits };
    this.#file = 'file' in options ? options.file : threadFile();
  }

  /** Answers a write: here, or in the thread when its body turns out to be large. */
  async answer(served: ServedResource, request: ApiRequest, here: () => Promise<ApiResponse>): Promise<ApiResponse> {
    if (this.#file === undefined || this.#isClosed) return here();
    request.largeBodyBytes = this.#limits.bodyBytes;
    try {
      return await here();
    } catch (error) {
      if (!(error instanceof LargeBody)) throw error;
      return (await this.#handOver(served, request, error.bytes)) ?? this.#answerHere(request, error.bytes, here);
    }
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    clearTimeout(this.#idleTimer);
    const thread = this.#thread;
    if (thread !== undefined) await this.#end(thread, new Error('the server is closing'));
  }

  #answerHere(request: ApiRequest, bytes: Buffer, here: () => Promise<ApiResponse>): Promise<ApiResponse> {
    request.largeBodyBytes = undefined;
    request.givenBody = bytes;
    return here();
  }

  /** Undefined where the thread does not serve the resource: its definition is only just being written. */
  async #handOver(served: ServedResource, request: ApiRequest, bytes: Buffer): Promise<ApiResponse | undefined> {
    await this.#enter(request.signal);
    const thread = (this.#thread ??= this.#start(this.#file!));
    thread.inWork++;
    clearTimeout(this.#idleTimer);
    const stopWatching = this.#watchFor(thread, request.signal);
    try {
      const body = bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.byteLength) as ArrayBuffer;
      const outcome = (await thread.calls.call('run', [messageOf(served, request, body)], {
        signal: request.signal,
        transfer: [body],
      })) as LargeOutcome;
      return answerOf(outcome, request);
    } finally {
      stopWatching();
      thread.inWork--;
      this.#leave();
    }
  }

  /** Requests are queued here, each at most as long as its timeout. */
  async #enter(signal: AbortSignal): Promise<void> {
    if (this.#inWork < this.#limits.atOnce) return void this.#inWork++;
    await new Promise<void>((resolve, reject) => {
      const begin = (): void => {
        signal.removeEventListener('abort', give);
        resolve();
      };
      const give = (): void => {
        this.#waiting.splice(this.#waiting.indexOf(begin), 1);
        reject(signal.reason as Error);
      };
      if (signal.aborted) return reject(signal.reason as Error);
      this.#waiting.push(begin);
      signal.addEventListener('abort', give, { once: true });
    });
  }

  #leave(): void {
    const next = this.#waiting.shift();
    if (next !== undefined) return next();
    this.#inWork--;
    if (this.#inWork > 0 || this.#isClosed) return;
    this.#idleTimer = setTimeout(
      () => void (this.#thread !== undefined && this.#end(this.#thread, new Error('idle'))),
      this.#limits.idleMs,
    ).unref();
  }

  #start(file: URL): Thread {
    const { config, storeOf, authorizer, pluginServices, log } = this.#options;
    const { admission, admissionWebhooks, admissionPolicies, podSecurity, customObjects, dials } = this.#options;
    const worker = new Worker(file, {
      workerData: config,
      name: 'large requests',
      resourceLimits: { maxOldGenerationSizeMb: this.#limits.heapMegabytes },
    });
    const methods = {
      ...storeMethods(storeOf),
      authorize: ([attributes]: readonly AuthorizationAttributes[]) => authorizer.authorize(attributes!),
      observeAdmission: ([name, operation, phase, rejected, seconds]: AdmissionObservation) =>
        (name === undefined
          ? admission.step(operation, phase, rejected)
          : admission.plugin(name, operation, phase, rejected)
        ).observe(seconds),
      takeEvent: ([keys]: readonly EventKeys[]) => pluginServices.takeEvent(keys!),
      createNamespace: ([name]: readonly string[]) => pluginServices.createNamespace(name!),
      observePodSecurity: ([observation]: readonly PodSecurityObservation[]) => podSecurity(observation!),
      observeCustom: ([what, seconds]: readonly [keyof CustomObserver, number]) => customObjects[what](seconds),
      observePolicy: ([observation]: readonly PolicyObservation[]) => admissionPolicies(observation!),
      observeDial: ([observation]: readonly DialObservation[]) => dials(observation!),
      observeWebhook: ([observation]: readonly WebhookObservation[]) => admissionWebhooks(observation!),
      log: ([level, details, message]: readonly [keyof Logger, object, string]) => log[level](details, message),
    };
    const calls = new PortCalls(worker as unknown as CallPort, {
      methods: methods as unknown as Readonly<Record<string, Method>>,
      errors: requestErrors,
    });
    const thread: Thread = { worker, calls, inWork: 0 };
    const lost = (why: string): void => {
      if (this.#thread === thread) this.#thread = undefined;
      calls.close(internalError(why));
    };
    worker.unref();
    worker.once('error', (error: Error & { code?: string }) => {
      log.error({ err: error }, 'the thread for large requests has ended');
      lost(
        error.code === 'ERR_WORKER_OUT_OF_MEMORY'
          ? 'the request needed more memory than a request may have'
          : 'the thread for large requests has ended',
      );
    });
    worker.once('exit', () => lost('the thread for large requests has ended'));
    return thread;
  }

  /** After an abort that the thread does not hear, because it is in a loop, it is ended with all that it has. */
  #watchFor(thread: Thread, signal: AbortSignal): () => void {
    const { unresponsiveMs } = this.#limits;
    const check = (): void =>
      void setTimeout(() => {
        const limit = setTimeout(() => {
          this.#options.log.error({}, 'the thread for large requests does not answer and is ended');
          void this.#end(thread, internalError('the thread for large requests did not answer'));
        }, unresponsiveMs).unref();
        void thread.calls
          .call('ping', [])
          .catch(() => undefined)
          .finally(() => clearTimeout(limit));
      }, unresponsiveMs).unref();
    signal.addEventListener('abort', check, { once: true });
    return () => signal.removeEventListener('abort', check);
  }

  async #end(thread: Thread, reason: Error): Promise<void> {
    if (this.#thread === thread) this.#thread = undefined;
    thread.calls.close(reason);
    await thread.worker.terminate();
  }
}

function messageOf({ info, lifetime }: ServedResource, request: ApiRequest, body: ArrayBuffer): LargeRequest {
  const { exchange, audit } = request;
  return {
    method: request.method,
    path: request.path,
    query: request.query.toString(),
    body,
    user: request.user,
    auditId: request.auditId,
    headers: exchange
      .headerNames()
      .flatMap((name) =>
        handedOver.has(name) ? exchange.headerValues(name).map((value) => [name, value] as const) : [],
      ),
    audit:
      audit === undefined
        ? undefined
        : {
            keepsRequest: audit.keepsRequest,
            keepsResponse: audit.keepsResponse,
            omitsManagedFields: audit.omitsManagedFields,
          },
    definition: lifetime === undefined ? undefined : `${info.name}.${info.group}`,
  };
}

/** Headers that verbs read. Credentials are not among them. */
const handedOver = new Set(['accept', 'accept-encoding', 'content-type', 'user-agent']);

function answerOf(outcome: LargeOutcome, request: ApiRequest): ApiResponse | undefined {
  request.warnings.takeOver(outcome.warnings);
  if (request.audit !== undefined) for (const call of outcome.recorded) replay(request.audit, call);
  if ('isUnknown' in outcome) return undefined;
  if ('error' in outcome) throw requestErrors.decode(outcome.error);
  const { status, headers, body } = outcome.answer;
  return { status, headers, body: Buffer.from(body.buffer, body.byteOffset, body.byteLength) };
}

function replay(record: RequestRecord, [method, args]: RecordedCall): void {
  (record[method] as (...args: readonly unknown[]) => void).apply(record, [...args]);
}

/** In what is built, beside the program or above its chunks; for sources, in what was built of them. */
function threadFile(): URL | undefined {
  const name = 'large-requests.js';
  return [`./${name}`, `../${name}`, `../../../dist/${name}`]
    .map((path) => new URL(path, import.meta.url))
    .find((url) => existsSync(fileURLToPath(url)));
}
