/** Whether what should listen on loopback can be reached from elsewhere (N-10): the machine's own addresses are dialled. */
import { connect } from 'node:net';
import { networkInterfaces } from 'node:os';
import { SkeinError } from '../errors/index.ts';
import type { AgentReference, ServiceId } from '../workspace/index.ts';
import { isLoopback } from './host.ts';

/** On one machine an answer takes less than a millisecond; a packet filter may swallow the question. */
const patienceMs = 500;

/** The addresses of this machine that others can reach it at, IPv6 link-local ones with their zone. */
export function machineAddresses(): readonly string[] {
  return Object.entries(networkInterfaces()).flatMap(([name, addresses = []]) =>
    addresses
      .filter(({ internal, address }) => !internal && !isLoopback(address))
      .map(({ address }) => (/^fe80:/i.test(address) ? `${address}%${name}` : address)),
  );
}

/** Those of the addresses that accept a connection at the port: one attempt each, all at once. Never rejects. */
export async function answeringAddresses(
  port: number,
  addresses: readonly string[],
  signal: AbortSignal,
): Promise<readonly string[]> {
  const accepted = await Promise.all(addresses.map((host) => accepts(host, port, signal)));
  return addresses.filter((_, index) => accepted[index]);
}

function accepts(host: string, port: number, signal: AbortSignal): Promise<boolean> {
  return new Promise((resolve) => {
    if (signal.aborted) {
      resolve(false);
      return;
    }
    const socket = connect({ host, port });
    const settle = (accepted: boolean): void => {
      clearTimeout(timer);
      signal.removeEventListener('abort', abandon);
      socket.destroy();
      resolve(accepted);
    };
    const abandon = (): void => settle(false);
    const timer = setTimeout(abandon, patienceMs);
    signal.addEventListener('abort', abandon, { once: true });
    // The kernel may pick the dialled port for the dialler too, and connect it to itself.
    socket.once('connect', () => settle(socket.localPort !== port));
    // Stays for the socket's life: a late error without a listener would end the process.
    socket.on('error', abandon);
  });
}

/** What is said of a service that answers where it should not: SK1240. */
export function reachableOffLoopback(
  service: ServiceId,
  agent: AgentReference,
  address: string,
  port: number,
): SkeinError {
  const at = address.includes(':') ? `[${address}]:${port}` : `${address}:${port}`;
  const name = agent.kind === 'path' ? agent.written : `${agent.publisher}/${agent.name}`;
  return new SkeinError(
    'SK1240',
    `${service} (agent ${name}) is reachable at ${at}; it should listen on 127.0.0.1`,
    { place: { service } },
  );
}
