#!/usr/bin/env node
// Admitted, but cannot run services.
import { serve } from './speak.mjs';

await serve({ contract: { protocol: 1, capabilities: ['builder/v1', 'multi-service/v1'] } });
