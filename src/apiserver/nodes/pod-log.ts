/** `pods/log`: the log of a container, passed on as the node agent sends it. */
import { goQuote } from '../../machinery/go-quote.ts';
import { badRequest, internalError, plainError, StatusError } from '../../machinery/status.ts';
import type { BackendResponse } from '../aggregation/backend-session.ts';
import { copyStream } from '../../server/copy-stream.ts';
import type { ApiResponse } from '../../server/exchange.ts';
import type { ApiRequest } from '../request/request.ts';
import type { ServedResource } from '../served/served-resource.ts';
import type { Address } from '../webhooks/service-resolver.ts';
import type { FindAgent } from './agent-address.ts';
import { clientErrorText, NodeConnectionError } from './connection-errors.ts';
import { logOptions } from './log-options.ts';
import type { LogObserver } from './metrics.ts';
import type { NodeTransport } from './node-transport.ts';
import { containerOf, podOf } from './pods.ts';

export interface PodLogOptions {
  readonly findAgent: FindAgent;
  readonly transport: Pick<NodeTransport, 'send'>;
  /** Feature gate PodLogsQuerySplitStreams. */
  readonly canSelectStream: boolean;
  readonly observer: LogObserver;
}

/** Bytes of what a node agent says in place of a log. */
const maxRefusalBytes = 50_000;

export function createReadLog({ findAgent, transport, canSelectStream, observer }: PodLogOptions) {
  return async (served: ServedResource, request: ApiRequest): Promise<ApiResponse> => {
    const { info, signal } = request;
    const options = logOptions(request.query, info.name, canSelectStream);
    observer.read(options.skipVerify);
    const pod = await podOf(served, request);
    const container = containerOf(pod, options.container);
    const nodeName = pod.spec.nodeName ?? '';
    // A pod without a node has no log: the answer has no content.
    if (nodeName === '') return { status: 204, headers: {} };
    const address = await findAgent(nodeName, info);
    const query = options.query.toString();
    const target = `/containerLogs/${info.namespace}/${info.name}/${container}${query === '' ? '' : `?${query}`}`;
    const peer = options.skipVerify ? 'unverifiedAgent' : 'agent';
    let answer: BackendResponse;
    try {
      answer = await transport.send({ peer, address }, { method: 'GET', target, headers, body: undefined, signal });
    } catch (error) {
      if (error instanceof NodeConnectionError && error.isUnverified) observer.unverified();
      throw failure('Get', address, target, error);
    }
    const { status, body } = answer;
    const isRedirect = answer.headers.has('location') && status >= 300 && status <= 399;
    if (isRedirect) {
      body.destroy();
      throw failure('Get', address, answer.headers.get('location')![0]!, new Error('redirects forbidden'));
    }
    if (status < 200 || status > 206) throw refusal(status, await readRefusal(answer), info.name);
    return {
      status: 200,
      headers: { 'content-type': 'text/plain' },
      stream: (sink) => copyStream(body, sink, () => void body.destroy()),
    };
  };
}

const headers = new Map([['user-agent', ['orch']]]);

function failure(method: string, address: Address, target: string, error: unknown): StatusError {
  if (!(error instanceof Error)) throw error;
  return plainError(clientErrorText(method, address, target, error), { cause: error });
}

async function readRefusal({ body }: BackendResponse): Promise<string> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of body as AsyncIterable<Buffer>) {
    chunks.push(chunk);
    // Leaving the loop ends the stream.
    if ((size += chunk.length) >= maxRefusalBytes) break;
  }
  return Buffer.concat(chunks).subarray(0, maxRefusalBytes).toString();
}

/** What the node agent refused, as an error of this server. */
function refusal(status: number, text: string, name: string): StatusError {
  if (status === 500) return internalError(text);
  if (status === 400) return badRequest(text);
  const [reason, message] = status === 403 ? (['Forbidden', text] as const) : meaningOf(status, text);
  return new StatusError(status, reason, `${message} ( pods/log ${name})`, { name, kind: 'pods/log' });
}

const meanings: Readonly<Record<number, readonly [reason: string, message: string]>> = {
  401: ['Unauthorized', 'the server has asked for the client to provide credentials'],
  404: ['NotFound', 'the server could not find the requested resource'],
  405: ['MethodNotAllowed', 'the server does not allow this method on the requested resource'],
  422: ['Invalid', 'the server rejected our request due to an error in our request'],
  429: ['TooManyRequests', 'the server has received too many requests and has asked us to try again later'],
  503: ['ServiceUnavailable', 'the server is currently unable to handle the request'],
  504: [
    'Timeout',
    'the server was unable to return a response in the time allotted, but may still be processing the request',
  ],
};

/** Reason and message that upstream has for an answer of another server. */
function meaningOf(status: number, text: string): readonly [reason: string, message: string] {
  const known = meanings[status];
  if (known !== undefined) return known;
  if (status > 500)
    return ['InternalError', `an error on the server (${goQuote(text)}) has prevented the request from succeeding`];
  return ['Unknown', `the server responded with the status code ${status} but did not return more information`];
}
