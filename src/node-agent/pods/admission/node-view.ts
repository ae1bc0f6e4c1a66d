/** What pods are admitted by, and what they refer to: the node and the services as the API server has them. */
import { release } from 'node:os';
import { readFile } from 'node:fs/promises';
import type { Node, Service } from '../../../api/gen/types/core-v1.ts';
import type { Clock } from '../../../base/clock.ts';
import type { Logger } from '../../../base/logger.ts';
import type { Client } from '../../../client/client.ts';
import { Informer } from '../../../reconcile/informer.ts';
import type { ApiObjects } from '../api-objects.ts';
import { createClientObjects } from '../client-objects.ts';
import { noObjects } from '../no-objects.ts';
import type { ChangeDetection, ObjectReaders, ObjectUse } from '../referred/object-reader.ts';
import { createObjectReaders } from '../referred/object-readers.ts';
import type { AdmissionNode } from './admission-request.ts';

export interface AdmissionMachine {
  readonly hasAppArmor: boolean;
  /** `6.1.0` */
  readonly kernelVersion: string;
}

export async function readAdmissionMachine(): Promise<AdmissionMachine> {
  const appArmor = await readFile('/sys/module/apparmor/parameters/enabled', 'utf8').catch(() => 'N');
  return { hasAppArmor: appArmor.startsWith('Y'), kernelVersion: release() };
}

export interface NodeViewOptions {
  readonly client: Client | undefined;
  readonly nodeName: string;
  readonly machine: AdmissionMachine;
  readonly config: { readonly allowedUnsafeSysctls: readonly string[]; readonly changeDetection: ChangeDetection };
  /** What pods refer to. */
  readonly use: ObjectUse;
  readonly allocatable: () => Readonly<Record<string, string>>;
  readonly isShuttingDown?: (() => boolean) | undefined;
  readonly pressures?: (() => readonly string[]) | undefined;
  readonly clock: Clock;
  readonly random: () => number;
  readonly log: Logger;
}

export class NodeView {
  readonly #options: NodeViewOptions;
  readonly #informers: { readonly nodes: Informer<Node>; readonly services: Informer<Service> } | undefined;
  readonly #readers: ObjectReaders | undefined;
  readonly objects: ApiObjects;

  constructor(options: NodeViewOptions) {
    this.#options = options;
    const { client, nodeName, allocatable, config, use, clock, log, random } = options;
    if (client === undefined) {
      this.objects = noObjects(allocatable);
      return;
    }
    const { nodes, services } = client.core.v1;
    const shared = { clock, log, random };
    this.#informers = {
      nodes: new Informer<Node>({
        source: nodes.source({ fieldSelector: `metadata.name=${nodeName}`, dropManagedFields: true }),
        ...shared,
      }),
      services: new Informer<Service>({ source: services.source({ dropManagedFields: true }), ...shared }),
    };
    const detection = config.changeDetection;
    const node = (): Node | undefined => this.node;
    const readers = createObjectReaders({ client, detection, use, node, ...shared });
    this.#readers = readers;
    this.objects = createClientObjects({
      client,
      clock,
      services: this.#informers.services,
      allocatable,
      nodeName,
      node,
      readers,
    });
  }

  get node(): Node | undefined {
    const [node] = this.#informers?.nodes.objects.values() ?? [];
    return node;
  }

  /** Containers learn of services by their environment, and pods are judged by the labels of the node: both first. */
  async start(): Promise<void> {
    const { log } = this.#options;
    await Promise.all(
      Object.values(this.#informers ?? {}).map(async (informer: Informer<Node> | Informer<Service>) => {
        informer.start();
        await informer.synced().catch((error: unknown) => log.warn({ err: error }, 'the cluster is not known yet'));
      }),
    );
  }

  async stop(): Promise<void> {
    await Promise.all([this.#informers?.nodes.stop(), this.#informers?.services.stop()]);
    await Promise.all([this.#readers?.configMaps.stop(), this.#readers?.secrets.stop()]);
  }

  admissionNode(): AdmissionNode {
    const { nodeName, machine, config, allocatable, pressures, isShuttingDown } = this.#options;
    const { metadata, spec } = this.node ?? {};
    return {
      ...machine,
      name: nodeName,
      labels: metadata?.labels ?? {},
      taints: spec?.taints ?? [],
      allocatable: allocatable(),
      pressures: pressures?.() ?? [],
      allowedUnsafeSysctls: config.allowedUnsafeSysctls,
      isShuttingDown: isShuttingDown?.() ?? false,
    };
  }
}
