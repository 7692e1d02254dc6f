package connect

import (
	"context"
	"encoding/json"
	"fmt"
	"time"

	"github.com/assay-dev/assay/internal/domain"
	"github.com/assay-dev/assay/internal/llm/price"
	"github.com/assay-dev/assay/internal/store"
)

// StoredPrice is a price that an administrator has entered, as it is kept: of
// the instance or, before it, of a tenant. Prices are millionths of the currency
// per million tokens; a missing price of the cache is that of other input.
type StoredPrice struct {
	Kind             string    `json:"kind,omitempty"`
	Model            string    `json:"model"`
	From             time.Time `json:"from,omitzero"`
	InputMicros      int64     `json:"inputMicros"`
	OutputMicros     int64     `json:"outputMicros"`
	CacheReadMicros  *int64    `json:"cacheReadMicros,omitempty"`
	CacheWriteMicros *int64    `json:"cacheWriteMicros,omitempty"`
}

// StoredPrices is the document.
type StoredPrices struct {
	Items []StoredPrice `json:"items"`
}

// Prices are what calls of a tenant's models cost now.
func Prices(ctx context.Context, s *store.Store, t domain.Tenant) (*price.Table, error) {
	table, _, err := price.Embedded()
	if err != nil {
		return nil, err
	}
	instance, err := s.InstanceDocument(ctx, store.DocumentPrices)
	if err != nil {
		return nil, err
	}
	own, _, _, err := s.Setting(ctx, t, "", store.SettingPrices)
	if err != nil {
		return nil, err
	}
	for _, body := range []string{instance.Body, own} { // the tenant's come last, and so first
		if body == "" {
			continue
		}
		var doc StoredPrices
		if err := json.Unmarshal([]byte(body), &doc); err != nil {
			return nil, fmt.Errorf("the stored prices cannot be read: %w", err)
		}
		entries := make([]price.Entry, len(doc.Items))
		for i, p := range doc.Items {
			entries[i] = p.entry()
		}
		table = table.With(entries)
	}
	return table, nil
}

func (p StoredPrice) entry() price.Entry {
	or := func(v *int64) int64 {
		if v == nil {
			return -1
		}
		return *v
	}
	return price.Entry{Kind: p.Kind, Model: p.Model, From: p.From,
		Price: price.Price{Input: p.InputMicros, Output: p.OutputMicros, CacheRead: or(p.CacheReadMicros), CacheWrite: or(p.CacheWriteMicros)}}
}
