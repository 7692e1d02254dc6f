package e2e

import (
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/assay-dev/assay/internal/domain"
	"github.com/assay-dev/assay/internal/testkit"
	shared "github.com/assay-dev/assay/sim/host/simapi"
)

// The answers to edits are lost, and the host applies the edits after later ones. In the end the texts
// of the later edits are there.
func TestHostsLateEdits(t *testing.T) { onHosts(t, domain.Gitea, lateEdits) }

// The same scenario on GitHub, where checks are editable objects.
func TestLateEdits(t *testing.T) {
	if !allHosts() {
		t.Skip("make hosts runs it (ASSAY_HOSTS=all)")
	}
	on(t, journeys, func(t *testing.T, w *world) {
		w.worked()
		lateEdits(t, w)
	})
}

// editRequests are the requests that edit the service's texts on a pull request, on any host: the summary, the comment of a finding, and
// its thread. Azure DevOps keeps marks beside texts, so the requests are known by their threads.
func (w *world) editRequests(number int) map[string]shared.Fault {
	w.Helper()
	requests := map[string]shared.Fault{
		"summary": {Method: "WRITE", Path: `/reviews/\d+$|/comments/\d+$|/notes/\d+$`, Body: `assay:pub=`},
		"comment": {Method: "WRITE", Path: `/comments/\d+$|/notes/\d+$`, Body: `assay:finding=`},
		"thread":  w.threadRequest(),
	}
	if w.azure == nil {
		return requests
	}
	for _, t := range w.threadsOf(number) {
		what := "summary"
		if t.Comments[0].Path != "" {
			what = "comment"
		}
		requests[what] = shared.Fault{Method: "WRITE", Path: fmt.Sprintf(`/threads/%d/comments/1$`, t.ID)}
	}
	return requests
}

// threadRequest is the request that closes a thread, or opens it again.
func (w *world) threadRequest() shared.Fault {
	f := shared.Fault{Method: "WRITE", Path: `/comments/\d+/resolve$|/discussions/[0-9a-f]+$|/threads/\d+$`}
	if w.hasOnlyBuilds() { // Bitbucket Data Center closes threads with an edit
		f.Path, f.Body = `/comments/\d+$`, `"threadResolved":`
	}
	return f
}

func lateEdits(t *testing.T, w *world) {
	pr := w.open("bug", buggy())
	w.told(pr.Number, 1)
	late := map[string]string{}
	for what, f := range w.editRequests(pr.Number) {
		if what == "thread" && !w.resolves() {
			continue
		}
		late[what] = w.late(f)
	}
	w.push("bug", fixed())
	w.told(pr.Number, 2)
	w.shows(pr.Number, func(s standing) bool {
		return w.lost(late) && strings.Contains(s.comment, "Resolved") && s.resolved == w.resolves()
	})
	w.push("bug", buggy())
	w.told(pr.Number, 3)
	want := w.shows(pr.Number, func(s standing) bool { return strings.Contains(s.comment, "back") && !s.resolved })
	w.settled()
	want.summary = w.firstShown(pr.Number).summary
	for what, id := range late {
		must(t, w.host.Release(w.ctx, id, shared.Apply))
		if w.hasOnlyBuilds() {
			continue // Bitbucket Data Center refuses a late edit, because it names a former version of the comment
		}
		w.shows(pr.Number, func(s standing) bool {
			return map[string]bool{"summary": s.summary != want.summary, "comment": s.comment != want.comment, "thread": s.resolved}[what]
		})
	}
	w.minuteLater()
	w.shows(pr.Number, func(s standing) bool { return s == want })
	w.quiet()
	lateCheck(t, w)
}

// lateCheck loses the answer to the check that says how to approve a review. The review is approved and
// published meanwhile.
func lateCheck(t *testing.T, w *world) {
	id := w.late(shared.Fault{Method: "WRITE", Path: `/check-runs/\d+$|/statuses/[0-9a-f]+$|/statuses/build|/builds$|/statuses$`, Body: `/assay approve`})
	boss, path := w.approvals()
	pr := w.open("late", buggy())
	v := w.waiting(boss, path, pr.HeadSHA)
	_, err := w.host.AwaitFault(w.ctx, id, 1, 0, patience)
	must(t, err)
	boss.as.Send(http.MethodPost, path+"/"+v.ID+"/approve", map[string]any{"digest": v.Digest}, http.StatusOK, nil)
	w.told(pr.Number, 1)
	want := w.says(pr.HeadSHA, func(check string) bool { return strings.Contains(check, "1 open finding") })
	w.settled()
	must(t, w.host.Release(w.ctx, id, shared.Apply))
	w.says(pr.HeadSHA, func(check string) bool { return check != want })
	w.minuteLater()
	w.says(pr.HeadSHA, func(check string) bool { return check == want })
	w.checked(pr.Number)
}

// late makes the host answer with an error, and apply the request when the fault is released.
func (w *world) late(f shared.Fault) (id string) {
	w.Helper()
	f.Action, f.Status, f.Times = shared.ApplyLate, http.StatusBadGateway, 1
	return w.fault(f)
}

// lost reports whether all faults have had their request. It makes jobs that wait because of one due
// now.
func (w *world) lost(faults map[string]string) bool {
	w.Helper()
	all, err := w.host.Faults(w.ctx)
	must(w.T, err)
	n := 0
	for _, f := range all {
		for _, id := range faults {
			if f.ID == id && f.Hits == 1 {
				n++
			}
		}
	}
	w.exec(`UPDATE jobs SET run_us = 0 WHERE kind = 'review.reflect' AND state = 'queued' AND last_error <> ''`)
	return n == len(faults)
}

// looks selects the follow-up jobs of lost answers, which are due a minute later.
const looks = `state IN ('queued', 'running') AND COALESCE(dedup_key, '') LIKE '%:lost:%'`

// settled waits until all work is done, except follow-ups of lost answers.
func (w *world) settled() {
	w.Helper()
	testkit.Eventually(w.T, patience, func() (bool, string) {
		open, waiting := w.query(`SELECT kind, state, last_error FROM jobs WHERE state IN ('queued', 'running') AND COALESCE(dedup_key, '') NOT LIKE '%:twins:%' AND kind <> 'feedback.read'`), w.count(`SELECT COUNT(*) FROM jobs WHERE `+looks)
		return waiting > 0 && len(open) == waiting, fmt.Sprintf("%d looks wait of %v", waiting, open)
	})
}

// minuteLater makes the follow-ups of lost answers due now.
func (w *world) minuteLater() {
	w.Helper()
	w.aged()
	w.exec(`UPDATE jobs SET run_us = 0 WHERE state = 'queued' AND COALESCE(dedup_key, '') LIKE '%:lost:%'`)
}

// resolves reports whether the host has threads that the service resolves.
func (w *world) resolves() bool {
	return w.gitlab != nil || w.bitbucket != nil || w.azure != nil || w.gitea != nil && strings.Contains(w.hooks, domain.Gitea.PathWord())
}

// standing is the state of the service's first review on a pull request. The review has one comment.
type standing struct {
	summary, comment string
	resolved         bool
	id               int64 // the comment
}

func (w *world) firstShown(number int) (s standing) {
	w.Helper()
	if w.gh == nil && w.gitea == nil {
		for _, c := range w.said(number, 1) {
			switch {
			case c.Path == "" && s.summary == "":
				s.summary = c.Body
			case c.Path != "" && s.comment == "":
				s.comment, s.resolved, s.id = c.Body, c.Resolved, c.ID
			}
		}
		return s
	}
	reviews, err := w.host.VisibleReviews(w.ctx, w.repo, number)
	must(w.T, err)
	first := reviews[0]
	s.summary = first.Body
	if len(first.Comments) > 0 {
		c := first.Comments[0]
		s.comment, s.resolved, s.id = c.Body, c.Resolved, c.ID
	}
	if w.gitea != nil { // only the page shows edited summaries
		shown, err := w.gitea.Shown(w.ctx, w.repo, number, account)
		must(w.T, err)
		s.summary = shown[0]
	}
	return s
}

// shows waits until the first review has a wanted state, and returns it.
func (w *world) shows(number int, is func(standing) bool) (got standing) {
	w.Helper()
	testkit.Eventually(w.T, patience, func() (bool, string) {
		got = w.firstShown(number)
		return is(got), fmt.Sprintf("it shows %+v; jobs: %v", got, w.query(`SELECT kind, state, last_error, dedup_key FROM jobs WHERE state IN ('queued', 'running')`))
	})
	return got
}

// says waits until the check of a head has a wanted text, and returns it.
func (w *world) says(head string, is func(check string) bool) (got string) {
	w.Helper()
	testkit.Eventually(w.T, patience, func() (bool, string) {
		got = w.check(head)
		return is(got), fmt.Sprintf("the check of %s says %q", head, got)
	})
	return got
}

// check returns the newest check run of a head, or its newest commit status.
func (w *world) check(head string) (says string) {
	w.Helper()
	switch {
	case w.gitlab != nil:
		all, err := w.gitlab.Statuses(w.ctx, w.repo)
		must(w.T, err)
		for _, s := range all {
			if s.SHA == head && s.State != "canceled" {
				says = s.State + ": " + s.Description
			}
		}
	case w.azure != nil:
		all, err := w.azure.Statuses(w.ctx, w.repo)
		must(w.T, err)
		for _, s := range all {
			if s.SHA == head {
				says = s.State + ": " + s.Description
			}
		}
	case w.bitbucket != nil:
		all, err := w.bitbucket.Statuses(w.ctx, w.repo)
		must(w.T, err)
		for _, s := range all {
			if s.SHA == head {
				says = s.State + ": " + s.Description
			}
		}
	case w.gitea != nil:
		all, err := w.gitea.Statuses(w.ctx, w.repo)
		must(w.T, err)
		for _, s := range all {
			if s.SHA == head {
				says = s.State + ": " + s.Description
			}
		}
	default:
		all, err := w.gh.CheckRuns(w.ctx, w.repo)
		must(w.T, err)
		for _, c := range all {
			if c.HeadSHA == head {
				says = c.Status + " " + c.Conclusion + ": " + c.Title
			}
		}
	}
	return says
}
