// shot.mjs URL FILE [WIDTH HEIGHT [light|dark]] -- one screenshot, and what the
// console said.
import { chromium } from 'playwright-core';
const [url, file, width = '1440', height = '900', theme = 'light'] = process.argv.slice(2);
const browser = await chromium.launch({ executablePath: '/usr/bin/chromium', args: ['--no-sandbox'] });
const page = await browser.newPage({ viewport: { width: Number(width), height: Number(height) }, colorScheme: theme });
page.on('console', m => m.type() === 'error' && console.log('console:', m.text()));
page.on('pageerror', e => console.log('error:', e.message, e.stack?.split('\n')[1]));
await page.goto(url);
await page.locator('main').first().waitFor();
await page.locator('.skeleton').first().waitFor({ state: 'detached', timeout: 20000 }).catch(() => console.log('still a skeleton'));
await page.waitForTimeout(Number(process.env.WAIT ?? 700));
await page.screenshot({ path: file, fullPage: width < 800 });
await browser.close();
