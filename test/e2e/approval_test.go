package e2e

import (
	"fmt"
	"net/http"
	"strings"
	"syscall"
	"testing"

	"github.com/assay-dev/assay/internal/testkit"
	"github.com/assay-dev/assay/sim/github/simapi"
)

// held is a review that waits, as the interface shows it.
type held struct {
	ID, RunID, State, Digest string
	PullRequest              struct{ Number int }
	Review                   struct {
		Body     string
		Comments []struct{ FindingID, Body string }
	}
	Findings []struct{ ID, Title string }
	Decision *struct{ Name, How, Note string }
}

// approvals makes the repository wait for approval, and returns the admin and the path of the waiting
// approvals.
func (w *world) approvals() (*person, string) {
	w.Helper()
	boss := w.admin()
	repo := "/api/tenants/" + boss.tenant() + "/repositories/" + w.repository()
	boss.send("PUT", repo+"/policy", map[string]any{"publishMode": "approval"})
	return boss, repo + "/approvals"
}

// waits opens a pull request with two findings, and waits until its review waits for approval.
func (w *world) waits(boss *person, path string) (simapi.Pull, held) {
	w.Helper()
	files := buggy()
	files["keys.env"] = "KEY=" + "AKIA" + "Q3EGRX7N5B2VKJ4M" + "\n"
	pr := w.open("bug", files)
	return pr, w.waiting(boss, path, pr.HeadSHA)
}

// waiting waits until the review of a head waits for approval.
func (w *world) waiting(boss *person, path, head string) (v held) {
	w.Helper()
	testkit.Eventually(w.T, patience, func() (bool, string) {
		var list struct{ Items []held }
		boss.as.Send("GET", path, nil, http.StatusOK, &list)
		if len(list.Items) == 1 {
			v = list.Items[0]
		}
		return v.ID != "" && w.count(fmt.Sprintf(`SELECT COUNT(*) FROM review_runs WHERE id = '%s' AND head_sha = '%s'`, v.RunID, head)) == 1, fmt.Sprintf("%d reviews wait", len(list.Items))
	})
	if got := w.marks(v.PullRequest.Number); len(got) != 0 {
		w.Fatalf("%d reviews are visible before the approval", len(got))
	}
	return v
}

// changed approves the waiting review with its first finding left out and the second reworded.
func (w *world) changed(boss *person, path string, v held) {
	w.Helper()
	if len(v.Findings) < 2 {
		w.Fatalf("%d findings wait, want 2 at least", len(v.Findings))
	}
	boss.send("POST", path+"/"+v.ID+"/approve", map[string]any{"digest": v.Digest, "note": "one is known", "drop": []string{v.Findings[0].ID},
		"edit": []any{map[string]any{"findingId": v.Findings[1].ID, "title": "Words of a person"}}})
}

// approved checks that exactly one review is visible, with the approved text.
func (w *world) approved(number int, v held) {
	w.Helper()
	got := w.reviewed(number, 1)
	text := got[0].Body
	for _, c := range got[0].Comments {
		text += "\n" + c.Body
	}
	if !strings.Contains(text, "Words of a person") || strings.Contains(text, v.Findings[0].Title) {
		w.Errorf("the visible review is not the approved one: %s", text)
	}
	w.verify()
	if n := w.count(`SELECT COUNT(*) FROM publications p JOIN approvals a ON a.run_id = p.run_id AND a.child_id = p.output_id AND a.state = 'published' WHERE p.phase = 'PUBLISHED'`); n != 1 {
		w.Errorf("the approved review has %d publications, want 1", n)
	}
}

// One finding is dropped and one edited, and the worker is killed at each step of publishing.
func TestApprovedAndKilled(t *testing.T) {
	for name, at := range map[string]struct{ path, decision string }{
		"at no step": {}, "create applied": {createPath, simapi.Apply}, "create dropped": {createPath, simapi.Drop}, "submit dropped": {submitPath, simapi.Drop}, "submit applied": {submitPath, simapi.Apply},
	} {
		t.Run(name, func(t *testing.T) {
			on(t, featureKills, func(_ *testing.T, w *world) {
				p := w.worked()
				boss, path := w.approvals()
				pr, v := w.waits(boss, path)
				if at.path == "" {
					w.changed(boss, path, v)
				} else {
					id := w.fault(simapi.Fault{Method: "POST", Path: at.path, Action: simapi.Hold, Times: 1})
					w.changed(boss, path, v)
					_, err := w.host.AwaitFault(w.ctx, id, 1, 1, patience)
					must(w.T, err)
					p.Signal(syscall.SIGKILL)
					p.Wait(patience) // its successor needs the port and files that it held
					must(w.T, w.host.Release(w.ctx, id, at.decision))
					w.again()
				}
				w.approved(pr.Number, v)
			})
		})
	}
}

// A rejected review leaves only a neutral check. So does one whose time is over.
func TestRejectedAndExpired(t *testing.T) {
	on(t, journeys, func(t *testing.T, w *world) {
		w.worked()
		boss, path := w.approvals()
		pr, v := w.waits(boss, path)
		boss.send("POST", path+"/"+v.ID+"/reject", map[string]any{"digest": v.Digest, "note": "noise"})
		w.quiet()
		if c, text := w.conclusion(pr.HeadSHA); c != "neutral" || !strings.Contains(text, "Rejected") {
			t.Errorf("the check of a rejected review: %s %s", c, text)
		}
		head := w.push("bug", map[string]string{"other.txt": "more\n"})
		v = w.waiting(boss, path, head)
		w.exec(`UPDATE approvals SET expires_us = created_us - 1 WHERE state = 'pending'`)
		testkit.Eventually(t, patience, func() (bool, string) {
			return w.count(`SELECT COUNT(*) FROM approvals WHERE output_id = '`+v.ID+`' AND state = 'expired'`) == 1, "it does not expire"
		})
		w.quiet()
		if c, text := w.conclusion(head); c != "neutral" || !strings.Contains(text, "Not approved in time") {
			t.Errorf("the check of an expired review: %s %s", c, text)
		}
		if got, err := w.host.VisibleReviews(w.ctx, w.repo, pr.Number); err != nil || len(got) != 0 {
			t.Errorf("%d visible reviews (%v), want none", len(got), err)
		}
	})
}

// A comment with the digits of an older review is answered with the digits of the waiting one. With
// these the review is published.
func TestApprovedByComment(t *testing.T) {
	on(t, journeys, func(_ *testing.T, w *world) {
		w.worked()
		w.people()
		boss, path := w.approvals()
		pr, old := w.waits(boss, path)
		now := w.waiting(boss, path, w.push("bug", map[string]string{"other.txt": "more\n"}))
		w.say(pr.Number, "reader", "/assay approve "+now.Digest[:12])
		w.say(pr.Number, "writer", "/assay approve "+old.Digest[:12])
		w.answered(pr.Number, "Nothing was decided: another review waits for approval")
		if said := strings.Join(w.ours(pr.Number), "\n"); !strings.Contains(said, "/assay approve "+now.Digest[:12]) {
			w.Errorf("the answer does not name what waits: %s", said)
		}
		w.say(pr.Number, "writer", "/assay approve "+now.Digest[:12])
		w.reviewed(pr.Number, 1)
		w.verify()
	})
}
