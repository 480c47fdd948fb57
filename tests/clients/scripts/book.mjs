// The book in a real browser: every page at the width of a phone, a few on a desk, the search, and light and dark.
// Runs with the folder of the packages as its working directory.

import { chromium } from "playwright-core";

const plan = JSON.parse(process.env.AON_PLAN);
const browser = await chromium.launch({ executablePath: plan.browser, args: ["--no-sandbox", "--disable-gpu"] });
const page = await browser.newPage({ viewport: { width: 1440, height: 900 }, colorScheme: "light" });
const complaints = [];
page.on("pageerror", (error) => complaints.push(String(error)));
page.on("console", (message) => {
  // Browsers ask for an icon by themselves.
  if (message.type() === "error" && !message.location().url.endsWith("favicon.ico")) complaints.push(message.text());
});
const outside = [];
page.on("request", (request) => {
  const url = request.url();
  if (!url.startsWith(plan.base) && !url.startsWith("data:")) outside.push(url);
});
const shot = (name) => (plan.shots ? page.screenshot({ path: `${plan.shots}/book-${name}.png` }) : undefined);
const shade = () =>
  page.evaluate(() => {
    const [red, green, blue] = getComputedStyle(document.body).backgroundColor.match(/\d+/g).map(Number);
    return Math.round((red + green + blue) / 3);
  });

// On a desk.
await page.goto(`${plan.base}/getting-started.html`);
const light = await shade();
await shot("wide");
await page.emulateMedia({ colorScheme: "dark" });
const dark = await shade();
await shot("dark");
await page.locator("#theme").click();
const chosen = await shade();
await page.evaluate(() => localStorage.clear());
await page.emulateMedia({ colorScheme: "light" });

const found = {};
await page.goto(plan.base);
for (const words of ["undeclared choice", "exit codes", "anyhow"]) {
  await page.locator("#search").fill(words);
  await page.waitForFunction(() => document.querySelector("#results a"));
  found[words] = await page.locator("#results a").evaluateAll((links) => links.map((link) => link.getAttribute("href")));
}
await shot("search");
await page.locator("#search").fill("zzzzqqq");
await page.waitForFunction(() => document.querySelector("#results p"));
const nothing = await page.locator("#results").innerText();
await page.keyboard.press("Escape");
await page.locator("h1").click();
await page.keyboard.press("/");
await page.keyboard.type("glass box");
await page.waitForFunction(() => document.querySelector("#results a"));
await page.keyboard.press("Enter");
await page.waitForURL(/glass-box/);
const keyboard = true;

// On a phone.
await page.setViewportSize({ width: 360, height: 740 });
await page.goto(`${plan.base}/getting-started.html`);
const shown = () => page.locator("nav").isVisible();
const menu = [await shown()];
await shot("phone");
await page.locator("#menu").click();
menu.push(await shown());
await shot("phone-menu");
const overflow = [];
const small = [];
let seen = 0;
for (const path of plan.pages) {
  await page.goto(`${plan.base}/${path}`);
  const measured = await page.evaluate(() => ({
    over: document.documentElement.scrollWidth - window.innerWidth,
    least: Math.min(...[...document.querySelectorAll("article p, article li, article td, article code")].map((node) => parseFloat(getComputedStyle(node).fontSize)), 99),
  }));
  if (measured.over > 0) overflow.push(`${path}: ${measured.over}`);
  if (measured.least < 12) small.push(`${path}: ${measured.least}`);
  seen += 1;
}
await browser.close();
console.log(JSON.stringify({ complaints, outside, light, dark, chosen, found, nothing, keyboard, menu, overflow, small, seen }));
