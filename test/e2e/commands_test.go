package e2e

import (
	"fmt"
	"net/http"
	"regexp"
	"slices"
	"strings"
	"syscall"
	"testing"

	"github.com/assay-dev/assay/internal/testkit"
	"github.com/assay-dev/assay/sim/github/simapi"
)

// people gives the repository a writer and a reader, and returns the token of
// the writer.
func (w *world) people() (token string) {
	w.Helper()
	for login, role := range map[string]string{"writer": "write", "reader": "read"} {
		u, err := w.host.CreateUser(w.ctx, simapi.UserSpec{Login: login})
		must(w.T, err)
		if login == "writer" {
			token = u.Token
		}
		must(w.T, w.gh.UpdateRepo(w.ctx, w.repo, simapi.RepoUpdate{Collaborators: map[string]string{login: role}}))
	}
	return token
}

// say writes a comment in the conversation as a person.
func (w *world) say(number int, author, body string) {
	w.Helper()
	_, err := w.host.Comment(w.ctx, w.repo, number, simapi.CommentSpec{Author: author, Body: body})
	must(w.T, err)
}

// ours returns the comments of the conversation that the service wrote.
func (w *world) ours(number int) (out []string) {
	w.Helper()
	all, err := w.host.Comments(w.ctx, w.repo, number)
	must(w.T, err)
	for _, c := range all {
		if strings.HasPrefix(c.User, "assay") {
			out = append(out, c.Body)
		}
	}
	return out
}

// answered waits until the service has written a comment with this beginning.
func (w *world) answered(number int, begins string) {
	w.Helper()
	testkit.Eventually(w.T, patience, func() (bool, string) {
		got := w.ours(number)
		return slices.ContainsFunc(got, func(s string) bool { return strings.HasPrefix(s, begins) }), fmt.Sprintf("answers: %q, want %q …", got, begins)
	})
}

var answerMark = regexp.MustCompile(`assay:ans=(\S+) mac=`)

// verifyAnswers checks that every recorded answer, and every reply about a higher severity, is one
// comment with its mark, that there are no others, and that an intent was written before each.
func (w *world) verifyAnswers() {
	w.Helper()
	said := map[string]bool{}
	for _, row := range w.query(`SELECT id FROM command_answers WHERE state = 'said' UNION ALL SELECT DISTINCT subject_id FROM write_attempts WHERE subject_kind = 'raised' AND outcome = 'ok'`) {
		said[row[0]] = true
	}
	seen := 0
	for _, p := range w.pulls() {
		all, err := w.host.Comments(w.ctx, p.repo, p.number)
		must(w.T, err)
		reviews, err := w.host.Reviews(w.ctx, p.repo, p.number)
		must(w.T, err)
		for _, r := range reviews {
			all = append(all, r.Comments...)
		}
		for _, c := range all {
			m := answerMark.FindStringSubmatch(c.Body)
			if m == nil {
				continue
			}
			if seen++; !said[m[1]] {
				w.Errorf("#%d has an answer too many, or one that does not count as said: %s", p.number, c.Body)
			}
			delete(said, m[1])
		}
	}
	if len(said) > 0 {
		w.Errorf("answers that count as posted, but are missing: %v", said)
	}
	if intents := w.count(`SELECT COUNT(*) FROM write_attempts WHERE subject_kind IN ('answer', 'raised')`); seen > intents {
		w.Errorf("%d answers with %d intents", seen, intents)
	}
}

// People with write access are answered, five times a day. Strangers are not.
func TestCommandsAreAnswered(t *testing.T) {
	on(t, journeys, func(t *testing.T, w *world) {
		w.people()
		w.up()
		pr := w.open("ok", clean())
		w.reviewed(pr.Number, 1)
		w.say(pr.Number, "reader", "/assay help")
		w.say(pr.Number, "writer", "/assay help")
		w.answered(pr.Number, "Commands stand alone on the first line of a comment:")
		w.say(pr.Number, "writer", "/assay reveiw @writer")
		w.answered(pr.Number, "There is no such command. Did you mean `/assay review`?")
		w.say(pr.Number, "writer", "@assay pause")
		w.answered(pr.Number, "Reviews of this pull request are paused")
		w.say(pr.Number, "writer", "/assay review full")
		w.answered(pr.Number, "Nothing was started: `/assay review full` needs the role maintain or admin")
		w.say(pr.Number, "writer", "/assay review\nonce more")
		w.reviewed(pr.Number, 2)
		w.say(pr.Number, "writer", "/assay explain why")
		w.answered(pr.Number, "Nothing was done: `/assay explain` belongs in the thread of a finding")
		w.say(pr.Number, "writer", "/assay resume") // has no answer

		again := w.delivery("issue_comment", "created")
		again.Headers["X-GitHub-Delivery"] = "00000000-0000-4000-8000-000000000001" // the same comment with another id
		testkit.Equal(t, "redelivery", w.post(w.port, again), http.StatusAccepted)
		w.verify()
		if got := w.ours(pr.Number); len(got) != 5 || strings.Contains(strings.Join(got, ""), "@writer") {
			t.Errorf("answers: %q", got)
		}
		testkit.Equal(t, "the sixth", w.count(`SELECT COUNT(*) FROM webhook_deliveries WHERE disposition = 'applied' AND reason LIKE 'not answered: %'`), 1)
		testkit.Equal(t, "the same body again", w.count(`SELECT COUNT(*) FROM webhook_deliveries WHERE disposition = 'ignored' AND reason LIKE 'repeated: %'`), 1)
		testkit.Equal(t, "paused", w.count(`SELECT COUNT(*) FROM pull_requests WHERE paused`), 0)
	})
}

// A command in the thread of a finding is answered there.
func TestACommandInAThread(t *testing.T) {
	on(t, journeys, func(t *testing.T, w *world) {
		token := w.people()
		w.up()
		pr := w.open("bug", buggy())
		finding := w.reviewed(pr.Number, 1)[0].Comments[0]
		w.quiet()
		req, err := http.NewRequestWithContext(w.ctx, http.MethodPost, fmt.Sprintf("%s/repos/%s/pulls/%d/comments/%d/replies", w.gh.APIURL(), w.repo, pr.Number, finding.ID),
			strings.NewReader(`{"body": "/assay explain"}`))
		must(t, err)
		req.Header.Set("Authorization", "Bearer "+token)
		resp, err := http.DefaultClient.Do(req)
		must(t, err)
		must(t, resp.Body.Close())
		testkit.Equal(t, "the comment", resp.StatusCode, http.StatusCreated)
		w.verify()
		var thread []string
		reviews, err := w.host.Reviews(w.ctx, w.repo, pr.Number)
		must(t, err)
		for _, r := range reviews {
			for _, c := range r.Comments {
				if c.InReplyTo == finding.ID {
					thread = append(thread, c.Body)
				}
			}
		}
		if len(thread) != 2 || !strings.Contains(thread[1], "price/mean.go") || len(w.ours(pr.Number)) != 0 {
			t.Errorf("the thread: %q, the conversation: %q", thread, w.ours(pr.Number))
		}
	})
}

const commentPath = `/issues/\d+/comments$`

// answerKilled kills the worker while the host holds its answer, and applies or drops that request.
func (w *world) answerKilled(decision string) {
	w.Helper()
	w.people()
	p := w.up()
	pr := w.open("ok", clean())
	w.reviewed(pr.Number, 1)
	w.quiet()
	id := w.fault(simapi.Fault{Method: "POST", Path: commentPath, Action: simapi.Hold, Times: 1})
	w.say(pr.Number, "writer", "/assay help")
	_, err := w.host.AwaitFault(w.ctx, id, 1, 1, patience)
	must(w.T, err)
	p.Signal(syscall.SIGKILL)
	must(w.T, w.host.Release(w.ctx, id, decision))
	w.again()
	if decision == simapi.Drop { // the list does not show it, so the successor waits until the list would have to
		testkit.Eventually(w.T, patience, func() (bool, string) {
			n := w.count(`SELECT COUNT(*) FROM jobs WHERE kind = 'comment.answer' AND state = 'queued' AND last_error LIKE '%may not show it yet%'`)
			return n == 1, "no job waits for the list"
		})
		w.aged()
		w.exec(`UPDATE jobs SET run_us = 0 WHERE kind = 'comment.answer' AND state = 'queued'`)
	}
	w.answered(pr.Number, "Commands stand alone")
	w.verify()
	testkit.Equal(w.T, "answers", len(w.ours(pr.Number)), 1)
}

func TestKilledAtAnAnswerApplied(t *testing.T) {
	on(t, featureKills, func(_ *testing.T, w *world) { w.answerKilled(simapi.Apply) })
}

func TestKilledAtAnAnswerDropped(t *testing.T) {
	on(t, featureKills, func(_ *testing.T, w *world) { w.answerKilled(simapi.Drop) })
}
