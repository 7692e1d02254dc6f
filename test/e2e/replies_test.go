package e2e

import (
	"fmt"
	"net/http"
	"strings"
	"syscall"
	"testing"

	"github.com/assay-dev/assay/internal/domain"
	"github.com/assay-dev/assay/internal/testkit"
	giteaapi "github.com/assay-dev/assay/sim/gitea/simapi"
	"github.com/assay-dev/assay/sim/github/simapi"
)

// findingStands begins the answer to a reply that the code contradicts, which the scripted model always finds.
const findingStands = "The finding stands, because of "

// replyTo answers a comment on a line as a person.
func (w *world) replyTo(number int, comment int64, token, body string) {
	w.Helper()
	req, err := http.NewRequestWithContext(w.ctx, http.MethodPost, fmt.Sprintf("%s/repos/%s/pulls/%d/comments/%d/replies", w.gh.APIURL(), w.repo, number, comment),
		strings.NewReader(fmt.Sprintf(`{"body": %q}`, body)))
	must(w.T, err)
	req.Header.Set("Authorization", "Bearer "+token)
	resp, err := http.DefaultClient.Do(req)
	must(w.T, err)
	must(w.T, resp.Body.Close())
	testkit.Equal(w.T, "the comment", resp.StatusCode, http.StatusCreated)
}

// inThreadOf returns the comments in a thread on a line, without the first.
func (w *world) inThreadOf(number int, first int64) (out []string) {
	w.Helper()
	reviews, err := w.host.Reviews(w.ctx, w.repo, number)
	must(w.T, err)
	for _, r := range reviews {
		for _, c := range r.Comments {
			if c.InReplyTo == first {
				out = append(out, c.Body)
			}
		}
	}
	return out
}

// A worker that is killed while the host holds the answer to a reply leads to one answer, whether the host applied it or not. Three
// deliveries of the reply lead to one, too.
func TestAReplyIsAnsweredOnce(t *testing.T) {
	for _, decision := range []string{simapi.Apply, simapi.Drop} {
		t.Run(decision, func(t *testing.T) {
			on(t, featureKills, func(t *testing.T, w *world) {
				token := w.people()
				p := w.up()
				pr := w.open("bug", buggy())
				finding := w.reviewed(pr.Number, 1)[0].Comments[0]
				w.quiet()
				id := w.fault(simapi.Fault{Method: "POST", Path: `/pulls/\d+/comments/\d+/replies$`, Action: simapi.Hold, Nth: 2, Times: 1})
				w.replyTo(pr.Number, finding.ID, token, "No caller passes an empty list.")
				_, err := w.host.AwaitFault(w.ctx, id, 1, 1, patience)
				must(t, err)
				p.Signal(syscall.SIGKILL)
				must(t, w.host.Release(w.ctx, id, decision))
				w.again()
				for i := range 2 {
					again := w.delivery("pull_request_review_comment", "created")
					again.Headers["X-GitHub-Delivery"] = fmt.Sprintf("00000000-0000-4000-8000-00000000000%d", i)
					testkit.Equal(t, "redelivery", w.post(w.port, again), http.StatusAccepted)
				}
				if decision == simapi.Drop { // the list does not show it, so the successor waits until the list would have to
					testkit.Eventually(t, patience, func() (bool, string) {
						n := w.count(`SELECT COUNT(*) FROM jobs WHERE kind = 'comment.answer' AND state = 'queued' AND last_error LIKE '%may not show it yet%'`)
						return n == 1, "no job waits for the list"
					})
					w.aged()
					w.exec(`UPDATE jobs SET run_us = 0 WHERE kind = 'comment.answer' AND state = 'queued'`)
				}
				testkit.Eventually(t, patience, func() (bool, string) {
					got := w.inThreadOf(pr.Number, finding.ID)
					return len(got) == 2 && strings.HasPrefix(got[1], findingStands), fmt.Sprintf("the thread: %q", got)
				})
				w.verify()
				testkit.Equal(t, "answers", len(w.inThreadOf(pr.Number, finding.ID)), 2)
			})
		})
	}
}

// On Gitea and Forgejo a reply in a thread is answered in the conversation, with path and line.
func TestHostsAReplyToAFinding(t *testing.T) {
	onHosts(t, domain.Gitea, func(t *testing.T, w *world) {
		pr := w.open("bug", buggy())
		finding := w.reviewed(pr.Number, 1)[0].Comments[0]
		w.quiet()
		_, err := w.gitea.Reply(w.ctx, w.repo, pr.Number, giteaapi.ReplySpec{Comment: finding.ID, Author: "dev", Body: "No caller passes an empty list."})
		must(t, err)
		testkit.Eventually(t, patience, func() (bool, string) {
			all, err := w.host.Comments(w.ctx, w.repo, pr.Number)
			must(t, err)
			for _, c := range all {
				if c.User == account && strings.HasPrefix(c.Body, findingStands) && strings.Contains(c.Body, "price/mean.go:5") {
					return true, ""
				}
			}
			return false, fmt.Sprintf("the conversation: %+v", all)
		})
		w.verify()
	})
}
