package budget

import (
	"context"
	"encoding/json"
	"fmt"
	"time"

	"github.com/assay-dev/assay/internal/domain"
	"github.com/assay-dev/assay/internal/field"
	"github.com/assay-dev/assay/internal/llm/price"
	"github.com/assay-dev/assay/internal/store"
)

// priceSource is the origin of the embedded prices.
const priceSource = "models.dev"

// LlmPrice is the price of one model's calls from a point in time on, as an administrator enters it. A
// tenant's price takes precedence over the instance's.
type LlmPrice struct {
	Kind             string    `json:"kind,omitempty" enum:"openai,anthropic,mistral,azure,bedrock,compatible" doc:"Kind of the keys that it holds for; absent: every kind"`
	Model            string    `json:"model" minLength:"1" maxLength:"200" doc:"What a tier calls the model: its id, or for azure the name of the deployment" example:"our-deployment"`
	From             time.Time `json:"from,omitzero" doc:"Start of the price; absent: always. The latest price that has begun is in effect"`
	InputMicros      int64     `json:"inputMicros" minimum:"0" maximum:"1000000000000" doc:"Millionths of a US dollar per million input tokens; 0 costs nothing" example:"250000"`
	OutputMicros     int64     `json:"outputMicros" minimum:"0" maximum:"1000000000000" doc:"The same for output tokens, those of reasoning included" example:"2000000"`
	CacheReadMicros  *int64    `json:"cacheReadMicros,omitempty" minimum:"0" maximum:"1000000000000" doc:"For input that was read from the provider's cache; absent: as other input"`
	CacheWriteMicros *int64    `json:"cacheWriteMicros,omitempty" minimum:"0" maximum:"1000000000000" doc:"For input that was written to the provider's cache; absent: as other input"`
}

// LlmPrices replaces all prices that administrators entered at one level.
type LlmPrices struct {
	Items []LlmPrice `json:"items" maxItems:"500" doc:"Those that are left out are removed" example:"[{\"model\":\"our-deployment\",\"inputMicros\":250000,\"outputMicros\":2000000}]"`
}

// LlmEmbeddedPrices describes the prices that come with this version.
type LlmEmbeddedPrices struct {
	Source   string `json:"source" doc:"Where the prices that come with this version are from"`
	Date     string `json:"date" doc:"Day of those prices, as 2026-07-02"`
	Currency string `json:"currency" doc:"Of every price, entered ones too"`
	Models   int    `json:"models" doc:"How many models have one"`
}

// LlmPriceList is the list of entered prices at one level, as the API shows it.
type LlmPriceList struct {
	Items     []LlmPrice        `json:"items" audit:"track"`
	Embedded  LlmEmbeddedPrices `json:"embedded" audit:"ignore"`
	Version   int64             `json:"version" audit:"ignore" doc:"For If-Match, as \"v7\"; 0: never stored"`
	UpdatedAt *time.Time        `json:"updatedAt,omitempty" audit:"ignore"`
}

// Check returns Invalid if the prices break a rule that the schema cannot express.
func (p LlmPrices) Check() error {
	var c field.Check
	type name struct {
		kind, model string
		from        int64
	}
	seen := map[name]bool{}
	for i, e := range p.Items {
		at := field.At("/items", i)
		c.Name(at+"/model", e.Model)
		n := name{e.Kind, e.Model, 0}
		if !e.From.IsZero() {
			n.from = e.From.UnixMicro()
			c.That(e.From.Year() >= 2000 && e.From.Year() < 2200, at+"/from", "must be a time between 2000 and 2200")
		}
		c.That(!seen[n], at, "must not be of the same kind, model and from as an earlier one")
		seen[n] = true
	}
	return c.Err()
}

// Stored returns the document to store.
func (p LlmPrices) Stored() string {
	if p.Items == nil {
		p.Items = []LlmPrice{}
	}
	body, err := json.Marshal(p)
	if err != nil {
		panic(err) // cannot fail: texts, numbers, and times whose year Check has bounded
	}
	return string(body)
}

// PriceList returns a stored document as the API shows it.
func PriceList(d store.Document) (LlmPriceList, error) {
	table, date, err := price.Embedded()
	if err != nil {
		return LlmPriceList{}, err
	}
	p, err := read(d.Body)
	out := LlmPriceList{Items: append([]LlmPrice{}, p.Items...), Version: d.Version,
		Embedded: LlmEmbeddedPrices{Source: priceSource, Date: date.Format(time.DateOnly), Currency: Currency, Models: table.Len()}}
	if d.UpdatedUS != 0 {
		out.UpdatedAt = new(time.UnixMicro(d.UpdatedUS).UTC())
	}
	return out, err
}

// read parses a document; "" has no prices. An unreadable document is an error, because a price must not
// vanish.
func read(body string) (p LlmPrices, err error) {
	if body == "" {
		return p, nil
	}
	if err := json.Unmarshal([]byte(body), &p); err != nil {
		return p, fmt.Errorf("the stored prices cannot be read: %w", err)
	}
	return p, nil
}

// Prices returns the prices of a tenant's models: the tenant's own, then the instance's, then the embedded
// ones.
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
	for _, body := range []string{instance.Body, own} { // the tenant's prices are added last and therefore win
		p, err := read(body)
		if err != nil {
			return nil, err
		}
		entries := make([]price.Entry, len(p.Items))
		for i, e := range p.Items {
			entries[i] = e.entry()
		}
		table = table.With(entries)
	}
	return table, nil
}

func (p LlmPrice) entry() price.Entry {
	or := func(v *int64) int64 {
		if v == nil {
			return -1
		}
		return *v
	}
	return price.Entry{Kind: p.Kind, Model: p.Model, From: p.From,
		Price: price.Price{Input: p.InputMicros, Output: p.OutputMicros, CacheRead: or(p.CacheReadMicros), CacheWrite: or(p.CacheWriteMicros)}}
}
