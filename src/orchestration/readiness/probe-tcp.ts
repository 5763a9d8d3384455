/** `tcp-connect`: the endpoint accepts a connection. */
import { connect } from 'node:net';
import { attempt, connectionError, failed, type ProbeOptions, type ProbeResult } from './attempt.ts';

/** Connects, and closes again at once without a byte sent. A refused connection costs one system call and no waiting. */
export function tcpConnect(host: string, port: number, options: ProbeOptions): Promise<ProbeResult> {
  return attempt(options, (settle) => {
    const socket = connect({ host, port });
    socket.once('connect', () => settle({ ok: true }));
    // Stays for the socket's life: a late error without a listener would end the process.
    socket.on('error', (error) => settle(failed(connectionError(error))));
    return () => socket.destroy();
  });
}
