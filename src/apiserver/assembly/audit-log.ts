import type { CleanupStack } from '../../base/cleanup-stack.ts';
import { createAuditTrail } from '../audit/create-trail.ts';
import type { AuditTrail } from '../audit/trail.ts';
import type { SharedDependencies } from './shared-dependencies.ts';
import type { Loopback } from './loopback.ts';

/** Undefined where nothing is recorded. What is recorded is written when it is closed. */
export function openAuditLog(
  { config, metrics }: SharedDependencies,
  { webhooks }: Loopback,
  cleanup: CleanupStack,
): AuditTrail | undefined {
  if (config.audit === undefined) return undefined;
  const trail = createAuditTrail(config.audit, { counters: metrics.audit, webhooks, log: config.log });
  cleanup.add(() => trail?.close());
  return trail;
}
