// Package modelsdev is the part of models.dev that the binary carries: what
// models cost, how long their inputs may be, which reasoning efforts they take, and what they can do
// (https://models.dev, anomalyco/models.dev at f3fc6922, MIT, see
// LICENSE.models-dev). Dollars per million tokens have become millionths of a
// dollar; of reasoning_options only what decides about an effort is left. Days of
// release are those of the files of the models in the same repository, or those
// in their ids.
//
// Which of the providers a key belongs to, and what follows from the data, do
// not live here.
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

// Rate is what a million tokens cost, in millionths of a dollar.
type Rate struct {
	In    *int64 `json:"in"` // nil: nobody knows what the model costs
	Out   int64  `json:"out"`
	Read  *int64 `json:"read"`  // from a cache; nil: as other input
	Write *int64 `json:"write"` // to a cache; nil: as other input
}

// Model is what is known of one model at one provider.
type Model struct {
	Rate
	Tiers []struct {
		Rate
		Over int64 `json:"over"` // for inputs of more tokens
	} `json:"tiers"`
	// Efforts are the reasoning efforts that it takes; none: the data does not say.
	Efforts []string `json:"efforts"`
	Budget  bool     `json:"budget"` // reasoning is bounded by a number of tokens
	Toggle  bool     `json:"toggle"` // reasoning can be switched off
	// Tools and Structured say that it can call tools and answer by a schema.
	Tools      bool `json:"tools"`
	Structured bool `json:"structured"`
	// Context is how many tokens input and answer may have together; 0: the data does
	// not say.
	Context int64 `json:"context"`
	// Released is when it came out, as 2026-04-16 or 2025-12, from release_date or
	// from its id; "" where neither was at hand.
	Released string `json:"released"`
}

// Data is the embedded data. It is shared: nobody may change it.
type Data struct {
	Date      time.Time // of the data
	Providers map[string]map[string]Model
}

//go:embed models-dev.json
var embedded []byte

// Load returns the embedded data. It is read once.
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

// Undated is a name without the date that providers append to it.
func Undated(model string) string { return dated.ReplaceAllString(model, "") }

// Area is how the id of one of Amazon Bedrock's inference profiles begins, "eu"
// or "global"; "" for other ids.
func Area(model string) string {
	if m := regional.FindStringSubmatch(model); m != nil {
		return m[1]
	}
	return ""
}

// Released is when a model came out; a variant of which the data does not say it
// ("gpt-5.4-mini") counts with the model that its name begins with.
func (d Data) Released(provider, model string) string {
	models := d.Providers[provider]
	for name := model; name != ""; name = name[:max(strings.LastIndexByte(name, '-'), 0)] {
		if at := models[name].Released; at != "" {
			return at
		}
	}
	return ""
}

// Window is how many tokens input and answer of a model may have together. A model
// that is newer than the data, or of which it does not say this, has the smallest
// window of those of the provider that do the work of reviews (call tools or answer
// by a schema) and with whose names its own begins ("gpt-5.6" counts as the smallest
// of "gpt-5"); 0 where there is none.
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

// family is a name without its last part, "" where only the maker would be left.
func family(name string) string {
	at := strings.LastIndexAny(name, "-.:")
	if at <= strings.IndexByte(name, '/')+1 || !strings.ContainsAny(name[:at], "0123456789-") {
		return ""
	}
	return name[:at]
}

// Find returns a model of a provider by its id; a date at the end of the id does
// not matter, nor does the area of an inference profile.
func (d Data) Find(provider, model string) (Model, bool) {
	plain := regional.ReplaceAllString(model, "")
	for _, id := range slices.Compact([]string{model, Undated(model), plain, Undated(plain)}) {
		if m, ok := d.Providers[provider][id]; ok {
			return m, true
		}
	}
	return Model{}, false
}
