package tickets_test

import (
	"context"
	"strings"
	"testing"
	"time"

	"github.com/assay-dev/assay/internal/codehost"
	"github.com/assay-dev/assay/internal/domain"
	"github.com/assay-dev/assay/internal/review/reviewtest"
	"github.com/assay-dev/assay/internal/store"
	"github.com/assay-dev/assay/internal/testkit"
	"github.com/assay-dev/assay/internal/tracker"
)

// A tracker that does not answer with its projects is silent from the first review on: no keys are
// recognised, and the review says so. If only keys may be known, nothing is missing.
func TestSilentTrackers(t *testing.T) {
	each(t, func(w *world) {
		w.connection.Projects = `[]`
		w.update()
		w.tracker.projects = []tracker.Project{{Key: "PAY"}}
		w.tracker.down = &tracker.Error{Class: tracker.ClassUnavailable}
		hear := func(want string, silent int) {
			w.Helper()
			got, n := w.heard()
			testkit.Equal(w, "tickets", keys(got), want)
			testkit.Equal(w, "silent", n, silent)
		}
		hear("", 1)
		w.repository.Private = false
		hear("", 0)
		w.repository.Private = true
		w.tracker.down = nil
		hear("PAY-1", 0)
		w.tracker.down = &tracker.Error{Class: tracker.ClassLimited} // its projects are known, the issues that it links are not
		hear("PAY-1", 1)
	})
}

// other connects a second tracker, which is asked before the first one.
func (w *world) other(kind, base, projects string) (*fake, store.TrackerConnection) {
	w.Helper()
	row, err := w.Store.CreateTrackerConnection(bg, w.tenant, store.TrackerConnection{ID: domain.NewID("tcn"), Kind: kind, Name: "Other", BaseURL: base, AuthKind: "token", Projects: projects, Mapping: w.connection.Mapping, Enabled: true})
	testkit.OK(w, err)
	f := &fake{issues: map[string]tracker.Issue{}, linked: map[string][]string{}, links: map[string]tracker.Link{}}
	w.tracker.others = map[string]*fake{row.ID: f}
	return f, row
}

// A fault of the program at one tracker ends neither the process nor the reading of another tracker.
func TestAFaultAtOneTracker(t *testing.T) {
	each(t, func(w *world) {
		faulty, _ := w.other("linear", "https://linear.app", `["ENG"]`)
		faulty.faulty = true
		w.now.Title = "ENG-1 PAY-1"
		got, silent := w.heard()
		testkit.Equal(w, "tickets", keys(got), "ENG-1 PAY-1")
		testkit.Equal(w, "silent", silent, 1)
		if got[0].Unread == "" || strings.Contains(got[0].Unread, "PRIVATE") || got[1].Unread != "" {
			w.Errorf("the tickets are %+v", got)
		}
	})
}

// A tracker that hangs takes no time from another one, whatever it is asked.
func TestATrackerThatHangsStarvesNoOther(t *testing.T) {
	each(t, func(w *world) {
		w.ReadTime = 2 * time.Second
		slow, _ := w.other("linear", "https://linear.app", `["ENG"]`)
		slow.stuck, slow.hang = true, true
		w.now.Title = "ENG-1 ENG-2 ENG-3 ENG-4 ENG-5 PAY-1"
		got, silent := w.heard()
		testkit.Equal(w, "tickets", keys(got), "ENG-1 ENG-2 ENG-3 ENG-4 ENG-5 PAY-1")
		testkit.Equal(w, "silent", silent, 1)
		for i, k := range got {
			if read := k.Unread == ""; read != (i == 5) {
				w.Errorf("%s: %q", k.Key, k.Unread)
			}
		}
	})
}

// Issues of two sites can have the same key. An address selects one of them, and data that was read
// from the other one is replaced.
func TestAnAddressSelectsTheSiteOfAnIssue(t *testing.T) {
	each(t, func(w *world) {
		second, row := w.other("jira", "https://issues.example/jira", `["PAY"]`)
		second.issues["PAY-1"] = tracker.Issue{Key: "PAY-1", Project: "PAY", Title: "Of the second site", URL: row.BaseURL + "/browse/PAY-1"}
		w.read()
		first := w.link("PAY-1")
		testkit.Equal(w, "the older connection", first.Connection+" "+first.Title, w.connection.ID+" The sum of PAY-1")
		testkit.OK(w, w.Store.SetTicketComment(bg, w.tenant, first.ID, "10001", "d"))
		w.now.Body = "See " + row.BaseURL + "/browse/PAY-1."
		second.down = &tracker.Error{Class: tracker.ClassUnavailable}
		w.read()
		l := w.link("PAY-1")
		if l.Connection != row.ID || l.Title+l.URL+l.CommentID+l.Written != "" || l.Unread == "" {
			w.Errorf("%+v", l)
		}
		second.down = nil
		w.read()
		testkit.Equal(w, "the second site", w.link("PAY-1").Title, "Of the second site")
	})
}

// The tracker finds an issue that links the pull request, unless the link is ours.
func TestALinkOfTheTrackerConfirms(t *testing.T) {
	each(t, func(w *world) {
		i := w.issue("PAY-1")
		i.PullRequests = []string{address + "/"}
		w.tracker.issues["PAY-1"] = i
		w.read()
		testkit.Equal(w, "rows", w.rows(), "PAY-1/tracker read")
		testkit.OK(w, w.Store.SetTicketComment(bg, w.tenant, w.link("PAY-1").ID, "", "d"))
		w.mapping(`{"linkBack":"link"}`)
		w.read()
		testkit.Equal(w, "rows", w.rows(), "PAY-1/title read")
	})
}

// Our own link at the tracker does not keep an issue that is no longer named. It does not remove an
// issue that the tracker linked before.
func TestOurOwnLinkFindsNothing(t *testing.T) {
	each(t, func(w *world) {
		w.mapping(`{"linkBack":"link"}`)
		w.issue("PAY-2")
		w.tracker.linked[address] = []string{"PAY-2"}
		w.read()
		for _, key := range []string{"PAY-1", "PAY-2"} {
			testkit.OK(w, w.Store.SetTicketComment(bg, w.tenant, w.link(key).ID, "", "d"))
		}
		w.tracker.linked[address] = []string{"PAY-1", "PAY-2"}
		w.read()
		testkit.Equal(w, "rows", w.rows(), "PAY-2/tracker read, PAY-1/title read")
		w.now.Title = "Nothing"
		w.read()
		testkit.Equal(w, "no longer named", w.rows(), "PAY-2/tracker read")
	})
}

// linking is a host that links issues of trackers to pull requests.
type linking struct {
	*reviewtest.Host
	keys []string
	err  error
}

// LinkedIssues implements [codehost.IssueLinker].
func (l linking) LinkedIssues(context.Context, codehost.Repo, int) ([]string, error) {
	return l.keys, l.err
}

// Issues that the host links are found even if no text names them. A host that fails hinders nothing.
func TestIssuesThatTheHostLinks(t *testing.T) {
	each(t, func(w *world) {
		w.issue("PAY-2")
		for _, tc := range []struct {
			host linking
			want string
		}{{linking{w.host, []string{"PAY-2", "OPS-1", "12"}, nil}, "PAY-2/host read, PAY-1/title read"}, {linking{w.host, nil, &codehost.Error{Class: codehost.ClassForbidden}}, "PAY-1/title read"}} {
			c := w.change()
			c.Host = tc.host
			_, err := w.Read(bg, c)
			testkit.OK(w, err)
			testkit.Equal(w, "rows", w.rows(), tc.want)
		}
	})
}
