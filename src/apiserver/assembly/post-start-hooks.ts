import { codecs } from '../../api/codecs.ts';
import type { CleanupStack } from '../../base/cleanup-stack.ts';
import type { ServingPort } from '../../server/serving-port.ts';
import type { Encryption } from '../../storage/encryption/encryption.ts';
import { uses } from '../authz/configuration.ts';
import { serverIdentityTasks } from '../bootstrap/server-identity.ts';
import { createServiceControllers, type ServiceControllers } from '../bootstrap/service-controllers.ts';
import { createPostStartHooks, type PostStartHooks } from '../lifecycle/post-start-hooks.ts';
import type { FairQueuing } from '../flow-control/flow-control.ts';
import { createCoordinatedElection } from './coordinated-election.ts';
import type { Extensions } from './extensions.ts';
import type { SharedDependencies } from './shared-dependencies.ts';
import type { Loopback } from './loopback.ts';
import type { Resources } from './resources.ts';

export interface Hooks {
  readonly postStartHooks: PostStartHooks;
  readonly services: ServiceControllers;
}

/** What hooks keep up to date, where it is configured. */
interface BackgroundParts {
  readonly encryption: Encryption | undefined;
  readonly fairQueuing: FairQueuing | undefined;
}

/** What runs beside requests. Webhooks are closed together with it: a call that hangs must not keep it from ending. */
export function createHooks(
  dependencies: SharedDependencies,
  { objects, writer, webhooks }: Loopback,
  { registry, serviceRanges }: Resources,
  { aggregation, customResources, peers }: Extensions,
  serving: ServingPort,
  { encryption, fairQueuing }: BackgroundParts,
  cleanup: CleanupStack,
): Hooks {
  const { config, metrics, featureEnabled } = dependencies;
  const { storage, authentication, log } = config;
  const services = createServices(dependencies, writer, { registry, serviceRanges }, serving);
  const postStartHooks = createPostStartHooks({
    storage,
    authentication,
    featureEnabled,
    log,
    registry,
    metrics,
    services,
    identity: [...serverIdentityTasks({ ...dependencies, writer, registry, barrier: peers.barrier }), ...peers.tasks],
    barrier: peers.barrier,
    writer,
    customResources,
    aggregation,
    objects,
    fairQueuing,
    electing: createCoordinatedElection(dependencies, writer, registry),
    waitsForRoles: uses(config.authorization.authorizers, 'RBAC'),
    reloadsEncryption: encryption?.reloads === true,
  });
  cleanup.add(() => Promise.all([postStartHooks.stop(), webhooks.close()]));
  return { postStartHooks, services };
}

const createServices = (
  { config: { services, serving: configured, storage, log } }: SharedDependencies,
  writer: Loopback['writer'],
  { registry, serviceRanges }: Pick<Resources, 'registry' | 'serviceRanges'>,
  serving: ServingPort,
): ServiceControllers =>
  createServiceControllers({
    config: { ...services, publicAddress: configured.publicAddress, leases: storage },
    log,
    registry,
    ranges: serviceRanges,
    codecs,
    writer,
    serving,
  });
