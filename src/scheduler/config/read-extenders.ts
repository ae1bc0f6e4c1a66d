/** Reads the extenders of a configuration. */
import { invalid } from '../../machinery/field-error.ts';
import type { FieldErrors } from '../../machinery/field-errors.ts';
import type { FieldPath } from '../../machinery/field-path.ts';
import { isQualifiedName } from '../../machinery/formats/names.ts';
import type { ExtenderDocument } from './document.ts';
import type { ExtenderConfig } from './types.ts';

const defaultExtenderTimeoutMs = 5000;

export function readExtenders(
  documents: readonly ExtenderDocument[],
  path: FieldPath,
  errors: FieldErrors,
): readonly ExtenderConfig[] {
  const managed = new Set<string>();
  const binders = documents.filter(({ bindVerb = '' }) => bindVerb !== '').length;
  if (binders > 1) {
    const why = 'only one extender can implement bind';
    errors.push(invalid(path, `found ${binders} extenders implementing bind`, why));
  }
  return documents.map((document, i) => {
    const { prioritizeVerb = '', weight = 0, managedResources = [], httpTimeout } = document;
    const at = path.index(i);
    if (prioritizeVerb !== '' && weight <= 0)
      errors.push(invalid(at.child('weight'), weight, 'must have a positive weight applied to it'));
    managedResources.forEach(({ name = '' }, j) => {
      const atName = at.child('managedResources').index(j).child('name');
      checkManagedResource(name, atName, errors);
      if (managed.has(name)) errors.push(invalid(atName, name, 'duplicate extender managed resource name'));
      managed.add(name);
    });
    return {
      urlPrefix: document.urlPrefix ?? '',
      filterVerb: document.filterVerb ?? '',
      preemptVerb: document.preemptVerb ?? '',
      prioritizeVerb,
      weight,
      bindVerb: document.bindVerb ?? '',
      timeoutMs: httpTimeout === undefined || httpTimeout === 0 ? defaultExtenderTimeoutMs : httpTimeout,
      nodeCacheCapable: document.nodeCacheCapable ?? false,
      managedResources: managedResources.map(({ name = '', ignoredByScheduler = false }) => ({
        name,
        ignoredByScheduler,
      })),
      ignorable: document.ignorable ?? false,
      enableHttps: document.enableHTTPS ?? false,
      tls: document.tlsConfig ?? {},
    };
  });
}

function checkManagedResource(name: string, path: FieldPath, errors: FieldErrors): void {
  const problems = isQualifiedName(name);
  for (const problem of problems) errors.push(invalid(path, name, problem));
  const isExtended =
    name.includes('/') && !name.split('/')[0]!.endsWith('kubernetes.io') && !name.startsWith('requests.');
  if (problems.length === 0 && !isExtended) errors.push(invalid(path, name, 'is an invalid extended resource name'));
}
