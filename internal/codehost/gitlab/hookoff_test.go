package gitlab

import (
	"net/http"
	"net/http/httptest"
	"sync/atomic"
	"testing"
	"time"

	"github.com/assay-dev/assay/internal/codehost"
	"github.com/assay-dev/assay/internal/codehost/codehosttest"
	"github.com/assay-dev/assay/internal/secret"
	"github.com/assay-dev/assay/sim/gitlab/simapi"
	shared "github.com/assay-dev/assay/sim/host/simapi"
)

// A webhook that the host disabled, temporarily or permanently, is reported and enabled again, even if a
// change alone does not enable it. Afterwards there is one webhook, which gets events.
func TestWebhookThatIsSwitchedOff(t *testing.T) {
	t.Parallel()
	for name, doubts := range map[string][]simapi.Doubt{"a change is enough": nil, "a change is not enough": {simapi.EditKeepsDisabled}} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := newSim(t, doubts...)
			ctx := t.Context()
			var status, got atomic.Int64
			status.Store(http.StatusBadGateway)
			receiver := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
				got.Add(1)
				w.WriteHeader(int(status.Load()))
			}))
			t.Cleanup(receiver.Close)
			h, key := s.host(&codehosttest.Gate{}), secret.New("hook"+"-key")
			repo := codehost.Repo{Access: "c1", Owner: "octo/team", Name: "demo"}
			first := must(h.EnsureHook(ctx, repo, receiver.URL, key))(t)
			if first.Restored {
				t.Error("a new webhook is reported as restored")
			}
			pull := s.open("topic", "half.go", simFile)
			settle := func() {
				t.Helper()
				if err := s.ctl.WaitDeliveries(ctx, 30*time.Second); err != nil {
					t.Fatal(err)
				}
			}
			comment := func() {
				t.Helper()
				must(s.ctl.Comment(ctx, named, pull.Number, shared.CommentSpec{Author: "ann", Body: "hm"}))(t)
				settle()
			}
			for range 4 {
				comment()
			}
			sent := got.Load()
			comment()
			if got.Load() != sent {
				t.Error("a disabled webhook got a delivery")
			}
			state := must(h.Hook(ctx, repo, receiver.URL))(t)
			if state.Active || !state.OffUntil.After(time.Now()) || state.Restored {
				t.Errorf("after four failures: %+v", state)
			}
			on := func() codehost.HookState {
				t.Helper()
				state := must(h.EnsureHook(ctx, repo, receiver.URL, key))(t)
				hooks := must(s.ctl.Hooks(ctx))(t)
				if !state.Active || !state.Restored || len(hooks) != 1 || hooks[0].Status != "executable" {
					t.Errorf("enabled it is %+v, among %+v", state, hooks)
				}
				if again := must(h.EnsureHook(ctx, repo, receiver.URL, key))(t); again.ID != state.ID || again.Restored {
					t.Errorf("ensured again: %+v", again)
				}
				return state
			}
			if state := on(); (state.ID == first.ID) != (len(doubts) == 0) {
				t.Errorf("it is webhook %s, and was %s", state.ID, first.ID)
			}
			comment()
			all := must(s.ctl.Deliveries(ctx, false))(t)
			for range 40 {
				if err := s.ctl.Resend(ctx, all[len(all)-1].ID); err != nil {
					t.Fatal(err)
				}
				settle()
			}
			if state := must(h.Hook(ctx, repo, receiver.URL))(t); state.Active || !state.OffUntil.IsZero() {
				t.Errorf("after forty failures: %+v", state)
			}
			on()
			status.Store(http.StatusOK)
			sent = got.Load()
			comment()
			if got.Load() != sent+1 {
				t.Error("the webhook got no delivery")
			}
		})
	}
}
