/** One device plugin as the agent calls it. Every answer has a bound, and every call but the watch an end. */
import { createServiceClient, type ServiceClient } from '../../../grpc/service-client.ts';
import * as protocol from './gen/device-plugin.ts';
import type { ContainerAllocateResponse, Device, DevicePluginOptions } from './gen/device-plugin.ts';

/** Of an answer, as gRPC's default. */
const maxAnswerBytes = 4 << 20;
const callMs = 60_000;
const preStartMs = 30_000;

export interface PluginEndpointOptions {
  readonly resource: string;
  readonly socket: string;
  /** Of its registration; asked for where it is not given. */
  readonly options?: DevicePluginOptions | undefined;
  /** Each list takes the place of the one before. Throws for a list that cannot be. */
  readonly onDevices: (devices: readonly Device[]) => void;
  /** The plugin is gone, or has said what cannot be. Once, not after `stop`. */
  readonly onGone: (error: Error | undefined) => void;
}

export class PluginEndpoint {
  readonly #options: PluginEndpointOptions;
  readonly #client: ServiceClient<protocol.Methods>;
  readonly #stopped = new AbortController();
  #pluginOptions: DevicePluginOptions;

  constructor(options: PluginEndpointOptions) {
    this.#options = options;
    this.#pluginOptions = options.options ?? {};
    this.#client = createServiceClient<protocol.Methods>(protocol, {
      path: options.socket,
      peer: `the device plugin of ${options.resource}`,
      timeoutMs: callMs,
      maxAnswerBytes,
    });
  }

  get socket(): string {
    return this.#options.socket;
  }

  /** Rejects when the plugin does not answer. */
  async askOptions(): Promise<void> {
    this.#pluginOptions = await this.#client.calls.getDevicePluginOptions({});
  }

  /** Until the plugin ends. */
  watch(): void {
    const { onDevices, onGone } = this.#options;
    const { signal } = this.#stopped;
    this.#client
      .stream('listAndWatch', {}, signal, ({ devices = [] }) => onDevices(devices))
      .then(
        () => undefined,
        (error: unknown) => error as Error,
      )
      .then((error) => {
        if (!signal.aborted) onGone(error);
        this.#client.close();
      })
      .catch(() => undefined);
  }

  stop(): void {
    this.#stopped.abort();
    this.#client.close();
  }

  /** None where the plugin has no preference. */
  async preferred(
    available: readonly string[],
    mustHave: readonly string[],
    count: number,
  ): Promise<readonly string[]> {
    if (this.#pluginOptions.getPreferredAllocationAvailable !== true) return [];
    const { containerResponses = [] } = await this.#client.calls.getPreferredAllocation({
      containerRequests: [{ availableDeviceIDs: available, mustIncludeDeviceIDs: mustHave, allocationSize: count }],
    });
    return containerResponses[0]?.deviceIDs ?? [];
  }

  async allocate(ids: readonly string[]): Promise<ContainerAllocateResponse> {
    const { containerResponses = [] } = await this.#client.calls.allocate({
      containerRequests: [{ devicesIds: ids }],
    });
    const [response] = containerResponses;
    if (response === undefined) throw new Error('no containers return in allocation response');
    return response;
  }

  async preStart(ids: readonly string[]): Promise<void> {
    if (this.#pluginOptions.preStartRequired !== true) return;
    await this.#client.calls.preStartContainer({ devicesIds: ids }, { timeoutMs: preStartMs });
  }
}
