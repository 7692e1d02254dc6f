package fix

import (
	"embed"
	"encoding/json"
	"sync"

	"github.com/assay-dev/assay/internal/domain"
	"github.com/assay-dev/assay/internal/review/ask"
	"github.com/assay-dev/assay/internal/review/lookup"
)

//go:embed prompts/*.md
var promptFiles embed.FS

// texts returns the texts for models, in the order of their names.
var texts = sync.OnceValue(func() []ask.Text { return ask.ReadTexts(promptFiles, "prompts") })

// promptHash is a part of the key of every stored stage.
var promptHash = sync.OnceValue(func() string {
	tools := ask.JSON(lookup.AllSpecs())
	return ask.Hash("1", append(texts(), ask.Texts()...), fixSchema(), verifySchema(), lookSchema(), tools)
})

// system returns the system text of a stage: with tools within a bound in words, or without if the bound is "".
func system(g ask.Guard, stage, language, bound string) string {
	text := ask.TextIn(texts(), stage) + ask.LanguageRule(language)
	if bound != "" {
		text += "\n" + ask.PromptText("tools", "{bound}", bound)
	}
	return ask.SystemText(stage, text, g)
}

// proposed is one edit of a model. Nothing in it is trusted.
type proposed struct {
	Path    string `json:"path"`
	Search  string `json:"search"`
	Replace string `json:"replace"`
}

func fixSchema() json.RawMessage {
	return ask.JSON(ask.Object(ask.Schema{
		"edits":   ask.Array(ask.Object(ask.Schema{"path": ask.String, "search": ask.String, "replace": ask.String})),
		"summary": ask.String,
	}))
}

// verdictGiven has the answer of the verifier.
type verdictGiven struct {
	Verdict string `json:"verdict"`
	Quote   string `json:"quote"`
	Why     string `json:"why"`
}

func verifySchema() json.RawMessage {
	return ask.JSON(ask.Object(ask.Schema{
		"verdict": ask.Enum(string(domain.VerdictRefuted), string(domain.VerdictConfirmed), string(domain.VerdictUnproven)),
		"quote":   ask.String, "why": ask.String,
	}))
}

// problem is what the second look reports.
type problem struct {
	Severity string `json:"severity"`
	Quote    string `json:"quote"`
	Why      string `json:"why"`
}

func lookSchema() json.RawMessage {
	return ask.JSON(ask.Object(ask.Schema{"problems": ask.Array(ask.Object(ask.Schema{
		"severity": ask.Enum("critical", "high", "medium", "low", "info"), "quote": ask.String, "why": ask.String}))}))
}
