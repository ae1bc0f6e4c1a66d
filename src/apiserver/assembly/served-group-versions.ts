import { compareText } from '../../machinery/compare-text.ts';
import { gated, type GroupVersionInfo } from '../../api/resources.ts';
import type { ApiServerConfig } from '../config.ts';

/**
 * What discovery shows, in its order: groups by priority, then by name, the versions of a group likewise; nothing that
 * a gate hides.
 */
export function servedGroupVersions({
  groupVersions,
  featureGates,
}: Pick<ApiServerConfig, 'groupVersions' | 'featureGates'>): GroupVersionInfo[] {
  const shown = groupVersions.map((info) => ({
    ...info,
    resources: info.resources.map((resource) => gated(resource, featureGates)),
  }));
  return shown.sort(
    (a, b) =>
      b.groupPriority - a.groupPriority ||
      compareText(a.group, b.group) ||
      b.versionPriority - a.versionPriority ||
      compareText(a.version, b.version),
  );
}
