/** Rules of ingresses. @see {@link https://kubernetes.io/docs/concepts/services-networking/ingress/ | Ingress} */
import type { Ingress, IngressRule, IngressSpec, IngressTLS } from '../../gen/types/networking-v1.ts';
import { invalid, required } from '../../../machinery/field-error.ts';
import { FieldErrors, findsErrors } from '../../../machinery/field-errors.ts';
import { FieldPath } from '../../../machinery/field-path.ts';
import { isIpText } from '../../../machinery/formats/addresses.ts';
import { isDns1123Subdomain, isWildcardDns1123Subdomain } from '../../../machinery/formats/names.ts';
import { GoSyntax } from '../../../machinery/go-quote.ts';
import { checkIp } from '../../meta/addresses.ts';
import { checkFormat } from '../../meta/checks.ts';
import { subdomainName } from '../../meta/name-rules.ts';
import { validateBuiltInMeta, validateBuiltInMetaUpdate } from '../../meta/object-meta.ts';
import { checkHostname } from '../../core/services/status-validation.ts';
import { checkIngressBackend } from './backend-validation.ts';
import { checkPaths } from './path-validation.ts';

/** Came before `spec.ingressClassName`. */
export const ingressClassAnnotation = 'kubernetes.io/ingress.class';

const specPath = FieldPath.of('spec');

/** For ingresses that were stored before values were checked. */
interface IngressRules {
  readonly invalidSecretNames: boolean;
  readonly invalidWildcardRules: boolean;
}

const strict: IngressRules = { invalidSecretNames: false, invalidWildcardRules: false };

export function validateIngress(ingress: Ingress): FieldErrors {
  const errors = validateMetaAndSpec(ingress, strict);
  const annotation = ingress.metadata.annotations?.[ingressClassAnnotation];
  const { ingressClassName } = ingress.spec;
  if (annotation !== undefined && ingressClassName !== undefined && annotation !== ingressClassName) {
    errors.push(
      invalid(
        FieldPath.of('annotations', ingressClassAnnotation),
        annotation,
        'must match `ingressClassName` when both are specified',
      ),
    );
  }
  return errors;
}

export function validateIngressUpdate(ingress: Ingress, old: Ingress): FieldErrors {
  const rules = {
    invalidSecretNames:
      old.spec.tls?.some(({ secretName = '' }) => secretName !== '' && isDns1123Subdomain(secretName).length > 0) ===
      true,
    invalidWildcardRules: old.spec.rules?.some((rule) => isWildcard(rule) && hasBadPaths(rule)) === true,
  };
  return FieldErrors.joined(
    validateBuiltInMetaUpdate(ingress.metadata, old.metadata),
    validateMetaAndSpec(ingress, rules),
  );
}

export function validateIngressStatusUpdate(ingress: Ingress, old: Ingress): FieldErrors {
  const errors = validateBuiltInMetaUpdate(ingress.metadata, old.metadata);
  const path = FieldPath.of('status', 'loadBalancer', 'ingress');
  ingress.status.loadBalancer.ingress?.forEach(({ ip = '', hostname = '' }, i) => {
    if (ip !== '') checkIp(ip, path.index(i).child('ip'), errors);
    checkHostname(hostname, path.index(i).child('hostname'), errors);
  });
  return errors;
}

function validateMetaAndSpec({ metadata, spec }: Ingress, rules: IngressRules): FieldErrors {
  const errors = validateBuiltInMeta(metadata, { namespaced: true, validateName: subdomainName });
  checkSpec(spec, specPath, errors, rules);
  return errors;
}

function checkSpec(spec: IngressSpec, path: FieldPath, errors: FieldErrors, rules: IngressRules): void {
  if ((spec.rules?.length ?? 0) === 0 && spec.defaultBackend === undefined) {
    errors.push(
      invalid(
        path,
        new GoSyntax(`[]networking.IngressRule${spec.rules === undefined ? '(nil)' : '{}'}`),
        'either `defaultBackend` or `rules` must be specified',
      ),
    );
  }
  if (spec.defaultBackend !== undefined) checkIngressBackend(spec.defaultBackend, path.child('defaultBackend'), errors);
  spec.rules?.forEach((rule, i) => checkRule(rule, path.child('rules').index(i), errors, rules));
  spec.tls?.forEach((tls, i) => checkTls(tls, path.child('tls').index(i), errors, rules));
  if (spec.ingressClassName !== undefined)
    checkFormat(isDns1123Subdomain, spec.ingressClassName, path.child('ingressClassName'), errors);
}

const isWildcard = ({ host = '' }: IngressRule): boolean => host.includes('*');

const hasBadPaths = (rule: IngressRule): boolean => findsErrors((errors) => checkHttp(rule, FieldPath.root, errors));

function checkRule(rule: IngressRule, path: FieldPath, errors: FieldErrors, rules: IngressRules): void {
  const { host = '' } = rule;
  if (host !== '') {
    if (isIpText(host)) errors.push(invalid(path.child('host'), host, 'must be a DNS name, not an IP address'));
    checkHost(host, path.child('host'), errors);
  }
  if (!isWildcard(rule) || !rules.invalidWildcardRules) checkHttp(rule, path, errors);
}

function checkHost(host: string, path: FieldPath, errors: FieldErrors): void {
  checkFormat(host.includes('*') ? isWildcardDns1123Subdomain : isDns1123Subdomain, host, path, errors);
}

function checkHttp({ http }: IngressRule, path: FieldPath, errors: FieldErrors): void {
  if (http === undefined) return;
  const pathsPath = path.child('http', 'paths');
  if ((http.paths?.length ?? 0) === 0) errors.push(required(pathsPath));
  checkPaths(http.paths, pathsPath, errors);
}

function checkTls(
  { hosts, secretName = '' }: IngressTLS,
  path: FieldPath,
  errors: FieldErrors,
  rules: IngressRules,
): void {
  hosts?.forEach((host, i) => checkHost(host, path.child('hosts').index(i), errors));
  if (secretName !== '' && !rules.invalidSecretNames)
    checkFormat(isDns1123Subdomain, secretName, path.child('secretName'), errors);
}
