/** `skein/process`: runs whatever command a service names. */
export { processAgent } from './agent.ts';
