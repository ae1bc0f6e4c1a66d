import { type Authorizer, noRules } from './authorizer.ts';

/** `--authorization-mode=AlwaysDeny`: never allows anything, so that only the others decide. */
export const alwaysDeny: Authorizer = {
  authorize: () => ({ decision: 'noOpinion', reason: 'Everything is forbidden.' }),
  rulesFor: () => noRules,
};
