package main

import (
	"cmp"
	"context"
	"fmt"

	"github.com/assay-dev/assay/internal/eval"
	"github.com/assay-dev/assay/internal/eval/script"
	"github.com/assay-dev/assay/internal/llm/catalog"
	"github.com/assay-dev/assay/internal/llm/endpoint"
	"github.com/assay-dev/assay/internal/review/ask"
	"github.com/assay-dev/assay/internal/secret"
)

// panelFlags name the panel of a measurement: the model of a second vendor that looks for findings too.
type panelFlags struct {
	Panel        string `name:"panel" placeholder:"NAME" help:"A second model, of another vendor, that looks for findings too. With --scripted: the name of another scripted one."`
	PanelKind    string `name:"panel-kind" enum:"compatible,openai,anthropic,mistral,azure,bedrock" default:"compatible" placeholder:"KIND" help:"As --model-kind, of the panel."`
	PanelURL     string `name:"panel-url" placeholder:"URL" help:"As --model-url, of the panel."`
	PanelKeyFile string `name:"panel-key-file" placeholder:"FILE" help:"File with the key of the panel's endpoint. The key of the other model is never sent there."`
}

// flags returns the flags of the panel in the form of those of the other model.
func (p panelFlags) flags(of modelFlags) modelFlags {
	return modelFlags{ModelURL: p.PanelURL, ModelKind: p.PanelKind, Model: p.Panel, ModelKeyFile: p.PanelKeyFile, ModelWait: of.ModelWait,
		proxy: of.proxy}
}

// check checks the flags beside those of the other model.
func (p panelFlags) check(of modelFlags, scripted string) error {
	own := p.flags(of)
	kind, _ := catalog.KindOf(p.PanelKind)
	switch {
	case p.Panel == "" && (p.PanelURL != "" || p.PanelKeyFile != ""):
		return usageError("--panel-url and --panel-key-file go with --panel")
	case p.Panel == "":
		return nil
	case scripted != "" && (p.PanelURL != "" || p.PanelKeyFile != "" || kind.ID != catalog.Compatible && p.PanelKind != ""):
		return usageError("--panel-kind, --panel-url and --panel-key-file go with --model: a scripted panel has no address")
	case scripted != "":
		_, err := script.New(script.Options{Name: p.Panel}, eval.Case{}, 0)
		if err != nil {
			return usageError("--panel must name a scripted model, as --scripted does: %v", err)
		}
		return nil
	case of.Model == "":
		return usageError("--panel goes with --model or --scripted")
	case own.base() == "":
		return usageError("--panel-url and --panel go together: models of the kind %s have no address of their own", p.PanelKind)
	case kind.KeyRequired && p.PanelKeyFile == "":
		return usageError("%s wants a key: name its file with --panel-key-file", kind.Name)
	}
	for _, name := range []string{of.Model, cmp.Or(of.ModelStrong, of.Model)} {
		if catalog.SameVendor(own.key(), p.Panel, of.key(), name) {
			return usageError("--panel must be of another vendor than %s", name)
		}
	}
	return nil
}

// add gives the panel to the models of a run.
func (p panelFlags) add(e *env, of modelFlags, tried func(context.Context, endpoint.Attempt), to *ask.Models) error {
	if p.Panel == "" {
		return nil
	}
	own := p.flags(of)
	var key secret.Secret
	if p.PanelKeyFile != "" {
		var err error
		if key, err = own.secret(e); err != nil {
			return fmt.Errorf("--panel-key-file: %w", err)
		}
	}
	models, err := own.connect(key, tried)
	if err != nil {
		return fmt.Errorf("--panel: %w", err)
	}
	to.Panel = models.Standard
	to.Panel.Tier, to.Panel.Vendor = ask.TierPanel, own.key().Vendor(p.Panel)
	for _, r := range []*ask.Route{&to.Fast, &to.Standard, &to.Strong} {
		r.Vendor = of.key().Vendor(r.Model)
	}
	return nil
}

// scripted gives a scripted panel to scripted models.
func (p panelFlags) scripted(seed uint64, recall float64, c eval.Case, head int, to *ask.Models) error {
	if p.Panel == "" {
		return nil
	}
	m, err := script.New(script.Options{Name: p.Panel, Seed: seed + panelSeed, Recall: recall}, c, head)
	if err != nil {
		return err
	}
	to.Panel = ask.Route{Client: m, Model: p.Panel + "-panel", Tier: ask.TierPanel, Window: scriptedWindow}
	return nil
}

// panelSeed is added to the seed of a scripted panel, so that two models of one name find different things.
const panelSeed = 1 << 32
