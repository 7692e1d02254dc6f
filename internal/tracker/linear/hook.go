package linear

import (
	"net/http"
	"strings"
	"time"

	"github.com/assay-dev/assay/internal/secret"
	"github.com/assay-dev/assay/internal/tracker"
	"github.com/assay-dev/assay/internal/tracker/wire"
)

// Hooks reads Linear's webhooks (linear.app/developers/webhooks). Linear-Signature is the bare hexadecimal
// HMAC-SHA256 of the body. Linear repeats a failed delivery after a minute, an hour and six hours. It does
// not document the time in a repeated delivery, so the adapter accepts any age.
func Hooks() tracker.Hooks {
	return tracker.Hooks{Read: readHook, Verify: verifyHook, Parse: parseHook}
}

const signatureHeader = "Linear-Signature"

func readHook(h http.Header) (out tracker.Hook, err error) {
	if out.Event, err = wire.SingleHeader(h, "Linear-Event", wire.WordForm); err != nil {
		return tracker.Hook{}, err
	}
	if out.Delivery, err = wire.SingleHeader(h, "Linear-Delivery", wire.DeliveryForm); err != nil {
		return tracker.Hook{}, err
	}
	signature, err := wire.SingleHeader(h, signatureHeader, nil)
	if err != nil {
		return tracker.Hook{}, err
	}
	out.Proof = signature != ""
	return out, nil
}

func verifyHook(h http.Header, body []byte, secrets []secret.Secret) error {
	signature, err := wire.SingleHeader(h, signatureHeader, nil)
	if err != nil {
		signature = ""
	}
	return wire.Signed(signature, body, secrets)
}

// payload holds the parts of a body that we read (schema, EntityWebhookPayload).
type payload struct {
	Action           string `json:"action"`
	Type             string `json:"type"`
	WebhookTimestamp int64  `json:"webhookTimestamp"` // milliseconds
	Data             struct {
		Identifier string `json:"identifier"`
		Team       team   `json:"team"`
		Issue      struct {
			Identifier string `json:"identifier"`
			Team       team   `json:"team"`
		} `json:"issue"`
	} `json:"data"`
}

// lastStamp is the latest accepted time in milliseconds: the year 2200.
const lastStamp = 7_258_118_400_000

func parseHook(_ http.Header, body []byte) (tracker.Event, error) {
	var p payload
	if err := wire.Payload(body, &p); err != nil {
		return tracker.Event{}, err
	}
	out := tracker.Event{Name: wire.Word(p.Type + " " + p.Action), Issue: p.Type == "Issue"}
	key := p.Data.Identifier
	if !out.Issue {
		key = p.Data.Issue.Identifier
	}
	if keyForm.MatchString(key) {
		out.Key = key
		out.Project, _, _ = strings.Cut(key, "-")
	}
	out.Deleted = out.Issue && p.Action == "remove"
	if p.WebhookTimestamp > 0 && p.WebhookTimestamp < lastStamp {
		out.SentAt = time.UnixMilli(p.WebhookTimestamp).UTC()
	}
	return out, nil
}
