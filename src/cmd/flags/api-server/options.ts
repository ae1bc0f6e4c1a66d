/**
 * From a command line to options that the API server can start with: parsed, validated, and completed with derived
 * values.
 */
import type { GateSettings } from '../../../api/feature-gates.ts';
import { apisAt } from '../../../api/emulated-version.ts';
import { groupVersions } from '../../../api/resources.ts';
import type { GroupVersionInfo } from '../../../api/resources.ts';
import { emulatedGates, emulatedMinor } from '../shared/emulated-version.ts';
import { apiServerGates, gateWarnings } from '../shared/feature-gates.ts';
import type { Sections } from '../flag.ts';
import { FlagError, parseFlags } from '../parse.ts';
import type { GivenFlags, ParsedFlags } from '../parse.ts';
import { runtimeConfigWarnings, servedVersions } from '../runtime-config.ts';
import type { ApiServerOptions } from './table.ts';
import { validateApiServerOptions } from './validate.ts';

export interface CompletedOptions {
  readonly options: ApiServerOptions;
  readonly given: GivenFlags;
  /** `--feature-gates`, stages spelled out. */
  readonly featureGates: GateSettings;
  /** What `--runtime-config` leaves of the built-in APIs. */
  readonly groupVersions: readonly GroupVersionInfo[];
  /** What the operator should know, a sentence each. */
  readonly warnings: readonly string[];
}

/** Throws {@link FlagError} with every problem there is. */
export function completeApiServerOptions(options: ApiServerOptions, given: GivenFlags): CompletedOptions {
  const problems = validateApiServerOptions(options, given);
  if (problems.length > 0) throw new FlagError(problems);
  const { apis, authentication, authorization } = options;
  // Every request is allowed then, so anonymous requests are refused.
  const anonymousOff =
    authentication.anonymousAuth && authorization.config === undefined && authorization.modes.includes('AlwaysAllow');
  return {
    given,
    options: anonymousOff ? { ...options, authentication: { ...authentication, anonymousAuth: false } } : options,
    featureGates: emulatedGates(apis.featureGates, apis.emulatedVersions, apiServerGates),
    groupVersions: apisAt(emulatedMinor(apis.emulatedVersions), servedVersions(apis.runtimeConfig, groupVersions)),
    warnings: [
      ...(anonymousOff && given.has('anonymous-auth')
        ? [
            'AnonymousAuth is not allowed with the AlwaysAllow authorizer. Resetting AnonymousAuth to false. ' +
              'You should use a different authorizer',
          ]
        : []),
      ...gateWarnings(apis.featureGates),
      ...runtimeConfigWarnings(apis.runtimeConfig, groupVersions),
    ],
  };
}

/** Reads the flags of a program that takes no operands. */
export function parseWithoutOperands<S extends Sections>(
  command: string,
  sections: S,
  argv: readonly string[],
): ParsedFlags<S> {
  const parsed = parseFlags(sections, argv);
  if (parsed.operands.length > 0)
    throw new FlagError([`"${command}" does not take any arguments, got ${JSON.stringify(parsed.operands)}`]);
  return parsed;
}
