package webhook

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"log/slog"
	"slices"
	"time"

	"github.com/assay-dev/assay/internal/codehost"
	"github.com/assay-dev/assay/internal/domain"
	"github.com/assay-dev/assay/internal/errs"
	"github.com/assay-dev/assay/internal/store"
)

const (
	// mostAction is the maximum length of the action that is stored beside a body, in bytes.
	mostAction = 100

	// perMiB is the additional time for storing each MiB of a body. The largest delivery gets 5.8 of the 10
	// seconds that GitHub waits for an answer
	// (https://docs.github.com/en/webhooks/using-webhooks/best-practices-for-using-webhooks).
	perMiB = 200 * time.Millisecond
)

// deliveryStore stores verified deliveries.
type deliveryStore struct {
	store    *store.Store
	budget   time.Duration // for an empty body
	ignore   Ignore        // may be nil
	logger   *slog.Logger
	observer Observer // may be nil
}

// timeFor returns how long the database may take to store a body of size bytes.
func (k deliveryStore) timeFor(size int) time.Duration {
	return k.budget + time.Duration(size)*perMiB/(1<<20)
}

// keep stores a delivery with the action in its body. A delivery without a fair key gets that of the
// installation in its body.
func (k deliveryStore) keep(ctx context.Context, d store.NewDelivery) (duplicate bool, err error) {
	if !json.Valid(d.Payload) {
		return false, errNoObject
	}
	said, is := members(d.Payload, "action", "changes", "installation")
	if !is {
		return false, errNoObject
	}
	var action string
	if err := part(said["action"], &action); err != nil {
		return false, err
	}
	if len(action) <= mostAction {
		d.Action = action
	}
	if d.FairKey == "" {
		var installation struct {
			ID int64 `json:"id"`
		}
		if err := part(said["installation"], &installation); err != nil {
			return false, err
		}
		d.FairKey = fmt.Sprintf("%s:%d", d.Source, installation.ID)
	}
	if k.ignore != nil {
		d.Ignored = k.ignore(codehost.DeliveryWords{Event: d.Event, Action: d.Action, Changes: said["changes"]})
	}
	ctx, cancel := context.WithTimeout(ctx, k.timeFor(len(d.Payload)))
	defer cancel()
	if duplicate, err = k.store.Ingest(ctx, d); err != nil {
		return false, refusal(err)
	}
	if d.Ignored != "" && !duplicate {
		k.logger.InfoContext(ctx, "delivery processed", "guid", d.GUID, "event", d.Event, "action", d.Action, "disposition",
			domain.DispositionIgnored, "reason", d.Ignored)
		if k.observer != nil {
			k.observer.DeliveryProcessed(d.Event, string(domain.DispositionIgnored))
		}
	}
	return duplicate, nil
}

var errNoObject = errs.New(errs.Malformed, "not_json", "The body must be a JSON object. Set the webhook's content type to "+
	"application/json.")

// part decodes a member of a body, if it is present.
func part(raw json.RawMessage, into any) error {
	if raw == nil || json.Unmarshal(raw, into) == nil {
		return nil
	}
	return errNoObject
}

// members returns the members of a valid JSON object with the given names, and false for other values. The last one
// of duplicate names counts, and letter case matters. members decodes nothing else, because encoding/json takes three
// times as long and this is most of the work on an ignored delivery.
func members(object []byte, names ...string) (map[string]json.RawMessage, bool) {
	object = bytes.TrimSpace(object)
	if len(object) == 0 || object[0] != '{' {
		return nil, false
	}
	found, name, from, depth := map[string]json.RawMessage{}, "", 0, 0
	end := func(at int) {
		if from > 0 && slices.Contains(names, name) {
			found[name] = bytes.TrimSpace(object[from:at])
		}
		from = 0
	}
	for i := 0; i < len(object); i++ {
		switch object[i] {
		case '"':
			first := i + 1
			for i = first; object[i] != '"'; i++ {
				if object[i] == '\\' {
					i++
				}
			}
			if depth == 1 && from == 0 {
				name = string(object[first:i])
			}
		case ':':
			if depth == 1 {
				from = i + 1
			}
		case ',':
			if depth == 1 {
				end(i)
			}
		case '{', '[':
			depth++
		case '}', ']':
			if depth--; depth == 0 {
				end(i)
			}
		}
	}
	return found, true
}
