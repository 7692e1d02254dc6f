package app

import (
	"net/http"

	"github.com/assay-dev/assay/internal/connect"
	"github.com/assay-dev/assay/internal/domain"
	"github.com/assay-dev/assay/internal/store"
	"github.com/assay-dev/assay/internal/tracker"
	"github.com/assay-dev/assay/internal/tracker/azureboards"
	"github.com/assay-dev/assay/internal/tracker/jira"
	"github.com/assay-dev/assay/internal/tracker/linear"
	"github.com/assay-dev/assay/internal/webhook"
)

// trackerKind is the implementation of one kind of issue tracker.
type trackerKind struct {
	adapter connect.Adapter
	hooks   tracker.Hooks
	consent connect.ConsentOf // nil if the kind has no OAuth sign-in
}

// trackerKinds returns the implemented kinds of issue trackers.
func trackerKinds() map[domain.ConnectionKind]trackerKind {
	return map[domain.ConnectionKind]trackerKind{
		domain.Jira:        {adapter: jira.New, hooks: jira.Hooks()},
		domain.Linear:      {adapter: linear.New, hooks: linear.Hooks(), consent: connect.LinearConsent},
		domain.AzureBoards: {adapter: azureboards.New, hooks: azureboards.Hooks()},
	}
}

func trackerAdapters() map[domain.ConnectionKind]connect.Adapter {
	out := map[domain.ConnectionKind]connect.Adapter{}
	for kind, k := range trackerKinds() {
		out[kind] = k.adapter
	}
	return out
}

func trackerConsents() map[domain.ConnectionKind]connect.ConsentOf {
	out := map[domain.ConnectionKind]connect.ConsentOf{}
	for kind, k := range trackerKinds() {
		if k.consent != nil {
			out[kind] = k.consent
		}
	}
	return out
}

// trackerParsers returns the parsers of stored tracker deliveries. They get no headers, because headers are
// not stored and the body names the event.
func trackerParsers() map[domain.ConnectionKind]func(d store.Delivery) (tracker.Event, error) {
	out := map[domain.ConnectionKind]func(d store.Delivery) (tracker.Event, error){}
	for kind, k := range trackerKinds() {
		out[kind] = func(d store.Delivery) (tracker.Event, error) { return k.hooks.Parse(http.Header{}, d.Payload) }
	}
	return out
}

func trackerWire(hooks tracker.Hooks) webhook.Wire {
	return webhook.Wire{
		Read: func(header http.Header) (webhook.Headers, error) {
			h, err := hooks.Read(header)
			return webhook.Headers{Event: h.Event, Delivery: h.Delivery, Proof: h.Proof}, err
		},
		Verify: hooks.Verify,
		Event: func(header http.Header, body []byte) string {
			ev, err := hooks.Parse(header, body)
			if err != nil { // the delivery is stored anyway, and its disposition reports the error
				return ""
			}
			return ev.Name
		},
	}
}
