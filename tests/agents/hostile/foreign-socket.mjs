#!/usr/bin/env node
// Points the host to a socket that the host did not choose.
import { serve } from './speak.mjs';

await serve({ handshake: () => 'skein|1|unix:/tmp/somebody-else.sock' });
