// What tests wait with: a clock that stops until everything waits for it, and a guard that prints what was awaited.
import assert from "node:assert/strict";
import { test } from "node:test";
import { VirtualClock } from "../../pkg/lib/contract/clock.js";
import { awaited, guarded, settled, until } from "../support/until.mjs";

test("timers fire in the order of their time, and not before it", () => {
  const [clock, fired] = [new VirtualClock(1000), []];
  for (const [name, ms] of [
    ["c", 30],
    ["a", 10],
    ["b", 10],
    ["never", 20],
    ["late", 31],
  ]) {
    const timer = clock.setTimeout(() => fired.push([name, clock.now()]), ms);
    if (name === "never") clock.clearTimeout(timer);
  }
  clock.advance(9);
  assert.deepEqual(fired, []);
  clock.advance(21);
  assert.deepEqual(fired, [
    ["a", 1010],
    ["b", 1010],
    ["c", 1030],
  ]);
  assert.equal(clock.now(), 1030);
});

test("no time passes while something is under way, however long that takes", async () => {
  const clock = new VirtualClock(0);
  let release;
  const slow = new Promise((resolve) => (release = resolve));
  const order = [];
  await clock.run(async () => {
    const timeout = clock.sleep(5).then(() => order.push("timeout"));
    const work = clock.track(() => slow).then(() => order.push("work"));
    await settled(50);
    release();
    await Promise.all([timeout, work]);
  });
  assert.deepEqual(order, ["work", "timeout"]);
  assert.equal(clock.now(), 5);
});

test("minutes pass at once where everything waits, and what never comes is an error that names it", async () => {
  const clock = new VirtualClock(0);
  let isDue = false;
  clock.setTimeout(() => (isDue = true), 500_000);
  await clock.run(() => clock.until("the timer has fired", () => isDue));
  assert.equal(clock.now(), 500_000);
  await assert.rejects(
    clock.run(() => clock.until("the moon is full", () => false)),
    /10 minutes of the virtual clock.*until the moon is full/,
  );
  await assert.rejects(
    clock.run(() => Promise.reject(new Error("own"))),
    /own/,
  );
});

test("a guard prints what was awaited and what was last seen", async () => {
  const guard = { guard_ms: 1 };
  await assert.rejects(
    until(
      "the list is long",
      () => ["one"],
      ({ length }) => length > 1,
      guard,
    ),
    /until the list is long; last seen: \[ 'one' \]/,
  );
  await assert.rejects(
    awaited("the server answers", new Promise(() => {}), () => "no answer yet", guard),
    /until the server answers; last seen: 'no answer yet'/,
  );
  const signal = guarded("the turn has ended", guard);
  await until("the guard fires", () => signal.aborted);
  assert.match(signal.reason.message, /until the turn has ended/);
  let looked = 0;
  assert.equal(
    await until(
      "the third look",
      () => (looked += 1),
      (seen) => seen === 3,
    ),
    3,
  );
});
