import { StatusError } from '../../machinery/status.ts';

/** The path names no resource of this server. */
export const noSuchResource = (): StatusError => new StatusError(404, 'NotFound', 'the server could not find the requested resource', {});

/** The resource is there, but not with this method. */
export const methodNotAllowed = (): StatusError => new StatusError(405, 'MethodNotAllowed', 'the server does not allow this method on the requested resource', {});
