/** The one verdict on reach; everybody asks it. */
import type { Endpoint } from './model.ts';

/**
 * Whether a service of `consumerModule` may use an endpoint of `producerModule`: a private one in its own module only, an
 * internal or public one from every module of the workspace (W-7, W-8).
 */
export function mayReach(
  consumerModule: string,
  producerModule: string,
  endpoint: Pick<Endpoint, 'visibility'>,
): boolean {
  return endpoint.visibility !== 'private' || consumerModule === producerModule;
}
