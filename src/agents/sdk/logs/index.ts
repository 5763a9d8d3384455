/** A service's output on its way to the log file and to the host. */
export type { InstanceOutput } from './output.ts';
export { LineTail, type LogRecord } from './record.ts';
export { LogStreams } from './streams.ts';
