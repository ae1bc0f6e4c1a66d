/** Drivers of dynamic resource allocation that have registered on this node. */
import { createServiceClient, type ServiceClient } from '../../../grpc/service-client.ts';
import type { PluginHandler } from '../../plugin-registration/plugin-handler.ts';
import * as protocol from './gen/dra-plugin.ts';

const version = 'v1beta1.DRAPlugin';
/** Of an answer, as gRPC's default. */
const maxAnswerBytes = 4 << 20;
const callMs = 45_000;

export class DraPlugins implements PluginHandler {
  readonly #clients = new Map<string, ServiceClient<protocol.Methods>>();

  /** Throws for a driver that is not there. */
  callsOf(driver: string): ServiceClient<protocol.Methods>['calls'] {
    const client = this.#clients.get(driver);
    if (client === undefined)
      throw new Error(`failed to get gRPC client for driver ${driver}: plugin name ${driver} not found in the list`);
    return client.calls;
  }

  validate({ name, versions }: Parameters<PluginHandler['validate']>[0]): void {
    if (!versions.includes(version))
      throw new Error(`DRA driver ${name} speaks ${versions.join(', ')}, and the agent ${version}`);
  }

  register({ name, endpoint }: Parameters<PluginHandler['register']>[0]): Promise<void> {
    this.#clients.get(name)?.close();
    this.#clients.set(
      name,
      createServiceClient<protocol.Methods>(protocol, {
        path: endpoint,
        peer: `the DRA driver ${name}`,
        timeoutMs: callMs,
        maxAnswerBytes,
      }),
    );
    return Promise.resolve();
  }

  deregister(name: string): Promise<void> {
    this.#clients.get(name)?.close();
    this.#clients.delete(name);
    return Promise.resolve();
  }

  close(): void {
    for (const client of this.#clients.values()) client.close();
    this.#clients.clear();
  }
}
