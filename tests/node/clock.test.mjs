// Tests the virtual clock and the guards that the tests wait with.
import assert from "node:assert/strict";
import { test } from "node:test";
import { VirtualClock } from "../../pkg/lib/contract/clock.js";
import { awaited, guarded, settled, until } from "../support/until.mjs";

test("timers fire at their time, in order", () => {
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

test("the clock does not advance while tracked work runs", async () => {
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

test("the clock advances at once if all work waits, and an unreached state is an error", async () => {
  const clock = new VirtualClock(0);
  let isDue = false;
  clock.setTimeout(() => (isDue = true), 500_000);
  await clock.run(() => clock.until("the timer has fired", () => isDue));
  assert.equal(clock.now(), 500_000);
  await assert.rejects(
    clock.run(() => clock.until("the value is true", () => false)),
    /10 minutes of the virtual clock.*until the value is true/,
  );
  await assert.rejects(
    clock.run(() => Promise.reject(new Error("own"))),
    /own/,
  );
});

test("a guard reports the awaited state and the last value", async () => {
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
      "`look` was called three times",
      () => (looked += 1),
      (seen) => seen === 3,
    ),
    3,
  );
});
