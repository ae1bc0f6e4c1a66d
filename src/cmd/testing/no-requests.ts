/** The handler of a server that tests only start and stop. */
export const noRequests = (): Promise<never> => Promise.reject(new Error('this server answers no requests'));
