/** Texts of jobs that continue after the answer that names them. */
export const job = {
  state: { queued: "waiting", running: "running", completed: "done", failed: "failed" },
  progress: (stage: string, done: number, total: number) => (total > 0 ? `${stage}: ${done} of ${total}` : stage),
  next: "Tried again",
  unread: "Its result cannot be read at the moment.",
};
