/** Version v1beta1 of ingresses (groups networking.k8s.io and extensions), which is no longer served. */
import type { Ingress, IngressBackend, IngressRule } from '../../gen/types/networking-v1.ts';
import type {
  Ingress as OldIngress,
  IngressBackend as OldBackend,
  IngressRule as OldRule,
} from '../../gen/types/networking-v1beta1.ts';

export function setOldIngressDefaults({ spec }: OldIngress): void {
  for (const { http } of spec.rules ?? [])
    for (const path of http?.paths ?? []) path.pathType ??= 'ImplementationSpecific';
}

export function fromOldIngress(ingress: OldIngress): Ingress {
  const { backend, rules, ...spec } = ingress.spec;
  return {
    ...ingress,
    spec: {
      ...spec,
      ...(backend === undefined ? {} : { defaultBackend: fromOldBackend(backend) }),
      ...(rules === undefined ? {} : { rules: rules.map((rule) => mapBackends<IngressRule>(rule, fromOldBackend)) }),
    },
  } as Ingress;
}

export function toOldIngress(ingress: Ingress): OldIngress {
  const { defaultBackend, rules, ...spec } = ingress.spec;
  return {
    ...ingress,
    spec: {
      ...spec,
      ...(defaultBackend === undefined ? {} : { backend: toOldBackend(defaultBackend) }),
      ...(rules === undefined ? {} : { rules: rules.map((rule) => mapBackends<OldRule>(rule, toOldBackend)) }),
    },
  } as OldIngress;
}

function mapBackends<R>(rule: IngressRule | OldRule, convert: (backend: never) => unknown): R {
  if (rule.http === undefined) return rule as R;
  return {
    ...rule,
    http: {
      ...rule.http,
      paths: rule.http.paths?.map((path) => ({ ...path, backend: convert(path.backend as never) })),
    },
  } as R;
}

function fromOldBackend({ serviceName = '', servicePort = 0, resource }: OldBackend): IngressBackend {
  const hasService = serviceName !== '' || servicePort !== 0;
  const port =
    typeof servicePort === 'string' ? { name: servicePort } : servicePort === 0 ? {} : { number: servicePort };
  return {
    ...(hasService ? { service: { ...(serviceName === '' ? {} : { name: serviceName }), port } } : {}),
    ...(resource === undefined ? {} : { resource }),
  };
}

function toOldBackend({ service, resource }: IngressBackend): OldBackend {
  const port = service?.port.name ?? service?.port.number;
  return {
    ...(service?.name === undefined ? {} : { serviceName: service.name }),
    ...(port === undefined ? {} : { servicePort: port }),
    ...(resource === undefined ? {} : { resource }),
  };
}
