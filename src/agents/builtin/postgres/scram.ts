/**
 * SCRAM-SHA-256 verifiers as PostgreSQL keeps them (RFC 5802, RFC 7677): with one of these the server can be told a
 * password that it never sees, so that it stands in no statement, file or log.
 */
import { createHash, createHmac, pbkdf2Sync, randomBytes } from 'node:crypto';

const iterations = 4096;

/** `SCRAM-SHA-256$4096:<salt>$<stored key>:<server key>`; the salt is drawn where none is given. */
export function scramVerifier(password: string, salt: Buffer = randomBytes(16)): string {
  const salted = pbkdf2Sync(password.normalize('NFKC'), salt, iterations, 32, 'sha256');
  const key = (text: string): Buffer => createHmac('sha256', salted).update(text).digest();
  const storedKey = createHash('sha256').update(key('Client Key')).digest('base64');
  return `SCRAM-SHA-256$${iterations}:${salt.toString('base64')}$${storedKey}:${key('Server Key').toString('base64')}`;
}

/** Whether a verifier is one of this password. */
export function verifies(verifier: string, password: string): boolean {
  const [, salt] = /^SCRAM-SHA-256\$\d+:([^$]+)\$/.exec(verifier) ?? [];
  return salt !== undefined && scramVerifier(password, Buffer.from(salt, 'base64')) === verifier;
}
