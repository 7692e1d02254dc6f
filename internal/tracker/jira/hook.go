package jira

import (
	"net/http"
	"strings"
	"time"

	"github.com/assay-dev/assay/internal/secret"
	"github.com/assay-dev/assay/internal/tracker"
	"github.com/assay-dev/assay/internal/tracker/wire"
)

// Hooks reads webhooks that an administrator registers with a secret. X-Hub-Signature is "sha256=" and the
// hexadecimal HMAC-SHA256 of the body. X-Atlassian-Webhook-Identifier is equal for all attempts
// (developer.atlassian.com/cloud/jira/platform/webhooks, "Secure admin webhooks"). The bearer token in
// webhooks of apps does not authenticate a delivery, because it does not cover the body.
func Hooks() tracker.Hooks {
	return tracker.Hooks{Read: readHook, Verify: verifyHook, Parse: parseHook}
}

const (
	signatureHeader = "X-Hub-Signature"
	method          = "sha256="
)

func readHook(h http.Header) (out tracker.Hook, err error) {
	if out.Delivery, err = wire.SingleHeader(h, "X-Atlassian-Webhook-Identifier", wire.DeliveryForm); err != nil {
		return tracker.Hook{}, err
	}
	signature, err := wire.SingleHeader(h, signatureHeader, nil)
	if err != nil {
		return tracker.Hook{}, err
	}
	out.Proof = strings.HasPrefix(signature, method)
	return out, nil
}

func verifyHook(h http.Header, body []byte, secrets []secret.Secret) error {
	value, err := wire.SingleHeader(h, signatureHeader, nil)
	signature, known := strings.CutPrefix(value, method)
	if err != nil || !known {
		signature = ""
	}
	return wire.Signed(signature, body, secrets)
}

// lastStamp is the latest accepted time in milliseconds: the year 2200.
const lastStamp = 7_258_118_400_000

func parseHook(_ http.Header, body []byte) (tracker.Event, error) {
	var p struct {
		Event     string `json:"webhookEvent"`
		Timestamp int64  `json:"timestamp"` // milliseconds
		Issue     struct {
			Key string `json:"key"`
		} `json:"issue"`
	}
	if err := wire.Payload(body, &p); err != nil {
		return tracker.Event{}, err
	}
	out := tracker.Event{Name: wire.Word(p.Event), Issue: strings.HasPrefix(p.Event, "jira:issue_")}
	if keyForm.MatchString(p.Issue.Key) {
		out.Key = p.Issue.Key
		out.Project, _, _ = strings.Cut(p.Issue.Key, "-")
	}
	out.Deleted = p.Event == "jira:issue_deleted"
	if p.Timestamp > 0 && p.Timestamp < lastStamp {
		out.SentAt = time.UnixMilli(p.Timestamp).UTC()
	}
	return out, nil
}
