/** The arguments of the server. They stand above every file, so that what the workspace says holds. Pure. */

export interface ServerRequest {
  /** Absolute folder of the data. */
  readonly cluster: string;
  readonly port: number;
  /** `module/service`, for the titles of its processes. */
  readonly instance: string;
  readonly disposable: boolean;
  /** The user's own; those of the agent are not among them. */
  readonly settings: Readonly<Record<string, string | number | boolean>>;
}

export function serverArguments(request: ServerRequest): readonly string[] {
  const settings = {
    // The log has times of its own, and the agent reads it in English.
    log_line_prefix: '[%p] ',
    lc_messages: 'C',
    log_checkpoints: 'off',
    // In the data folder, not in /dev/shm: containers give little of that, and a killed server leaves its part there.
    dynamic_shared_memory_type: 'mmap',
    cluster_name: request.instance.slice(0, 63),
    // A killed server recovers all the same: what is committed has been handed to the system.
    ...(request.disposable && { fsync: 'off', full_page_writes: 'off' }),
    ...request.settings,
    listen_addresses: '127.0.0.1',
    port: request.port,
    unix_socket_directories: '',
    log_destination: 'stderr',
    logging_collector: 'off',
  };
  const written = Object.entries(settings).flatMap(([name, value]) => [
    '-c',
    `${name}=${settingText(value)}`,
  ]);
  return ['-D', request.cluster, ...written];
}

function settingText(value: string | number | boolean): string {
  return typeof value === 'boolean' ? (value ? 'on' : 'off') : String(value);
}
