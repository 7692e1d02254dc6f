package httpapi

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"net/http"

	"github.com/assay-dev/assay/internal/domain"
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
	run, err := s.runOf(r.Context(), callerFrom(r.Context()), r.PathValue("runId"))
	if err != nil {
		s.refuse(w, r, err)
		return
	}
	target := watchTarget{run.Tenant, run.ID}
	s.streamNews(w, r, subscription{target: target, event: eventProgress, route: runEventsRoute, interval: s.Streams.Run,
		load: func(ctx context.Context) (news, error) { return s.readRunNews(ctx, target) }})
}

// readRunNews reads the current state of a run.
func (s *server) readRunNews(ctx context.Context, target watchTarget) (news, error) {
	run, err := s.Store.Run(ctx, domain.Tenant{ID: target.tenant}, target.run)
	if err != nil {
		return news{}, err
	}
	_, total, err := s.usage(ctx, run)
	if err != nil {
		return news{}, err
	}
	return runNewsOf(run, total)
}

func runNewsOf(run store.Run, total UsageTotal) (news, error) {
	data, err := json.Marshal(RunEvent{RunID: run.ID, State: string(run.State), Reason: run.Reason, Progress: progressOf(run), Usage: total})
	sum := sha256.Sum256(data)
	return news{id: hex.EncodeToString(sum[:8]), data: data, final: run.State.Terminal()}, err
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
