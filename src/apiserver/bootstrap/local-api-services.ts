/**
 * An APIService for each group and version that this server answers itself. They are brought up to date when the server
 * starts; one that is deleted later stays away until the next start, and one without our label belongs to somebody else.
 */
import type { APIService, APIServiceSpec } from '../../api/gen/types/apiregistration-v1.ts';
import type { GroupVersionInfo } from '../../api/resources.ts';
import { isEqual } from '../../machinery/equal.ts';
import { createMap } from '../../machinery/value.ts';
import type { InternalWriter } from './internal-writer.ts';

export const apiServices = { group: 'apiregistration.k8s.io', resource: 'apiservices' };
const managedLabel = 'kube-aggregator.kubernetes.io/automanaged';

/** Once, at the start. */
export async function registerLocalApiServices(writer: InternalWriter, groupVersions: readonly GroupVersionInfo[]): Promise<void> {
  if (!writer.isServed(apiServices)) return;
  const present = new Map((await writer.list<APIService>(apiServices, 'mostRecent')).map((service) => [service.metadata.name ?? '', service]));
  // The group of these objects is not registered itself: it is always there.
  const wanted = new Map(groupVersions.filter(({ group }) => group !== apiServices.group).map((info) => [`${info.version}.${info.group}`, specOf(info)]));
  for (const [name, spec] of wanted) await ensure(writer, name, spec, present.get(name));
  for (const [name, service] of present) {
    if (isOurs(service) && !wanted.has(name)) await writer.remove({ ...apiServices, namespace: '', name });
  }
}

async function ensure(writer: InternalWriter, name: string, spec: APIServiceSpec, current: APIService | undefined): Promise<void> {
  const object = { ...apiServices, namespace: '', name };
  if (current === undefined) {
    const labels = Object.assign(createMap<string>(), { [managedLabel]: 'onstart' });
    return writer.create(object, { metadata: { labels }, spec: { ...spec }, status: {} } as object);
  }
  if (!isOurs(current) || isEqual(current.spec, spec)) return;
  await writer.change<APIService>(object, (changed) => {
    changed.spec = { ...spec };
  });
}

const isOurs = ({ metadata }: APIService): boolean => metadata.labels?.[managedLabel] === 'onstart';

const specOf = ({ group, version, groupPriority, versionPriority }: GroupVersionInfo): APIServiceSpec => ({ group, version, groupPriorityMinimum: groupPriority, versionPriority });
