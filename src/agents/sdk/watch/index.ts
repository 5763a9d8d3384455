/** The watcher of a service's sources (F-15). */
export { Sources, type WatchOptions } from './sources.ts';
