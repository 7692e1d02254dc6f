package local

import (
	"context"
	"strings"
	"testing"

	"github.com/assay-dev/assay/internal/llm"
	"github.com/assay-dev/assay/internal/review/ask"
	"github.com/assay-dev/assay/internal/review/report"
	"github.com/assay-dev/assay/internal/testkit"
)

// describes is a model without findings that describes a change.
type describes struct{ sentence string }

func (d describes) Complete(context.Context, llm.Request) (llm.Response, error) {
	return llm.Response{Text: `{"findings":[],"synopsis":"` + d.sentence + `"}`, StopReason: llm.StopEnd}, nil
}

func (d describes) ListModels(context.Context) ([]llm.ModelInfo, error) { return nil, nil }

// A sentence with a secret that the code has in parts is left out.
func TestSynopsisHasNoJoinedSecret(t *testing.T) {
	t.Parallel()
	const key = "AKIA" + "ZQXWPLMKVNYTHGRB" // a digit would already drop the sentence
	for sentence, want := range map[string]string{"Adds a key.": "Adds a key.", "Adds the key " + key + " to the shop.": ""} {
		dir := repo(t)
		write(t, dir, "key.go", "package shop\n\nconst key = \"AKIA\" + \""+strings.TrimPrefix(key, "AKIA")+"\"\n")
		route := ask.Route{Client: describes{sentence}, Model: "m"}
		var out strings.Builder
		got, err := Run(t.Context(), Options{Dir: dir, Checks: checker, Models: &ask.Models{Standard: route, Strong: route, Fast: route},
			Out: &out, Report: report.Options{Format: "json"}})
		testkit.OK(t, err)
		testkit.Equal(t, "synopsis", got.Result.Synopsis.Text, want)
		testkit.Equal(t, "report with the key", strings.Contains(out.String(), key), false)
	}
}
