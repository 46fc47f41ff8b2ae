// Short leases, so that the watchdog finds the work of a killed host during the test.
// No turn reaches the limits of time or attempts, so every turn must succeed.
export const settings = {
  suspend_timeout_seconds: 600,
  max_attempts: 1000,
  processing_timeout_seconds: 4,
  dispatched_retry_seconds: 1,
  dispatched_timeout_seconds: 600,
  active_timeout_seconds: 600,
  lease_seconds: 2,
  pending_wakeup_seconds: 1,
  resume_lease_seconds: 2,
  reconcile_after_seconds: 1,
  revert_after_seconds: 3,
};
