/** What this server does not answer alike of the recorded cases of admission, each with the reason. */

/** Whole cases. */
export const admissionDeviations: Readonly<Record<string, string>> = {
  'always-deny': 'a server whose own objects are refused waits for them, and is not ready, in place of ending',
  'map-runtime-config-missing': 'a gate whose API is not served leaves policies without effect; the server starts',
};

/** Single steps, by case and number of the step; everything else of the case is compared. */
export const deviatingSteps: Readonly<Record<string, string>> = {
  'http-status 6': 'a redirect is not followed: a webhook could have the server ask what it cannot reach itself',
};
