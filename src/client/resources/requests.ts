/** Calls of one client: a request whose answer is read whole and decoded. Refusals become errors. */
import { readObjectAnswer, statusErrorOf } from '../status-answer.ts';
import type { KubeObject } from '../../machinery/object-meta.ts';
import type { PendingAnswer, Sender } from '../requests/sender.ts';
import type { DecodeOptions, EncodedObject } from './object-codec.ts';
import type { RequestOptions } from './options.ts';

export interface Call extends RequestOptions {
  readonly method: string;
  readonly path: string;
  readonly accept: string;
  readonly body?: EncodedObject | undefined;
}

/** Of built-in types. What is not protobuf is JSON. */
export interface Encodings {
  readonly sendsProtobuf: boolean;
  readonly acceptsProtobuf: boolean;
}

export class Requests {
  readonly sender: Sender;
  readonly encodings: Encodings;

  readonly #decoding: DecodeOptions;

  constructor(sender: Sender, encodings: Encodings, decoding: DecodeOptions) {
    this.sender = sender;
    this.encodings = encodings;
    this.#decoding = decoding;
  }

  /** Rejects with `ApiError` where the server refuses, and with `ConnectionError` where it does not answer. */
  async call<T extends KubeObject>(call: Call): Promise<T> {
    const answer = await this.open(call);
    try {
      return (await readObjectAnswer(answer, this.#decoding)) as T;
    } finally {
      answer.end();
    }
  }

  /** The answer to a request that the server did not refuse. */
  async open({ method, path, accept, body, signal, timeoutMs }: Call): Promise<PendingAnswer> {
    const answer = await this.sender.send({
      method,
      path,
      signal,
      timeoutMs,
      headers: { accept, ...(body === undefined ? {} : { 'content-type': body.contentType }) },
      body: body?.body,
    });
    if (answer.status >= 200 && answer.status < 300) return answer;
    try {
      throw await statusErrorOf(answer);
    } finally {
      answer.end();
    }
  }
}
