/** As the reference writes a path: what was decoded is encoded anew, so that there is one spelling only. */
export const escapedPath = (path: string): string => path.replace(/[^A-Za-z0-9\-_.~$&+,/:;=@]+/g, encodeURIComponent);
