/** Connections to ports of pods: `portforward` of pods, a port and a connection each. */
import { Duplex } from 'node:stream';
import { text } from 'node:stream/consumers';
import type { RequestOptions } from '../resources/options.ts';
import { pathOf, withQuery } from '../resources/paths.ts';
import type { Requests } from '../resources/requests.ts';
import type { ResourceTarget } from '../resources/resource-client.ts';
import { Channels } from './channels.ts';

const protocols = ['v4.channel.k8s.io'];
const channel = { data: 0, error: 1 } as const;
/** Each channel begins with the port it is for, in two bytes. */
const portBytes = 2;

/** `client.core.v1.pods.namespace('default').portforward` */
export class PodPortForward {
  readonly #target: ResourceTarget;
  readonly #requests: Requests;

  constructor(target: ResourceTarget, requests: Requests) {
    this.#target = target;
    this.#requests = requests;
  }

  /**
   * A connection to a port of the pod. Rejects with `StatusError` where the server refuses. The connection is destroyed
   * with the node's error where the port does not answer; writing has no end but that of the connection.
   */
  async connect(name: string, port: number, options: RequestOptions = {}): Promise<Duplex> {
    const path = withQuery(pathOf({ ...this.#target, name, subresource: 'portforward' }), { ports: port });
    const channels = new Channels(await this.#requests.sender.openWebSocket({ ...options, path, protocols }));
    return duplexOf(channels);
  }
}

function duplexOf(channels: Channels): Duplex {
  const data = channels.reader(channel.data);
  const writer = channels.writer(channel.data, false);
  const stream = new Duplex({
    allowHalfOpen: false,
    read: () => void data.resume(),
    write: (chunk: Buffer, _, done) => void writer.write(chunk, done),
    destroy: (error, done) => {
      channels.close();
      done(error);
    },
  });
  let left = portBytes;
  data.on('data', (piece: Buffer) => {
    const content = piece.subarray(left);
    left = Math.max(0, left - piece.length);
    if (content.length > 0 && !stream.push(content)) data.pause();
  });
  // The error is known only when its channel has ended, as all channels do at once.
  const failure = text(channels.reader(channel.error)).then((sent) => sent.slice(portBytes));
  const end = (error: string): void => {
    if (error === '') stream.push(null);
    else stream.destroy(new Error(error));
  };
  data.once('end', () => void failure.then(end, (error: unknown) => stream.destroy(error as Error)));
  data.once('error', (error) => stream.destroy(error));
  return stream;
}
