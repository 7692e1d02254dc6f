package e2e

import (
	"fmt"
	"maps"
	"net/http"
	"slices"
	"strings"
	"syscall"
	"testing"

	"github.com/assay-dev/assay/internal/domain"
	"github.com/assay-dev/assay/internal/testkit"
	"github.com/assay-dev/assay/sim/bitbucket/simapi"
	shared "github.com/assay-dev/assay/sim/host/simapi"
	"github.com/assay-dev/assay/test/site"
)

// These are the paths for making a comment, for changing or deleting one, and for a build status (Atlassian's OpenAPI
// description of Bitbucket Cloud).
const (
	notesPath    = `/comments$`
	oneComment   = `/comments/\d+$`
	buildPath    = `/statuses/build`
	resolvePath  = `/resolve$`
	summaryWords = `assay:pub=` // in the body of the request that makes the summary
)

// onBitbucket runs a scenario with a simulated Bitbucket Cloud. The service runs, and a connection of the tenant to the
// workspace acme has registered its webhooks.
func onBitbucket(t *testing.T, scenario func(t *testing.T, w *world)) {
	t.Helper()
	in(t, featureKills, func(t *testing.T, s storage) *world { return bitbucketWorld(t, s) }, scenario)
}

func bitbucketWorld(t *testing.T, s storage, doubts ...simapi.Doubt) *world {
	t.Helper()
	w := unconnected(t, s, site.Options{Owner: "acme", Kind: domain.BitbucketCloud})
	w.doubt(doubts...)
	w.connect(domain.BitbucketCloud)
	return w
}

// doubt makes the host behave as doubts say. A failed delivery is repeated at once.
func (w *world) doubt(doubts ...simapi.Doubt) {
	w.Helper()
	must(w.T, w.bitbucket.Configure(w.ctx, simapi.Settings{RetryMS: 50, Doubts: switched(doubts)}))
}

// frugal checks that no more comments were made than intents were stored.
func (w *world) frugal() {
	w.Helper()
	writes, err := w.host.Writes(w.ctx, 0)
	must(w.T, err)
	made := 0
	for _, x := range writes {
		if x.Actor == account && x.Kind == "comment" && x.Verb == "create" {
			made++
		}
	}
	intents := w.count(`SELECT COUNT(*) FROM write_attempts WHERE verb = 'create'`) + w.count(`SELECT COUNT(*) FROM command_answers`)
	if made == 0 || made > intents {
		w.Errorf("%d comments were made with %d intents", made, intents)
	}
}

// built waits until a head has a build status that is no longer in progress, and returns it.
func (w *world) built(head string) (state, says string) {
	w.Helper()
	testkit.Eventually(w.T, patience, func() (bool, string) {
		state, says = w.outcome(head)
		return state != "" && state != "pending", fmt.Sprintf("the status of %s is %q", head, state)
	})
	return state, says
}

// A bug and a clean change get one review each, with its comments on their lines and the summary last. A push resolves
// the comments of the fixed defects. No text shows a mark or a tag.
func TestBitbucketReviews(t *testing.T) {
	onBitbucket(t, func(t *testing.T, w *world) {
		bug, ok := w.open("bug", buggy()), w.open("ok", clean())
		got := w.said(bug.Number, 1)
		if len(got) != 2 || got[0].Path != "price/mean.go" || got[0].Line != 5 || !strings.Contains(got[0].Body, bugTitle) || got[1].Path != "" {
			t.Fatalf("comments of the bug: %+v", got)
		}
		for _, c := range got {
			if strings.Contains(c.Body, "<!--") || strings.Contains(c.Body, "<details") || strings.Contains(c.Body, "<sub") {
				t.Errorf("people see HTML as text: %s", c.Body)
			}
		}
		if got = w.said(ok.Number, 1); len(got) != 1 || !strings.Contains(got[0].Body, "nothing found") {
			t.Errorf("the clean change got: %+v", got)
		}
		w.whole(bug.Number)
		w.whole(ok.Number)
		if state, says := w.built(ok.HeadSHA); state != "success" {
			t.Errorf("status of the clean change: %s %q", state, says)
		}
		w.push("bug", fixed())
		got = w.said(bug.Number, 2)
		w.whole(bug.Number)
		if len(got) != 3 || !strings.Contains(got[2].Body, "1 of 1") {
			t.Errorf("after the push: %+v", got)
		}
		if got = w.said(bug.Number, 2); !strings.Contains(got[0].Body, "Resolved") || !got[0].Resolved {
			t.Errorf("the comment of the resolved finding: %+v", got[0])
		}
	})
}

// The worker is killed while the host holds the request that makes the summary. The host then applies it.
func TestBitbucketKilledAtSummaryApplied(t *testing.T) {
	onBitbucket(t, func(_ *testing.T, w *world) {
		w.killedAtFault(shared.Fault{Method: "POST", Path: notesPath, Body: summaryWords}, shared.Apply)
	})
}

// TestHostsBitbucket runs the additional scenarios of make hosts.
func TestHostsBitbucket(t *testing.T) {
	if !allHosts() {
		t.Skip("make hosts runs these scenarios (ASSAY_HOSTS=all)")
	}
	t.Parallel()
	scenarios := map[string]func(t *testing.T, w *world){
		"a comment applied, then an error": func(_ *testing.T, w *world) { w.doubtful("POST", notesPath) },
		"a status applied, then an error":  func(_ *testing.T, w *world) { w.doubtful("POST", buildPath) },
		"limited with the time":            func(t *testing.T, w *world) { limitedOnBitbucket(t, w, shared.SecondaryRetryAfter) },
		"limited without the time":         func(t *testing.T, w *world) { limitedOnBitbucket(t, w, shared.SecondaryBodyOnly) },
		"a repository that changes":        repositoryChanges,
		"commands":                         commandsOnHosts,
		"a command in a thread":            commandInAThread,
		"a webhook that was lost":          lostWebhook,
		"an event that is too large":       eventTooLarge,
		"a delivery that is repeated":      repeatedByItself,
		"a forced push":                    forcedPush,
		"declined":                         declined,
		"a draft that becomes ready":       draftBecomesReady,
		"a pull request of a fork":         forkOnBitbucket,
		"a secret":                         secretOnBitbucket,
		"killed during generation":         generationKilled,
		"a push during a run":              pushDuringReview,
		"the connection is deleted":        connectionDeletedOnBitbucket,
		"the token is taken back":          tokenRefusedOnBitbucket,
		"a comment that changes":           commentThatChanges,
		"late edits":                       lateEdits,
	}
	for what, f := range map[string]shared.Fault{
		"a comment on a line": {Method: "POST", Path: notesPath}, "the summary": {Method: "POST", Path: notesPath, Body: summaryWords},
		"the status": {Method: "POST", Path: buildPath},
	} {
		for _, decision := range []string{shared.Apply, shared.Drop} {
			scenarios["killed at "+what+", "+decision] = func(_ *testing.T, w *world) { w.killedAtFault(f, decision) }
		}
	}
	for what, f := range map[string]shared.Fault{
		"an edit": {Method: "PUT", Path: oneComment}, "a resolved thread": {Method: "POST", Path: resolvePath},
	} {
		for _, decision := range []string{shared.Apply, shared.Drop} {
			scenarios["killed at "+what+", "+decision] = func(t *testing.T, w *world) { killedAtSecondReview(t, w, f, decision) }
		}
	}
	for _, d := range []simapi.Doubt{simapi.PendingPrivate, simapi.DeletedVanish, simapi.LongHashes, simapi.PushEvents, simapi.NewRequestIDs, simapi.OutsideDiff} {
		scenarios["with "+string(d)] = func(t *testing.T, w *world) {
			w.doubt(d)
			reviewedTwice(t, w)
		}
	}
	for name, scenario := range scenarios {
		t.Run(name, func(t *testing.T) { onBitbucket(t, scenario) })
	}
}

// reviewedTwice opens a pull request with a bug and pushes the fix.
func reviewedTwice(t *testing.T, w *world) {
	pr := w.open("bug", buggy())
	w.said(pr.Number, 1)
	w.whole(pr.Number)
	w.push("bug", fixed())
	got := w.said(pr.Number, 2)
	w.whole(pr.Number)
	if len(got) != 3 || got[0].Path != "price/mean.go" {
		t.Errorf("visible: %+v", got)
	}
}

// killedAtSecondReview kills the worker while the host holds a write of the second review.
func killedAtSecondReview(t *testing.T, w *world, f shared.Fault, decision string) {
	p := w.worked()
	pr := w.open("bug", buggy())
	w.said(pr.Number, 1)
	w.quiet()
	f.Action, f.Times = shared.Hold, 1
	id := w.fault(f)
	w.push("bug", fixed())
	_, err := w.host.AwaitFault(w.ctx, id, 1, 1, patience)
	must(t, err)
	p.Signal(syscall.SIGKILL)
	must(t, w.host.Release(w.ctx, id, decision))
	w.again()
	w.said(pr.Number, 2)
	w.whole(pr.Number)
	testkit.Eventually(t, 2*patience, func() (bool, string) {
		got := w.said(pr.Number, 2)
		return got[0].Resolved && strings.Contains(got[0].Body, "Resolved"), fmt.Sprintf("the comment of the resolved finding: %+v", got[0])
	})
}

// Too many requests, with or without the time to wait in the answer: the review is published once.
func limitedOnBitbucket(t *testing.T, w *world, action string) {
	id := w.fault(shared.Fault{Method: "POST", Path: notesPath, Action: action, RetrySeconds: 3, Times: 1})
	pr := w.open("bug", buggy())
	if got := w.said(pr.Number, 1); len(got) != 2 {
		t.Errorf("comments: %+v", got)
	}
	w.whole(pr.Number)
	_, err := w.host.AwaitFault(w.ctx, id, 1, 0, patience)
	must(t, err)
}

// The host drops an event above 256 KiB without notice: the sweep finds the pull request.
func eventTooLarge(t *testing.T, w *world) {
	_, err := w.host.Commit(w.ctx, w.repo, shared.CommitSpec{Branch: "bug", From: "main", Files: buggy(), Message: "change", Author: "dev"})
	must(t, err)
	pr, err := w.host.OpenPull(w.ctx, w.repo, shared.PullSpec{Title: "Mean", Body: strings.Repeat("words ", 50_000), Head: "bug", Author: "dev"})
	must(t, err)
	all, err := w.host.Deliveries(w.ctx, false)
	must(t, err)
	if slices.ContainsFunc(all, func(d shared.Delivery) bool { return d.Event == "pullrequest:created" }) {
		t.Fatal("the large event was sent")
	}
	w.exec(`UPDATE repositories SET swept_us = 0`) // makes it due in the next round instead of within five minutes
	w.said(pr.Number, 1)
	w.whole(pr.Number)
}

// The host repeats a delivery that failed by itself: it acts once, also if the second attempt has an id of its own.
func repeatedByItself(t *testing.T, w *world) {
	pr := w.open("bug", buggy())
	w.said(pr.Number, 1)
	w.quiet()
	d := w.delivery("pullrequest:created", "")
	for _, id := range []string{d.GUID, "0" + d.GUID[1:]} {
		again := d
		again.Headers = maps.Clone(d.Headers)
		again.Headers["X-Request-UUID"], again.Headers["X-Attempt-Number"] = id, "2"
		testkit.Equal(t, "a repetition is answered", w.post(w.port, again), http.StatusAccepted)
	}
	forged := d
	forged.Payload = strings.Replace(d.Payload, "acme", "evil", 1)
	testkit.Equal(t, "a changed body is answered", w.post(w.port, forged), http.StatusUnauthorized)
	forged = d
	forged.Headers = maps.Clone(d.Headers)
	without(forged.Headers, "X-Hub-Signature")
	testkit.Equal(t, "a delivery without a signature is answered", w.post(w.port, forged), http.StatusUnauthorized)
	w.whole(pr.Number)
	testkit.Equal(t, "runs", w.count(`SELECT COUNT(*) FROM review_runs`), 1)
}

// Declining a pull request ends its run.
func declined(t *testing.T, w *world) {
	pr, goOn := w.held()
	w.update(pr.Number, shared.PullUpdate{State: "closed"})
	w.state(pr.Number, "cancelled")
	goOn()
	w.quiet()
	testkit.Equal(t, "summaries of a declined one", len(w.said(pr.Number, 0)), 0)
	if state := w.query(`SELECT state FROM pull_requests`); len(state) != 1 || state[0][0] != "closed" {
		t.Errorf("the pull request is %v", state)
	}
}

// A pull request from a fork is reviewed in the target repository.
func forkOnBitbucket(t *testing.T, w *world) {
	_, err := w.host.Commit(w.ctx, w.repo, shared.CommitSpec{Branch: "bug", From: "main", Files: buggy(), Message: "change"})
	must(t, err)
	pr, err := w.host.OpenPull(w.ctx, w.repo, shared.PullSpec{Title: "Mean", Head: "bug", Author: "dev", Fork: "dev"})
	must(t, err)
	if got := inline(w.said(pr.Number, 1)); len(got) != 1 || got[0].Path != "price/mean.go" {
		t.Errorf("comments: %+v", got)
	}
	w.whole(pr.Number)
}

// A planted secret gets a comment on its line and a failed status, and its text appears nowhere.
func secretOnBitbucket(t *testing.T, w *world) {
	pr := w.open("leak", leaky())
	got := inline(w.said(pr.Number, 1))
	w.whole(pr.Number)
	if len(got) != 1 || got[0].Path != "config/keys.go" {
		t.Errorf("comments: %+v", got)
	}
	if state, says := w.built(pr.HeadSHA); state != "failure" {
		t.Errorf("status: %s %q", state, says)
	}
	key := strings.Split(leaky()["config/keys.go"], `"`)[1]
	if strings.Contains(fmt.Sprint(w.said(pr.Number, 1)), key) {
		t.Error("the secret was written to the host")
	}
	w.noSecretStored()
}

// Deleting the connection stops its runs, ends their statuses, and removes our webhook from the host.
func connectionDeletedOnBitbucket(t *testing.T, w *world) {
	pr, goOn := w.held()
	w.boss.as.Send(http.MethodDelete, w.at(), nil, http.StatusNoContent, nil)
	goOn()
	w.state(pr.Number, "cancelled")
	testkit.Eventually(t, patience, func() (bool, string) {
		hooks, err := w.bitbucket.Hooks(w.ctx)
		return err == nil && len(hooks) == 0, fmt.Sprintf("the webhooks are %+v (%v)", hooks, err)
	})
	w.quiet()
	w.built(pr.HeadSHA)
	testkit.Equal(t, "visible", len(w.said(pr.Number, 0)), 0)
}

// The host refuses the token: the connection shows it, and with a new token reviews continue.
func tokenRefusedOnBitbucket(t *testing.T, w *world) {
	must(t, w.host.RevokeToken(w.ctx, w.tokenID))
	w.open("bug", buggy())
	testkit.Eventually(t, patience, func() (bool, string) {
		got := w.synced()
		return got.State == "error", fmt.Sprintf("the connection is %+v", got)
	})
	token, err := w.bitbucket.NewToken(w.ctx, account, simapi.TokenSpec{Name: "next"})
	must(t, err)
	w.boss.as.Send(http.MethodPatch, w.at(), map[string]string{"token": token.Text}, http.StatusOK, nil)
	w.synced()
	pr := w.open("leak", leaky())
	w.said(pr.Number, 1)
}
