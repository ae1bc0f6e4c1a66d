/**
 * Checks the types of the expressions of validating admission policies, and says in their status what does not fit.
 * @see {@link https://kubernetes.io/docs/reference/access-authn-authz/validating-admission-policy/#type-checking | Type
 *   checking}
 */
import type { ValidatingAdmissionPolicy } from '../../api/gen/types/admissionregistration-v1.ts';
import type { CelType } from '../../cel/index.ts';
import { schemaType } from '../../cel/schema/schema-type.ts';
import { discover } from '../../client/discovery/discover.ts';
import { eventsOf } from '../shared/triggers.ts';
import type { ControllerContext } from '../manager/context.ts';
import { OpenApiSchemas } from './open-api-schemas.ts';
import { expressionWarnings, type KindName, kindsToCheck, type TypedKind } from './sync.ts';

const fieldManager = 'validatingadmissionpolicy-status';

export function startValidatingAdmissionPolicyStatus(context: ControllerContext): void {
  const { client, options } = context;
  const { validatingadmissionpolicies } = client.admissionregistration.v1;
  const policies = context.informer(validatingadmissionpolicies);
  const schemas = new OpenApiSchemas(client);
  const typeOf = async (kind: KindName, signal: AbortSignal): Promise<CelType | undefined> => {
    const schema = await schemas.schemaOf(kind, signal);
    return schema === undefined ? undefined : schemaType(schema, false)?.type;
  };
  const typedKinds = async ({ spec }: ValidatingAdmissionPolicy, signal: AbortSignal): Promise<TypedKind[]> => {
    const discovery = await discover(client, signal);
    const typed: TypedKind[] = [];
    for (const kind of kindsToCheck(spec, (resource) => discovery.named(resource)?.kind)) {
      const type = await typeOf(kind, signal);
      if (type !== undefined) typed.push({ ...kind, type });
    }
    return typed;
  };
  context.work({
    queue: fieldManager,
    workers: options.validatingAdmissionPolicyStatus.concurrentSyncs,
    triggers: [
      eventsOf(policies, (add) => ({
        onAdd: ({ metadata }) => add(metadata.name!),
        onUpdate: (_, { metadata }) => add(metadata.name!),
      })),
    ],
    async sync(name, signal) {
      const policy = policies.objects.get(name);
      const observedGeneration = policy?.metadata.generation ?? 0;
      if (policy === undefined || Number(observedGeneration) <= Number(policy.status?.observedGeneration ?? 0))
        return undefined;
      const params = paramKindOf(policy);
      const paramsType = params === undefined ? undefined : await typeOf(params, signal);
      const warnings = expressionWarnings(policy, await typedKinds(policy, signal), paramsType);
      const typeChecking = warnings.length === 0 ? {} : { typeChecking: { expressionWarnings: warnings } };
      await validatingadmissionpolicies.status.apply(
        { metadata: { name }, status: { observedGeneration, ...typeChecking } },
        { fieldManager, force: true },
      );
      return undefined;
    },
  });
}

function paramKindOf({ spec }: ValidatingAdmissionPolicy): KindName | undefined {
  const { apiVersion = '', kind = '' } = spec.paramKind ?? {};
  if (apiVersion === '' || kind === '') return undefined;
  const [version = '', group = ''] = apiVersion.split('/').reverse();
  return { group, version, kind };
}
