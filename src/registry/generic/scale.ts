/**
 * The `scale` subresource: the kind Scale for every resource with replicas and a selector.
 * @see {@link
 *   https://kubernetes.io/docs/reference/kubernetes-api/workload-resources/deployment-v1/#get-read-scale-of-the-specified-deployment
 *   | Scale}
 */
import type { Codecs } from '../../machinery/codec/index.ts';
import { fieldErrorText, invalid } from '../../machinery/field-error.ts';
import { FieldPath } from '../../machinery/field-path.ts';
import { type KubeObject, metaOf } from '../../machinery/object-meta.ts';
import { badRequest, invalid as invalidStatus } from '../../machinery/status.ts';
import type { ScaleFields } from './scale-values.ts';
import type { ServedVersion } from './served-version.ts';

interface Scale extends KubeObject {
  spec?: { replicas?: number };
  status?: { replicas?: number; selector?: string };
}

export function createScaleVersion(codecs: Codecs, fields: ScaleFields): ServedVersion {
  const typeId = 'autoscaling/v1.Scale';
  return {
    apiVersion: 'autoscaling/v1',
    kind: 'Scale',
    listKind: 'ScaleList',
    typeId,
    isStored: false,
    convertible: ['extensions/v1beta1', 'apps/v1beta1', 'apps/v1beta2'],
    get codec() {
      return codecs.of(typeId);
    },
    setDefaults: () => undefined,
    fromStored: (object) => scaleOf(object, fields),
    toStored: (scale: Scale, base) => applyScale(scale, base(), fields),
  };
}

function scaleOf(object: KubeObject, fields: ScaleFields): Scale {
  const { name, namespace, uid, resourceVersion, creationTimestamp } = metaOf(object);
  const selector = fields.selectorText(object);
  const [spec, status] = [fields.specReplicas(object) ?? 0, fields.statusReplicas(object)];
  return {
    metadata: {
      name: name!,
      ...(namespace === undefined ? {} : { namespace }),
      uid: uid!,
      ...(resourceVersion === undefined ? {} : { resourceVersion }),
      creationTimestamp: creationTimestamp!,
    },
    spec: { ...(spec === 0 ? {} : { replicas: spec }) },
    status: { ...(status === 0 ? {} : { replicas: status }), ...(selector === '' ? {} : { selector }) },
  };
}

function applyScale(scale: Scale, object: KubeObject, fields: ScaleFields): KubeObject {
  const wanted = scale.spec?.replicas ?? 0;
  const meta = metaOf(scale);
  if (wanted < 0 && fields.isJudgedAsObject !== true) {
    const error = invalid(FieldPath.of('spec', 'replicas'), wanted, 'must be greater than or equal to 0');
    throw invalidStatus({ group: 'autoscaling', kind: 'Scale' }, meta.name ?? '', [error]);
  }
  if (meta.uid !== undefined && meta.uid !== metaOf(object).uid)
    throw badRequest(
      'the object in the request has another ' +
        `uid: ${fieldErrorText(invalid(FieldPath.of('metadata', 'uid'), meta.uid, 'field is immutable'))}`,
    );
  fields.setReplicas(object, wanted);
  if (meta.resourceVersion !== undefined && meta.resourceVersion !== '')
    metaOf(object).resourceVersion = meta.resourceVersion;
  else if (fields.isJudgedAsObject !== true) delete metaOf(object).resourceVersion;
  if (meta.managedFields !== undefined) metaOf(object).managedFields = meta.managedFields;
  return object;
}
