/** What operators see of the process itself: profiles, the verbosity of the log, flags and state. */
import type { CleanupStack } from '../../base/cleanup-stack.ts';
import { ContentionProfile } from '../../server/profiling/contention-profile.ts';
import { reportStallsFrom } from '../../server/stall-detector/report-stalls.ts';
import type { DebugPages } from '../nonresource/routes.ts';
import type { SharedDependencies } from './shared-dependencies.ts';

/** The socket without authentication is open when it resolves. */
export async function openDebugging(
  { config, featureEnabled }: SharedDependencies,
  cleanup: CleanupStack,
): Promise<DebugPages> {
  const { profiling, contentionProfiling, socketPath, verbosity, emulatedVersion, flags } = config.debugging;
  const { version } = config;
  const isProfiled = profiling || socketPath !== undefined;
  const contention = contentionProfiling && isProfiled ? new ContentionProfile() : undefined;
  if (socketPath !== undefined) {
    // Loaded where it is asked for: it brings Koa.
    const [{ openDebugSocket }, { profileRoutes }, { verbosityRoutes }] = await Promise.all([
      import('../../server/debug-socket.ts'),
      import('../../server/koa/profile-routes.ts'),
      import('../../server/koa/debug-routes.ts'),
    ]);
    cleanup.add(await openDebugSocket(socketPath, [profileRoutes(contention), verbosityRoutes(verbosity)]));
  }
  return {
    profiling,
    contention,
    verbosity,
    zpages: {
      component: 'kube-apiserver',
      version,
      emulatedVersion,
      startedAt: Date.now(),
      statusz: featureEnabled('ComponentStatusz'),
      flagz: featureEnabled('ComponentFlagz'),
      flags,
    },
  };
}

/** @param ready when to begin. @returns what ends it */
export const watchForStalls = (
  { config: { stalls, log }, metrics: { registry } }: SharedDependencies,
  { contention }: DebugPages,
  ready: Promise<void>,
): (() => Promise<void>) => reportStallsFrom(ready, stalls, { log, registry, contention });
