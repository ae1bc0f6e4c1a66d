/**
 * Keeps VolumeAttributesClasses that claims or volumes use from being deleted.
 * @see {@link https://kubernetes.io/docs/concepts/storage/volume-attributes-classes/ | Volume attributes classes}
 */
import type { VolumeAttributesClass } from '../../api/gen/types/storage-v1beta1.ts';
import type { Informer, Trigger } from '../../client/index.ts';
import type { KubeObject } from '../../machinery/object-meta.ts';
import { changesOf } from '../../reconcile/controller.ts';
import type { ControllerContext } from '../manager/context.ts';
import { hasFinalizer, withFinalizer } from '../shared/finalizers.ts';
import { eventsOf } from '../shared/triggers.ts';
import { undefinedWhenGone } from '../../client/undefined-when-gone.ts';
import { classesOfClaim, classesOfVolume, letGo } from './sync.ts';

const finalizer = 'kubernetes.io/vac-protection';
const classIndex = 'volumeAttributesClass';

export function startVolumeAttributesProtection(context: ControllerContext): void {
  const { core, storage } = context.client;
  const resource = storage.v1beta1.volumeattributesclasses;
  const classes = context.informer(resource);
  const claims = context.informer(core.v1.persistentvolumeclaims);
  const volumes = context.informer(core.v1.persistentvolumes);
  context.index(claims, classIndex, classesOfClaim);
  context.index(volumes, classIndex, classesOfVolume);
  const isUsed = (name: string): boolean =>
    [claims, volumes].some(({ objects }) => objects.byIndex(classIndex, name).length > 0);
  /** The server is asked too: a claim may have been made that the informer has not seen. */
  const isUsedNow = async (name: string): Promise<boolean> => {
    const { items } = await core.v1.persistentvolumeclaims.list();
    if (items.some((claim) => classesOfClaim(claim).includes(name))) return true;
    const { items: all } = await core.v1.persistentvolumes.list();
    return all.some((volume) => classesOfVolume(volume).includes(name));
  };
  const write = async (object: VolumeAttributesClass, isWanted: boolean): Promise<void> => {
    await resource.update(withFinalizer(object, finalizer, isWanted)).catch(undefinedWhenGone);
  };
  context.work({
    queue: 'vacprotection',
    workers: 1,
    triggers: [changesOf(classes), releasesOf(claims, classesOfClaim), releasesOf(volumes, classesOfVolume)],
    sync: async (name) => {
      const object = classes.objects.get(name);
      if (object === undefined) return undefined;
      const isEnding = object.metadata.deletionTimestamp !== undefined;
      const has = hasFinalizer(object, finalizer);
      if (!isEnding && !has) await write(object, true);
      if (isEnding && has && !isUsed(name) && !(await isUsedNow(name))) await write(object, false);
      return undefined;
    },
  });
}

/** The classes that objects let go. */
const releasesOf = <T extends KubeObject>(informer: Informer<T>, classesOf: (object: T) => string[]): Trigger =>
  eventsOf(informer, (add) => ({
    onUpdate: (before, after) => letGo(classesOf(before), classesOf(after)).forEach((name) => add(name)),
    onDelete: (object) => classesOf(object).forEach((name) => add(name)),
  }));
