package e2e

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/assay-dev/assay/internal/testkit"
	"github.com/assay-dev/assay/sim/github/simapi"
	shared "github.com/assay-dev/assay/sim/host/simapi"
)

// The webhook secret of each host is replaced while deliveries arrive. The host's first delivery with the new secret is accepted, and
// deliveries with the former one are, too.
func TestWebhookSecretIsRotated(t *testing.T) {
	hosts := jobHosts()
	hosts[0], hosts[5] = hosts[5], hosts[0] // the sample is Bitbucket Data Center
	onEach(t, hosts, journeys, sampleOfOne, func(t *testing.T, w *world, _ int) {
		before := w.open("before", clean())
		w.told(before.Number, 1)
		oldest := w.deliveries()[0]
		former := oldest
		w.accepts("the former secret before the rotation", former)
		for i, round := range []string{"first", "second"} {
			w.rotate(round)
			w.accepts(round+" rotation: the secret before it", former)
			known := len(w.deliveries())
			pr := w.open(round, buggy())
			w.told(pr.Number, 1)
			must(t, w.host.WaitDeliveries(w.ctx, patience))
			sent := w.deliveries()[known:]
			testkit.Require(t, round+" rotation: deliveries", len(sent) > 0, true)
			for _, d := range sent {
				if d.StatusCode != http.StatusAccepted {
					t.Errorf("%s rotation: the delivery %s with the new secret was answered %d", round, d.Event, d.StatusCode)
				}
			}
			if i == 1 {
				testkit.Equal(t, "the secret before the last two", w.post(w.port, oldest), http.StatusUnauthorized)
			}
			former = sent[0]
		}
	})
}

// accepts posts a recorded delivery again, as the host signed it, and expects that it is accepted.
func (w *world) accepts(what string, d shared.Delivery) {
	w.Helper()
	testkit.Equal(w.T, what, w.post(w.port, d), http.StatusAccepted)
}

// deliveries returns the deliveries that the host has sent so far, oldest first.
func (w *world) deliveries() []shared.Delivery {
	w.Helper()
	list, err := w.host.Deliveries(w.ctx, true)
	must(w.T, err)
	return list
}

// rotate replaces the webhook secret, and waits until the host signs with the new one. On GitHub a person enters the secret of the app on
// both sides. Elsewhere the service changes its webhook.
func (w *world) rotate(name string) {
	w.Helper()
	if w.gh == nil {
		w.boss.as.Send(http.MethodPost, w.at()+"/webhook-secret", nil, http.StatusOK, nil)
		w.synced()
		return
	}
	w.boss = w.admin()
	var apps struct {
		Items []struct {
			ID                   string
			NextWebhookSecretSet bool
		}
	}
	w.boss.as.Get("/api/instance/codehost-apps", &apps)
	at, next := "/api/instance/codehost-apps/"+apps.Items[0].ID, strings.Repeat(name, 8)
	if apps.Items[0].NextWebhookSecretSet { // ends the rotation before
		w.boss.as.Send(http.MethodPatch, at, map[string]any{"nextWebhookSecret": nil}, http.StatusOK, nil)
	}
	w.boss.as.Send(http.MethodPatch, at, map[string]any{"nextWebhookSecret": next}, http.StatusOK, nil)
	signed := w.deliveries()[0]
	mac := hmac.New(sha256.New, []byte(next))
	mac.Write([]byte(signed.Payload))
	signed.Headers["X-Hub-Signature-256"] = "sha256=" + hex.EncodeToString(mac.Sum(nil))
	testkit.Eventually(w.T, patience, func() (bool, string) { // a person needs longer than the interval of reads
		code := w.post(w.port, signed)
		return code == http.StatusAccepted, fmt.Sprintf("the new secret was answered %d", code)
	})
	must(w.T, w.gh.UpdateApp(w.ctx, w.app.ID, simapi.AppUpdate{WebhookSecret: &next}))
}
