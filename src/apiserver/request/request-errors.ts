import { serviceUnavailable, StatusError } from '../../machinery/status.ts';

/** The path names no resource of this server. */
export const noSuchResource = (): StatusError =>
  new StatusError(404, 'NotFound', 'the server could not find the requested resource', {});

/**
 * The custom and aggregated APIs could not be read yet. The response has no Retry-After: it is unknown when the store
 * comes back.
 */
export const pathsUnknown = (): StatusError =>
  serviceUnavailable('the request has been made before all known HTTP paths have been installed, please try again');

/** The resource is there, but not with this method. */
export const methodNotAllowed = (): StatusError =>
  new StatusError(405, 'MethodNotAllowed', 'the server does not allow this method on the requested resource', {});
