/** Constants of the launch and of the channel that both sides must agree on (chapter 05, A-7 to A-9). */

/** The protocol number that this skein speaks. */
export const PROTOCOL = 1;

/** Metadata key of the launch token; every call but health carries it. */
export const TOKEN_METADATA_KEY = 'skein-token';

/** Longest socket path in bytes: beyond 107 the kernel's address is cut in silence, and two agents collide. */
export const SOCKET_PATH_LIMIT_BYTES = 100;

/** Largest message on the channel; what is larger is streamed. Set on both sides, for their defaults differ. */
export const MESSAGE_LIMIT_BYTES: number = 16 * 1024 * 1024;

/** Variable that tells an agent that it was launched by a host. */
export const AGENT_VARIABLE = 'SKEIN_AGENT';

/** The one JSON line that the host writes to a fresh agent's stdin. */
export interface Bootstrap {
  /** 32 random bytes in hex. */
  readonly token: string;
  /** Absolute path of the socket to listen on. */
  readonly socket: string;
  /** Protocols that the host speaks. */
  readonly protocols: readonly number[];
  /** Absolute folder of the records of process groups (T-7). */
  readonly processGroups: string;
}

/** What an agent's handshake line says: `skein|<protocol>|<target>`. */
export interface Handshake {
  readonly protocol: number;
  /** `unix:<path>` or `dns:///127.0.0.1:<port>`. */
  readonly target: string;
}

/** The handshake of a line of an agent's stdout, or `undefined` where the line is none (it is log then). */
export function parseHandshake(line: string): Handshake | undefined {
  const match = /^skein\|(\d{1,9})\|(unix:\/\S+|dns:\/\/\/127\.0\.0\.1:\d{1,5})\s*$/.exec(line);
  if (match?.[1] === undefined || match[2] === undefined) return undefined;
  return { protocol: Number(match[1]), target: match[2] };
}

/** The line that an agent prints once it listens. */
export function formatHandshake(handshake: Handshake): string {
  return `skein|${handshake.protocol}|${handshake.target}`;
}

/** Options of every channel and server of the contract: limits as above, no compression, no keepalive on local sockets. */
export const CHANNEL_OPTIONS: Readonly<Record<string, number>> = {
  'grpc.max_receive_message_length': MESSAGE_LIMIT_BYTES,
  'grpc.max_send_message_length': MESSAGE_LIMIT_BYTES,
  'grpc.default_compression_algorithm': 0,
  'grpc.initial_reconnect_backoff_ms': 50,
  'grpc.enable_retries': 0,
  // A channel of its own for each client, closed with it.
  'grpc.use_local_subchannel_pool': 1,
};
