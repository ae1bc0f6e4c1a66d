import type { CleanupStack } from '../../base/cleanup-stack.ts';
import type { Tracer } from '../../server/tracing/tracer.ts';
import type { SharedDependencies } from './shared-dependencies.ts';

/** Undefined where nothing is traced. What waits is sent when the server has ended its requests. */
export async function openTracing(
  { config: { tracing, egress, log }, serverId }: SharedDependencies,
  cleanup: CleanupStack,
): Promise<Tracer | undefined> {
  if (tracing === undefined) return undefined;
  const { createTracer } = await import('../../server/tracing/open-telemetry.ts');
  const dial = egress?.dialers.controlplane;
  const tracer = createTracer({ configuration: tracing, service: 'apiserver', instance: serverId, dial, log });
  cleanup.add(() => tracer.close());
  return tracer;
}
