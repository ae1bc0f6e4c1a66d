/**
 * An APIService for each group and version that this server answers itself. Those of built-in APIs are brought up to
 * date when the server starts; one that is deleted later stays away until the next start. Those of custom resources
 * are created and deleted with their definitions, and restored. One without our label is left to its owner.
 */
import { hasCondition } from '../../api/apiextensions/custom-resource-definitions/conditions.ts';
import type { CustomResourceDefinition } from '../../api/gen/types/apiextensions-v1.ts';
import type { APIService, APIServiceSpec } from '../../api/gen/types/apiregistration-v1.ts';
import type { GroupVersionInfo } from '../../api/resources.ts';
import type { Controller } from '../../reconcile/controller.ts';
import type { WorkQueueObserver } from '../../reconcile/work-queue.ts';
import type { Logger } from '../../base/logger.ts';
import { isEqual } from '../../machinery/equal.ts';
import { isStatusError } from '../../machinery/status.ts';
import { createMap } from '../../machinery/value.ts';
import type { LoopbackClient } from '../loopback/loopback-client.ts';
import type { ServedApis } from '../served-apis.ts';
import { startApiServiceController } from './api-service-controller.ts';
import { type ApiServices, apiServicesResource } from './api-services.ts';

const managedLabel = 'kube-aggregator.kubernetes.io/automanaged';
type Management = 'onstart' | 'true';

const nameOf = ({ version, group }: GroupVersionInfo): string => `${version}.${group}`;
const objectNamed = (name: string) => ({ ...apiServicesResource, namespace: '', name });
const isManaged = ({ metadata }: APIService, how: Management): boolean => metadata.labels?.[managedLabel] === how;
const specOf = ({ group, version, groupPriority, versionPriority }: GroupVersionInfo): APIServiceSpec => ({
  group,
  version,
  groupPriorityMinimum: groupPriority,
  versionPriority,
});

/** Once, at the start. */
export async function registerBuiltIn(
  writer: LoopbackClient,
  groupVersions: readonly GroupVersionInfo[],
): Promise<void> {
  const present = new Map(
    (await writer.list<APIService>(apiServicesResource, 'mostRecent')).map((service) => [
      service.metadata.name ?? '',
      service,
    ]),
  );
  // The group of these objects is not registered itself: it is always there.
  const wanted = new Map(
    groupVersions
      .filter(({ group }) => group !== apiServicesResource.group)
      .map((info) => [nameOf(info), specOf(info)]),
  );
  for (const [name, spec] of wanted) await ensure(writer, name, spec, 'onstart', present.get(name));
  for (const [name, service] of present) {
    if (isManaged(service, 'onstart') && !wanted.has(name)) await writer.remove(objectNamed(name));
  }
}

async function ensure(
  writer: LoopbackClient,
  name: string,
  spec: APIServiceSpec,
  how: Management,
  current: APIService | undefined,
): Promise<void> {
  const object = objectNamed(name);
  if (current === undefined) {
    const labels = Object.assign(createMap<string>(), { [managedLabel]: how });
    return writer.create(object, { metadata: { labels }, spec: { ...spec }, status: {} } as object);
  }
  if (!isManaged(current, how) || isEqual(current.spec, spec)) return;
  await writer.change<APIService>(object, (changed) => {
    changed.spec = { ...spec };
  });
}

export interface CustomRegistrationsOptions {
  readonly writer: LoopbackClient;
  readonly services: ApiServices;
  readonly apis: ServedApis;
  readonly queue: WorkQueueObserver;
  readonly log: Logger;
}

const definitions = { group: 'apiextensions.k8s.io', resource: 'customresourcedefinitions' };
const workers = 4;

export class CustomRegistrations {
  readonly #options: CustomRegistrationsOptions;
  readonly #controller: Controller;
  #wanted = new Map<string, APIServiceSpec>();
  #isStarted = false;

  constructor(options: CustomRegistrationsOptions) {
    this.#options = options;
    this.#controller = startApiServiceController({
      sync: (name) => this.#reconcile(name).then(() => undefined),
      failure: 'the APIService of custom resources could not be brought up to date',
      workers,
      firstRetryMs: 50,
      maxRetryMs: 30_000,
      queue: options.queue,
      log: options.log,
    });
    options.services.onChange((name, _, after) => {
      if (this.#wanted.has(name) || (after !== undefined && isManaged(after, 'true'))) this.#add(name);
    });
    options.apis.onChange(() => this.#compare());
  }

  /** Resolves when those of the start are as they should be, or failed once. */
  async start(): Promise<void> {
    const { services, apis, writer } = this.#options;
    await Promise.all([services.known(), apis.known()]);
    this.#compare();
    const managed = (await writer.list<APIService>(apiServicesResource, 'any'))
      .filter((service) => isManaged(service, 'true'))
      .map(({ metadata }) => metadata.name!);
    for (const name of new Set([...this.#wanted.keys(), ...managed]))
      await this.#reconcile(name).catch(() => this.#controller.add(name));
    this.#isStarted = true;
    for (const name of this.#wanted.keys()) this.#add(name);
  }

  stop(): Promise<void> {
    return this.#controller.stop();
  }

  #add(name: string): void {
    if (this.#isStarted) this.#controller.add(name);
  }

  #compare(): void {
    const before = this.#wanted;
    this.#wanted = new Map(this.#options.apis.customGroupVersions.map((info) => [nameOf(info), specOf(info)]));
    for (const name of before.keys()) if (!this.#wanted.has(name)) this.#add(name);
    for (const name of this.#wanted.keys()) if (!before.has(name)) this.#add(name);
  }

  async #reconcile(name: string): Promise<void> {
    const { writer } = this.#options;
    const current = await writer.find<APIService>(objectNamed(name));
    const spec = this.#wanted.get(name);
    if (spec !== undefined) return ensure(writer, name, spec, 'true', current);
    if (current === undefined || !isManaged(current, 'true') || (await this.#isDefined(current))) return;
    await writer.remove(objectNamed(name)).catch((error: unknown) => {
      if (!isStatusError(error) || error.reason !== 'NotFound') throw error;
    });
  }

  /** Another server of the cluster may have heard of a definition before this one. */
  async #isDefined({ spec: { group, version } }: APIService): Promise<boolean> {
    const { writer } = this.#options;
    if (!writer.isServed(definitions)) return false;
    const all = await writer.list<CustomResourceDefinition>(definitions, 'mostRecent');
    return all.some(
      (definition) =>
        definition.spec.group === group &&
        hasCondition(definition, 'Established') &&
        definition.spec.versions?.some(({ name, served }) => name === version && served === true) === true,
    );
  }
}
