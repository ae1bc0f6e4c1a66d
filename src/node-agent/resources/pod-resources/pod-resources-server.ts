/** Serves the resources of pods at `pod-resources/kubelet.sock`, a hundred calls a second at most. */
import { mkdir } from 'node:fs/promises';
import path from 'node:path';
import type { Clock } from '../../../base/clock.ts';
import { TokenBucket } from '../../../base/token-bucket.ts';
import { GrpcError } from '../../../grpc/grpc-error.ts';
import { ServiceServer } from '../../../grpc/service-server.ts';
import { GrpcCode } from '../../../grpc/status.ts';
import * as protocol from './gen/pod-resources.ts';
import type { PodResourcesView } from './pod-resources.ts';

const limits = { perSecond: 100, burst: 10 };
const directoryMode = 0o750;

export class PodResourcesServer {
  readonly #socket: string;
  readonly #server: ServiceServer;

  /** @param socket `/var/lib/kubelet/pod-resources/kubelet.sock` */
  constructor(socket: string, view: PodResourcesView, clock: Clock) {
    this.#socket = socket;
    const bucket = new TokenBucket(limits, clock);
    const limited =
      <Request, Response>(answer: (request: Request) => Response) =>
      (request: Request): Response => {
        if (!bucket.take()) throw new GrpcError(GrpcCode.resourceExhausted, 'rejected by rate limit');
        return answer(request);
      };
    const handlers = {
      list: limited(() => view.list()),
      getAllocatableResources: limited(() => view.allocatable()),
      get: limited((request: protocol.GetPodResourcesRequest) => view.get(request)),
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
