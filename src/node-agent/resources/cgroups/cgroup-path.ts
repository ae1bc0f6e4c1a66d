/**
 * Where a group lies below the hierarchies. The driver `systemd` has slices, whose names tell the slices above them.
 * @see {@link https://www.freedesktop.org/software/systemd/man/latest/systemd.slice.html | systemd.slice(5)}
 */

export interface CgroupSettings {
  /** `/` when there is none. */
  readonly root: string;
  readonly driver: 'cgroupfs' | 'systemd';
}

/** `/kubepods/burstable`, or `/kubepods.slice/kubepods-burstable.slice`. @param names below the root */
export function cgroupPath(names: readonly string[], { root, driver }: CgroupSettings): string {
  const parts = [...root.split('/').filter(Boolean), ...names];
  if (driver === 'cgroupfs') return `/${parts.join('/')}`;
  const escaped = parts.map((part) => part.replaceAll('-', '_'));
  return escaped.map((_, at) => `/${escaped.slice(0, at + 1).join('-')}.slice`).join('');
}

const uidForm = /(?:^|-)pod([^/]+?)(?:\.slice)?$/;

/** Of the group of a pod, by the name of its folder. */
export function uidOfGroup(name: string, driver: CgroupSettings['driver']): string | undefined {
  const [, uid] = uidForm.exec(name) ?? [];
  if (uid === undefined || uid === 's') return undefined;
  if (driver === 'cgroupfs') return name.startsWith('pod') ? uid : undefined;
  return name.endsWith('.slice') ? uid.replaceAll('_', '-') : undefined;
}
