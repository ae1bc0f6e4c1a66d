/**
 * The public interface of the CEL package: the language as Kubernetes 1.32 defines it.
 * @see {@link https://kubernetes.io/docs/reference/using-api/cel/ | Common Expression Language in Kubernetes}
 */
export {
  boolType,
  bytesType,
  type CelType,
  doubleType,
  durationType,
  dynType,
  intType,
  listType,
  mapType,
  nullType,
  objectType,
  optionalType,
  stringType,
  timestampType,
  typeText,
} from './check/types.ts';
export {
  type Environment,
  environment,
  type EnvironmentOptions,
  type Failure,
  matchConditionsBudget,
  type Outcome,
  perCallLimit,
  type Program,
  runtimeBudget,
} from './environment.ts';
export type { Bindings } from './evaluate/state.ts';
export {
  type Answer,
  type Ask,
  AuthorizerValue,
  authorizerType,
  type Question,
  ResourceCheck,
  resourceCheckType,
  type ResourceQuestion,
} from './library/authorizer.ts';
export { compatibilityVersion, newestVersion } from './library/index.ts';
export { semver } from './library/semver.ts';
export { adaptAny } from './schema/json-values.ts';
export { escapeName, unescapeName } from './schema/names.ts';
export {
  budgetProblem,
  type Compiled,
  type CompiledRule,
  compileRules,
  compilingRules,
  evaluationProblem,
  oldSelfOf,
  type RuleSource,
} from './schema/rules.ts';
export { type OpenApiSchema, schemaType, type SchemaType, sizesIn } from './schema/schema-type.ts';
export {
  CelError,
  Double,
  Duration,
  ListValue,
  MapValue,
  Opaque,
  Optional,
  Timestamp,
  Uint,
  type Value,
} from './values/values.ts';
export {
  appliedObjectType,
  ConstructedValue,
  jsonPatchType,
  misplacedTypes,
} from './environments/mutation.ts';
export { LazyVariables } from './environments/lazy-variables.ts';
export { NotJson, toJson } from './values/to-json.ts';
export {
  admissionEnvironment,
  admissionRequest,
  type AdmissionUse,
  namespaceObject,
} from './environments/admission.ts';
