package trackertest

import (
	"io"
	"net/http"
	"net/http/httptest"
	"testing"
	"time"

	"github.com/assay-dev/assay/internal/secret"
	"github.com/assay-dev/assay/internal/tracker"
	"github.com/assay-dev/assay/sim/tracker/simapi"
)

// Delivery is a received webhook delivery.
type Delivery struct {
	Header http.Header
	Body   []byte
}

// Receive starts a server for webhooks. The channel receives the deliveries and holds 50.
func Receive(t testing.TB) (address string, deliveries <-chan Delivery) {
	t.Helper()
	out := make(chan Delivery, 50)
	server := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(r.Body)
		if err != nil {
			return // the sender broke off, and records it
		}
		out <- Delivery{r.Header, body}
	}))
	t.Cleanup(server.Close)
	return server.URL, out
}

// RunHooks checks that every delivery of a simulated tracker is read and verified by the newest and the
// earlier secret, and by no other one.
func RunHooks(t *testing.T, dialect simapi.Dialect, hooks tracker.Hooks, spec simapi.HookSpec, key secret.Secret) {
	w := NewWorld(t, dialect)
	address, arrived := Receive(t)
	spec.URL = address
	NoError(t, w.NewHook(t.Context(), spec))
	made := w.Make(t, simapi.IssueSpec{})
	title := "Another title"
	Must(w.EditIssue(t.Context(), made.Key, simapi.IssueChange{Title: &title}))(t)
	Must(w.Comment(t.Context(), made.Key, simapi.CommentSpec{Account: w.Ann.ID, Text: "Well"}))(t)
	NoError(t, w.DeleteIssue(t.Context(), made.Key))
	for n, want := range []struct{ issue, deleted bool }{{true, false}, {true, false}, {false, false}, {true, true}} {
		d := <-arrived
		h, err := hooks.Read(d.Header)
		NoError(t, err)
		if !h.Proof {
			t.Errorf("delivery %d: no proof in %v", n, d.Header)
		}
		NoError(t, hooks.Verify(d.Header, d.Body, []secret.Secret{secret.New("an earlier one"), key}))
		for _, others := range [][]secret.Secret{nil, {{}}, {secret.New("another"), secret.New("")}} {
			if hooks.Verify(d.Header, d.Body, others) == nil {
				t.Errorf("delivery %d is proven by %d other secrets", n, len(others))
			}
		}
		e := Must(hooks.Parse(d.Header, d.Body))(t)
		if e.Key != made.Key || e.Project != w.Project || e.Issue != want.issue || e.Deleted != want.deleted || e.Name == "" {
			t.Errorf("delivery %d: %+v", n, e)
		}
		if !e.SentAt.IsZero() && time.Since(e.SentAt) > time.Hour {
			t.Errorf("delivery %d was sent at %v", n, e.SentAt)
		}
	}
}

// FuzzHooks passes arbitrary input to a reader of webhooks. It may fail only by an error, and its results
// must be bounded.
func FuzzHooks(f *testing.F, hooks tracker.Hooks, header string, bodies ...string) {
	for _, b := range bodies {
		f.Add("x", []byte(b))
	}
	f.Fuzz(func(t *testing.T, value string, body []byte) {
		h := http.Header{http.CanonicalHeaderKey(header): {value}}
		if read, err := hooks.Read(h); err == nil && (len(read.Event) > 100 || len(read.Delivery) > 200) {
			t.Errorf("read %+v", read)
		}
		if hooks.Verify(h, body, []secret.Secret{secret.New("a key that nobody guesses"), {}}) == nil {
			t.Errorf("%q proves a body", value)
		}
		e, err := hooks.Parse(h, body)
		if err == nil && (len(e.Key) > tracker.MaxKey || len(e.Name) > 500 || len(e.Project) > 500) {
			t.Errorf("parsed %+v", e)
		}
	})
}
