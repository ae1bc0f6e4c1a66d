/** Serves the resources of pods at `pod-resources/kubelet.sock`, a hundred calls a second at most. */
import { mkdir } from 'node:fs/promises';
import path from 'node:path';
import type { Clock } from '../../../base/clock.ts';
import { TokenBucket } from '../../../base/token-bucket.ts';
import { GrpcError } from '../../../grpc/grpc-error.ts';
import { ServiceServer } from '../../../grpc/service-server.ts';
import { GrpcCode } from '../../../grpc/status.ts';
import type { PodResourcesCall, PodResourcesObserver } from '../../metrics/pod-resources-metrics.ts';
import * as protocol from './gen/pod-resources.ts';
import type { PodResourcesView } from './pod-resources.ts';

const limits = { perSecond: 100, burst: 10 };
const directoryMode = 0o750;

export class PodResourcesServer {
  readonly #socket: string;
  readonly #server: ServiceServer;

  /** @param socket `/var/lib/kubelet/pod-resources/kubelet.sock` */
  constructor(socket: string, view: PodResourcesView, clock: Clock, observer?: PodResourcesObserver) {
    this.#socket = socket;
    const bucket = new TokenBucket(limits, clock);
    const limited =
      <Request, Response>(call: PodResourcesCall, answer: (request: Request) => Response) =>
      (request: Request): Response => {
        if (!bucket.take()) throw new GrpcError(GrpcCode.resourceExhausted, 'rejected by rate limit');
        let isError = true;
        try {
          const response = answer(request);
          isError = false;
          return response;
        } finally {
          observer?.(call, isError);
        }
      };
    const handlers = {
      list: limited('list', () => view.list()),
      getAllocatableResources: limited('get_allocatable', () => view.allocatable()),
      get: limited('get', (request: protocol.GetPodResourcesRequest) => view.get(request)),
    };
    this.#server = new ServiceServer(socket, [{ tables: protocol, handlers }]);
  }

  async start(): Promise<void> {
    await mkdir(path.dirname(this.#socket), { recursive: true, mode: directoryMode });
    await this.#server.listen();
  }

  stop(): Promise<void> {
    return this.#server.close();
  }
}
