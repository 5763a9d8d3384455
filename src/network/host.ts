/** What can be told of a host name or address by its text alone. */
import { isIP } from 'node:net';

/** Whether it is an IP address without brackets, or a name of the letters that host names have. */
export function isWellFormedHost(host: string): boolean {
  if (isIP(host) !== 0) return true;
  return (
    /^(?!.*\.\.)[A-Za-z0-9_](?:[A-Za-z0-9_.-]{0,252}[A-Za-z0-9_.])?$/.test(host) &&
    URL.canParse(`http://${host}/`)
  );
}

/**
 * Whether a connection to the host ends on the machine that makes it, in whatever spelling: `localhost` and names under
 * it, 127.0.0.0/8 (also as `127.1` or `0x7f000001`), `::1`, these as IPv4-mapped IPv6, and the unspecified addresses,
 * which the kernel takes for loopback.
 */
export function isLoopback(host: string): boolean {
  const zoneless = host.replace(/%.*$/, '');
  const text = `http://${isIP(zoneless) === 6 ? `[${zoneless}]` : zoneless}/`;
  if (!URL.canParse(text)) return false;
  const canonical = new URL(text).hostname.replace(/\.$/, '');
  return (
    canonical === 'localhost' ||
    canonical.endsWith('.localhost') ||
    /^(?:127\.\d+\.\d+\.\d+|0\.0\.0\.0)$/.test(canonical) ||
    /^\[::(?:1|ffff:7f[0-9a-f]{2}:[0-9a-f]{1,4}|ffff:0:0)?\]$/.test(canonical)
  );
}
