/** Asks a plugin what it is, hands it to what is there for its type, and tells it what came of that. */
import { createServiceClient, type ServiceCalls } from '../../grpc/service-client.ts';
import type { PluginHandlers } from './plugin-handler.ts';
import * as protocol from './gen/registration.ts';

export interface RegisteredPlugin {
  readonly type: string;
  readonly name: string;
}

const infoMs = 1000;
const notifyMs = 5000;

/** Rejects when the plugin does not answer, or is not taken; then it knows why. */
export async function openRegistration(
  socket: string,
  handlers: PluginHandlers,
  signal: AbortSignal,
): Promise<RegisteredPlugin> {
  const client = createServiceClient<protocol.Methods>(protocol, {
    path: socket,
    peer: `the plugin at ${socket}`,
    timeoutMs: notifyMs,
  });
  try {
    return await register(socket, client.calls, handlers, signal);
  } finally {
    client.close();
  }
}

async function register(
  socket: string,
  calls: ServiceCalls<protocol.Methods>,
  handlers: PluginHandlers,
  signal: AbortSignal,
): Promise<RegisteredPlugin> {
  const {
    type = '',
    name = '',
    endpoint = '',
    supportedVersions = [],
  } = await calls.getInfo({}, { signal, timeoutMs: infoMs });
  const handler = handlers.get(type);
  const plugin = { name, endpoint: endpoint === '' ? socket : endpoint, versions: supportedVersions };
  const refuse = async (why: string, cause?: unknown): Promise<never> => {
    const text = `RegisterPlugin error -- ${why}`;
    await calls.notifyRegistrationStatus({ pluginRegistered: false, error: text }, { signal }).catch(() => undefined);
    throw new Error(text, { cause });
  };
  if (handler === undefined) return refuse(`no handler registered for plugin type: ${type} at socket ${socket}`);
  try {
    handler.validate(plugin);
  } catch (error) {
    return refuse(`plugin validation failed with err: ${(error as Error).message}`, error);
  }
  try {
    await handler.register(plugin, signal);
  } catch (error) {
    return refuse(`plugin registration failed with err: ${(error as Error).message}`, error);
  }
  try {
    await calls.notifyRegistrationStatus({ pluginRegistered: true }, { signal });
  } catch (error) {
    await handler.deregister(name);
    throw new Error(`RegisterPlugin error -- failed to send registration status at socket ${socket}`, { cause: error });
  }
  return { type, name };
}
