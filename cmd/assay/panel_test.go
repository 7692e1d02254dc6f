package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/assay-dev/assay/internal/eval"
	"github.com/assay-dev/assay/internal/llm"
	"github.com/assay-dev/assay/internal/review/ask"
)

func TestPanelFlags(t *testing.T) {
	gpt := modelFlags{ModelKind: "openai", Model: "gpt-5.4"}
	mixed := modelFlags{ModelKind: "compatible", ModelURL: "http://127.0.0.1:1/v1", Model: "qwen3:8b", ModelStrong: "gemma3:27b"}
	for name, tc := range map[string]struct {
		panel    panelFlags
		of       modelFlags
		scripted string
		want     string
	}{
		"none":             {panelFlags{PanelKind: "compatible"}, gpt, "", ""},
		"another vendor":   {panelFlags{Panel: "claude-x", PanelKind: "anthropic", PanelKeyFile: "key"}, gpt, "", ""},
		"the same vendor":  {panelFlags{Panel: "d", PanelKind: "azure", PanelURL: "https://a/openai/v1", PanelKeyFile: "key"}, gpt, "", "must be of another vendor than gpt-5.4"},
		"that of strong":   {panelFlags{Panel: "gemma3:12b", PanelKind: "compatible", PanelURL: "http://127.0.0.1:1/v1"}, mixed, "", "must be of another vendor than gemma3:27b"},
		"no key":           {panelFlags{Panel: "claude-x", PanelKind: "anthropic"}, gpt, "", "--panel-key-file"},
		"no address":       {panelFlags{Panel: "m", PanelKind: "compatible"}, gpt, "", "--panel-url and --panel go together"},
		"no name":          {panelFlags{PanelURL: "http://127.0.0.1:1/v1", PanelKind: "compatible"}, gpt, "", "go with --panel"},
		"no model":         {panelFlags{Panel: "m", PanelKind: "compatible"}, modelFlags{}, "", "goes with --model or --scripted"},
		"scripted":         {panelFlags{Panel: "noisy"}, modelFlags{}, "oracle", ""},
		"scripted, kind":   {panelFlags{Panel: "noisy", PanelKind: "anthropic"}, modelFlags{}, "oracle", "a scripted panel has no address"},
		"scripted, key":    {panelFlags{Panel: "noisy", PanelKeyFile: "key"}, modelFlags{}, "oracle", "a scripted panel has no address"},
		"no such scripted": {panelFlags{Panel: "none"}, modelFlags{}, "oracle", "must name a scripted model"},
	} {
		err := tc.panel.check(tc.of, tc.scripted)
		if tc.want == "" && err != nil || tc.want != "" && (err == nil || !strings.Contains(err.Error(), tc.want)) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// The panel of a measurement has its own address and key; the key of the other model is not sent there.
func TestAPanelOfAMeasurement(t *testing.T) {
	file := filepath.Join(t.TempDir(), "key")
	if err := os.WriteFile(file, []byte("second-key"), 0o600); err != nil {
		t.Fatal(err)
	}
	of := modelFlags{ModelKind: "openai", Model: "gpt-5.4"}
	to := ask.Models{Standard: ask.Route{Model: "gpt-5.4"}}
	if err := (panelFlags{Panel: "claude-x", PanelKind: "anthropic", PanelKeyFile: file}).add(nil, of, nil, &to); err != nil {
		t.Fatal(err)
	}
	if to.Panel.Client == nil || to.Panel.Tier != ask.TierPanel || to.Panel.Vendor != "Anthropic" || to.Standard.Vendor != "OpenAI" {
		t.Errorf("%+v, %q", to.Panel, to.Standard.Vendor)
	}
	var scripted ask.Models
	if err := (panelFlags{Panel: "oracle"}).scripted(1, 0, eval.Case{}, 0, &scripted); err != nil || scripted.Panel.Client == nil {
		t.Errorf("%v, %+v", err, scripted.Panel)
	}
}

// A call of the panel has the price of the panel's provider, also under the dated name that the provider answers with.
func TestAPanelHasItsPrice(t *testing.T) {
	c := evalRunCmd{modelFlags: modelFlags{ModelKind: "anthropic", Model: "claude-sonnet-4-5"}, panelFlags: panelFlags{Panel: "gpt-5.4", PanelKind: "openai"}}
	cost, usage := c.price(), llm.Usage{InputTokens: 1_000_000}
	for _, call := range [][2]string{{"panel", "gpt-5.4"}, {"panel", "gpt-5.4-2026-03-05"}, {"strong", "claude-sonnet-4-5-20250929"}} {
		if micros, known := cost(call[0], call[1], usage); !known || micros == 0 {
			t.Errorf("%s %s costs %d, known: %v", call[0], call[1], micros, known)
		}
	}
	if _, known := cost("strong", "gpt-5.4", usage); known {
		t.Error("a model of the panel's provider has a price at the other provider")
	}
}
