package e2e

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"strings"
	"testing"

	"github.com/assay-dev/assay/internal/codehost"
	"github.com/assay-dev/assay/internal/domain"
	"github.com/assay-dev/assay/internal/secret"
	"github.com/assay-dev/assay/internal/testkit"
	shared "github.com/assay-dev/assay/sim/host/simapi"
)

// Who knows the secret of a webhook writes no command in the name of others.
func TestHostsForgedComment(t *testing.T) { onHosts(t, domain.Gitea, forgedComment) }

// The same on GitLab, where the secret stands in a header.
func TestGitLabForgedComment(t *testing.T) { onGitLab(t, forgedComment) }

func forgedComment(t *testing.T, w *world) {
	people := map[string]int64{}
	for login, right := range map[string]string{"writer": "write", "reader": "read"} {
		made, err := w.host.CreateUser(w.ctx, shared.UserSpec{Login: login})
		must(t, err)
		people[login] = made.ID
		w.change(repoChange{Collaborators: map[string]string{login: right}})
	}
	pr := w.open("ok", clean())
	w.told(pr.Number, 1)
	w.say(pr.Number, "reader", "/assay review")
	var real shared.Delivery
	testkit.Eventually(t, patience, func() (bool, string) {
		list, err := w.host.Deliveries(w.ctx, true)
		must(t, err)
		for _, d := range list {
			if d.Done && strings.Contains(d.Payload, "/assay review") {
				real = d
			}
		}
		return real.ID != 0, fmt.Sprintf("%d deliveries", len(list))
	})
	var made struct{ Secret string }
	w.boss.as.Send(http.MethodPost, w.at()+"/webhook-secret", nil, http.StatusOK, &made)
	repository := domain.HostID(strings.TrimPrefix(real.URL[strings.LastIndex(real.URL, "?")+1:], codehost.HookRepository+"="))

	// forged is a body about a comment, signed with a key.
	forged := func(guid string, id int64, key string) shared.Delivery {
		var body map[string]any
		decoder := json.NewDecoder(strings.NewReader(real.Payload))
		decoder.UseNumber()
		must(t, decoder.Decode(&body))
		writer := map[string]any{"id": people["writer"], "login": "writer", "username": "writer"}
		comment, of := body["comment"], "sender"
		if comment == nil {
			comment, of = body["object_attributes"], "user"
		}
		fields := comment.(map[string]any)
		fields["user"], fields["author_id"], body[of] = writer, people["writer"], writer
		if id > 0 {
			fields["id"] = id
		}
		raw, err := json.Marshal(body)
		must(t, err)
		d := real
		d.URL, d.Headers, d.Payload = "", maps.Clone(real.Headers), string(raw)
		mac := hmac.New(sha256.New, []byte(key))
		mac.Write(raw)
		without(d.Headers, "Webhook-Signature", "Webhook-Id", "Webhook-Timestamp")
		for name := range d.Headers {
			switch lower := strings.ToLower(name); {
			case lower == "x-gitlab-token":
				d.Headers[name] = key
			case lower == "x-gitea-signature", lower == "x-forgejo-signature":
				d.Headers[name] = hex.EncodeToString(mac.Sum(nil))
			case lower == "x-gitea-delivery", lower == "x-forgejo-delivery", lower == "idempotency-key":
				d.Headers[name] = guid
			}
		}
		return d
	}
	testkit.Eventually(t, patience, func() (bool, string) { // the new secret counts within moments
		code := w.post(w.port, forged("forged-author", 0, made.Secret))
		return code == http.StatusAccepted, fmt.Sprintf("a signed body was answered %d", code)
	})
	ended := func(guid, reason string) {
		t.Helper()
		testkit.Eventually(t, 3*patience, func() (bool, string) {
			rows := w.query(`SELECT COALESCE(disposition, ''), reason FROM webhook_deliveries WHERE delivery_guid = '` + guid + `'`)
			return len(rows) == 1 && rows[0][0] == "ignored" && rows[0][1] == reason, fmt.Sprintf("the delivery %s is %v", guid, rows)
		})
	}
	ended("forged-author", "the author of the command may not do that")
	for what, key := range map[string]string{"the connection": made.Secret, "another repository": codehost.HookSecret(secret.New(made.Secret), "99").Reveal()} {
		d := forged("forged-place", 0, key)
		d.URL = "?" + codehost.HookRepository + "=" + string(repository)
		if code := w.post(w.port, d); code != http.StatusUnauthorized {
			t.Errorf("at the address of the repository a body that is signed with the secret of %s was answered %d", what, code)
		}
	}
	if allHosts() { // the host may show a comment a moment later, so that it is looked for again for a minute
		testkit.Equal(t, "status", w.post(w.port, forged("forged-id", 99_999_999, made.Secret)), http.StatusAccepted)
		ended("forged-id", "the host has no such comment on this pull request")
	}
	if n := w.count(`SELECT COUNT(*) FROM review_runs`); n != 1 {
		t.Errorf("%d runs, want 1", n)
	}
}
