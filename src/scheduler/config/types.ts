/** What the scheduler works by, with all defaults filled in (`load.ts` reads it from documents). */
import type { ExtensionPoint } from '../framework/extension-point.ts';
import type { PluginArgs } from './plugin-args.ts';

export interface WeightedName {
  readonly name: string;
  /** Of scores. */
  readonly weight: number;
}

export interface ProfileConfig {
  readonly schedulerName: string;
  readonly percentageOfNodesToScore?: number;
  /** By extension point, in order. */
  readonly plugins: Readonly<Record<ExtensionPoint, readonly WeightedName[]>>;
  readonly args: PluginArgs;
}

export interface SchedulerConfig {
  readonly profiles: readonly ProfileConfig[];
  /** 0 for one that falls with the number of nodes. */
  readonly percentageOfNodesToScore: number;
  readonly podInitialBackoffSeconds: number;
  readonly podMaxBackoffSeconds: number;
}
