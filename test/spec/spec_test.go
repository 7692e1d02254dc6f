// Package spec compares the limits, defaults and exact schemas of the specification with the product,
// so that later changes do not break a sentence unnoticed.
package spec_test

import (
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/assay-dev/assay/internal/analytics"
	"github.com/assay-dev/assay/internal/config"
	"github.com/assay-dev/assay/internal/domain"
	"github.com/assay-dev/assay/internal/llm/catalog"
	"github.com/assay-dev/assay/internal/llm/wire"
	"github.com/assay-dev/assay/internal/tenant"
	"github.com/assay-dev/assay/internal/testkit"
)

// sentence is a statement of the specification, by its section, with the value in the product and the
// value in the section.
type sentence struct {
	section, about string
	got, want      any
}

func TestLimitsAndDefaults(t *testing.T) {
	t.Parallel()
	d := config.Default()
	for _, s := range []sentence{
		{"8", "time for a list of models", wire.ListTimeout, 8 * time.Second},
		{"8", "bytes of a list of models", wire.MaxListBytes, 2 << 20},
		{"8", "life of a list of models", tenant.ModelListLife, 10 * time.Minute},
		{"8", "sizes of vectors", catalog.VectorSizes(), []int{384, 768, 1024, 1536, 3072}},
		{"8", "reviews at once per worker", d.Lanes.Review, 2},
		{"8", "days of spend on the overview", analytics.OverviewDays, 14},
		{"8", "days of spend by model on the overview", analytics.ModelDays, 30},
		{"8", "models on the overview", analytics.TopModels, 5},
		{"2", "tiers", tiers(), "fast! standard! strong! embeddings"},
		{"2", "efforts", len(catalog.Efforts()), 8},
		{"2", "regions offered first", regions(7), []string{"eu-central-1", "eu-west-1", "eu-west-2", "eu-west-3", "eu-north-1", "eu-south-1", "eu-central-2"}},
		{"2", "kinds of keys, those with a fixed endpoint", kinds(), "6, 3"},
		{"2", "presets by group", groups(), "eu-hosted 4, hosted 4, self-hosted 4"},
		{"2", "local addresses", addresses(catalog.GroupSelfHosted), []string{"http://localhost:11434/v1", "http://localhost:8000/v1", "http://localhost:1234/v1", "http://localhost:4000"}},
		{"2", "ends of European addresses", ends(catalog.GroupEU, "/v1"), 4},
		{"2", "ends of other addresses", ends(catalog.GroupHosted, "/v1", "/openai/v1", "/v1beta/openai"), 4},
	} {
		if got, want := fmt.Sprint(s.got), fmt.Sprint(s.want); got != want {
			t.Errorf("section %s, %s: got %s, want %s", s.section, s.about, got, want)
		}
	}
}

func regions(n int) (out []string) {
	for _, r := range catalog.CloudRegions()[:n] {
		out = append(out, r.ID)
	}
	return out
}

// tiers returns the tiers of the specification, which has no panel.
func tiers() string {
	var out []string
	for _, tier := range catalog.Tiers() {
		if tier.ID == domain.TierPanel {
			continue
		}
		name := tier.ID
		if tier.Required {
			name += "!"
		}
		out = append(out, name)
	}
	return strings.Join(out, " ")
}

func kinds() string {
	fixed := 0
	for _, k := range catalog.Kinds() {
		if k.Endpoint != "" {
			fixed++
		}
	}
	return fmt.Sprintf("%d, %d", len(catalog.Kinds()), fixed)
}

func groups() string {
	n := map[string]int{}
	for _, p := range catalog.Presets() {
		n[p.Group]++
	}
	var out []string
	for _, g := range slices.Sorted(maps.Keys(n)) {
		out = append(out, fmt.Sprintf("%s %d", g, n[g]))
	}
	return strings.Join(out, ", ")
}

func addresses(group string) (out []string) {
	for _, p := range catalog.Presets() {
		if p.Group == group {
			out = append(out, p.BaseURL)
		}
	}
	return out
}

// ends counts the presets of a group whose address has one of the given endings.
func ends(group string, with ...string) (n int) {
	for _, a := range addresses(group) {
		if slices.ContainsFunc(with, func(end string) bool { return strings.HasSuffix(a, end) }) {
			n++
		}
	}
	return n
}

// description is the part of the description of the interface that the tables name.
type description struct {
	OpenAPI    string `json:"openapi"`
	Components struct {
		Schemas map[string]struct {
			Properties map[string]struct {
				Enum      []any `json:"enum"`
				WriteOnly bool  `json:"writeOnly"`
			} `json:"properties"`
		} `json:"schemas"`
	} `json:"components"`
}

// internal/httpapi.TestDescriptionFile keeps the file equal to the binary's description.
func TestExactSchemas(t *testing.T) {
	t.Parallel()
	raw, err := os.ReadFile(filepath.Join("..", "..", "api", "openapi.json"))
	testkit.OK(t, err)
	var d description
	testkit.OK(t, json.Unmarshal(raw, &d))
	fields := func(name string) []string { return slices.Sorted(maps.Keys(d.Components.Schemas[name].Properties)) }
	enum := func(name, property string) string {
		return fmt.Sprint(d.Components.Schemas[name].Properties[property].Enum)
	}
	sizes := "[384 768 1024 1536 3072]"
	for _, s := range []sentence{
		{"9", "version of the description", strings.HasPrefix(d.OpenAPI, "3.1"), true},
		{"2", "a model of a list", fields("LlmModel"), []string{"displayName", "id"}},
		{"4", "the list of models", fields("LlmModels"), []string{"items", "reason", "source"}},
		{"2", "efforts of a tier", enum("LlmTier", "reasoningEffort"), "[default none minimal low medium high xhigh max]"},
		{"2", "sizes of the embeddings tier", enum("LlmEmbeddingsTier", "vectorSize"), sizes},
		{"2", "sizes of a test", enum("ConnectionTestRequest", "vectorSize"), sizes},
	} {
		if got, want := fmt.Sprint(s.got), fmt.Sprint(s.want); got != want {
			t.Errorf("section %s, %s: got %s, want %s", s.section, s.about, got, want)
		}
	}
	for name, schema := range d.Components.Schemas {
		if key, has := schema.Properties["apiKey"]; has && !key.WriteOnly {
			t.Errorf("section 2: the schema %s shows the key of a model", name)
		}
	}
}

// SECURITY.md has the targets for reports of vulnerabilities.
func TestTargetsForVulnerabilities(t *testing.T) {
	t.Parallel()
	raw, err := os.ReadFile(filepath.Join("..", "..", "SECURITY.md"))
	testkit.OK(t, err)
	for _, row := range []string{"acknowledgement of your report | within 2 business days", "first assessment | within 5 business days", "within 1 business day of our awareness",
		"critical or exploited | 7 days", "high | 14 days", "medium | 45 days", "low | with the next release", "at most 90 days", "early warning | 24 h", "notification | 72 h",
		"exploited vulnerability | at most 14 days", "severe incident | at most 1 month", "review | within 10 business days", "at least 10 years", "CVSS v4.0"} {
		if !strings.Contains(string(raw), row) {
			t.Errorf("section 8: SECURITY.md does not say %q", row)
		}
	}
}
