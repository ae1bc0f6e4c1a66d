/**
 * Images of pods are always pulled, so that a pod needs the right to an image even where the node has it already.
 * @see {@link https://kubernetes.io/docs/reference/access-authn-authz/admission-controllers/#alwayspullimages |
 *   AlwaysPullImages}
 */
import type { Pod, PodSpec } from '../../api/gen/types/core-v1.ts';
import { containersWithPath, visitContainers } from '../../api/core/pods/container-list.ts';
import { fieldErrorText, notSupported } from '../../machinery/field-error.ts';
import { FieldPath } from '../../machinery/field-path.ts';
import { plainError } from '../../machinery/status.ts';
import { joinErrors } from '../../auth/authorization/authorizer.ts';
import type { AdmissionAttributes, AdmissionPlugin } from '../../registry/admission.ts';
import { isAbout, refused } from './attributes.ts';

export const alwaysPullImages: AdmissionPlugin = {
  name: 'AlwaysPullImages',
  handles: (operation) => operation === 'CREATE' || operation === 'UPDATE',
  admit(attributes) {
    if (!hasNewImages(attributes)) return;
    const { spec } = attributes.object as Pod;
    visitContainers(spec, (container) => void (container.imagePullPolicy = 'Always'));
    for (const { image } of spec.volumes ?? []) if (image !== undefined) image.pullPolicy = 'Always';
  },
  validate(attributes) {
    if (!hasNewImages(attributes)) return;
    const refusals = [...containersWithPath((attributes.object as Pod).spec, FieldPath.of('spec'))]
      .filter(([{ imagePullPolicy }]) => imagePullPolicy !== 'Always')
      .map(([{ imagePullPolicy = '' }, path]) =>
        fieldErrorText(notSupported(path.child('imagePullPolicy'), imagePullPolicy, ['Always'])),
      )
      .map((why) => refused(attributes, why).message);
    // What undid the change is a later plugin, not the client: upstream answers with an error of the server.
    if (refusals.length > 0) throw plainError(joinErrors(refusals));
  },
};

function hasNewImages(attributes: AdmissionAttributes): boolean {
  if (!isAbout(attributes, '', 'pods')) return false;
  if (attributes.operation !== 'UPDATE') return true;
  const before = new Set(imagesOf((attributes.oldObject as Pod).spec));
  return imagesOf((attributes.object as Pod).spec).some((image) => !before.has(image));
}

function imagesOf(spec: PodSpec): string[] {
  const images: string[] = [];
  visitContainers(spec, ({ image }) => images.push(image ?? ''));
  return images;
}
