package e2e

import (
	"cmp"
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/assay-dev/assay/internal/testkit"
	shared "github.com/assay-dev/assay/sim/host/simapi"
)

// The webhook secret of each connection is replaced while deliveries arrive. The host's first delivery with the new secret is accepted, and
// deliveries with the former one are, too.
func TestWebhookSecretIsRotated(t *testing.T) {
	hosts := jobHosts()[1:]                                 // the app of GitHub has one secret, which a person enters (internal/webhook tests its rotation)
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
	w.boss.as.Send(http.MethodPost, w.at()+"/webhook-secret", nil, http.StatusOK, nil)
	w.synced()
}
