/**
 * Objects that the server keeps while it is used: those of flow control, and then the APIServices. No request waits
 * for them, so they come after the server is ready.
 */
import { type Clock, sleep, systemClock } from '../../base/clock.ts';
import { Latch } from '../../base/latch.ts';
import type { Logger } from '../../base/logger.ts';
import type { RegistryCatalog } from '../../registry/catalog.ts';
import type { Aggregation } from '../aggregation/setup.ts';
import { configureFlowControl, type FlowControlReader } from './flow-control-configuration.ts';
import { flowControlIntervalMs, keepFlowControlObjects } from './flow-control-objects.ts';
import { flowSchemaConditionResources, updateFlowSchemaConditions } from './flow-schema-conditions.ts';
import { runSingleKeyController } from './single-key-controller.ts';
import type { LoopbackClient } from '../loopback/loopback-client.ts';

export interface BootstrapObjectsOptions {
  readonly writer: LoopbackClient;
  readonly registry: Pick<RegistryCatalog, 'storeOf'>;
  readonly aggregation: Pick<Aggregation, 'register' | 'registered'>;
  /** Told of the objects of flow control whenever they change. */
  readonly flowControl: FlowControlReader | undefined;
  readonly log: Logger;
  readonly clock?: Clock;
}

export interface BootstrapObjectsController {
  /** Goes on until the signal aborts. */
  run(signal: AbortSignal): Promise<void>;
  /** Resolves when all objects are there, with what their status says; never when `run` ended before. */
  readonly settled: Promise<void>;
  /** Resolves when the objects of flow control are there. */
  readonly flowControlKept: Promise<void>;
}

interface Resource {
  readonly group: string;
  readonly resource: string;
}

const retryMs = 1000;
/** Requests of clients go first after the start of a server. */
const delayMs = 100;

export function createBootstrapObjectsController({
  writer,
  registry,
  aggregation,
  flowControl: reader,
  log,
  clock = systemClock,
}: BootstrapObjectsOptions): BootstrapObjectsController {
  const now = (): Date => new Date();
  const flowControl = new Latch();

  const persist = async (what: string, work: () => Promise<void>, signal: AbortSignal): Promise<void> => {
    while (!signal.aborted) {
      try {
        return await work();
      } catch (error) {
        if (signal.aborted) return;
        log.warn({ err: error }, `${what} could not be brought up to date and are tried again`);
        await sleep(clock, retryMs, signal);
      }
    }
  };
  const syncAfterChanges = (
    resources: readonly Resource[],
    sync: () => Promise<void>,
    signal: AbortSignal,
  ): Promise<void> => {
    const stores = resources.flatMap(({ group, resource }) => registry.storeOf(group, resource) ?? []);
    return runSingleKeyController({ stores, sync, log, clock }, signal);
  };

  const keepObjects = (signal: AbortSignal): Promise<void> =>
    persist('the objects of flow control', () => keepFlowControlObjects(writer), signal);
  const keepThemFromNowOn = async (signal: AbortSignal): Promise<void> => {
    for (;;) {
      await sleep(clock, flowControlIntervalMs, signal);
      if (signal.aborted) return;
      await keepObjects(signal);
    }
  };
  const keepFlowControl = async (signal: AbortSignal): Promise<void> => {
    if (!flowSchemaConditionResources.every((resource) => writer.isServed(resource))) return flowControl.open();
    await keepObjects(signal);
    const sync = async (): Promise<void> => {
      if (reader !== undefined) await configureFlowControl(writer, reader);
      await updateFlowSchemaConditions(writer, now);
      flowControl.open();
    };
    await Promise.all([syncAfterChanges(flowSchemaConditionResources, sync, signal), keepThemFromNowOn(signal)]);
  };
  return {
    flowControlKept: flowControl.wait(),
    settled: Promise.all([flowControl.wait(), aggregation.registered]).then(() => undefined),
    async run(signal) {
      await sleep(clock, delayMs, signal);
      // One after the other, so that requests of clients wait as little as possible.
      const first = keepFlowControl(signal);
      await Promise.race([flowControl.wait(signal).catch(() => undefined), first]);
      await Promise.all([first, aggregation.register(signal)]);
    },
  };
}
