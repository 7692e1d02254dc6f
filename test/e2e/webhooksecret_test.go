package e2e

import (
	"cmp"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"maps"
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/assay-dev/assay/internal/domain"
	"github.com/assay-dev/assay/internal/testkit"
	"github.com/assay-dev/assay/sim/github/simapi"
	shared "github.com/assay-dev/assay/sim/host/simapi"
)

// The webhook secret of each connection, and of the app on GitHub, is replaced while deliveries arrive. The host's first delivery with the new secret is accepted, and
// deliveries with the former one are, too.
func TestWebhookSecretIsRotated(t *testing.T) {
	hosts := replyHosts()
	slices.SortStableFunc(hosts, func(a, b replyHost) int { // the sample is Bitbucket Data Center
		return -cmp.Compare(strings.Count(a.name, "-dc"), strings.Count(b.name, "-dc"))
	})
	onEach(t, hosts, journeys, sampleOfOne, func(t *testing.T, w *world, _ int) {
		before := w.open("before", clean())
		w.told(before.Number, 1)
		oldest := w.deliveries()[0]
		former := oldest
		w.accepts("the former secret before the rotation", former)
		for i, round := range []string{"first", "second"} {
			w.rotate()
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

// rotate replaces the webhook secret, and waits until the service has changed its webhook at the host.
func (w *world) rotate() {
	w.Helper()
	if w.gh != nil {
		w.rotateApp()
		return
	}
	w.boss.as.Send(http.MethodPost, w.at()+"/webhook-secret", nil, http.StatusOK, nil)
	w.synced()
}

// rotateApp enters a next webhook secret of the app, as an administrator of the instance does, and then at the host. It ends the rotation
// before it. The receiver reads secrets at intervals, so rotateApp waits until it accepts the next one.
func (w *world) rotateApp() {
	w.Helper()
	var list struct {
		Items []struct {
			ID                   string
			NextWebhookSecretSet bool
		}
	}
	admin := w.admin()
	admin.as.Get("/api/instance/codehost-apps", &list)
	testkit.Require(w.T, "apps", len(list.Items), 1)
	at := "/api/instance/codehost-apps/" + list.Items[0].ID
	if list.Items[0].NextWebhookSecretSet {
		admin.send(http.MethodPatch, at, map[string]any{"nextWebhookSecret": nil})
	}
	next := domain.NewID("next-webhook-secret")
	admin.send(http.MethodPatch, at, map[string]any{"nextWebhookSecret": next})
	probe := w.deliveries()[0]
	probe.Headers = maps.Clone(probe.Headers)
	mac := hmac.New(sha256.New, []byte(next))
	mac.Write([]byte(probe.Payload))
	probe.Headers["X-Hub-Signature-256"] = "sha256=" + hex.EncodeToString(mac.Sum(nil))
	testkit.Eventually(w.T, patience, func() (bool, string) {
		code := w.post(w.port, probe)
		return code == http.StatusAccepted, fmt.Sprintf("a delivery with the next secret is answered %d", code)
	})
	must(w.T, w.gh.UpdateApp(w.ctx, w.app.ID, simapi.AppUpdate{WebhookSecret: &next}))
}
