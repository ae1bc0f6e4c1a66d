/**
 * What of the rules for pods depends on more than the object: feature gates, flags of the server, and what the object
 * had before (an object that breaks a rule made later keeps the right to).
 */
export interface PodValidationOptions {
  /** A pod, not the template of one. */
  readonly isPod: boolean;
  /** `--allow-privileged` */
  readonly allowPrivileged: boolean;
  readonly podLevelResources: boolean;
  readonly volumeAttributesClass: boolean;
  /** Environment variables may have any printable name. */
  readonly relaxedEnvNames: boolean;
  /** `.` and names with underscores in DNS search paths. */
  readonly relaxedDnsSearches: boolean;
  readonly onlyRecursiveSELinuxChange: boolean;
  readonly initContainerResizePolicy: boolean;
  readonly sleepZero: boolean;
  readonly invalidDeletionCost: boolean;
  readonly indivisibleHugePages: boolean;
  readonly invalidAffinitySelectorValues: boolean;
  readonly invalidNodeAffinityValues: boolean;
  readonly invalidSpreadSelectors: boolean;
  readonly nonLocalTokenPaths: boolean;
  readonly hostSysctls: boolean;
}

/** What the rules need to know of the server. */
export interface ServerFeatures {
  enabled(gate: string): boolean;
  readonly allowPrivileged: boolean;
}
