package httpapi

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"net/http"

	"github.com/assay-dev/assay/internal/domain"
	"github.com/assay-dev/assay/internal/errs"
	"github.com/assay-dev/assay/internal/store"
)

// RunEvent is the state of a run, the data of every event of its stream.
type RunEvent struct {
	RunID    string       `json:"runId"`
	State    string       `json:"state" enum:"queued,running,awaiting_approval,publishing,completed,failed,cancelled,superseded,skipped"`
	Reason   string       `json:"reason" doc:"Why the run ended as it did; empty before, and where there is nothing to say"`
	Progress *RunProgress `json:"progress,omitempty" doc:"While the run works"`
	Usage    UsageTotal   `json:"usage" doc:"What the run's calls of models have used so far"`
}

// runEventsRoute is the route whose permission a reader must keep while the stream is open.
const runEventsRoute = "GET " + repo + "/review-runs/{runId}/events"

// runEvents streams the current state of a run, each change, and its end.
func (s *server) runEvents(w http.ResponseWriter, r *http.Request) {
	ctx, c := r.Context(), callerFrom(r.Context())
	run, err := s.runOf(ctx, c, r.PathValue("runId"))
	if err == nil && r.URL.RawQuery != "" { // a filter must never be dropped silently
		err = &errs.Error{Kind: errs.Invalid, Message: "Something in the request is not as the description says.",
			Fields: []errs.Field{{Pointer: "query", Message: "the route has no parameters"}}}
	}
	if err != nil {
		s.refuse(w, r, err)
		return
	}
	leave, err := enterCounters(s.streamsOf, s.streamsAll, c.user.ID)
	if err != nil {
		s.refuse(w, r, err)
		return
	}
	defer leave()
	what := watchedRun{run.Tenant, run.ID}
	of := s.watches.join(what, func(ctx context.Context) (runNews, error) { return s.readRunNews(ctx, what) })
	defer s.watches.part(what)
	first, err := of.look(ctx)
	if err != nil {
		s.refuse(w, r, err)
		return
	}
	out := s.beginStream(w)
	if r.Method == http.MethodHead {
		return
	}
	ctx, cancel := context.WithTimeout(ctx, s.Streams.Longest)
	defer cancel()
	err = s.follow(ctx, out, of, first, r.Header.Get(lastEventID),
		func(ctx context.Context) error { return s.checkReader(ctx, c, s.index[runEventsRoute]) })
	if err != nil && ctx.Err() == nil {
		s.Logger.DebugContext(ctx, "a stream of events ended early", "run", run.ID, "error", err)
	}
}

// readRunNews reads the current state of a run.
func (s *server) readRunNews(ctx context.Context, what watchedRun) (runNews, error) {
	run, err := s.Store.Run(ctx, domain.Tenant{ID: what.tenant}, what.run)
	if err != nil {
		return runNews{}, err
	}
	_, total, err := s.usage(ctx, run)
	if err != nil {
		return runNews{}, err
	}
	return runNewsOf(run, total)
}

func runNewsOf(run store.Run, total UsageTotal) (runNews, error) {
	data, err := json.Marshal(RunEvent{RunID: run.ID, State: string(run.State), Reason: run.Reason, Progress: progressOf(run), Usage: total})
	sum := sha256.Sum256(data)
	return runNews{id: hex.EncodeToString(sum[:8]), data: data, over: run.State.Terminal()}, err
}

// progressOf returns the progress of a working run, else nil. The engine writes the names with capitals;
// encoding/json matches both.
func progressOf(run store.Run) *RunProgress {
	var p RunProgress
	if err := json.Unmarshal([]byte(run.Progress), &p); err != nil || p.Stage == "" || run.State != domain.RunRunning {
		return nil
	}
	return &p
}
