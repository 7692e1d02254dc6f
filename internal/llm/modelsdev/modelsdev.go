// Package modelsdev is the part of models.dev that the binary carries: prices, context windows, reasoning
// efforts and abilities of models (https://models.dev, anomalyco/models.dev at f3fc6922, MIT, see
// LICENSE.models-dev). Dollars per million tokens have become millionths of a dollar; from reasoning_options
// only the parts that decide about an effort are left. Release days come from the models' files in the same
// repository, or from their ids.
//
// The mapping of keys to providers and all conclusions from the data belong elsewhere.
package modelsdev

import (
	_ "embed" // for the data
	"encoding/json"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"sync"
	"time"
)

// Rate is the price of a million tokens, in millionths of a dollar.
type Rate struct {
	In    *int64 `json:"in"` // nil: the price is unknown
	Out   int64  `json:"out"`
	Read  *int64 `json:"read"`  // from a cache; nil: as other input
	Write *int64 `json:"write"` // to a cache; nil: as other input
}

// Model describes one model at one provider.
type Model struct {
	Rate
	Tiers []struct {
		Rate
		Over int64 `json:"over"` // for inputs of more tokens
	} `json:"tiers"`
	// Efforts are the reasoning efforts that the model takes; empty if the data lists no efforts.
	Efforts []string `json:"efforts"`
	Budget  bool     `json:"budget"` // reasoning is bounded by a number of tokens
	Toggle  bool     `json:"toggle"` // reasoning can be switched off
	// Tools and Structured report whether the model can call tools and answer by a schema.
	Tools      bool `json:"tools"`
	Structured bool `json:"structured"`
	// Context is the number of tokens that input and answer may have together; 0 if unknown.
	Context int64 `json:"context"`
	// Released is the release date, as 2026-04-16 or 2025-12, from release_date or from the id; "" if neither
	// has one.
	Released string `json:"released"`
}

// Data is the embedded data. It is shared, so callers must not change it.
type Data struct {
	Date      time.Time // of the data
	Providers map[string]map[string]Model
}

//go:embed models-dev.json
var embedded []byte

// Load returns the embedded data. It parses it once.
var Load = sync.OnceValues(func() (Data, error) {
	var in struct {
		Date      string                      `json:"date"`
		Providers map[string]map[string]Model `json:"providers"`
	}
	if err := json.Unmarshal(embedded, &in); err != nil {
		return Data{}, fmt.Errorf("the embedded data of models cannot be read: %w", err)
	}
	date, err := time.Parse(time.DateOnly, in.Date)
	if err != nil {
		return Data{}, fmt.Errorf("the embedded data of models has no date: %w", err)
	}
	return Data{date, in.Providers}, nil
})

var (
	dated    = regexp.MustCompile(`-(20\d\d-?[01]\d-?[0-3]\d|[0-3]\d[01]\d)$`)
	regional = regexp.MustCompile(`^(global|us|eu|au|jp|apac|us-gov)\.`)
)

// Undated returns a model's name without the date that providers append to it.
func Undated(model string) string { return dated.ReplaceAllString(model, "") }

// Area returns the area prefix of an Amazon Bedrock inference profile's id, such as "eu" or "global"; "" for
// other ids.
func Area(model string) string {
	if m := regional.FindStringSubmatch(model); m != nil {
		return m[1]
	}
	return ""
}

// Released returns the release date of a model, "" if unknown. A variant without a date in the data
// ("gpt-5.4-mini") gets that of the model whose name is a prefix of its own.
func (d Data) Released(provider, model string) string {
	models := d.Providers[provider]
	for name := model; name != ""; name = name[:max(strings.LastIndexByte(name, '-'), 0)] {
		if at := models[name].Released; at != "" {
			return at
		}
	}
	return ""
}

// Window returns the tokens that input and answer of a model may have together, or 0 if unknown. A model
// without a window in the data gets the smallest window among the provider's models that can review (call
// tools or answer by a schema) and share the beginning of its name ("gpt-5.6" gets the smallest of "gpt-5").
func (d Data) Window(provider, model string) int64 {
	if m, ok := d.Find(provider, model); ok && m.Context > 0 {
		return m.Context
	}
	plain := regional.ReplaceAllString(model, "")
	for name := family(plain); name != ""; name = family(name) {
		least := int64(0)
		for id, m := range d.Providers[provider] {
			inside := len(id) == len(name) || len(id) > len(name) && strings.IndexByte("-.:", id[len(name)]) >= 0
			if strings.HasPrefix(id, name) && inside && m.Context > 0 && (m.Tools || m.Structured) && (least == 0 || m.Context < least) {
				least = m.Context
			}
		}
		if least > 0 {
			return least
		}
	}
	return 0
}

// family returns a name without its last part, "" if only the maker would be left.
func family(name string) string {
	at := strings.LastIndexAny(name, "-.:")
	if at <= strings.IndexByte(name, '/')+1 || !strings.ContainsAny(name[:at], "0123456789-") {
		return ""
	}
	return name[:at]
}

// Find returns a model of a provider by its id. It ignores a date at the end of the id and the area of an
// inference profile.
func (d Data) Find(provider, model string) (Model, bool) {
	plain := regional.ReplaceAllString(model, "")
	for _, id := range slices.Compact([]string{model, Undated(model), plain, Undated(plain)}) {
		if m, ok := d.Providers[provider][id]; ok {
			return m, true
		}
	}
	return Model{}, false
}
