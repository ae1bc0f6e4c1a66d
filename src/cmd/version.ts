import type { VersionInfo } from '../base/version.ts';

/** `Kubernetes v1.32.13+orch0.1.0`, or with all that is known of the build. */
export function formatVersion(form: 'short' | 'raw', info: VersionInfo): string {
  if (form === 'short') return `Kubernetes ${info.gitVersion}\n`;
  const fields = Object.entries(info).map(
    ([key, value]: [string, string]) => `${key[0]!.toUpperCase()}${key.slice(1)}:${JSON.stringify(value)}`,
  );
  return `version.Info{${fields.join(', ')}}\n`;
}
