import { codecs } from '../../../../api/codecs.ts';
import type { Service } from '../../../../api/gen/types/core-v1.ts';
import { asJson } from '../../../../machinery/object-meta.ts';

/** The bytes of a service as a server of any version may have stored them. */
export function envelopeOf(service: Service): Buffer {
  service.metadata.resourceVersion = undefined as never;
  return codecs.of('core/v1.Service').encodeEnvelope(asJson(service), { apiVersion: 'v1', kind: 'Service' });
}
