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

	"github.com/assay-dev/assay/internal/codehost"
	"github.com/assay-dev/assay/internal/domain"
	"github.com/assay-dev/assay/internal/testkit"
	shared "github.com/assay-dev/assay/sim/host/simapi"
)

// forger is a person who knows the secret of a connection's webhook and has seen a delivery about a
// comment.
type forger struct {
	*world
	secret     string
	real       shared.Delivery
	people     map[string]shared.User
	repository domain.HostID // that the delivery is about
	sent       int
}

// forger creates people with write and read access, makes the host deliver a comment of the reader, and
// creates a secret.
func (w *world) forger(number int, says string) *forger {
	w.Helper()
	f := &forger{world: w, people: map[string]shared.User{}}
	for login, right := range map[string]string{"writer": "write", "reader": "read"} {
		made, err := w.host.CreateUser(w.ctx, shared.UserSpec{Login: login})
		must(w.T, err)
		f.people[login] = made
		w.change(repoChange{Collaborators: map[string]string{login: right}})
	}
	w.say(number, "reader", says)
	testkit.Eventually(w.T, patience, func() (bool, string) {
		list, err := w.host.Deliveries(w.ctx, true)
		must(w.T, err)
		for _, d := range list {
			if d.Done && strings.Contains(d.Payload, says) {
				f.real = d
			}
		}
		return f.real.ID != 0, fmt.Sprintf("%d deliveries", len(list))
	})
	f.repository = domain.HostID(strings.TrimPrefix(f.real.URL[strings.LastIndex(f.real.URL, "?")+1:], codehost.HookRepository+"="))
	var made struct{ Secret string }
	w.boss.as.Send(http.MethodPost, w.at()+"/webhook-secret", nil, http.StatusOK, &made)
	f.secret = made.Secret
	testkit.Eventually(w.T, patience, func() (bool, string) { // the new secret takes effect soon
		_, code := f.send(f.body(said{}), f.secret, "")
		return code == http.StatusAccepted, fmt.Sprintf("a signed body was answered %d", code)
	})
	return f
}

// said are the members of a forged body. Empty ones stay as in the captured delivery.
type said struct {
	id, number    int64
	by, text, end string // end: more bytes after the body
	fields        map[string]any
}

// body returns the body of the captured delivery, with changes.
func (f *forger) body(s said) string {
	f.Helper()
	var body map[string]any
	decoder := json.NewDecoder(strings.NewReader(f.real.Payload))
	decoder.UseNumber()
	must(f.T, decoder.Decode(&body))
	comment, pull, of, text := body["comment"], body["issue"], "sender", "body"
	if comment == nil {
		comment, pull, of, text = body["object_attributes"], body["merge_request"], "user", "note"
	}
	fields := comment.(map[string]any)
	if s.by != "" {
		who := map[string]any{"id": f.people[s.by].ID, "login": s.by, "username": s.by}
		fields["user"], fields["author_id"], body[of] = who, f.people[s.by].ID, who
	}
	if s.id > 0 {
		fields["id"] = s.id
	}
	if s.number > 0 {
		numbered := pull.(map[string]any)
		numbered["number"], numbered["iid"] = s.number, s.number
	}
	if s.text != "" {
		fields[text] = s.text
	}
	maps.Copy(fields, s.fields)
	raw, err := json.Marshal(body)
	must(f.T, err)
	return string(raw) + s.end
}

// send posts a body that is signed with a key, at the address of a repository or of the connection, and
// returns the id of the delivery and the status.
func (f *forger) send(body, key string, at domain.HostID) (guid string, code int) {
	f.Helper()
	f.sent++
	guid = fmt.Sprintf("f0f0f0f0-0000-4000-8000-%012d", f.sent)
	d := f.real
	d.URL, d.Headers, d.Payload = "", maps.Clone(f.real.Headers), body
	if at != "" {
		d.URL = "?" + codehost.HookRepository + "=" + string(at)
	}
	mac := hmac.New(sha256.New, []byte(key))
	mac.Write([]byte(body))
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
	return guid, f.post(f.port, d)
}

// tries sends a body signed with the connection's secret, and waits until it is ignored for a reason.
func (f *forger) tries(what string, s said, reason string) {
	f.Helper()
	guid, code := f.send(f.body(s), f.secret, "")
	if code != http.StatusAccepted {
		f.Errorf("%s was answered %d", what, code)
		return
	}
	f.ignored(what, "delivery_guid = '"+guid+"'", reason)
}

// ignored waits until the one delivery that matches a condition is ignored for a reason. It does not
// wait for later effects on the host.
func (w *world) ignored(what, where, reason string) {
	w.Helper()
	testkit.Eventually(w.T, patience, func() (bool, string) {
		rows := w.query(`SELECT COALESCE(disposition, ''), reason FROM webhook_deliveries WHERE ` + where)
		w.exec(`UPDATE webhook_deliveries SET received_us = received_us - 120000000 WHERE disposition IS NULL AND EXISTS (SELECT 1 FROM jobs WHERE subject = webhook_deliveries.id AND last_error LIKE '%no such comment%')`)
		w.exec(`UPDATE jobs SET run_us = 0 WHERE kind = 'delivery.process' AND state = 'queued' AND last_error LIKE '%no such comment%'`)
		return len(rows) == 1 && rows[0][0] == "ignored" && rows[0][1] == reason, fmt.Sprintf("%s: the delivery is %v, want it ignored because %q", what, rows, reason)
	})
}
