#!/usr/bin/env node
// Says at Load that its endpoints speak TLS, once the workspace has a file named `secured`.
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { done, serve } from '../../agents/hostile/speak.mjs';

await serve({
  methods: {
    load: ({ endpoints, workspaceDirectory }) => ({
      status: done,
      endpoints: endpoints.map((endpoint) => ({
        ...endpoint,
        secured: existsSync(join(workspaceDirectory, 'secured')),
      })),
    }),
    init: ({ proposedNetworkMappings }) => ({ status: done, networkMappings: proposedNetworkMappings }),
  },
});
