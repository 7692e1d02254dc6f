package trackertest

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/assay-dev/assay/internal/tracker"
	shared "github.com/assay-dev/assay/sim/host/simapi"
	"github.com/assay-dev/assay/sim/host/simclient"
	"github.com/assay-dev/assay/sim/tracker/simapi"
)

// all is a filter that accepts every request.
var all = simclient.RequestFilter{}

// RequestsWithBodies is a filter that accepts every request and returns the bodies of writes.
var RequestsWithBodies = simclient.RequestFilter{Bodies: true}

// writes is the method of a fault that affects all requests except GET.
const writes = "WRITE"

const marker = "assay:pr-1f2e"

// report is a comment in the service's form.
const report = "**2 of 3** criteria are met by [#7](" + PullRequest +
	").\n\n| Criterion | Verdict |\n|---|---|\n| Runs at two | met |\n| Sends a \\| mail | not met |\n\n- one\n- two\n\n`code` " +
	"and\n\n```go\nx := 1\n```\n"

func commentOnce(t *testing.T, b *bench) {
	made := b.Make(t, simapi.IssueSpec{})
	id, sure, err := b.FindComment(t.Context(), made.Key, marker)
	if id != "" || !sure || err != nil {
		t.Fatalf("found %q %v %v before there was one", id, sure, err)
	}
	id = Must(b.PutComment(t.Context(), made.Key, "", report, marker))(t)
	found, sure, err := b.FindComment(t.Context(), made.Key, marker)
	if found != id || id == "" || !sure || err != nil {
		t.Fatalf("found %q %v %v, want %q", found, sure, err, id)
	}
	if again := Must(b.PutComment(t.Context(), made.Key, id, "Now **all** are met.", marker))(t); again != id {
		t.Errorf("edited %q, want %q", again, id)
	}
	if found, _, _ = b.FindComment(t.Context(), made.Key, marker); found != id {
		t.Errorf("after the edit found %q, want %q", found, id)
	}
	now := Must(b.World.Issue(t.Context(), made.Key))(t)
	if len(now.Comments) != 1 || !strings.Contains(now.Comments[0].Text, "all") || strings.Contains(now.Comments[0].Text, "Criterion") {
		t.Errorf("comments %+v", now.Comments)
	}
	if found, sure, err = b.FindComment(t.Context(), made.Key, "assay:pr-1f2"); found != "" || !sure || err != nil {
		t.Errorf("found %q by the beginning of a marker", found)
	}
	i := Must(b.Tracker.Issue(t.Context(), made.Key, tracker.Want{Comments: true}))(t)
	if len(i.Comments) != 1 || !i.Comments[0].Own || !strings.Contains(i.Comments[0].Text, "Now **all** are met.") {
		t.Errorf("our comment, read: %+v", i.Comments)
	}
}

// othersMarker checks that a comment of another account with our marker is not ours.
func othersMarker(t *testing.T, b *bench) {
	made := b.Make(t, simapi.IssueSpec{})
	id := Must(b.PutComment(t.Context(), made.Key, "", "Ours.", marker))(t)
	ours := Must(b.World.Issue(t.Context(), made.Key))(t).Comments[0]
	other := b.Make(t, simapi.IssueSpec{})
	Must(b.Comment(t.Context(), other.Key, simapi.CommentSpec{Account: b.Ann.ID, Text: ours.Text}))(t)
	if found, sure, err := b.FindComment(t.Context(), other.Key, marker); found != "" || !sure || err != nil {
		t.Errorf("found %q %v %v, a copy of %q by somebody else", found, sure, err, id)
	}
}

func manyComments(t *testing.T, b *bench) {
	made := b.Make(t, simapi.IssueSpec{})
	id := Must(b.PutComment(t.Context(), made.Key, "", "Ours.", marker))(t)
	for n := range 130 {
		Must(b.Comment(t.Context(), made.Key, simapi.CommentSpec{Account: b.Ann.ID, Text: b.Text(fmt.Sprint("Comment ", n), "a", "b", "c")}))(t)
	}
	if found, sure, err := b.FindComment(t.Context(), made.Key, marker); found != id || !sure || err != nil {
		t.Errorf("found %q %v %v among 131, want %q", found, sure, err, id)
	}
	for n := range 450 {
		Must(b.Comment(t.Context(), made.Key, simapi.CommentSpec{Account: b.Ann.ID, Text: b.Text(fmt.Sprint("More ", n), "a", "b", "c")}))(t)
	}
	if found, sure, err := b.FindComment(t.Context(), made.Key, "assay:other"); found != "" || sure || err != nil {
		t.Errorf("found %q %v %v among more than are read: it must not be sure", found, sure, err)
	}
}

func linkOnce(t *testing.T, b *bench) {
	made := b.Make(t, simapi.IssueSpec{})
	link := tracker.Link{ID: "assay-7", URL: PullRequest, Title: "Pay out at night"}
	for range 2 {
		NoError(t, b.PutLink(t.Context(), made.Key, link))
	}
	now := Must(b.World.Issue(t.Context(), made.Key))(t)
	if len(now.Links) != 1 || now.Links[0].URL != PullRequest || now.Links[0].Title == "" {
		t.Errorf("links %+v", now.Links)
	}
	i := Must(b.Tracker.Issue(t.Context(), made.Key, tracker.Want{Links: true}))(t)
	if len(i.PullRequests) != 1 || i.PullRequests[0] != PullRequest {
		t.Errorf("pull requests %v", i.PullRequests)
	}
}

func refusedWrites(t *testing.T, b *bench) {
	made := b.Make(t, simapi.IssueSpec{})
	for _, c := range [][2]string{{"", marker}, {"x", ""}, {"x", "two words"}, {"x", "a`b"}, {strings.Repeat("x", 40_000), marker}} {
		IsClass(t, mistake(b.PutComment(t.Context(), made.Key, "", c[0], c[1])), tracker.ClassInvalid)
	}
	for _, l := range []tracker.Link{{URL: PullRequest, Title: "x"}, {ID: "a", URL: "javascript:alert(1)", Title: "x"},
		{ID: "a", URL: PullRequest}, {ID: strings.Repeat("i", 300), URL: PullRequest, Title: "x"}} {
		IsClass(t, b.PutLink(t.Context(), made.Key, l), tracker.ClassInvalid)
	}
	hidden := b.Make(t, simapi.IssueSpec{Hidden: true})
	IsClass(t, mistake(b.PutComment(t.Context(), hidden.Key, "", "x", marker)), tracker.ClassNotFound)
	IsClass(t, b.PutLink(t.Context(), hidden.Key, tracker.Link{ID: "a", URL: PullRequest, Title: "x"}), tracker.ClassNotFound)
	if n := len(Must(b.World.Issue(t.Context(), made.Key))(t).Comments); n != 0 {
		t.Errorf("%d comments of refused writes", n)
	}
	theirs := Must(b.Comment(t.Context(), made.Key, simapi.CommentSpec{Account: b.Ann.ID, Text: b.Text("Mine.", "a", "b", "c")}))(t)
	IsClass(t, mistake(b.PutComment(t.Context(), made.Key, theirs.ID, "x", marker)), tracker.ClassForbidden)
}

func (b *bench) fault(t *testing.T, f shared.Fault) {
	t.Helper()
	Must(b.SetFault(t.Context(), f))(t)
}

func errorClasses(t *testing.T, b *bench) {
	made := b.Make(t, simapi.IssueSpec{})
	read := func() error { return mistake(b.Tracker.Issue(t.Context(), made.Key, tracker.Want{})) }
	write := func() error { return mistake(b.PutComment(t.Context(), made.Key, "", "x", marker)) }
	NoError(t, read()) // this caches the parts that are requested once per connection
	for _, c := range []struct {
		fault       shared.Fault
		read, write tracker.Class
	}{
		{shared.Fault{Action: shared.Respond, Status: 500}, tracker.ClassUnavailable, tracker.ClassAmbiguous},
		{shared.Fault{Action: shared.Respond, Status: 502, Headers: map[string]string{"Content-Type": "text/html"},
			ReplyBody: "<h1>Bad gateway</h1>"}, tracker.ClassUnavailable, tracker.ClassAmbiguous},
		{shared.Fault{Action: shared.Respond, Status: 404, Headers: map[string]string{"Content-Type": "text/html"},
			ReplyBody: "<h1>Not found</h1>"}, tracker.ClassUnavailable, tracker.ClassUnavailable},
		{shared.Fault{Action: shared.Respond, Status: 200, Headers: map[string]string{"Content-Type": "text/html"},
			ReplyBody: "<h1>Hello</h1>"}, tracker.ClassUnavailable, tracker.ClassAmbiguous},
		{shared.Fault{Action: shared.Respond, Status: 200, ReplyBody: "[1,"}, tracker.ClassUnavailable, tracker.ClassAmbiguous},
		{shared.Fault{Action: shared.Respond, Status: 200, ReplyBody: strings.Repeat("[", 20_000)}, tracker.ClassTooLarge,
			tracker.ClassAmbiguous},
		{shared.Fault{Action: shared.Respond, Status: 401}, tracker.ClassForbidden, tracker.ClassForbidden},
		{shared.Fault{Action: shared.Respond, Status: 413}, tracker.ClassTooLarge, tracker.ClassTooLarge},
		{shared.Fault{Action: shared.Respond, Status: 400}, tracker.ClassInvalid, tracker.ClassInvalid},
		{shared.Fault{Action: shared.Refuse}, tracker.ClassUnavailable, tracker.ClassAmbiguous},
		{shared.Fault{Action: shared.Forbidden}, tracker.ClassForbidden, tracker.ClassForbidden},
	} {
		c.fault.Times = -1 // net/http itself repeats a read on a closed idle connection
		b.fault(t, c.fault)
		IsClass(t, read(), c.read)
		NoError(t, b.ClearFaults(t.Context()))
		c.fault.Method = writes // the reads before a write succeed
		b.fault(t, c.fault)
		IsClass(t, write(), c.write)
		NoError(t, b.ClearFaults(t.Context()))
	}
	NoError(t, b.Revoke(t.Context(), b.Me.ID))
	IsClass(t, read(), tracker.ClassForbidden)
	IsClass(t, write(), tracker.ClassForbidden)
	IsClass(t, mistake(b.OwnAccount(t.Context())), tracker.ClassForbidden)
}

// lostAnswers checks that a write with a lost answer is ambiguous, is found again, and is not repeated by
// the adapter.
func lostAnswers(t *testing.T, b *bench) {
	made := b.Make(t, simapi.IssueSpec{})
	NoError(t, mistake(b.Tracker.Issue(t.Context(), made.Key, tracker.Want{})))
	for n, action := range []string{shared.ApplyThenReset, shared.ApplyThenStatus} {
		mine := fmt.Sprint(marker, "-", n)
		b.fault(t, shared.Fault{Action: action, Method: writes})
		IsClass(t, mistake(b.PutComment(t.Context(), made.Key, "", "x", mine)), tracker.ClassAmbiguous)
		id, sure, err := b.FindComment(t.Context(), made.Key, mine)
		if id == "" || !sure || err != nil {
			t.Errorf("found %q %v %v after a lost answer", id, sure, err)
		}
	}
	if n := len(Must(b.World.Issue(t.Context(), made.Key))(t).Comments); n != 2 {
		t.Errorf("%d comments, want 2", n)
	}
}

func limits(t *testing.T, b *bench) {
	made := b.Make(t, simapi.IssueSpec{})
	NoError(t, mistake(b.Tracker.Issue(t.Context(), made.Key, tracker.Want{})))
	for _, write := range []bool{false, true} {
		b.fault(t, shared.Fault{Action: shared.SecondaryRetryAfter, RetrySeconds: 90})
		err := mistake(b.Tracker.Issue(t.Context(), made.Key, tracker.Want{}))
		if write {
			b.fault(t, shared.Fault{Action: shared.SecondaryRetryAfter, RetrySeconds: 90, Method: writes})
			err = mistake(b.PutComment(t.Context(), made.Key, "", "x", marker))
		}
		if e := IsClass(t, err, tracker.ClassLimited); e.RetryAfter < 60*time.Second || e.RetryAfter > 91*time.Second {
			t.Errorf("wait %v, want 90 s", e.RetryAfter)
		}
	}
	b.fault(t, shared.Fault{Action: shared.Respond, Status: 429})
	if e := IsClass(t, mistake(b.Tracker.Issue(t.Context(), made.Key, tracker.Want{})), tracker.ClassLimited); e.RetryAfter < time.Second {
		t.Errorf("wait %v where the tracker does not say", e.RetryAfter)
	}
}

// redirects checks that the adapter follows no redirects, because they would leak the credential.
func redirects(t *testing.T, b *bench) {
	hits := 0
	other := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { hits++ }))
	t.Cleanup(other.Close)
	made := b.Make(t, simapi.IssueSpec{})
	NoError(t, mistake(b.Tracker.Issue(t.Context(), made.Key, tracker.Want{})))
	for _, status := range []int{301, 302, 307, 308} {
		b.fault(t, shared.Fault{Action: shared.Respond, Status: status, Headers: map[string]string{"Location": other.URL + "/x"}})
		err := mistake(b.Tracker.Issue(t.Context(), made.Key, tracker.Want{}))
		if class := tracker.ClassOf(err); class != tracker.ClassUnavailable && class != tracker.ClassForbidden {
			t.Errorf("redirect %d: %v", status, err)
		}
	}
	if hits > 0 {
		t.Errorf("%d redirects were followed", hits)
	}
}

// beyond checks an answer that exceeds the bound.
func beyond(t *testing.T, b *bench) {
	made := b.Make(t, simapi.IssueSpec{})
	NoError(t, mistake(b.Tracker.Issue(t.Context(), made.Key, tracker.Want{})))
	large := http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		part := []byte(strings.Repeat(" ", 1<<20))
		for range 2 * tracker.MaxAnswer >> 20 {
			if _, err := w.Write(part); err != nil {
				return // the client has read enough
			}
		}
	})
	other := httptest.NewServer(large)
	t.Cleanup(other.Close)
	far := Must(b.New(Elsewhere(b.Config(t), other.URL)))(t)
	IsClass(t, mistake(far.OwnAccount(t.Context())), tracker.ClassTooLarge)
}

// secretsStay checks that errors contain no credential, even if the tracker's text repeats it.
func secretsStay(t *testing.T, b *bench) {
	token := "ghp" + "_" + strings.Repeat("a1B2", 9)
	b.fault(t, shared.Fault{Action: shared.Respond, Status: 400, Headers: map[string]string{"Content-Type": "application/json"},
		ReplyBody: `{"message":"bad token ` + token + `","errorMessages":["bad token ` + token + `"],"errors":[{"message":"bad token ` +
			token + `"}]}`})
	err := mistake(b.OwnAccount(t.Context()))
	if err == nil || strings.Contains(err.Error(), token) || strings.Contains(err.Error(), "\n") {
		t.Errorf("error %v", err)
	}
}
