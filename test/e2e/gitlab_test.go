package e2e

import (
	"fmt"
	"maps"
	"net/http"
	"regexp"
	"slices"
	"strings"
	"syscall"
	"testing"

	"github.com/assay-dev/assay/internal/domain"
	"github.com/assay-dev/assay/internal/testkit"
	"github.com/assay-dev/assay/sim/gitlab/simapi"
	shared "github.com/assay-dev/assay/sim/host/simapi"
	"github.com/assay-dev/assay/test/site"
)

// These are the paths for creating a draft of a comment and for publishing it
// (docs.gitlab.com/api/draft_notes).
const (
	draftPath   = `/draft_notes$`
	publishPath = `/draft_notes/\d+/publish$`
)

// onGitLab runs a scenario with a simulated GitLab. The service runs, and a connection of
// the tenant to the group acme has registered its webhooks.
func onGitLab(t *testing.T, scenario func(t *testing.T, w *world)) {
	t.Helper()
	in(t, featureKills, func(t *testing.T, s storage) *world { return gitlabWorld(t, s) }, scenario)
}

func gitlabWorld(t *testing.T, s storage, doubts ...simapi.Doubt) *world {
	t.Helper()
	w := unconnected(t, s, site.Options{Owner: "acme", Kind: domain.GitLab})
	must(t, w.gitlab.Configure(w.ctx, simapi.Settings{Doubts: switched(doubts)}))
	w.connect(domain.GitLab)
	return w
}

// switched returns the settings of doubts that are on.
func switched(doubts []shared.Doubt) map[shared.Doubt]bool {
	on := map[shared.Doubt]bool{}
	for _, d := range doubts {
		on[d] = true
	}
	return on
}

var markOfFinding = regexp.MustCompile(`assay:finding=(\S+) `)

// notes returns the visible comments of a pull request at a host without review objects, oldest first. A mark that the host keeps beside
// a text follows it.
func (w *world) notes(number int) (out []shared.Comment, err error) {
	switch {
	case w.bitbucket != nil:
		return w.bitbucket.Notes(w.ctx, w.repo, number)
	case w.gitlab != nil:
		return w.gitlab.Notes(w.ctx, w.repo, number)
	}
	threads, err := w.azure.Threads(w.ctx, w.repo, number)
	for _, x := range threads {
		for i, c := range x.Comments {
			if i == 0 {
				c.Body = strings.TrimSpace(c.Body + "\n\n" + x.Properties["Assay.Mark"])
			}
			out = append(out, c)
		}
	}
	slices.SortStableFunc(out, func(a, b shared.Comment) int { return int(a.CreatedUS - b.CreatedUS) })
	return out, err
}

// said waits until a merge request has n summaries of the service, and returns all its comments, in the
// order in which they became visible.
func (w *world) said(number, n int) []shared.Comment {
	w.Helper()
	var got []shared.Comment
	testkit.Eventually(w.T, 2*patience, func() (bool, string) { // a lost answer takes a while
		got = nil
		all, err := w.notes(number)
		summaries := 0
		for _, c := range all {
			if !strings.HasPrefix(c.User, account) {
				continue
			}
			got = append(got, c)
			if c.Path == "" && mark.MatchString(c.Body) {
				summaries++
			}
		}
		return err == nil && summaries >= n, fmt.Sprintf("%d summaries on !%d, want %d (%v)", summaries, number, n, err)
	})
	return got
}

// whole checks that every completed run has exactly one visible summary, that no comment is visible
// twice, and that no draft of the service is left.
func (w *world) whole(number int) {
	w.Helper()
	w.quiet()
	if n := w.count(`SELECT COUNT(*) FROM webhook_deliveries WHERE disposition IS NULL OR disposition = 'failed'`); n != 0 {
		w.Errorf("%d deliveries are lost or failed: %v", n, w.query(`SELECT event, action, disposition, reason FROM webhook_deliveries`))
	}
	wanted := map[string]string{}
	for _, r := range w.query(fmt.Sprintf(`SELECT p.id, p.phase, p.ext_review_text FROM review_runs r JOIN publications p ON p.run_id = r.id WHERE r.state = 'completed' AND p.kind = 'review' AND r.number = %d`, number)) {
		if r[1] != "PUBLISHED" {
			w.Errorf("the publication %s of a completed run is %s", r[0], r[1])
		}
		wanted[r[0]] = r[2]
	}
	seen := map[string]bool{}
	for _, c := range w.said(number, len(wanted)) {
		if m := mark.FindStringSubmatch(c.Body); m != nil && c.Path == "" {
			if want := fmt.Sprintf("%d.%d", number, c.ID); wanted[m[1]] != want && !strings.HasPrefix(wanted[m[1]], want+".") { // a summary that is a thread also names the thread
				w.Errorf("the summary %s is of publication %s, which has %q", want, m[1], wanted[m[1]])
			}
			delete(wanted, m[1])
		}
		if m := markOfFinding.FindStringSubmatch(c.Body); m != nil {
			if seen[m[1]] {
				w.Errorf("the comment of finding %s is visible twice", m[1])
			}
			seen[m[1]] = true
		}
	}
	if len(wanted) > 0 {
		w.Errorf("publications without a visible summary: %v", wanted)
	}
	if w.gitlab == nil {
		w.frugal()
		return
	}
	drafts, err := w.gitlab.Drafts(w.ctx, w.repo, number)
	must(w.T, err)
	for _, d := range drafts {
		if d.User == account {
			w.Errorf("a draft of ours is left: %.60q", d.Body)
		}
	}
	writes, err := w.gitlab.Writes(w.ctx, 0)
	must(w.T, err)
	made := 0
	for _, x := range writes {
		if x.Actor == account && x.Kind == "draft_note" && x.Verb == "create" {
			made++
		}
	}
	if intents := w.count(`SELECT COUNT(*) FROM write_attempts WHERE verb = 'create'`); made == 0 || made > intents {
		w.Errorf("%d drafts were made with %d intents", made, intents)
	}
}

// A bug and a clean change get one review each, with its comments on their lines and the summary last.
// A push resolves the comments of the fixed defects.
func TestGitLabReviews(t *testing.T) {
	onGitLab(t, func(t *testing.T, w *world) {
		bug, ok := w.open("bug", buggy()), w.open("ok", clean())
		got := w.said(bug.Number, 1)
		if len(got) != 2 || got[0].Path != "price/mean.go" || got[0].Line != 5 || !strings.Contains(got[0].Body, bugTitle) || got[1].Path != "" {
			t.Fatalf("comments of the bug: %+v", got)
		}
		if got = w.said(ok.Number, 1); len(got) != 1 || !strings.Contains(got[0].Body, "nothing found") {
			t.Errorf("the clean change got: %+v", got)
		}
		w.whole(bug.Number)
		w.whole(ok.Number)
		if state, says := w.gitlabStatus(ok.HeadSHA); state != "success" {
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
		w.push("bug", buggy())
		w.said(bug.Number, 3)
		w.quiet() // the finding now has two comments: the repeated finding and the note about its return
		if got = w.said(bug.Number, 3); len(got) != 5 || !strings.Contains(got[0].Body, "back") || got[0].Resolved || got[3].Resolved || !strings.Contains(got[3].Body, bugTitle) {
			t.Errorf("after the finding came back: %+v", got)
		}
		if n := w.count(`SELECT COUNT(*) FROM review_runs`); n != 4 {
			t.Errorf("%d runs, want 4", n)
		}
	})
}

func (w *world) gitlabStatus(head string) (state, says string) {
	w.Helper()
	testkit.Eventually(w.T, patience, func() (bool, string) {
		all, err := w.gitlab.Statuses(w.ctx, w.repo)
		for _, s := range all {
			if s.SHA == head && s.State != "canceled" {
				state, says = s.State, s.Description
			}
		}
		return err == nil && state != "" && state != "pending" && state != "running", fmt.Sprintf("the status of %s is %q (%v)", head, state, err)
	})
	return state, says
}

// The worker is killed while the host holds a request that makes a comment visible. The host then
// applies it.
func TestGitLabKilledAtPublishApplied(t *testing.T) {
	onGitLab(t, func(_ *testing.T, w *world) { w.killedDuring("PUT", publishPath, shared.Apply) })
}

func TestGitLabSwitchesTheWebhookOff(t *testing.T) { onGitLab(t, webhookSwitchedOff) }

// TestHostsGitLab runs the additional scenarios of make hosts.
func TestHostsGitLab(t *testing.T) {
	if !allHosts() {
		t.Skip("make hosts runs these scenarios (ASSAY_HOSTS=all)")
	}
	t.Parallel()
	for name, scenario := range map[string]func(t *testing.T, w *world){
		"killed at a draft, applied":     func(_ *testing.T, w *world) { w.killedDuring("POST", draftPath, shared.Apply) },
		"killed at a draft, dropped":     func(_ *testing.T, w *world) { w.killedDuring("POST", draftPath, shared.Drop) },
		"killed at a comment, dropped":   func(_ *testing.T, w *world) { w.killedDuring("PUT", publishPath, shared.Drop) },
		"a draft applied, then an error": func(_ *testing.T, w *world) { w.doubtful("POST", draftPath) },
		"visible, then an error":         func(_ *testing.T, w *world) { w.doubtful("PUT", publishPath) },
		"a draft of a person":            draftOfAPerson,
		"a project that changes":         repositoryChanges,
		"renamed before a draft":         func(t *testing.T, w *world) { renamedOnGitLab(t, w, "POST", draftPath) },
		"renamed before a comment shows": func(t *testing.T, w *world) { renamedOnGitLab(t, w, "PUT", publishPath) },
		"commands":                       commandsOnHosts,
		"a command in a thread":          commandInAThread,
		"a webhook that was lost":        lostWebhook,
		"a forced push":                  forcedPush,
		"closed, reopened and merged":    closedAndReopened,
		"a draft that becomes ready":     draftBecomesReady,
		"text of changes left out":       textLeftOut,
		"limited with headers":           func(t *testing.T, w *world) { limitedOnGitLab(t, w, false) },
		"limited without headers":        func(t *testing.T, w *world) { limitedOnGitLab(t, w, true) },
		"a token of a reporter":          reportersToken,
		"a merge request of a fork":      mergeRequestOfAFork,
		"a secret":                       secretOnGitLab,
		"killed during generation":       generationKilled,
		"a draft applied late":           draftLateOnGitLab,
		"a push during a run":            pushDuringReview,
		"replayed and stormed":           replayedOnGitLab,
		"the connection is deleted":      connectionDeletedOnGitLab,
		"the connection is switched off": connectionOffOnGitLab,
		"the token is taken back":        tokenRefusedOnGitLab,
		"a large merge request":          largeOnGitLab,
		"drafts kept with an error":      draftsKeptOnGitLab,
		"a summary that is a thread":     summaryIsAThread,
		"a command in a conversation":    commandInAConversation,
		"late edits":                     lateEdits,
		"a comment that changes":         commentThatChanges,
		"a name that is taken":           nameTaken,
	} {
		t.Run(name, func(t *testing.T) { onGitLab(t, scenario) })
	}
}

func (w *world) killedDuring(method, path, decision string) {
	w.Helper()
	w.killedAtFault(shared.Fault{Method: method, Path: path}, decision)
}

// killedAtFault kills the worker while the host holds a request of the first review.
func (w *world) killedAtFault(f shared.Fault, decision string) {
	w.Helper()
	p := w.worked()
	f.Action, f.Times = shared.Hold, 1
	id := w.fault(f)
	pr := w.open("bug", buggy())
	_, err := w.host.AwaitFault(w.ctx, id, 1, 1, patience)
	must(w.T, err)
	p.Signal(syscall.SIGKILL)
	must(w.T, w.host.Release(w.ctx, id, decision))
	w.again()
	w.said(pr.Number, 1)
	w.whole(pr.Number)
}

// doubtful makes the host apply a request and answer with an error.
func (w *world) doubtful(method, path string) {
	w.Helper()
	w.fault(shared.Fault{Method: method, Path: path, Action: shared.ApplyThenStatus, Times: 1})
	pr := w.open("bug", buggy())
	w.said(pr.Number, 1)
	w.whole(pr.Number)
}

// A person with the same account has a draft: it stays unchanged, and the review is published beside
// it.
func draftOfAPerson(t *testing.T, w *world) {
	held := w.modelFault(hang("generate"))
	pr := w.open("bug", buggy())
	_, err := w.model.AwaitFault(w.ctx, held, 1, 1)
	must(t, err)
	const said = "What I was about to say."
	_, err = w.gitlab.Note(w.ctx, w.repo, pr.Number, simapi.NoteSpec{Author: account, Path: "price/mean.go", NewLine: 3, Body: said, Draft: true})
	must(t, err)
	must(t, w.model.ReleaseFault(w.ctx, held, "answer"))
	if got := w.said(pr.Number, 1); len(got) != 2 {
		t.Errorf("visible: %+v", got)
	}
	w.quiet()
	drafts, err := w.gitlab.Drafts(w.ctx, w.repo, pr.Number)
	must(t, err)
	if len(drafts) != 1 || drafts[0].Body != said {
		t.Errorf("drafts: %+v", drafts)
	}
}

// A delivery is accepted only with the secret of its connection.
func TestGitLabDeliveriesAreProven(t *testing.T) {
	t.Parallel()
	w := gitlabWorld(t, embedded, simapi.SigningTokens)
	pr := w.open("ok", clean())
	w.said(pr.Number, 1)
	list, err := w.host.Deliveries(w.ctx, true)
	must(t, err)
	d := list[0]
	for what, change := range map[string]func(h map[string]string, body *string){
		"a body that was changed": func(_ map[string]string, body *string) { *body = strings.Replace(*body, "acme", "evil", 1) },
		"no signature and no token": func(h map[string]string, _ *string) {
			without(h, "X-Gitlab-Token", "Webhook-Signature")
		},
		"the token of a webhook that signs": func(h map[string]string, _ *string) {
			without(h, "Webhook-Signature", "Webhook-Id", "Webhook-Timestamp")
		},
		"another token": func(h map[string]string, _ *string) {
			without(h, "X-Gitlab-Token", "Webhook-Signature")
			h["X-Gitlab-Token"] = "another"
		},
	} {
		forged := d
		forged.Headers, forged.Payload = maps.Clone(d.Headers), d.Payload
		change(forged.Headers, &forged.Payload)
		if forged.Payload == d.Payload && maps.Equal(forged.Headers, d.Headers) {
			t.Fatalf("%s: nothing was changed", what)
		}
		if code := w.post(w.port, forged); code != http.StatusUnauthorized {
			t.Errorf("%s was answered %d", what, code)
		}
	}
	for range 5 {
		if code := w.post(w.port, d); code != http.StatusAccepted {
			t.Errorf("a copy was answered %d", code)
		}
	}
	w.whole(pr.Number)
	if n := w.count(`SELECT COUNT(*) FROM review_runs`); n != 1 {
		t.Errorf("%d runs, want 1", n)
	}
	for _, row := range w.query(`SELECT CAST(payload AS TEXT), delivery_guid, event FROM webhook_deliveries`) {
		if token := d.Headers["X-Gitlab-Token"]; token != "" && strings.Contains(strings.Join(row, " "), token) {
			t.Error("the secret of the webhook is stored with a delivery")
		}
	}
}

// without removes headers, in any spelling of upper and lower case.
func without(headers map[string]string, names ...string) {
	maps.DeleteFunc(headers, func(name, _ string) bool {
		return slices.ContainsFunc(names, func(n string) bool { return strings.EqualFold(n, name) })
	})
}
