/**
 * What this program is and which API it speaks. `gitVersion` begins with the Kubernetes release whose behaviour it has,
 * because clients compare it; what stands behind the plus sign is build metadata to them (semver, section 10).
 */
export const orchVersion = '0.1.0';

const kubernetesVersion = { major: '1', minor: '32', patch: '13' };

/** Set by the build; a checkout that runs unbuilt does not know its commit. */
declare const ORCH_BUILD_COMMIT: string;
declare const ORCH_BUILD_DATE: string;

/**
 * The document of `/version`, in the reference's order. `goVersion` and `compiler` name the runtime, as nothing here is
 * Go.
 */
export interface VersionInfo {
  readonly major: string;
  readonly minor: string;
  readonly gitVersion: string;
  readonly gitCommit: string;
  readonly gitTreeState: string;
  readonly buildDate: string;
  readonly goVersion: string;
  readonly compiler: string;
  readonly platform: string;
}

export function versionInfo(): VersionInfo {
  const { major, minor, patch } = kubernetesVersion;
  return {
    major,
    minor,
    gitVersion: `v${major}.${minor}.${patch}+orch${orchVersion}`,
    gitCommit: typeof ORCH_BUILD_COMMIT === 'string' ? ORCH_BUILD_COMMIT : '',
    gitTreeState: '',
    buildDate: typeof ORCH_BUILD_DATE === 'string' ? ORCH_BUILD_DATE : '1970-01-01T00:00:00Z',
    goVersion: `node${process.version.slice(1)}`,
    compiler: 'node',
    platform: `${process.platform}/${architecture()}`,
  };
}

/** Go's names, which clients know. */
const architecture = (): string => ({ x64: 'amd64', ia32: '386' })[process.arch as string] ?? process.arch;
