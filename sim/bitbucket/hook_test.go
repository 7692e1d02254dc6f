package bitbucket_test

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/assay-dev/assay/sim/bitbucket/simapi"
	shared "github.com/assay-dev/assay/sim/host/simapi"
)

// receiver records deliveries and answers with the statuses in turn, then 200.
type receiver struct {
	mu       sync.Mutex
	statuses []int
	headers  []http.Header
	bodies   []string
	arrived  chan struct{} // one entry for each delivery
}

func receive(t *testing.T, statuses ...int) (*receiver, string) {
	t.Helper()
	r := &receiver{statuses: statuses, arrived: make(chan struct{}, 100)}
	web := httptest.NewServer(r)
	t.Cleanup(web.Close)
	return r, web.URL
}

func (r *receiver) ServeHTTP(w http.ResponseWriter, q *http.Request) {
	raw, _ := io.ReadAll(q.Body)
	r.mu.Lock()
	defer r.mu.Unlock()
	defer func() { r.arrived <- struct{}{} }()
	r.headers, r.bodies = append(r.headers, q.Header), append(r.bodies, string(raw))
	if len(r.statuses) > 0 {
		w.WriteHeader(r.statuses[0])
		r.statuses = r.statuses[1:]
	}
}

// got waits for n further deliveries, and returns all.
func (s *sim) got(r *receiver, n int) ([]http.Header, []string) {
	s.Helper()
	for range n {
		select {
		case <-r.arrived:
		case <-s.Context().Done():
			s.Fatal("a delivery did not arrive")
		}
	}
	check(s.T, s.ctl.WaitDeliveries(s.Context(), 10*time.Second))
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.headers, r.bodies
}

func TestDeliveriesAreSignedAndRepeated(t *testing.T) {
	t.Parallel()
	for _, newIDs := range []bool{false, true} {
		s := open(t)
		check(t, s.ctl.Configure(t.Context(), simapi.Settings{RetryMS: 1, Doubts: map[simapi.Doubt]bool{simapi.NewRequestIDs: newIDs}}))
		r, address := receive(t, 500, 503, 500)
		s.want(400, "POST", "/repositories/octo/demo/hooks", `{"url":"`+address+`","events":["pullrequest:invented"]}`)
		made := s.want(201, "POST", "/repositories/octo/demo/hooks", `{"url":"`+address+`","secret":"s","events":["pullrequest:comment_created"],"active":true}`)
		s.equal("the secret", made("secret"), "<nil>")
		s.equal("the mark of a secret", made("secret_set"), "true")
		_, err := s.ctl.Comment(t.Context(), "octo/demo", 1, shared.CommentSpec{Author: "ann", Body: "/assay review"})
		check(t, err)
		headers, bodies := s.got(r, 3)
		m := hmac.New(sha256.New, []byte("s"))
		m.Write([]byte(bodies[0]))
		s.equal("the signature", headers[2].Get("X-Hub-Signature"), "sha256="+hex.EncodeToString(m.Sum(nil)))
		s.equal("the event", headers[0].Get("X-Event-Key"), "pullrequest:comment_created")
		s.equal("the third attempt", headers[2].Get("X-Attempt-Number"), "3")
		if same := headers[0].Get("X-Request-UUID") == headers[1].Get("X-Request-UUID"); same == newIDs {
			t.Errorf("the ids of two attempts are the same: %v, with new ids %v", same, newIDs)
		}
		if !strings.Contains(bodies[0], `"raw":"/assay review"`) || bodies[0] != bodies[1] {
			t.Errorf("the bodies are %q", bodies)
		}
		if all := s.srv.Deliveries(false); len(all) != 3 {
			t.Errorf("%d attempts, want 3", len(all))
		}
		uid := url.PathEscape(made("uuid"))
		s.equal("the secret after a change without one", s.want(200, "PUT", "/repositories/octo/demo/hooks/"+uid, `{"active":false}`)("secret_set"), "true")
		s.want(200, "PUT", "/repositories/octo/demo/hooks/"+uid, `{"secret":null}`)
		s.want(204, "DELETE", "/repositories/octo/demo/hooks/"+uid, "")
		s.want(404, "GET", "/repositories/octo/demo/hooks/"+uid, "")
	}
}

func TestLargeEventsAreNotSent(t *testing.T) {
	t.Parallel()
	s := open(t)
	r, address := receive(t)
	_, err := s.ctl.AddHook(t.Context(), "octo/demo", simapi.HookSpec{URL: address})
	check(t, err)
	large := shared.CommentSpec{Author: "ann", Body: strings.Repeat("x", 300_000)}
	_, err = s.ctl.Comment(t.Context(), "octo/demo", 1, large)
	check(t, err)
	_, err = s.ctl.Commit(t.Context(), "octo/demo", shared.CommitSpec{Branch: "topic", Files: map[string]string{"c": "c"}, Author: "ann"})
	check(t, err)
	headers, _ := s.got(r, 2) // repo:push and pullrequest:updated
	for _, h := range headers {
		if h.Get("X-Event-Key") == "pullrequest:comment_created" || h.Get("X-Hub-Signature") != "" {
			t.Errorf("delivered: %v", h)
		}
	}
	check(t, s.ctl.Configure(t.Context(), simapi.Settings{Doubts: map[simapi.Doubt]bool{simapi.LargeEvents: true, simapi.EmptySignature: true}}))
	_, err = s.ctl.Comment(t.Context(), "octo/demo", 1, large)
	check(t, err)
	if headers, _ = s.got(r, 1); headers[2].Get("X-Hub-Signature") != "sha256=" {
		t.Errorf("delivered: %v", headers[2])
	}
}
