package mcpserver

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/assay-dev/assay/internal/dryrun"
	"github.com/assay-dev/assay/internal/errs"
)

// A preview lists a bounded number of findings, and counts the rest.
func TestAPreviewIsBounded(t *testing.T) {
	t.Parallel()
	s := New(Config{})
	moved := func(n int) []dryrun.WhatIfMoved { return make([]dryrun.WhatIfMoved, n) }
	out, more := s.imagined([]dryrun.WhatIfReview{{Number: 1, Added: moved(maxImagined - 30), Dropped: moved(10)}, {Number: 2}, {Number: 3, Added: moved(15), Rerouted: moved(40)}, {Number: 4, Dropped: moved(7)}})
	listed := 0
	for _, r := range out {
		listed += len(r.Changes)
	}
	if listed != maxImagined || more != 42 || len(out) != 2 || out[1].PullRequest != 3 {
		t.Errorf("%d listed of %d reviews, %d more", listed, len(out), more)
	}
	if out, more = s.imagined(nil); out == nil || len(out) != 0 || more != 0 {
		t.Errorf("preview without reviews: %v, %d more", out, more)
	}
}

// A call takes places in all of its shares or in none.
func TestSharesAreTakenTogether(t *testing.T) {
	t.Parallel()
	var f runningCounter
	one, all := runningLimit{"one", 2, "One", "things", time.Second}, runningLimit{"all", 3, "All", "things", time.Minute}
	leave, err := f.enter(2, one, all)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := f.enter(1, one, all); !errs.Is(err, errs.RateLimited) || !strings.Contains(err.Error(), "One has 2 things under way.") {
		t.Errorf("three of two: %v", err)
	}
	other := runningLimit{"other", 2, "Other", "things", time.Second}
	if _, err := f.enter(2, other, all); !strings.Contains(err.Error(), "All has 2 things") {
		t.Errorf("four of three: %v", err)
	}
	if _, err := f.enter(0, one, all); err != nil {
		t.Errorf("a call that takes no place: %v", err)
	}
	again, err := f.enter(1, other, all)
	if err != nil {
		t.Fatal(err)
	}
	leave()
	again()
	if len(f.busy) != 0 {
		t.Errorf("afterwards: %v", f.busy)
	}
}

// An answer with its own status becomes an event if the stream has begun with comments.
func TestAnAnswerAfterComments(t *testing.T) {
	t.Parallel()
	for what, tc := range map[string]struct {
		comments, status int
		kind, body       string
		want             string
	}{
		"at once":            {0, 200, "text/event-stream", "data: {}\n\n", "200 text/event-stream data: {}\n\n"},
		"after comments":     {2, 200, "text/event-stream", "data: {}\n\n", "200 text/event-stream : still at it\n\n: still at it\n\ndata: {}\n\n"},
		"an error at once":   {0, 400, "application/json", "{\n}", "400 application/json {\n}"},
		"an error after one": {1, 400, "application/json", "{\n}\n", "200 text/event-stream : still at it\n\nevent: message\ndata: {\ndata: }\n\n"},
		"nothing":            {0, 0, "", "", "200  "},
		"nothing but one":    {1, 0, "", "", "200 text/event-stream : still at it\n\n"},
	} {
		w := httptest.NewRecorder()
		a := newKeepAliveWriter(w, time.Hour)
		for range tc.comments {
			a.comment()
		}
		if tc.kind != "" {
			a.Header().Set("Content-Type", tc.kind)
		}
		if tc.status != 0 {
			a.WriteHeader(tc.status)
			if n, err := a.Write([]byte(tc.body)); n != len(tc.body) || err != nil {
				t.Errorf("%s: %d bytes written, %v", what, n, err)
			}
		}
		if err := http.NewResponseController(a).Flush(); err != nil {
			t.Errorf("%s: %v", what, err)
		}
		a.end()
		if got := w.Result(); w.Body.String() != strings.SplitN(tc.want, " ", 3)[2] || got.Header.Get("Content-Type") != strings.SplitN(tc.want, " ", 3)[1] || got.Status[:3] != tc.want[:3] {
			t.Errorf("%s: %s %q %q", what, got.Status, got.Header, w.Body)
		}
	}
}

// Comments are sent only during silence, and only in a stream.
func TestCommentsStandInSilence(t *testing.T) {
	t.Parallel()
	w := httptest.NewRecorder()
	a := newKeepAliveWriter(w, time.Hour)
	defer a.end()
	a.Header().Set("Content-Type", "text/event-stream")
	_, _ = a.Write([]byte("data: 1\n\n"))
	a.comment()
	a.comment()
	_, _ = a.Write([]byte("data: 2\n\n"))
	a.comment()
	if got, want := w.Body.String(), "data: 1\n\n: still at it\n\ndata: 2\n\n"; got != want {
		t.Errorf("%q, want %q", got, want)
	}
	plain := httptest.NewRecorder()
	b := newKeepAliveWriter(plain, time.Hour)
	defer b.end()
	http.Error(b, "no", http.StatusBadRequest)
	b.comment()
	b.comment()
	if got := plain.Body.String(); got != "no\n" || plain.Code != http.StatusBadRequest {
		t.Errorf("%d %q", plain.Code, got)
	}
}

// The separators of a batch are the server's own, whatever its calls return.
func TestMarksOfABatch(t *testing.T) {
	t.Parallel()
	all, body, err := messages([]byte(`[{"jsonrpc":"2.0","id":1,"method":"a","params":{"x":1e3,"_meta":{"progressToken":12345678901234567890,"assay.dev/place":9}}},{"jsonrpc":"2.0","method":"b"},{"jsonrpc":"2.0","id":2,"method":"c"}]`))
	if err != nil || len(all) != 3 {
		t.Fatal(all, err)
	}
	want := `[{"id":1,"jsonrpc":"2.0","method":"a","params":{"_meta":{"assay.dev/place":0,"progressToken":12345678901234567890},"x":1e3}},{"jsonrpc":"2.0","method":"b"},{"id":2,"jsonrpc":"2.0","method":"c","params":{"_meta":{"assay.dev/place":2}}}]`
	if string(body) != want {
		t.Errorf("%s", body)
	}
}

// A text beyond the bound says outside the data how much is left out; one within it does not.
func TestACutTextSaysSo(t *testing.T) {
	t.Parallel()
	const says = "This text is cut: its last 7 bytes are left out."
	if got := fenced(strings.Repeat("x", maxBody+7)); !strings.HasSuffix(got, "---\n"+says) {
		t.Errorf("it ends with %q", got[len(got)-100:])
	}
	if got := fenced(strings.Repeat("x", maxBody)); strings.Contains(got, "is cut") {
		t.Errorf("a whole text ends with %q", got[len(got)-100:])
	}
}
