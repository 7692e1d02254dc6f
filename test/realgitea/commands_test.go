package realgitea

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"net/http"
	"net/http/cookiejar"
	"net/url"
	"regexp"
	"strings"
	"testing"

	"github.com/assay-dev/assay/internal/domain"
	"github.com/assay-dev/assay/internal/testkit"
	"github.com/assay-dev/assay/test/site"
)

// A command in the conversation and one in a thread on a line are carried out once each. Bodies that
// are signed with the webhook's secret have no effect if their comment does not exist or if another
// person made it a command.
func commandsReadBack(t *testing.T, w *world) {
	p := w.open("eve", "acme/shop", "read-back", buggy())
	w.say("eve", p, "Looks good.")
	early := w.lastComment(p)
	w.reviewed(p, 1)
	carriedOut := func(n int) {
		t.Helper()
		w.eventually(func() (bool, string) {
			got := w.rows(fmt.Sprintf(`SELECT comment FROM obeyed_commands o JOIN pull_requests p ON p.id = o.pull_request_id WHERE p.number = %d`, p.Number))
			return len(got) == n, fmt.Sprintf("commands were carried out for the comments %v, want %d; deliveries %v", got, n,
				w.rows(`SELECT event, action, disposition, reason FROM webhook_deliveries ORDER BY received_us DESC LIMIT 5`))
		})
	}
	w.say("eve", p, "/assay pause")
	carriedOut(1)
	w.replyOnLine("eve", p, "/assay resume")
	carriedOut(2)

	var made struct{ Secret string }
	w.admin.Send(http.MethodPost, w.connections()+"/"+w.connection+"/webhook-secret", nil, http.StatusOK, &made)
	row := w.rows(`SELECT CAST(payload AS TEXT), event FROM webhook_deliveries WHERE CAST(payload AS TEXT) LIKE '%/assay pause%' ORDER BY received_us DESC LIMIT 1`)[0]
	number := regexp.MustCompile(`("comment":\s*{\s*"id":\s*)(\d+)`)
	paused := number.FindStringSubmatch(row[0])[2]
	w.do("dana", "PATCH", fmt.Sprintf("/repos/acme/shop/issues/comments/%d", early), map[string]any{"body": "/assay pause"}, nil)
	for _, c := range []struct{ what, id, reason string }{
		{"a copy about a command that was carried out", paused, "the command of this comment was carried out before"},
		{"a comment that another person has made a command", fmt.Sprint(early), "the comment was edited after it was written"},
		{"a comment that is not there", "99999999", "the host has no such comment on this pull request"},
	} {
		body := number.ReplaceAllString(row[0], "${1}"+c.id) + "\n"
		guid := w.forged(body, row[1], made.Secret)
		w.eventually(func() (bool, string) { // the host may show a comment later, so that the service looks for it again
			w.older()
			got := w.rows(`SELECT COALESCE(disposition, ''), reason FROM webhook_deliveries WHERE delivery_guid = '` + guid + `'`)
			return len(got) == 1 && got[0][0] == "ignored" && got[0][1] == c.reason, fmt.Sprintf("%s: the delivery is %v", c.what, got)
		})
	}
	carriedOut(2)
	w.quiet()
}

// older makes deliveries about comments that the host does not have a minute older.
func (w *world) older() {
	w.Helper()
	testkit.OK(w, w.site.Change(w.ctx, `UPDATE webhook_deliveries SET received_us = received_us - 60000000 WHERE disposition IS NULL
		AND EXISTS (SELECT 1 FROM jobs WHERE subject = webhook_deliveries.id AND last_error LIKE '%no such comment%')`))
	testkit.OK(w, w.site.Change(w.ctx, `UPDATE jobs SET run_us = 0 WHERE kind = 'delivery.process' AND state = 'queued' AND last_error LIKE '%no such comment%'`))
}

// lastComment returns the id of the newest comment of the conversation.
func (w *world) lastComment(p pull) int64 {
	w.Helper()
	var list []struct{ ID int64 }
	w.do("", "GET", fmt.Sprintf("/repos/%s/issues/%d/comments", p.Repo, p.Number), nil, &list)
	return list[len(list)-1].ID
}

// replyOnLine answers the bot's first comment on a line as the page of the host does, because the
// interface cannot.
func (w *world) replyOnLine(login string, p pull, text string) {
	w.Helper()
	var reviews []struct {
		ID   int64
		User struct{ Login string }
	}
	at := fmt.Sprintf("/repos/%s/pulls/%d/reviews", p.Repo, p.Number)
	w.do("", "GET", at, nil, &reviews)
	for _, r := range reviews {
		var comments []struct {
			Path     string
			Position int `json:"position"`
		}
		w.do("", "GET", fmt.Sprintf("%s/%d/comments", at, r.ID), nil, &comments)
		if r.User.Login != bot || len(comments) == 0 {
			continue
		}
		c := comments[0]
		jar, err := cookiejar.New(nil)
		testkit.OK(w, err)
		browser := &http.Client{Jar: jar, Timeout: site.Patience}
		for _, form := range []struct {
			to     string
			fields url.Values
		}{
			{"/user/login", url.Values{"user_name": {login}, "password": {password}}},
			{fmt.Sprintf("/%s/pulls/%d/files/reviews/comments", p.Repo, p.Number), url.Values{"origin": {"timeline"}, "latest_commit_id": {p.Head.SHA}, "side": {"proposed"},
				"line": {fmt.Sprint(c.Position)}, "path": {c.Path}, "reply": {fmt.Sprint(r.ID)}, "content": {text}, "single_review": {"true"}}},
		} {
			resp, err := browser.PostForm(w.server.URL+form.to, form.fields)
			testkit.OK(w, err)
			testkit.OK(w, resp.Body.Close())
			if resp.StatusCode >= 300 {
				w.Fatalf("%s: %s", form.to, resp.Status)
			}
		}
		return
	}
	w.Fatalf("%s has no comment of the bot on a line: %+v", p.name(), reviews)
}

// forged posts a body that is signed with the secret of the connection, and returns the id of its delivery.
func (w *world) forged(body, event, key string) (guid string) {
	w.Helper()
	guid = strings.ReplaceAll(domain.NewID("dlv"), "_", "-")
	w.eventually(func() (bool, string) { // a new secret takes effect soon
		req, err := http.NewRequestWithContext(w.ctx, http.MethodPost, w.site.URL("/webhooks/"+domain.Gitea.PathWord()+"/"+w.connection), strings.NewReader(body))
		testkit.OK(w, err)
		mac := hmac.New(sha256.New, []byte(key))
		_, _ = mac.Write([]byte(body)) // a hash never fails
		for name, value := range map[string]string{"Content-Type": "application/json", "X-Gitea-Event": event, "X-Gitea-Event-Type": event, "X-Gitea-Delivery": guid, "X-Gitea-Signature": hex.EncodeToString(mac.Sum(nil))} {
			req.Header.Set(name, value)
		}
		status, text := w.send(req)
		return status == http.StatusAccepted, fmt.Sprintf("a signed body was answered %d %s", status, text)
	})
	return guid
}
