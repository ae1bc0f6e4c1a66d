/**
 * Where device plugins register: the socket `kubelet.sock`, and the registry of plugins. A plugin listens at a socket
 * beside it.
 */
import { mkdir, readdir, rm } from 'node:fs/promises';
import { isExtendedResourceName } from '../../../api/core/resources/resource-names.ts';
import type { Logger } from '../../../base/logger.ts';
import { GrpcError } from '../../../grpc/grpc-error.ts';
import { ServiceServer } from '../../../grpc/service-server.ts';
import { GrpcCode } from '../../../grpc/status.ts';
import type { PluginHandler } from '../../plugin-registration/plugin-handler.ts';
import type { DevicePlugins } from './device-plugins.ts';
import * as protocol from './gen/device-plugin.ts';

const version = 'v1beta1';
const socketName = 'kubelet.sock';
const directoryMode = 0o750;

export class RegistrationServer {
  readonly #directory: string;
  readonly #plugins: DevicePlugins;
  readonly #log: Logger;
  readonly #server: ServiceServer;

  /** @param directory `/var/lib/kubelet/device-plugins` */
  constructor(directory: string, plugins: DevicePlugins, log: Logger) {
    this.#directory = directory;
    this.#plugins = plugins;
    this.#log = log;
    const handlers = { register: (request: protocol.RegisterRequest) => this.#register(request) };
    this.#server = new ServiceServer(`${directory}/${socketName}`, [{ tables: protocol, handlers }]);
  }

  /** Sockets of before are removed: plugins see that, and register again. */
  async start(): Promise<void> {
    await mkdir(this.#directory, { recursive: true, mode: directoryMode });
    for (const entry of await readdir(this.#directory, { withFileTypes: true }))
      if (entry.isSocket()) await rm(`${this.#directory}/${entry.name}`, { force: true });
    await this.#server.listen();
  }

  stop(): Promise<void> {
    return this.#server.close();
  }

  #register({ version: asked = '', endpoint = '', resourceName = '', options }: protocol.RegisterRequest): object {
    const problem = versionProblem(asked) ?? nameProblem(resourceName) ?? endpointProblem(endpoint);
    if (problem !== undefined) {
      this.#log.warn({ resource: resourceName, reason: problem }, 'a device plugin was refused');
      throw new GrpcError(GrpcCode.unknown, problem);
    }
    this.#plugins.register(resourceName, `${this.#directory}/${endpoint}`, options).watch();
    return {};
  }
}

const versionProblem = (asked: string): string | undefined =>
  asked === version
    ? undefined
    : `requested API version "${asked}" is not supported by kubelet. Supported version is "${version}"`;

const nameProblem = (resource: string): string | undefined =>
  isExtendedResourceName(resource) ? undefined : `the ResourceName "${resource}" is invalid`;

/** A name of a file, so that no plugin leads the agent elsewhere. */
const endpointProblem = (endpoint: string): string | undefined =>
  endpoint === '' || endpoint.includes('/') || endpoint.startsWith('.') || endpoint === socketName
    ? `the endpoint "${endpoint}" is not the name of a socket`
    : undefined;

/** Plugins of the registry are named by their resource. */
export const devicePluginHandler = (plugins: DevicePlugins): PluginHandler => ({
  validate({ name, versions }) {
    const problem = nameProblem(name);
    if (problem !== undefined) throw new Error(problem);
    if (!versions.includes(version))
      throw new Error(`device plugin ${name} speaks ${versions.join(', ')}, and the agent ${version}`);
  },
  async register({ name, endpoint: socket }) {
    const endpoint = plugins.register(name, socket);
    try {
      await endpoint.askOptions();
    } catch (error) {
      plugins.deregister(name);
      throw error;
    }
    endpoint.watch();
  },
  deregister(name) {
    plugins.deregister(name);
    return Promise.resolve();
  },
});
